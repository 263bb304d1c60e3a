// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interrupt handler: three rings of interrupt vectors in guest memory, and the message-signalled interrupt.
//!
//! Ring 0 has the interrupt: with RPTR_REARM, one message is sent and the next waits until the driver has written RPTR.
//! Rings 1 and 2 announce themselves by a vector in ring 0.

mod block;
mod iv;
mod regs;
mod ring;

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

pub use iv::{client, Iv, IV_BYTES};

use crate::clock::Clock;
use crate::inject::event::{Event, Point, Verdict};
use crate::inject::Inject;
use crate::mem::{PhysAddr, PhysMem};
use crate::regs::PlainRegs;
use crate::report::{Counter, Report};
use crate::trace::Trace;
use ring::{Push, Ring};

/// Takes the card's message-signalled interrupts.
pub trait IrqSink: Send + Sync {
    /// Sends the message of a vector; `false` if nobody listens.
    fn signal(&self, vector: u32) -> bool;
}

/// OSSSYS 4.4.0 interrupt handler.
pub struct Ih {
    mem: Arc<PhysMem>,
    report: Arc<Report>,
    clock: Clock,
    trace: Arc<Trace>,
    inject: Arc<Inject>,
    state: Mutex<State>,
    sink: RwLock<Option<Arc<dyn IrqSink>>>,
    plain: PlainRegs,
    vectors: Counter,
    dropped: Counter,
    messages: Counter,
    unheard: Counter,
}

#[derive(Debug)]
struct State {
    rings: [Ring; 3],
    writeback: [u32; 2],
    /// The next entry in ring 0 sends a message.
    armed: bool,
    /// PASID per VMID, for each hub.
    pasids: [[u16; 16]; 2],
}

impl Default for State {
    fn default() -> Self {
        Self {
            rings: Default::default(),
            writeback: [0; 2],
            armed: true,
            pasids: Default::default(),
        }
    }
}

impl Ih {
    /// The power-on state: rings off.
    pub fn new(
        mem: Arc<PhysMem>,
        report: Arc<Report>,
        clock: Clock,
        trace: Arc<Trace>,
        inject: Arc<Inject>,
    ) -> Self {
        Self {
            mem,
            clock,
            trace,
            inject,
            state: Mutex::default(),
            sink: RwLock::default(),
            plain: PlainRegs::new(&[
                regs::IH_DOORBELL_RETRY_CAM,
                regs::IH_STORM_CLIENT_LIST_CNTL,
                regs::IH_INT_FLOOD_CNTL,
                regs::IH_CLK_CTRL,
                regs::IH_RETRY_INT_CAM_CNTL_ALDEBARAN,
                regs::IH_CLIENT_CFG_INDEX,
                regs::IH_CLIENT_CFG_DATA,
                regs::IH_CHICKEN_ALDEBARAN,
            ]),
            vectors: report.counter("iv"),
            dropped: report.counter("iv_dropped"),
            messages: report.counter("msi"),
            unheard: report.counter("msi_unheard"),
            report,
        }
    }

    /// Sets or removes what takes the interrupt messages.
    pub fn set_sink(&self, sink: Option<Arc<dyn IrqSink>>) {
        *self.sink.write() = sink;
    }

    /// Writes an interrupt vector into ring 0 and signals the driver. May be called from any thread.
    pub fn send(&self, iv: Iv) {
        self.send_to(0, iv);
    }

    /// Writes an interrupt vector into a ring (0..=2); rings 1 and 2 are announced in ring 0.
    pub fn send_to(&self, ring: usize, iv: Iv) {
        let mut state = self.state.lock();
        self.push(&mut state, ring, iv);
        if ring != 0 {
            self.push(
                &mut state,
                0,
                Iv {
                    client: client::IH,
                    ring_id: ring as u8,
                    ..Iv::default()
                },
            );
        }
    }

    /// A doorbell in the interrupt handler's range: BAR2 dword index and value.
    pub fn doorbell(&self, index: u32, value: u32) {
        let mut state = self.state.lock();
        let of = |d: u32| d & regs::DOORBELL_ENABLE != 0 && d & regs::DOORBELL_OFFSET == index;
        if let Some(ring) = state.rings.iter().position(|r| of(r.doorbell)) {
            self.set_rptr(&mut state, ring, value);
        } else if of(self.plain.get(regs::IH_DOORBELL_RETRY_CAM)) {
            self.report.count("retry_cam_ack", 1);
        } else {
            self.report.violation(
                "doorbell-unattached",
                format!("interrupt handler, {index:#x} = {value:#x}"),
            );
        }
    }

    /// Records the PASID that runs in a VMID, as the scheduler firmware does in both look-up tables.
    pub fn set_pasid(&self, vmid: u8, pasid: u16) {
        for hub in &mut self.state.lock().pasids {
            if let Some(p) = hub.get_mut(usize::from(vmid)) {
                *p = pasid;
            }
        }
    }

    /// The PASID of a VMID in the look-up table, 0 if none.
    pub fn pasid(&self, vmid: u8) -> u16 {
        let [gfx, _] = &self.state.lock().pasids;
        gfx.get(usize::from(vmid)).copied().unwrap_or(0)
    }

    /// Writes the same vector many times, so fast that nobody reads in between.
    pub(crate) fn send_many(&self, iv: Iv, number: u32) {
        let mut state = self.state.lock();
        for _ in 0..number {
            self.push(&mut state, 0, iv);
        }
    }

    /// Sends a message although nothing has happened.
    pub(crate) fn message(&self) {
        if let Some(sink) = &*self.sink.read() {
            sink.signal(0);
        }
    }

    /// Vectors that ring 0 has room for.
    pub(crate) fn ring_entries(&self) -> u32 {
        let [ring, ..] = &self.state.lock().rings;
        ring.size() / IV_BYTES
    }

    /// A vector on its way, on which faults wait.
    fn push(&self, state: &mut State, ring: usize, iv: Iv) {
        let iv = match self.inject.at(Event::new(Point::Vector, "IH", "").of(iv.vmid)) {
            Verdict::Lose => return,
            Verdict::Repeat => {
                self.write(state, ring, iv);
                iv
            }
            Verdict::Garble => Iv::GARBAGE,
            _ => iv,
        };
        self.write(state, ring, iv);
    }

    fn write(&self, state: &mut State, ring: usize, iv: Iv) {
        self.vectors.add(1);
        let Some(r) = state.rings.get_mut(ring) else {
            return;
        };
        let (addr, overwrites) = match r.push() {
            Push::At { addr, overwrites } => (addr, overwrites),
            Push::Off | Push::Full => {
                self.dropped.add(1);
                tracing::debug!("ring {ring} takes no vector: {iv:x?}");
                return;
            }
        };
        if overwrites {
            self.report.count("iv_overflow", 1);
        }
        if r.space() != regs::SPACE_BUS
            || self.plain.get(regs::IH_CHICKEN_ALDEBARAN) & regs::MC_SPACE_GPA_ENABLE == 0
        {
            self.report.violation(
                "ih-address-space",
                format!("ring {ring} is not set up for bus addresses"),
            );
        }
        self.trace.event("IH", format_args!("iv ring{ring} {iv}"));
        let _ = self
            .mem
            .write(PhysAddr::system(addr), &iv.encode(self.clock.now()));
        if ring != 0 {
            return;
        }
        let (cntl, wptr) = (r.cntl, r.wptr_value());
        if cntl & regs::WPTR_WRITEBACK_ENABLE != 0 {
            let [lo, hi] = state.writeback;
            let at = u64::from(lo & regs::WPTR_ADDR_LO) | u64::from(hi & regs::WPTR_ADDR_HI) << 32;
            let _ = self.mem.write(PhysAddr::system(at), &wptr.to_le_bytes());
        }
        self.interrupt(state);
    }

    /// Sends the message for ring 0, if it is enabled and armed.
    fn interrupt(&self, state: &mut State) {
        let [ring, ..] = &state.rings;
        if ring.cntl & regs::ENABLE_INTR == 0 || !state.armed {
            return;
        }
        state.armed = ring.cntl & regs::RPTR_REARM == 0;
        self.trace.event("IH", format_args!("msi"));
        if self.sink.read().as_ref().is_some_and(|s| s.signal(0)) {
            self.messages.add(1);
        } else {
            self.unheard.add(1);
        }
    }

    fn set_rptr(&self, state: &mut State, ring: usize, value: u32) {
        let Some(r) = state.rings.get_mut(ring) else {
            return;
        };
        let before = *r;
        if !r.set_rptr(value) {
            self.report.violation(
                "ih-read-pointer",
                format!(
                    "ring {ring}: {value:#x}, was {:#x}, written up to {:#x}",
                    before.rptr, before.wptr
                ),
            );
        }
        if ring == 0 {
            state.armed = true;
            let [r, ..] = &state.rings;
            if r.has_entries() {
                self.interrupt(state);
            }
        }
    }
}

#[cfg(test)]
mod tests;
