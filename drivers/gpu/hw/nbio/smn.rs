// SPDX-License-Identifier: GPL-2.0
//! SMN, the system management network: registers that are not in the register BAR, behind an index and a data register.

use super::regs::*;
use crate::gpu::hw::{Bars, RegisterIo};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};

/// The way to it.
#[pin_data]
pub(crate) struct Smn {
    bars: Arc<Bars>,
    /// One access at a time.
    #[pin]
    port: Mutex<()>,
}

impl Smn {
    /// The way through the registers in `bars`.
    pub(crate) fn new(bars: &Arc<Bars>) -> Result<Arc<Self>> {
        let new = pin_init!(Self { bars: bars.clone(), port <- new_mutex!((), "smn") });
        Arc::pin_init(new, GFP_KERNEL)
    }

    /// Reads the register at `addr`, in bytes; all ones if the card does not answer.
    pub(crate) fn read(&self, addr: u32) -> u32 {
        let _port = self.port.lock();
        let r = &self.bars.registers;
        r.write_reg(PCIE_INDEX2::from(addr));
        // the index is there before the data register is read (nbio: a read drives posted writes ahead of it)
        let _ = u32::from(r.read(PCIE_INDEX2));
        r.read(PCIE_DATA2).into()
    }
}
