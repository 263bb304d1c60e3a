// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The run list controller: clock capture, safe mode, serial bus state.

mod regs;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::device::Profile;
use crate::model::psp::{Engine, Firmware};
use crate::regs::{name_in, Block, PlainRegs, Select};
use crate::report::Report;

crate::fields! {
    ENABLE_F32 = RLC_CNTL.RLC_ENABLE_F32[0:0];
    SAFE_MODE_CMD = RLC_SAFE_MODE.CMD[0:0];
    CAPTURE = RLC_CAPTURE_GPU_CLOCK_COUNT.CAPTURE[0:0];
    GFX_POWER_STATUS = RLC_GPM_STAT.GFX_POWER_STATUS[1:1];
    GFX_CLOCK_STATUS = RLC_GPM_STAT.GFX_CLOCK_STATUS[2:2];
}

/// RLC_GPM_STAT of a core with power and clock.
const GPM_STAT: u32 = GFX_POWER_STATUS | GFX_CLOCK_STATUS;
/// Words of scratch memory and of the save and restore list.
const MEMORY_WORDS: usize = 4096;

/// RLC of GFX 9.4.2.
pub struct Rlc {
    profile: Profile,
    firmware: Arc<Firmware>,
    report: Arc<Report>,
    clock: Clock,
    state: Mutex<State>,
    plain: PlainRegs,
}

struct State {
    cntl: u32,
    safe_mode: u32,
    captured: u64,
    scratch: IndexedMemory,
    srm: IndexedMemory,
}

impl State {
    /// The power-on state: the processor runs if it has firmware.
    fn new(profile: Profile) -> Self {
        Self {
            cntl: match profile {
                Profile::Running => ENABLE_F32,
                Profile::PowerOn => 0,
            },
            safe_mode: 0,
            captured: 0,
            scratch: IndexedMemory::default(),
            srm: IndexedMemory::default(),
        }
    }
}

impl State {
    /// The firmware takes a safe mode request, if it runs.
    fn answer(&mut self) {
        if self.cntl & ENABLE_F32 != 0 {
            self.safe_mode &= !SAFE_MODE_CMD;
        }
    }
}

/// Memory behind an address and a data register; data accesses advance the address.
#[derive(Default)]
struct IndexedMemory {
    addr: u32,
    words: Vec<u32>,
}

impl IndexedMemory {
    fn slot(&mut self) -> &mut u32 {
        let at = self.addr as usize % MEMORY_WORDS;
        self.addr = self.addr.wrapping_add(1);
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        // the vector was just made long enough
        &mut self.words[at]
    }
}

impl Rlc {
    /// The power-on state.
    pub fn new(profile: Profile, firmware: Arc<Firmware>, clock: Clock, report: Arc<Report>) -> Self {
        Self {
            profile,
            firmware,
            report,
            clock,
            state: Mutex::new(State::new(profile)),
            plain: PlainRegs::named(regs::PLAIN),
        }
    }
}

impl Block for Rlc {
    fn name(&self) -> &'static str {
        "RLC"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        let mut s = self.state.lock();
        Some(match off {
            regs::RLC_CNTL => s.cntl,
            regs::RLC_SAFE_MODE => s.safe_mode,
            regs::RLC_GPU_CLOCK_COUNT_LSB => s.captured as u32,
            regs::RLC_GPU_CLOCK_COUNT_MSB => (s.captured >> 32) as u32,
            regs::RLC_CAPTURE_GPU_CLOCK_COUNT => 0,
            regs::RLC_GPM_STAT => GPM_STAT,
            // nothing here takes time
            regs::RLC_STAT
            | regs::RLC_SERDES_CU_MASTER_BUSY
            | regs::RLC_SERDES_NONCU_MASTER_BUSY
            | regs::RLC_SRM_GPM_COMMAND_STATUS => 0,
            regs::RLC_GPM_SCRATCH_ADDR => s.scratch.addr,
            regs::RLC_GPM_SCRATCH_DATA => *s.scratch.slot(),
            regs::RLC_SRM_ARAM_ADDR => s.srm.addr,
            regs::RLC_SRM_ARAM_DATA => *s.srm.slot(),
            _ => return self.plain.read(off),
        })
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let mut s = self.state.lock();
        match off {
            regs::RLC_CNTL if value & ENABLE_F32 != 0 && !self.firmware.has(Engine::Rlc) => {
                let detail = format!("RLC_CNTL = {value:#x}");
                self.report.violation("firmware-missing", detail);
            }
            regs::RLC_CNTL => {
                s.cntl = value;
                s.answer();
            }
            regs::RLC_SAFE_MODE => {
                s.safe_mode = value;
                s.answer();
            }
            regs::RLC_CAPTURE_GPU_CLOCK_COUNT => {
                if value & CAPTURE != 0 {
                    s.captured = self.clock.now();
                }
            }
            regs::RLC_GPM_SCRATCH_ADDR => s.scratch.addr = value,
            regs::RLC_GPM_SCRATCH_DATA => *s.scratch.slot() = value,
            regs::RLC_SRM_ARAM_ADDR => s.srm.addr = value,
            regs::RLC_SRM_ARAM_DATA => *s.srm.slot() = value,
            _ => return self.plain.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(regs::NAMES, off).or_else(|| name_in(regs::PLAIN, off))
    }

    fn reset(&self) {
        *self.state.lock() = State::new(self.profile);
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    #[test]
    fn safe_mode_command_clears_itself() {
        let card = TestCard::new();
        card.write(regs::RLC_SAFE_MODE, 1 | 1 << 1);
        assert_eq!(card.read(regs::RLC_SAFE_MODE), 1 << 1);
    }

    #[test]
    fn nobody_answers_while_the_firmware_does_not_run() {
        let card = TestCard::new();
        card.write(regs::RLC_CNTL, 0);
        card.write(regs::RLC_SAFE_MODE, 1 | 1 << 1);
        assert_eq!(card.read(regs::RLC_SAFE_MODE), 1 | 1 << 1);
        card.write(regs::RLC_CNTL, ENABLE_F32);
        assert_eq!(card.read(regs::RLC_SAFE_MODE), 1 << 1);
        card.assert_clean();
    }

    #[test]
    fn the_clock_is_captured_on_request() {
        let card = TestCard::new();
        let capture = || {
            card.write(regs::RLC_CAPTURE_GPU_CLOCK_COUNT, 1);
            let lo = card.read(regs::RLC_GPU_CLOCK_COUNT_LSB);
            u64::from(card.read(regs::RLC_GPU_CLOCK_COUNT_MSB)) << 32 | u64::from(lo)
        };
        let a = capture();
        let again = card.read(regs::RLC_GPU_CLOCK_COUNT_LSB);
        assert_eq!(again, a as u32);
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(capture() >= a + 400_000, "5 ms are 500 000 ticks of 10 ns");
        card.assert_clean();
    }

    #[test]
    fn scratch_memory_advances() {
        let card = TestCard::new();
        card.write(regs::RLC_GPM_SCRATCH_ADDR, 7);
        card.write(regs::RLC_GPM_SCRATCH_DATA, 1);
        card.write(regs::RLC_GPM_SCRATCH_DATA, 2);
        card.write(regs::RLC_GPM_SCRATCH_ADDR, 8);
        assert_eq!(card.read(regs::RLC_GPM_SCRATCH_DATA), 2);
        card.write(regs::RLC_GPM_SCRATCH_ADDR, u32::MAX);
        card.write(regs::RLC_GPM_SCRATCH_DATA, 3);
        card.assert_clean();
    }
}
