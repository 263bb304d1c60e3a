// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What messages do.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::messages::{self, FAILED, OK, REJECTED_PREREQ, UNKNOWN_CMD};
use super::power::{self, Clock};
use super::tables::{self, PowerTable, PPTABLE_SIZE};
use super::{eeprom, Smu, State};
use crate::model::gmc::{Client, HubId};

/// Firmware version 68.67.0.
pub(super) const SMU_VERSION: u32 = 0x0044_4300;
/// Version of the structures shared with the driver.
const DRIVER_IF_VERSION: u32 = 0x08;
/// Features of this firmware (smu13_driver_if_aldebaran.h): clocks 1..=5 and 13, deep sleep 7..=11, power 16 and 17,
/// thermal 20 and 21. The kernel takes clocks for managed only if 13, that of the video engines, is on: the initialisers of
/// aldebaran_ppt.c: aldebaran_dpm_features name one array element each time, and the last one stays.
pub(super) const FEATURES: u64 = 0x3e | 1 << 13 | 0xf80 | 3 << 16 | 3 << 20;
/// Its accesses to memory.
const SMU: Client = Client {
    hub: HubId::Mm,
    vmid: 0,
    name: "SMU",
};

/// Argument of GfxDriverReset in bits 15:0 for a reset of the whole card; bit 16 says that a fatal error was the reason.
const MODE_1: u32 = 1;

/// How long an accepted reset waits for the driver to read the response.
const ANSWER_READ: Duration = Duration::from_millis(100);

/// Result and response of a message.
type Answer = (u32, u32);

impl Smu {
    /// Carries a message out: result and response.
    pub(super) fn message(&self, s: &mut State, message: u32, argument: u32) -> Answer {
        let high = |addr: u64| addr & 0xffff_ffff | u64::from(argument) << 32;
        let low = |addr: u64| addr & !0xffff_ffff | u64::from(argument);
        match message {
            messages::TEST_MESSAGE => return (argument.wrapping_add(1), OK),
            messages::GET_SMU_VERSION => return (SMU_VERSION, OK),
            messages::GET_DRIVER_IF_VERSION => return (DRIVER_IF_VERSION, OK),
            messages::GET_ENABLED_SMU_FEATURES_LOW => return (s.features as u32, OK),
            messages::GET_ENABLED_SMU_FEATURES_HIGH => return ((s.features >> 32) as u32, OK),
            messages::SET_DRIVER_DRAM_ADDR_HIGH => s.driver_table = high(s.driver_table),
            messages::SET_DRIVER_DRAM_ADDR_LOW => s.driver_table = low(s.driver_table),
            messages::SET_TOOLS_DRAM_ADDR_HIGH => s.tools_table = high(s.tools_table),
            messages::SET_TOOLS_DRAM_ADDR_LOW => s.tools_table = low(s.tools_table),
            messages::TRANSFER_TABLE_SMU2DRAM => return (argument, self.give_table(s, argument)),
            messages::TRANSFER_TABLE_DRAM2SMU => return (argument, self.take_table(s, argument)),
            messages::ENABLE_ALL_SMU_FEATURES => match s.power_table {
                Some(table) => s.features = FEATURES & table.features,
                None => {
                    self.ctx
                        .report
                        .violation("smu-protocol", "features without a power table");
                    return (argument, REJECTED_PREREQ);
                }
            },
            messages::DISABLE_ALL_SMU_FEATURES | messages::PREPARE_MP1_FOR_UNLOAD => s.features = 0,
            messages::GET_MIN_DPM_FREQ
            | messages::GET_MAX_DPM_FREQ
            | messages::GET_DPM_FREQ_BY_INDEX
            | messages::SET_SOFT_MIN_BY_FREQ
            | messages::SET_SOFT_MAX_BY_FREQ => return self.clock(s, message, argument),
            messages::GFX_DRIVER_RESET if argument & 0xffff == MODE_1 => self.reset_card(),
            messages::GET_PPT_LIMIT => return (s.limits.power, OK),
            messages::SET_PPT_LIMIT if (1..=power::POWER_LIMIT).contains(&argument) => {
                s.limits.power = argument
            }
            messages::SET_PPT_LIMIT => return (argument, FAILED),
            // nothing to calibrate, no other GPUs, no bus of its own
            messages::RUN_DC_BTC
            | messages::BOARD_POWER_CALIBRATION
            | messages::GMI_PWR_DN_CONTROL
            | messages::HEAVY_SBR => {}
            other => {
                self.ctx
                    .report
                    .unknown("smu-message", format!("{other:#x}, argument {argument:#x}"));
                return (argument, UNKNOWN_CMD);
            }
        }
        (argument, OK)
    }

    /// Messages about a clock: its number in bits 31:16, a level or MHz in the others.
    fn clock(&self, s: &mut State, message: u32, argument: u32) -> Answer {
        /// Asks for the number of the highest level.
        const HIGHEST: u32 = 0xff;
        let (number, value) = (argument >> 16, argument & 0xffff);
        let limits = s.limits.soft.get_mut(number as usize);
        let (Some(clock), Some(limits)) = (Clock::of(number), limits) else {
            self.ctx
                .report
                .violation("smu-protocol", format!("message {message:#x} for clock {number}"));
            return (argument, FAILED);
        };
        let in_range = (clock.lowest()..=clock.highest()).contains(&value);
        match message {
            messages::GET_MIN_DPM_FREQ => (clock.lowest(), OK),
            messages::GET_MAX_DPM_FREQ => (clock.highest(), OK),
            messages::GET_DPM_FREQ_BY_INDEX if value == HIGHEST => {
                (clock.levels().len().saturating_sub(1) as u32, OK)
            }
            messages::GET_DPM_FREQ_BY_INDEX => match clock.levels().get(value as usize) {
                Some(mhz) => (*mhz, OK),
                None => (argument, FAILED),
            },
            messages::SET_SOFT_MIN_BY_FREQ if in_range => {
                limits.0 = value;
                (argument, OK)
            }
            messages::SET_SOFT_MAX_BY_FREQ if in_range => {
                limits.1 = value;
                (argument, OK)
            }
            _ => (argument, FAILED),
        }
    }

    /// TransferTableDram2Smu.
    fn take_table(&self, s: &mut State, table: u32) -> u32 {
        match table {
            tables::PPTABLE => self.power_table(s),
            tables::I2C_COMMANDS => self.i2c(s),
            _ => {
                self.ctx
                    .report
                    .unknown("smu-message", format!("table {table} from the driver"));
                FAILED
            }
        }
    }

    /// A request on the I2C bus; what was read is left in its place.
    fn i2c(&self, s: &State) -> u32 {
        let mut b = [0; eeprom::REQUEST_SIZE];
        let done = self
            .ctx
            .gmc
            .read(SMU, s.driver_table, &mut b)
            .map_err(|f| format!("{f:x?}"))
            .and_then(|()| eeprom::transfer(&mut b))
            .and_then(|()| {
                self.ctx
                    .gmc
                    .write(SMU, s.driver_table, &b)
                    .map_err(|f| format!("{f:x?}"))
            });
        match done {
            Ok(()) => OK,
            Err(why) => {
                self.ctx.report.violation(
                    "smu-protocol",
                    format!("I2C request at {:#x}: {why}", s.driver_table),
                );
                FAILED
            }
        }
    }

    fn power_table(&self, s: &mut State) -> u32 {
        let mut b = [0; PPTABLE_SIZE];
        let read = self
            .ctx
            .gmc
            .read(SMU, s.driver_table, &mut b)
            .map_err(|f| format!("{f:x?}"));
        match read.and_then(|()| PowerTable::parse(&b)) {
            Ok(table) => {
                s.limits.power = table.power.min(power::POWER_LIMIT);
                s.power_table = Some(table);
                OK
            }
            Err(why) => {
                self.ctx.report.violation(
                    "smu-protocol",
                    format!("power table at {:#x}: {why}", s.driver_table),
                );
                FAILED
            }
        }
    }

    /// TransferTableSmu2Dram.
    fn give_table(&self, s: &mut State, table: u32) -> u32 {
        if table != tables::SMU_METRICS {
            self.ctx
                .report
                .unknown("smu-message", format!("table {table} for the driver"));
            return FAILED;
        }
        let (now, busy) = super::times(&self.ctx);
        let b = tables::metrics(&s.sensors.sample(now, busy, &s.limits), now);
        match self.ctx.gmc.write(SMU, s.driver_table, &b) {
            Ok(()) => OK,
            Err(fault) => {
                self.ctx.report.violation(
                    "smu-protocol",
                    format!("metrics for {:#x}: {fault:x?}", s.driver_table),
                );
                FAILED
            }
        }
    }

    /// Puts the whole card into its power-on state, but for its configuration space, once the driver has read that it will
    /// be done. Not from here: the caller holds this block.
    fn reset_card(&self) {
        let Some(gpu) = self.ctx.gpu.upgrade() else {
            return;
        };
        let unread = self.reset_accepted.clone();
        unread.store(true, Ordering::Relaxed);
        let thread = std::thread::Builder::new().name("mode-1 reset".into());
        let begin = move || {
            let deadline = Instant::now() + ANSWER_READ;
            while unread.load(Ordering::Relaxed) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            gpu.reset_off_the_bus();
        };
        if let Err(e) = thread.spawn(begin) {
            self.ctx
                .report
                .violation("model-failure", format!("no thread for a reset: {e}"));
        }
    }
}
