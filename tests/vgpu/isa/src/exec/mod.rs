// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The execution loop.

use crate::inst::{Exec, Fields, Inst};
use crate::lds::Lds;
use crate::memory::Memory;
use crate::salu::Flow;
use crate::stop::{Illegal, Stop, Why};
use crate::wave::{status, Wave};

/// Runs `wave` until it stops, at most for `budget` instructions.
pub fn run(wave: &mut Wave, lds: &mut Lds, memory: &mut dyn Memory, budget: u64) -> Stop {
    if wave.status_bits & status::HALT != 0 {
        return Stop::Halt;
    }
    let mut left = budget;
    while left > 0 {
        let page = match memory.code(wave.pc) {
            Ok(page) => page,
            Err(fault) => return Stop::Fault(fault),
        };
        while left > 0 {
            let pc = wave.pc;
            let Some(inst) = page.inst(pc) else { break };
            let flow = match inst {
                Ok(inst) => step(wave, lds, memory, inst),
                Err(why) => Err(Halt::Illegal(why.clone())),
            };
            wave.executed += 1;
            left -= 1;
            match flow {
                Ok(Flow::Next) => {}
                Ok(Flow::Jump(target)) => wave.pc = target & !3,
                Ok(Flow::InvalidateCode) => {
                    memory.invalidate_code();
                    break;
                }
                Ok(Flow::Stop(stop)) => return stop,
                Ok(Flow::Trap { id }) if wave.has_trap_handler() => wave.enter_trap(pc, id, false),
                Ok(Flow::Trap { id }) => {
                    wave.pc = pc;
                    return Stop::Trap { id };
                }
                Err(halt) => {
                    wave.pc = pc;
                    return match halt {
                        Halt::Illegal(why) => Stop::Illegal(Illegal { pc, words: page.words_at(pc), why }),
                        Halt::Fault(fault) => Stop::Fault(fault),
                    };
                }
            }
        }
    }
    Stop::Yield
}

/// Why an instruction was not executed.
enum Halt {
    /// It cannot be.
    Illegal(Why),
    /// Memory refused.
    Fault(crate::memory::MemFault),
}

impl From<Why> for Halt {
    fn from(why: Why) -> Self {
        Self::Illegal(why)
    }
}

impl From<crate::memory::MemFault> for Halt {
    fn from(fault: crate::memory::MemFault) -> Self {
        Self::Fault(fault)
    }
}

/// Executes one instruction; `pc` moves past it.
fn step(wave: &mut Wave, _lds: &mut Lds, _memory: &mut dyn Memory, inst: &Inst) -> Result<Flow, Halt> {
    wave.pc = wave.pc.wrapping_add(u64::from(inst.words) * 4);
    match (inst.exec, &inst.fields) {
        (Exec::Valu(exec), Fields::Vop(vop)) => exec(wave, vop)?,
        (Exec::Salu(exec), Fields::Scalar(s)) => return Ok(exec(wave, s)?),
        _ => return Err(Why::Owned(format!("{} is not implemented", inst.mnemonic())).into()),
    }
    Ok(Flow::Next)
}
