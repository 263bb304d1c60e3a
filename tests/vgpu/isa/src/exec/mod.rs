// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The execution loop.

mod buffer;
mod crossbar;
mod ds;
mod flat;
mod format;
mod gpr_idx;
mod lanes;
mod scratch;
mod smem;

use crate::inst::{Exec, Fields, Inst};
use crate::lds::Lds;
use crate::memory::{MemFault, Memory};
use crate::mode::Mode;
use crate::salu::Flow;
use crate::stop::{Illegal, Stop, Why};
use crate::wave::{status, Wave};

/// The bits of an address that the program counter has.
const PC: u64 = 0xffff_ffff_fffc;

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
                Ok(Flow::Jump(target)) => wave.pc = target & PC,
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
                        Halt::Illegal(why) => Stop::Illegal(Illegal {
                            pc,
                            words: page.words_at(pc),
                            why,
                        }),
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
    Fault(MemFault),
}

impl From<Why> for Halt {
    fn from(why: Why) -> Self {
        Self::Illegal(why)
    }
}

impl From<MemFault> for Halt {
    fn from(fault: MemFault) -> Self {
        Self::Fault(fault)
    }
}

/// Executes one instruction; `pc` moves past it.
#[inline]
fn step(wave: &mut Wave, lds: &mut Lds, memory: &mut dyn Memory, inst: &Inst) -> Result<Flow, Halt> {
    wave.pc = wave.pc.wrapping_add(u64::from(inst.words) * 4);
    match (inst.exec, &inst.fields) {
        (Exec::Salu(exec), Fields::Scalar(s)) => return Ok(exec(wave, s)?),
        (Exec::Memory, Fields::Smem(s)) => smem::execute(wave, memory, inst.op, s)?,
        _ if wave.mode.0 & Mode::VSKIP != 0 => {}
        (Exec::Valu(exec), Fields::Vop(vop)) if wave.mode.gpr_idx_en() => {
            exec(wave, &gpr_idx::relative(wave, vop)?)?;
        }
        (Exec::Valu(exec), Fields::Vop(vop)) => exec(wave, vop)?,
        (Exec::Memory, Fields::Ds(d)) => ds::execute(wave, lds, inst.op, d)?,
        (Exec::Memory, Fields::Flat(f)) => flat::execute(wave, lds, memory, inst.op, f)?,
        (Exec::Memory, Fields::Buffer(b)) => buffer::execute(wave, lds, memory, inst.op, b)?,
        _ => return Err(Why::Owned(format!("{} is not modelled", inst.mnemonic())).into()),
    }
    Ok(Flow::Next)
}
