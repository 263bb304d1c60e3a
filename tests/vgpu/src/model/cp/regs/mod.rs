// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registers of the command processor: those that exist once, and a bank per hardware queue slot.
//!
//! Everything here answers at once: a write that starts work only says so ([`Effect`]), the engine does it later.

mod compute;
mod hqd;
mod names;

use std::collections::BTreeMap;

pub(crate) use compute::{mqd_layout, Compute, Reg, COMPUTE_FIRST, COMPUTE_REGS};
pub(crate) use hqd::{Bank, Hqd, ERROR_AQL, ERROR_PQ_UTCL1, HQD_FIRST, HQD_REGS};
use hqd::{DOORBELL_HIT, HPD_FIRST, HPD_REGS};

use super::slot::{Slot, SLOTS};
use crate::regs::{name_in, Select};

/// CP_MEC_CNTL: halts and resets of the micro engines.
pub(crate) const CP_MEC_CNTL: u32 = 0x8234;
/// CP_CPC_STATUS: busy bits.
const CP_CPC_STATUS: u32 = 0x8210;
/// CP_STAT: busy bits of the whole command processor.
const CP_STAT: u32 = 0x8680;
/// CP_PQ_WPTR_POLL_CNTL1: a one-shot read of the write pointer of the slots of ME1 in the mask.
const CP_PQ_WPTR_POLL_CNTL1: u32 = 0xc210;
/// CP_ME1_PIPE0_INT_CNTL, the first of eight (both micro engines, four pipes).
const PIPE_INT_CNTL: u32 = 0xc214;
/// CP_ME1_PIPE0_INT_STATUS, the first of eight.
const PIPE_INT_STATUS: u32 = 0xc234;
/// CPC_INT_CNTL: the INT_CNTL of the selected pipe.
const CPC_INT_CNTL: u32 = 0xc2d0;
/// CPC_INT_STATUS: writing a bit raises that interrupt for the writing pipe.
pub(crate) const CPC_INT_STATUS: u32 = 0xc2d4;
/// CP_PQ_STATUS: doorbell enable.
const CP_PQ_STATUS: u32 = 0xc2e0;
/// RLC_CP_SCHEDULERS: which slot is the kernel interface queue.
const RLC_CP_SCHEDULERS: u32 = 0x3b2a8;
/// CP_MEC_ME1_UCODE_ADDR and _DATA, then the same of ME2.
const UCODE: std::ops::RangeInclusive<u32> = 0x3e068..=0x3e074;

/// Reset value of CP_MEC_CNTL: both engines halted.
const MEC_CNTL_RESET: u32 = ME1_HALT | ME2_HALT;
const ME1_HALT: u32 = 1 << 30;
const ME2_HALT: u32 = 1 << 28;
/// CP_PQ_STATUS.DOORBELL_ENABLE.
const PQ_DOORBELL_ENABLE: u32 = 1 << 1;

/// What the engine has to do after a register write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// CP_HQD_ACTIVE of the slot became 1 or 0.
    Active(Slot, bool),
    /// CP_HQD_DEQUEUE_REQUEST of the slot was written with this non-zero request.
    Dequeue(Slot, u8),
    /// CP_HQD_PQ_WPTR of the slot changed.
    Wptr(Slot),
    /// The write pointers of these ME1 slots are to be read from memory once (bit n: slot n).
    PollWptr(u32),
    /// CP_MEC_CNTL changed: the pipes (0..=7) in the mask are reset.
    MecCntl { reset_pipes: u8 },
    /// These interrupt bits are to be raised by the selected pipe, if there is one.
    RaiseInterrupt(Option<Slot>, u32),
}

/// What became of a doorbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    /// It belongs to this mapped queue, whose write pointer has been set.
    Queue(Slot),
    /// No mapped queue has it.
    Unmapped,
    /// CP_PQ_STATUS.DOORBELL_ENABLE is off.
    Disabled,
}

/// All registers of the command processor.
pub(crate) struct RegFile {
    banks: Vec<Bank>,
    once: BTreeMap<u32, u32>,
    pipe_int_cntl: [u32; 8],
}

impl RegFile {
    /// The power-on state: engines halted, no queue active.
    pub(crate) fn new() -> Self {
        let mut once: BTreeMap<u32, u32> = names::MEC.iter().map(|(o, _)| (*o, 0)).collect();
        once.insert(CP_MEC_CNTL, MEC_CNTL_RESET);
        Self {
            banks: vec![Bank::default(); SLOTS],
            once,
            pipe_int_cntl: [0; 8],
        }
    }

    /// The bank of a slot.
    pub(crate) fn bank(&self, slot: Slot) -> &Bank {
        // the vector has SLOTS entries and a slot's index is below that
        &self.banks[slot.index()]
    }

    /// The bank of a slot.
    pub(crate) fn bank_mut(&mut self, slot: Slot) -> &mut Bank {
        &mut self.banks[slot.index()]
    }

    /// Whether the slot's micro engine runs.
    pub(crate) fn running(&self, slot: Slot) -> bool {
        let halt = if slot.me() == 1 { ME1_HALT } else { ME2_HALT };
        self.once(CP_MEC_CNTL) & halt == 0
    }

    /// The kernel interface queue's slot, if the driver named one (bit 7 valid, micro engine in 6:5, pipe in 4:3,
    /// queue in 2:0).
    pub(crate) fn kiq(&self) -> Option<Slot> {
        let v = self.once(RLC_CP_SCHEDULERS);
        let slot = Slot::new((v >> 5 & 3) as u8, (v >> 3 & 3) as u8, (v & 7) as u8);
        slot.filter(|_| v & 0x80 != 0)
    }

    /// Interrupt enables of the slot's pipe (layout of CPC_INT_CNTL).
    pub(crate) fn int_cntl(&self, slot: Slot) -> u32 {
        self.pipe_int_cntl.get(slot.pipe_index()).copied().unwrap_or(0)
    }

    /// A doorbell arrives: BAR2 dword index, value.
    pub(crate) fn doorbell(&mut self, index: u32, value: u64) -> Rung {
        if self.once(CP_PQ_STATUS) & PQ_DOORBELL_ENABLE == 0 {
            return Rung::Disabled;
        }
        let hit = Slot::all().find(|s| {
            let b = self.bank(*s);
            b.active() && b.doorbell() == Some(index)
        });
        let Some(slot) = hit else { return Rung::Unmapped };
        let bank = self.bank_mut(slot);
        bank.set_wptr(value);
        bank.set(
            Hqd::DoorbellControl,
            bank.get(Hqd::DoorbellControl) | DOORBELL_HIT,
        );
        Rung::Queue(slot)
    }

    /// The public name of a register.
    pub(crate) fn name(off: u32) -> Option<&'static str> {
        [names::MEC, names::HQD, names::COMPUTE]
            .iter()
            .find_map(|t| name_in(t, off))
    }

    /// The value of a register; `None` if there is no such register.
    pub(crate) fn read(&self, off: u32, sel: Select) -> Option<u32> {
        if let Some(place) = Banked::at(off) {
            let Some(slot) = Slot::selected(sel) else {
                return Some(0);
            };
            return Some(place.get(self.bank(slot)));
        }
        match off {
            CP_CPC_STATUS | CP_STAT => self.once.get(&off).copied(),
            CPC_INT_CNTL => Some(Slot::selected(sel).map_or(0, |s| self.int_cntl(s))),
            _ => match pipe_of(off, PIPE_INT_CNTL) {
                Some(pipe) => self.pipe_int_cntl.get(pipe).copied(),
                None => self.once.get(&off).copied(),
            },
        }
    }

    /// Writes a register and says what follows; `None` if there is no such register.
    pub(crate) fn write(&mut self, off: u32, sel: Select, value: u32) -> Option<Effect> {
        if let Some(place) = Banked::at(off) {
            let Some(slot) = Slot::selected(sel) else {
                return Some(Effect::None);
            };
            return Some(self.write_banked(place, slot, value));
        }
        if off == CPC_INT_CNTL {
            if let Some(c) = Slot::selected(sel).and_then(|s| self.pipe_int_cntl.get_mut(s.pipe_index())) {
                *c = value;
            }
            return Some(Effect::None);
        }
        if let Some(c) = pipe_of(off, PIPE_INT_CNTL).and_then(|p| self.pipe_int_cntl.get_mut(p)) {
            *c = value;
            return Some(Effect::None);
        }
        let reg = self.once.get_mut(&off)?;
        match off {
            CP_CPC_STATUS | CP_STAT => return Some(Effect::None),
            CPC_INT_STATUS => return Some(Effect::RaiseInterrupt(Slot::selected(sel), value)),
            _ if pipe_of(off, PIPE_INT_STATUS).is_some() => *reg &= !value,
            // each data write moves the address on; what is loaded is not kept
            _ if UCODE.contains(&off) && off & 4 != 0 => *reg = value,
            _ => *reg = value,
        }
        Some(match off {
            CP_MEC_CNTL => {
                let reset_pipes = (value >> 16 & 0x3f) as u8;
                self.reset_pipes(reset_pipes);
                Effect::MecCntl { reset_pipes }
            }
            CP_PQ_WPTR_POLL_CNTL1 => Effect::PollWptr(value),
            _ => Effect::None,
        })
    }

    fn write_banked(&mut self, place: Banked, slot: Slot, value: u32) -> Effect {
        let bank = self.bank_mut(slot);
        let was_active = bank.active();
        place.set(bank, value);
        let Banked::Hqd(n) = place else {
            return Effect::None;
        };
        if n == Hqd::Active as usize {
            let now = bank.active();
            return if now == was_active {
                Effect::None
            } else {
                Effect::Active(slot, now)
            };
        }
        if n == Hqd::DequeueRequest as usize && value & 7 != 0 {
            return Effect::Dequeue(slot, (value & 7) as u8);
        }
        if n == Hqd::WptrLo as usize || n == Hqd::WptrHi as usize {
            return if was_active {
                Effect::Wptr(slot)
            } else {
                Effect::None
            };
        }
        Effect::None
    }

    /// Queues of these pipes are gone at once: the driver may set up new ones right behind.
    fn reset_pipes(&mut self, pipes: u8) {
        for slot in Slot::all().filter(|s| pipes >> s.pipe_index() & 1 == 1) {
            let bank = self.bank_mut(slot);
            bank.set(Hqd::Active, 0);
            bank.set(Hqd::DequeueRequest, 0);
        }
    }

    fn once(&self, off: u32) -> u32 {
        self.once.get(&off).copied().unwrap_or(0)
    }

    /// Shows a micro engine as busy or idle in the status registers.
    pub(crate) fn show_busy(&mut self, me1: bool, me2: bool) {
        // CP_CPC_STATUS: MEC1_BUSY, MEC2_BUSY, CPC_BUSY
        let v = u32::from(me1) | u32::from(me2) << 1 | u32::from(me1 | me2) << 31;
        self.once.insert(CP_CPC_STATUS, v);
    }
}

/// A place in a slot's bank.
#[derive(Clone, Copy)]
enum Banked {
    Hqd(usize),
    Hpd(usize),
    Compute(usize),
}

impl Banked {
    fn at(off: u32) -> Option<Self> {
        let index = |first: u32, count: usize| {
            let n = usize::try_from(off.checked_sub(first)? / 4).ok()?;
            (n < count).then_some(n)
        };
        if let Some(n) = index(HQD_FIRST, HQD_REGS) {
            return Some(Self::Hqd(n));
        }
        if let Some(n) = index(HPD_FIRST, HPD_REGS) {
            return Some(Self::Hpd(n));
        }
        let n = index(COMPUTE_FIRST, COMPUTE_REGS)?;
        name_in(names::COMPUTE, off).map(|_| Self::Compute(n))
    }

    fn get(self, bank: &Bank) -> u32 {
        let v = match self {
            Self::Hqd(n) => bank.hqd.get(n),
            Self::Hpd(n) => bank.hpd.get(n),
            Self::Compute(n) => bank.compute.0.get(n),
        };
        v.copied().unwrap_or(0)
    }

    fn set(self, bank: &mut Bank, value: u32) {
        let r = match self {
            Self::Hqd(n) => bank.hqd.get_mut(n),
            Self::Hpd(n) => bank.hpd.get_mut(n),
            Self::Compute(n) => bank.compute.0.get_mut(n),
        };
        if let Some(r) = r {
            *r = value;
        }
    }
}

/// Whether `off` is one of eight consecutive per-pipe registers.
fn pipe_of(off: u32, first: u32) -> Option<usize> {
    let n = usize::try_from(off.checked_sub(first)? / 4).ok()?;
    (n < 8).then_some(n)
}

/// Whether a compute register may be written with SET_SH_REG: its position in the bank.
pub(crate) fn sh_register(off: u32) -> Option<usize> {
    match Banked::at(off) {
        Some(Banked::Compute(n)) => Some(n),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
