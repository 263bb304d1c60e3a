// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interrupt handler's registers.

use super::{regs, Ih, State};
use crate::regs::{name_in, Block, Select};

/// A register of a ring.
fn of_ring(off: u32) -> Option<(usize, u32)> {
    regs::RINGS
        .iter()
        .enumerate()
        .find_map(|(i, base)| off.checked_sub(*base).filter(|r| *r <= 0x10).map(|r| (i, r)))
}

/// An entry of a PASID look-up table: the hub and the VMID.
fn of_lut(off: u32) -> Option<(usize, usize)> {
    let n = off.checked_sub(regs::IH_VMID_0_LUT)? / 4;
    (n < 32).then_some(((n / 16) as usize, (n % 16) as usize))
}

impl Block for Ih {
    fn name(&self) -> &'static str {
        "IH"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        if let Some(v) = self.plain.read(off) {
            return Some(v);
        }
        let state = self.state.lock();
        if let Some((hub, vmid)) = of_lut(off) {
            return state.pasids.get(hub)?.get(vmid).map(|p| u32::from(*p));
        }
        if let Some((ring, reg)) = of_ring(off) {
            let r = state.rings.get(ring)?;
            return Some(match reg {
                0x0 => r.cntl,
                0x4 => r.base,
                0x8 => r.base_hi,
                0xc => r.rptr,
                _ => r.wptr_value(),
            });
        }
        let [r0, r1, r2] = &state.rings;
        let [lo, hi] = state.writeback;
        Some(match off {
            regs::IH_RB_WPTR_ADDR_LO => lo,
            regs::IH_RB_WPTR_ADDR_HI => hi,
            regs::IH_DOORBELL_RPTR => r0.doorbell,
            regs::IH_DOORBELL_RPTR_RING1 => r1.doorbell,
            regs::IH_DOORBELL_RPTR_RING2 => r2.doorbell,
            _ => return None,
        })
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        if self.plain.write(off, value) {
            return true;
        }
        let mut state = self.state.lock();
        if let Some((hub, vmid)) = of_lut(off) {
            if let Some(p) = state.pasids.get_mut(hub).and_then(|h| h.get_mut(vmid)) {
                *p = value as u16;
            }
            return true;
        }
        if let Some((ring, reg)) = of_ring(off) {
            if reg == 0xc {
                self.set_rptr(&mut state, ring, value);
            } else if let Some(r) = state.rings.get_mut(ring) {
                match reg {
                    0x0 => r.set_cntl(value),
                    0x4 => r.base = value,
                    0x8 => r.base_hi = value,
                    _ => r.set_wptr(value),
                }
            }
            return true;
        }
        let State {
            rings: [r0, r1, r2],
            writeback: [lo, hi],
            ..
        } = &mut *state;
        *match off {
            regs::IH_RB_WPTR_ADDR_LO => lo,
            regs::IH_RB_WPTR_ADDR_HI => hi,
            regs::IH_DOORBELL_RPTR => &mut r0.doorbell,
            regs::IH_DOORBELL_RPTR_RING1 => &mut r1.doorbell,
            regs::IH_DOORBELL_RPTR_RING2 => &mut r2.doorbell,
            _ => return false,
        } = value;
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        let first = match of_lut(off) {
            Some((0, _)) => regs::IH_VMID_0_LUT,
            Some(_) => regs::IH_VMID_0_LUT_MM,
            None => off,
        };
        name_in(regs::NAMES, first)
    }

    fn reset(&self) {
        *self.state.lock() = State::default();
        self.plain.reset();
    }
}
