// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The graphics register bus manager: bank selects, shader-array configuration, per-VMID shader state, busy state.

mod meter;
mod regs;
mod vmid;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use meter::Meter;
pub use vmid::VmidState;

use crate::regs::{extract, name_in, place, Bank, Block, PlainRegs, Select};

/// Shader engines of the card.
pub const SHADER_ENGINES: u32 = 8;
/// Compute units in one shader engine that exist on the die; one of each is fused off.
pub const CU_PER_SE: u32 = 14;

/// Part of the graphics core that can be busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The command processor works on a queue.
    Cp,
    /// Waves are running.
    Spi,
}

/// Keeps a unit busy until it is dropped.
#[must_use]
pub struct Busy<'a> {
    count: &'a AtomicU32,
    meter: &'a Mutex<Meter>,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
        self.meter.lock().end();
    }
}

/// GRBM and what the shader blocks keep per VMID.
pub struct Grbm {
    select: Mutex<(u32, u32)>,
    vmids: Mutex<[VmidState; 16]>,
    gdbg: Mutex<[u32; 16]>,
    /// GC_USER_SHADER_ARRAY_CONFIG and GC_USER_RB_BACKEND_DISABLE per shader engine.
    user: Mutex<[[u32; SHADER_ENGINES as usize]; 2]>,
    busy: [AtomicU32; 2],
    meter: Mutex<Meter>,
    plain: PlainRegs,
}

impl Grbm {
    /// The power-on state.
    pub fn new() -> Self {
        let families = regs::PLAIN_FAMILIES
            .iter()
            .flat_map(|(first, n, step, _)| (0..*n).map(move |i| first + i * step));
        let plain = regs::PLAIN
            .iter()
            .map(|(off, _)| *off)
            .chain(families)
            .map(|off| (off, 0));
        Self {
            select: Mutex::new(POWER_ON_SELECT),
            vmids: Mutex::default(),
            gdbg: Mutex::default(),
            user: Mutex::default(),
            busy: Default::default(),
            meter: Mutex::default(),
            plain: PlainRegs::with_values(plain).powered_on_with(regs::VALUES),
        }
    }

    /// The bank selects in force for register accesses.
    pub fn select(&self) -> Select {
        let (cntl, index) = *self.select.lock();
        Select::decode(cntl, index)
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

    /// Shows a unit as busy in GRBM_STATUS until the result is dropped.
    pub fn busy(&self, unit: Unit) -> Busy<'_> {
        let [cp, spi] = &self.busy;
        let count = match unit {
            Unit::Cp => cp,
            Unit::Spi => spi,
        };
        count.fetch_add(1, Ordering::AcqRel);
        self.meter.lock().begin();
        Busy {
            count,
            meter: &self.meter,
        }
    }

    /// How long any unit has been busy, in all.
    pub fn busy_time(&self) -> Duration {
        self.meter.lock().total()
    }

    /// The compute units of a shader engine that work: neither fused off nor switched off (bit n: CU n).
    pub fn active_cus(&self, se: u32) -> u32 {
        let [user, _] = &*self.user.lock();
        let off = fused_off(se) | user.get(se as usize).copied().unwrap_or(0);
        !extract(off, regs::INACTIVE_CUS) & ((1 << CU_PER_SE) - 1)
    }

    fn status(&self) -> u32 {
        let [cp, spi] = &self.busy;
        let (cp, spi) = (cp.load(Ordering::Acquire) != 0, spi.load(Ordering::Acquire) != 0);
        place(u32::from(cp || spi), regs::GUI_ACTIVE)
            | place(u32::from(cp), regs::CP_BUSY)
            | place(u32::from(spi), regs::SPI_BUSY)
    }

    fn vmid_reg(&self, off: u32, vmid: u8) -> Option<u32> {
        let s = self.vmid_state(vmid);
        Some(match off {
            regs::SH_MEM_BASES => s.sh_mem_bases,
            regs::SH_MEM_CONFIG => s.sh_mem_config,
            regs::SQ_SHADER_TBA_LO => (s.tba >> 8) as u32,
            regs::SQ_SHADER_TBA_HI => (s.tba >> 40) as u32,
            regs::SQ_SHADER_TMA_LO => (s.tma >> 8) as u32,
            regs::SQ_SHADER_TMA_HI => (s.tma >> 40) as u32,
            regs::SPI_GDBG_PER_VMID_CNTL => self.gdbg.lock().get(usize::from(vmid)).copied().unwrap_or(0),
            _ => return None,
        })
    }

    fn set_vmid_reg(&self, off: u32, vmid: u8, value: u32) -> bool {
        let mut s = self.vmid_state(vmid);
        let lo = |addr: u64| addr & !0xff_ffff_ff00 | u64::from(value) << 8;
        let hi = |addr: u64| addr & 0xff_ffff_ff00 | u64::from(value & regs::TBA_HI) << 40;
        match off {
            regs::SH_MEM_BASES => s.sh_mem_bases = value,
            regs::SH_MEM_CONFIG => s.sh_mem_config = value,
            regs::SQ_SHADER_TBA_LO => s.tba = lo(s.tba),
            regs::SQ_SHADER_TBA_HI => s.tba = hi(s.tba),
            regs::SQ_SHADER_TMA_LO => s.tma = lo(s.tma),
            regs::SQ_SHADER_TMA_HI => s.tma = hi(s.tma),
            regs::SPI_GDBG_PER_VMID_CNTL => {
                if let Some(v) = self.gdbg.lock().get_mut(usize::from(vmid)) {
                    *v = value;
                }
            }
            _ => return false,
        }
        self.set_vmid_state(vmid, s);
        true
    }
}

/// GRBM_GFX_CNTL and GRBM_GFX_INDEX at power-on: everything broadcast.
const POWER_ON_SELECT: (u32, u32) = (0, 0xe000_0000);

/// CC_GC_SHADER_ARRAY_CONFIG of a shader engine: CUs 14 and 15 do not exist, and one of the 14 is fused off.
fn fused_off(se: u32) -> u32 {
    let off = 0b11 << CU_PER_SE | 1 << (se.wrapping_mul(5).wrapping_add(3) % CU_PER_SE);
    place(off, regs::INACTIVE_CUS)
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

    fn read_reg(&self, off: u32, sel: Select) -> Option<u32> {
        let se = sel.se.unwrap_or(0);
        let user = |n: usize| {
            self.user
                .lock()
                .get(n)
                .and_then(|u| u.get(usize::from(se)))
                .copied()
                .unwrap_or(0)
        };
        match off {
            regs::GRBM_GFX_CNTL => Some(self.select.lock().0),
            regs::GRBM_GFX_INDEX => Some(self.select.lock().1),
            regs::GRBM_STATUS => Some(self.status()),
            regs::GRBM_STATUS2
            | regs::GRBM_STATUS_SE0
            | regs::GRBM_STATUS_SE1
            | regs::GRBM_STATUS_SE2
            | regs::GRBM_STATUS_SE3 => Some(self.status() & regs::GUI_ACTIVE),
            regs::GRBM_SOFT_RESET | regs::CC_RB_BACKEND_DISABLE => Some(0),
            regs::CC_GC_SHADER_ARRAY_CONFIG => Some(fused_off(u32::from(se))),
            regs::GC_USER_SHADER_ARRAY_CONFIG => Some(user(0)),
            regs::GC_USER_RB_BACKEND_DISABLE => Some(user(1)),
            _ => self.vmid_reg(off, sel.vmid).or_else(|| self.plain.read(off)),
        }
    }

    fn write_reg(&self, off: u32, sel: Select, value: u32) -> bool {
        let set_user = |n: usize| {
            for (se, v) in self.user.lock().get_mut(n).into_iter().flatten().enumerate() {
                if sel.se.is_none_or(|s| usize::from(s) == se) {
                    *v = value;
                }
            }
            true
        };
        match off {
            regs::GRBM_GFX_CNTL => self.select.lock().0 = value,
            regs::GRBM_GFX_INDEX => self.select.lock().1 = value,
            regs::GC_USER_SHADER_ARRAY_CONFIG => return set_user(0),
            regs::GC_USER_RB_BACKEND_DISABLE => return set_user(1),
            _ => return self.set_vmid_reg(off, sel.vmid, value) || self.plain.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        let family = || {
            regs::PLAIN_FAMILIES.iter().find_map(|(first, n, step, name)| {
                let d = off.checked_sub(*first)?;
                (d % step == 0 && d / step < *n).then_some(*name)
            })
        };
        name_in(regs::NAMES, off)
            .or_else(|| name_in(regs::PLAIN, off))
            .or_else(family)
    }

    fn reg_bank(&self, off: u32) -> Bank {
        match off {
            regs::CC_GC_SHADER_ARRAY_CONFIG
            | regs::GC_USER_SHADER_ARRAY_CONFIG
            | regs::CC_RB_BACKEND_DISABLE
            | regs::GC_USER_RB_BACKEND_DISABLE => Bank::Array,
            _ if self.vmid_reg(off, 0).is_some() => Bank::Vmid,
            _ => Bank::One,
        }
    }

    fn reset(&self) {
        *self.select.lock() = POWER_ON_SELECT;
        *self.vmids.lock() = Default::default();
        *self.gdbg.lock() = Default::default();
        *self.user.lock() = Default::default();
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    #[test]
    fn there_are_104_compute_units() {
        let card = TestCard::new();
        let mut n = 0;
        for se in 0..SHADER_ENGINES {
            card.write(regs::GRBM_GFX_INDEX, se << 16 | 1 << 29 | 1 << 30);
            let off =
                card.read(regs::CC_GC_SHADER_ARRAY_CONFIG) | card.read(regs::GC_USER_SHADER_ARRAY_CONFIG);
            n += (!(off >> 16) & 0xffff).count_ones();
            assert_eq!(!(off >> 16) & 0xffff, card.gpu.grbm.active_cus(se));
        }
        assert_eq!(n, 104);
        card.assert_clean();
    }

    #[test]
    fn user_harvest_is_per_shader_engine() {
        let card = TestCard::new();
        card.write(regs::GRBM_GFX_INDEX, 2 << 16);
        card.write(regs::GC_USER_SHADER_ARRAY_CONFIG, 1 << 16);
        assert_eq!(card.gpu.grbm.active_cus(2).count_ones(), 12);
        assert_eq!(card.gpu.grbm.active_cus(1).count_ones(), 13);
        card.write(regs::GRBM_GFX_INDEX, 1 << 31);
        card.write(regs::GC_USER_SHADER_ARRAY_CONFIG, 0);
        assert_eq!(card.gpu.grbm.active_cus(2).count_ones(), 13);
    }

    #[test]
    fn shader_state_is_per_vmid() {
        let card = TestCard::new();
        card.write(regs::GRBM_GFX_CNTL, 8 << 4);
        card.write(regs::SH_MEM_BASES, 0x0001_0002);
        card.write(regs::SQ_SHADER_TBA_LO, 0x89ab_cdef);
        card.write(regs::SQ_SHADER_TBA_HI, 0x8000_0012);
        let s = card.gpu.grbm.vmid_state(8);
        assert_eq!((s.shared_base(), s.private_base()), (1 << 48, 2 << 48));
        assert_eq!(s.tba, 0x1289_abcd_ef00);
        card.write(regs::GRBM_GFX_CNTL, 9 << 4);
        assert_eq!(card.read(regs::SH_MEM_BASES), 0);
        card.assert_clean();
    }

    #[test]
    fn busy_units_show() {
        let card = TestCard::new();
        assert_eq!(card.read(regs::GRBM_STATUS), 0);
        let b = card.gpu.grbm.busy(Unit::Cp);
        assert_eq!(card.read(regs::GRBM_STATUS), 1 << 31 | 1 << 29);
        drop(b);
        assert_eq!(card.read(regs::GRBM_STATUS), 0);
    }
}
