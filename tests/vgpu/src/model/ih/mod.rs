// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interrupt handler: three rings of interrupt vectors in guest memory, and the message-signalled interrupt.

mod iv;

use std::sync::Arc;

pub use iv::{client, Iv, IV_BYTES};

use crate::clock::Clock;
use crate::mem::PhysMem;
use crate::regs::{Block, Select};
use crate::report::Report;

/// OSSSYS 4.4.0 interrupt handler.
pub struct Ih {
    mem: Arc<PhysMem>,
    report: Arc<Report>,
    clock: Clock,
}

impl Ih {
    /// The power-on state: rings off.
    pub fn new(mem: Arc<PhysMem>, report: Arc<Report>, clock: Clock) -> Self {
        Self { mem, report, clock }
    }

    /// Writes an interrupt vector into ring 0 and signals the driver. May be called from any thread.
    pub fn send(&self, iv: Iv) {
        let _ = (&self.mem, self.clock);
        self.report.violation("ih-not-complete", format!("{iv:x?}"));
    }

    /// A ring's read pointer arrives by doorbell: ring 0..=2, byte offset.
    pub fn doorbell(&self, ring: usize, value: u32) {
        let _ = (ring, value);
    }

    /// Records the PASID that runs in a VMID, as the scheduler firmware does in both look-up tables.
    pub fn set_pasid(&self, vmid: u8, pasid: u16) {
        let _ = (vmid, pasid);
    }

    /// The PASID of a VMID in the look-up table, 0 if none.
    pub fn pasid(&self, vmid: u8) -> u16 {
        let _ = vmid;
        0
    }
}

impl Block for Ih {
    fn name(&self) -> &'static str {
        "IH"
    }
    fn read_reg(&self, _off: u32, _sel: Select) -> Option<u32> {
        None
    }
    fn write_reg(&self, _off: u32, _sel: Select, _value: u32) -> bool {
        false
    }
    fn reg_name(&self, _off: u32) -> Option<&'static str> {
        None
    }
    fn reset(&self) {}
}
