// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The graphics register bus manager: bank selects, shader-array configuration, per-VMID shader state.

mod vmid;

use parking_lot::Mutex;

pub use vmid::VmidState;

use crate::regs::{Block, Select};

/// Shader engines of the card.
pub const SHADER_ENGINES: u32 = 8;
/// Compute units in one shader engine that exist (some may be switched off).
pub const CU_PER_SE: u32 = 14;

/// GRBM and what the shader blocks keep per VMID.
pub struct Grbm {
    vmids: Mutex<[VmidState; 16]>,
}

impl Grbm {
    /// The power-on state.
    pub fn new() -> Self {
        Self {
            vmids: Mutex::default(),
        }
    }

    /// The bank selects in force for accesses from the CPU.
    pub fn select(&self) -> Select {
        Select::default()
    }

    /// The shader state of a VMID; all zero for a VMID above 15.
    pub fn vmid_state(&self, vmid: u8) -> VmidState {
        self.vmids
            .lock()
            .get(usize::from(vmid))
            .copied()
            .unwrap_or_default()
    }

    /// Sets the shader state of a VMID, as the scheduler firmware does when it binds a process.
    pub fn set_vmid_state(&self, vmid: u8, state: VmidState) {
        if let Some(s) = self.vmids.lock().get_mut(usize::from(vmid)) {
            *s = state;
        }
    }
}

impl Default for Grbm {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Grbm {
    fn name(&self) -> &'static str {
        "GRBM"
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
