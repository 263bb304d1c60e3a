// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system management unit (MP1 13.0.2): its mailbox and firmware flags (device-contract 4.6).
//!
//! It answers once the security processor has loaded its firmware. Messages that are not modelled are refused as
//! unknown, as the firmware refuses numbers it does not have, and reported.

mod eeprom;
mod messages;
mod power;
mod tables;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock;
use crate::model::gmc::{Client, Gmc, HubId};
use crate::model::grbm::Grbm;
use crate::model::psp::{Engine, Firmware};
use crate::regs::{name_in, Block, PlainRegs, Select};
use crate::report::Report;
use messages::{FAILED, OK, REJECTED_PREREQ, UNKNOWN_CMD};
use power::{Clock, Limits, Reading};
use tables::{PowerTable, PPTABLE_SIZE};

crate::registers! {
    /// Message; writing it starts the exchange.
    MP1_SMN_C2PMSG_66 = 0x58a08;
    /// Argument and result.
    MP1_SMN_C2PMSG_82 = 0x58a48;
    /// Response; 0 while the message is worked on.
    MP1_SMN_C2PMSG_90 = 0x58a68;
    /// Software interrupt to the driver: cause.
    MP1_SMN_IH_SW_INT = 0x58b08;
    /// Software interrupt to the driver: acknowledge, mask.
    MP1_SMN_IH_SW_INT_CTRL = 0x58b0c;
    /// Firmware flags (SMN address): bit 0 INTERRUPTS_ENABLED says that the firmware runs.
    MP1_FIRMWARE_FLAGS = 0x03b1_0024;
}

/// Firmware version 68.67.0.
const SMU_VERSION: u32 = 0x0044_4300;
/// Version of the structures shared with the driver.
const DRIVER_IF_VERSION: u32 = 0x08;
/// Features of this firmware (smu13_driver_if_aldebaran.h): clocks 1..=5 and 13, deep sleep 7..=11, power 16 and 17,
/// thermal 20 and 21. The kernel takes clocks for managed only if 13, that of the video engines, is on: the initialisers of
/// aldebaran_ppt.c: aldebaran_dpm_features name one array element each time, and the last one stays.
const FEATURES: u64 = 0x3e | 1 << 13 | 0xf80 | 3 << 16 | 3 << 20;
/// Its accesses to memory.
const SMU: Client = Client {
    hub: HubId::Mm,
    vmid: 0,
    name: "SMU",
};

#[derive(Clone, Copy)]
struct Mailbox {
    message: u32,
    argument: u32,
    response: u32,
}

/// A mailbox whose last exchange ended well.
const IDLE: Mailbox = Mailbox {
    message: 0,
    argument: 0,
    response: OK,
};

/// What messages have left behind.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Address in VMID 0 that tables pass through.
    driver_table: u64,
    /// The same for a tool of AMD's.
    tools_table: u64,
    power_table: Option<PowerTable>,
    features: u64,
    limits: Limits,
}

/// MP1.
pub struct Smu {
    mailbox: Mutex<Mailbox>,
    state: Mutex<State>,
    plain: PlainRegs,
    firmware: Arc<Firmware>,
    gmc: Arc<Gmc>,
    grbm: Arc<Grbm>,
    clock: clock::Clock,
    report: Arc<Report>,
}

/// Result and response of a message.
type Answer = (u32, u32);

impl Smu {
    /// The power-on state.
    pub fn new(
        firmware: Arc<Firmware>,
        gmc: Arc<Gmc>,
        grbm: Arc<Grbm>,
        clock: clock::Clock,
        report: Arc<Report>,
    ) -> Self {
        let plain = PlainRegs::new(&[MP1_SMN_IH_SW_INT, MP1_SMN_IH_SW_INT_CTRL]);
        Self {
            mailbox: Mutex::new(IDLE),
            state: Mutex::default(),
            plain,
            firmware,
            gmc,
            grbm,
            clock,
            report,
        }
    }

    fn exchange(&self, m: &mut Mailbox) {
        if !self.firmware.has(Engine::Smu) {
            let detail = format!("message {:#x} without firmware", m.message);
            self.report.violation("smu-protocol", detail);
            return;
        }
        if m.response != 0 {
            let detail = format!("message {:#x} before the response was cleared", m.message);
            self.report.violation("smu-protocol", detail);
        }
        self.report.count("smu_message", 1);
        (m.argument, m.response) = self.message(&mut self.state.lock(), m.message, m.argument);
    }

    fn message(&self, s: &mut State, message: u32, argument: u32) -> Answer {
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
            messages::TRANSFER_TABLE_SMU2DRAM => return (argument, self.to_driver(s, argument)),
            messages::TRANSFER_TABLE_DRAM2SMU => return (argument, self.from_driver(s, argument)),
            messages::ENABLE_ALL_SMU_FEATURES => match s.power_table {
                Some(table) => s.features = FEATURES & table.features,
                None => {
                    self.report
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
                self.report
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
            self.report
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
    fn from_driver(&self, s: &mut State, table: u32) -> u32 {
        match table {
            tables::PPTABLE => self.power_table(s),
            tables::I2C_COMMANDS => self.i2c(s),
            _ => {
                self.report
                    .unknown("smu-message", format!("table {table} from the driver"));
                FAILED
            }
        }
    }

    /// A request on the I2C bus; what was read is left in its place.
    fn i2c(&self, s: &State) -> u32 {
        let mut b = [0; eeprom::REQUEST_SIZE];
        let done = self
            .gmc
            .read(SMU, s.driver_table, &mut b)
            .map_err(|f| format!("{f:x?}"))
            .and_then(|()| eeprom::transfer(&mut b))
            .and_then(|()| {
                self.gmc
                    .write(SMU, s.driver_table, &b)
                    .map_err(|f| format!("{f:x?}"))
            });
        match done {
            Ok(()) => OK,
            Err(why) => {
                self.report.violation(
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
                self.report.violation(
                    "smu-protocol",
                    format!("power table at {:#x}: {why}", s.driver_table),
                );
                FAILED
            }
        }
    }

    /// TransferTableSmu2Dram.
    fn to_driver(&self, s: &State, table: u32) -> u32 {
        if table != tables::SMU_METRICS {
            self.report
                .unknown("smu-message", format!("table {table} for the driver"));
            return FAILED;
        }
        let activity = if self.grbm.is_busy() { 100 } else { 0 };
        let b = tables::metrics(&Reading::new(&s.limits, activity), self.clock.now());
        match self.gmc.write(SMU, s.driver_table, &b) {
            Ok(()) => OK,
            Err(fault) => {
                self.report.violation(
                    "smu-protocol",
                    format!("metrics for {:#x}: {fault:x?}", s.driver_table),
                );
                FAILED
            }
        }
    }
}

impl Block for Smu {
    fn name(&self) -> &'static str {
        "SMU"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        let m = *self.mailbox.lock();
        match off {
            MP1_SMN_C2PMSG_66 => Some(m.message),
            MP1_SMN_C2PMSG_82 => Some(m.argument),
            MP1_SMN_C2PMSG_90 => Some(m.response),
            MP1_FIRMWARE_FLAGS => Some(self.firmware.has(Engine::Smu).into()),
            _ => self.plain.read(off),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let mut m = self.mailbox.lock();
        match off {
            MP1_SMN_C2PMSG_66 => {
                m.message = value;
                self.exchange(&mut m);
            }
            MP1_SMN_C2PMSG_82 => m.argument = value,
            MP1_SMN_C2PMSG_90 => m.response = value,
            _ => return self.plain.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(NAMES, off)
    }

    fn reset(&self) {
        *self.mailbox.lock() = IDLE;
        *self.state.lock() = State::default();
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests;
