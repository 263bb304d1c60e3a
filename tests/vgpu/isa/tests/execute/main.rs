// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs in LLVM's assembler syntax, executed, with the values they must leave.

#[path = "../support/mod.rs"]
mod support;

mod buffer;
mod control;
mod flat;
mod global;
mod lds;
mod robust;
mod scalar_memory;
mod scratch;

use support::{assemble, Flat, CODE, DATA};
use vgpu_isa::{run, Access, Lds, MemFault, Row, Stop, Wave, LANES};

/// Bytes of data memory.
const SIZE: usize = 256 << 10;

/// A wave with its surroundings.
struct Machine {
    wave: Wave,
    lds: Lds,
    memory: Flat,
}

impl Machine {
    /// A wave with 32 VGPRs and 16 accumulators at the start of `text`, 256 KiB of zeroed data at `DATA`, 4 KiB of LDS.
    /// v0 holds the lane number, v[2:3] the address of the lane's dword, v[4:5] of its 16 bytes; s[2:3] is `DATA`.
    fn new(text: &str) -> Self {
        let program = assemble(&format!("{text}\ns_endpgm\n"));
        let mut wave = Wave::new(CODE, 48, 32);
        for lane in 0..LANES {
            wave.vgprs[0][lane] = lane as u32;
            wave.vgprs[2][lane] = DATA as u32 + lane as u32 * 4;
            wave.vgprs[4][lane] = DATA as u32 + lane as u32 * 16;
        }
        wave.sgprs[2] = DATA as u32;
        Self {
            wave,
            lds: Lds::new(4096),
            memory: Flat::new(&program, SIZE),
        }
    }

    /// Runs until it stops.
    fn stop(&mut self) -> Stop {
        run(&mut self.wave, &mut self.lds, &mut self.memory, 100_000)
    }

    /// Runs to the end.
    fn end(mut self) -> Self {
        assert_eq!(self.stop(), Stop::EndPgm);
        self
    }

    /// Sets the register `v` in all lanes.
    fn set(&mut self, v: usize, value: impl Fn(usize) -> u32) {
        self.wave.vgprs[v] = std::array::from_fn(value);
    }

    /// Fills the data memory by dword number.
    fn fill(&mut self, value: impl Fn(usize) -> u32) {
        for i in 0..SIZE / 4 {
            self.memory.set_dword(i * 4, value(i));
        }
    }
}

/// A row by lane.
fn row(value: impl Fn(usize) -> u32) -> Row {
    std::array::from_fn(value)
}

/// The stop for a refused access.
fn fault(va: u64, access: Access) -> Stop {
    Stop::Fault(MemFault { va, access })
}
