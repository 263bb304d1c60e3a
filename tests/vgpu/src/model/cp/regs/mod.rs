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
use hqd::{DEQUEUE_REQ, DOORBELL_HIT, HPD_FIRST, HPD_REGS};

use super::slot::{Slot, SLOTS};
use crate::regs::{self, extract, name_in, Select};

use names::mec::{
    CPC_INT_CNTL, CP_CPC_STATUS, CP_ME1_PIPE0_INT_CNTL, CP_ME1_PIPE0_INT_STATUS, CP_MEC_ME1_UCODE_ADDR,
    CP_MEC_ME2_UCODE_DATA, CP_PQ_STATUS, CP_PQ_WPTR_POLL_CNTL1, CP_STAT, RLC_CP_SCHEDULERS,
};
pub(crate) use names::mec::{CPC_INT_STATUS, CP_MEC_CNTL, SPI_COMPUTE_QUEUE_RESET};

/// CP_MEC_ME1_UCODE_ADDR and _DATA, then the same of ME2.
const UCODE: std::ops::RangeInclusive<u32> = CP_MEC_ME1_UCODE_ADDR..=CP_MEC_ME2_UCODE_DATA;

/// Reset value of CP_MEC_CNTL: both engines halted.
const MEC_CNTL_RESET: u32 = ME1_HALT | ME2_HALT;

crate::fields! {
    ME1_HALT = CP_MEC_CNTL.MEC_ME1_HALT[30:30];
    ME2_HALT = CP_MEC_CNTL.MEC_ME2_HALT[28:28];
    /// Lowest of the resets of the pipes, ME1 before ME2.
    ME1_PIPE0_RESET = CP_MEC_CNTL.MEC_ME1_PIPE0_RESET[16:16];
    /// Highest of them.
    ME2_PIPE1_RESET = CP_MEC_CNTL.MEC_ME2_PIPE1_RESET[21:21];
    QUEUE_RESET = SPI_COMPUTE_QUEUE_RESET.RESET[0:0];
    PQ_DOORBELL_ENABLE = CP_PQ_STATUS.DOORBELL_ENABLE[1:1];
    /// The kernel interface queue: valid, micro engine, pipe and queue.
    SCHEDULER0 = RLC_CP_SCHEDULERS.scheduler0[7:0];
    MEC1_BUSY = CP_CPC_STATUS.MEC1_BUSY[0:0];
    MEC2_BUSY = CP_CPC_STATUS.MEC2_BUSY[1:1];
    CPC_BUSY = CP_CPC_STATUS.CPC_BUSY[31:31];
}

/// The resets of all pipes.
const PIPE_RESETS: u32 = (ME2_PIPE1_RESET << 1) - ME1_PIPE0_RESET;

/// Whether a value of CP_MEC_CNTL lets an engine run.
pub(crate) const fn starts_engine(value: u32) -> bool {
    value & (ME1_HALT | ME2_HALT) != ME1_HALT | ME2_HALT
}

/// What the engine has to do after a register write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// CP_HQD_ACTIVE of the slot became 1 or 0.
    Active(Slot, bool),
    /// CP_HQD_DEQUEUE_REQUEST of the slot was written with this non-zero request.
    Dequeue(Slot, u8),
    /// SPI_COMPUTE_QUEUE_RESET: the waves of the slot's queue are removed.
    ResetWaves(Slot),
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
        let mut once: BTreeMap<u32, u32> = names::mec::NAMES.iter().map(|(o, _)| (*o, 0)).collect();
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
        let v = extract(self.once(RLC_CP_SCHEDULERS), SCHEDULER0);
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
        [names::mec::NAMES, names::hqd::NAMES, names::compute::NAMES]
            .iter()
            .find_map(|t| name_in(t, off))
    }

    /// Which bank selects a register listens to.
    pub(crate) fn bank_of(off: u32) -> regs::Bank {
        match Banked::at(off) {
            Some(_) => regs::Bank::Queue,
            None if off == CPC_INT_CNTL => regs::Bank::Pipe,
            None => regs::Bank::One,
        }
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
            _ => match pipe_of(off, CP_ME1_PIPE0_INT_CNTL) {
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
        if let Some(c) = pipe_of(off, CP_ME1_PIPE0_INT_CNTL).and_then(|p| self.pipe_int_cntl.get_mut(p)) {
            *c = value;
            return Some(Effect::None);
        }
        let reg = self.once.get_mut(&off)?;
        match off {
            CP_CPC_STATUS | CP_STAT => return Some(Effect::None),
            CPC_INT_STATUS => return Some(Effect::RaiseInterrupt(Slot::selected(sel), value)),
            _ if pipe_of(off, CP_ME1_PIPE0_INT_STATUS).is_some() => *reg &= !value,
            // each data write moves the address on; what is loaded is not kept
            _ if UCODE.contains(&off) && off & 4 != 0 => *reg = value,
            _ => *reg = value,
        }
        Some(match off {
            CP_MEC_CNTL => {
                let reset_pipes = extract(value, PIPE_RESETS) as u8;
                self.reset_pipes(reset_pipes);
                Effect::MecCntl { reset_pipes }
            }
            CP_PQ_WPTR_POLL_CNTL1 => Effect::PollWptr(value),
            SPI_COMPUTE_QUEUE_RESET if value & QUEUE_RESET != 0 => {
                Slot::selected(sel).map_or(Effect::None, Effect::ResetWaves)
            }
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
        if n == Hqd::DequeueRequest as usize && value & DEQUEUE_REQ != 0 {
            return Effect::Dequeue(slot, extract(value, DEQUEUE_REQ) as u8);
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
        let bit = |on: bool, mask| if on { mask } else { 0 };
        let v = bit(me1, MEC1_BUSY) | bit(me2, MEC2_BUSY) | bit(me1 | me2, CPC_BUSY);
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
        name_in(names::compute::NAMES, off).map(|_| Self::Compute(n))
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
