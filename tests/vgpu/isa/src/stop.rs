// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a wave stopped running.

use crate::memory::MemFault;
use std::borrow::Cow;
use std::fmt;

/// The reason in words why something cannot be executed. Static where it can be, so that the hot path allocates nothing.
pub type Why = Cow<'static, str>;

/// An instruction that cannot be executed: garbage, a register outside the wave's allocation, or a case this crate
/// does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// Address of the instruction.
    pub pc: u64,
    /// Its words as fetched; unused ones are 0.
    pub words: [u32; 3],
    /// What is wrong with it.
    pub why: Why,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.words;
        write!(
            f,
            "illegal instruction at {:#x} ({a:08x} {b:08x} {c:08x}): {}",
            self.pc, self.why
        )
    }
}

/// Why [`run`](crate::run) returned.
///
/// After `Barrier`, `Sleep`, `SendMsg`, `Yield` and `Halt` the wave's `pc` is that of the next instruction and calling `run`
/// again continues. After `Trap`, `Fault` and `Illegal` it is that of the instruction itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `s_endpgm` or `s_endpgm_saved`: the wave is over.
    EndPgm,
    /// `s_barrier`: continue when all waves of the workgroup that still run have reached it.
    Barrier,
    /// `s_trap` without an enabled trap handler.
    Trap {
        /// TRAP_ID, the low 8 bits of the immediate.
        id: u8,
    },
    /// A memory access that the memory refused.
    Fault(MemFault),
    /// `s_sleep`: the wave wants to wait, usually for another one.
    Sleep {
        /// Shader clocks, a multiple of 64.
        clocks: u32,
    },
    /// The instruction budget given to `run` is used up.
    Yield,
    /// `s_sendmsg` and `s_sendmsghalt`; the latter also leaves the wave halted.
    SendMsg {
        /// The immediate: message in bits 3:0, operation in 6:4, stream in 9:8.
        msg: u16,
        /// M0, the message's argument.
        m0: u32,
    },
    /// STATUS.HALT is set: only a host (debugger, queue manager) can clear it.
    Halt,
    /// The instruction cannot be executed.
    Illegal(Illegal),
}
