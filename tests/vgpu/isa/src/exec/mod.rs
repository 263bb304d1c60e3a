// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The execution loop.

use crate::inst::{Exec, Fields, Inst};
use crate::lds::Lds;
use crate::memory::Memory;
use crate::stop::{Illegal, Stop, Why};
use crate::wave::Wave;

/// Runs `wave` until it stops, at most for `budget` instructions.
pub fn run(wave: &mut Wave, _lds: &mut Lds, memory: &mut dyn Memory, budget: u64) -> Stop {
    let mut left = budget;
    while left > 0 {
        let page = match memory.code(wave.pc) {
            Ok(page) => page,
            Err(fault) => return Stop::Fault(fault),
        };
        while left > 0 {
            let Some(inst) = page.inst(wave.pc) else { break };
            let done = match inst {
                Ok(inst) => step(wave, inst),
                Err(why) => Err(why.clone()),
            };
            if let Err(why) = done {
                return Stop::Illegal(Illegal {
                    pc: wave.pc,
                    words: page.words_at(wave.pc),
                    why,
                });
            }
            wave.executed += 1;
            left -= 1;
        }
    }
    Stop::Yield
}

fn step(wave: &mut Wave, inst: &Inst) -> Result<(), Why> {
    match (inst.exec, &inst.fields) {
        (Exec::Valu(exec), Fields::Vop(vop)) => exec(wave, vop)?,
        _ => return Err(Why::Owned(format!("{} is not implemented", inst.op.name))),
    }
    wave.pc = wave.pc.wrapping_add(u64::from(inst.words) * 4);
    Ok(())
}
