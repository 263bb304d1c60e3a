// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system management unit (MP1 13.0.2): its mailbox and firmware flags (device-contract 4.6).
//!
//! It answers once the security processor has loaded its firmware. Messages that are not modelled are refused as
//! unknown, as the firmware refuses numbers it does not have, and reported.

mod answer;
mod eeprom;
mod messages;
mod power;
mod tables;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::ctx::Ctx;
use crate::inject::event::{Event, Point, Verdict};
use crate::model::psp::Engine;
use crate::regs::{name_in, Block, PlainRegs, Select};
use messages::OK;
use power::{Limits, Sensors};
use tables::PowerTable;

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
#[derive(Clone, Copy, Debug)]
struct State {
    /// Address in VMID 0 that tables pass through.
    driver_table: u64,
    /// The same for a tool of AMD's.
    tools_table: u64,
    power_table: Option<PowerTable>,
    features: u64,
    limits: Limits,
    sensors: Sensors,
}

impl State {
    /// The power-on state at this moment.
    fn new(ctx: &Ctx) -> Self {
        let (now, busy) = times(ctx);
        Self {
            driver_table: 0,
            tools_table: 0,
            power_table: None,
            features: 0,
            limits: Limits::default(),
            sensors: Sensors::new(now, busy),
        }
    }
}

/// The time, and how long shaders have worked, in 10 ns.
fn times(ctx: &Ctx) -> (u64, u64) {
    let busy = ctx.grbm.busy_time().as_nanos() / 10;
    (ctx.clock.now(), u64::try_from(busy).unwrap_or(u64::MAX))
}

/// MP1.
pub struct Smu {
    mailbox: Mutex<Mailbox>,
    state: Mutex<State>,
    plain: PlainRegs,
    /// A reset of the card has been accepted; it waits for the driver to read so.
    reset_accepted: Arc<AtomicBool>,
    ctx: Ctx,
}

impl Smu {
    /// The power-on state.
    pub fn new(ctx: Ctx) -> Self {
        let plain = PlainRegs::new(&[MP1_SMN_IH_SW_INT, MP1_SMN_IH_SW_INT_CTRL]);
        Self {
            mailbox: Mutex::new(IDLE),
            state: Mutex::new(State::new(&ctx)),
            plain,
            reset_accepted: Arc::default(),
            ctx,
        }
    }

    fn exchange(&self, m: &mut Mailbox) {
        if !self.ctx.firmware.has(Engine::Smu) {
            let detail = format!("message {:#x} without firmware", m.message);
            self.ctx.report.violation("smu-protocol", detail);
            return;
        }
        if m.response != 0 {
            let detail = format!("message {:#x} before the response was cleared", m.message);
            self.ctx.report.violation("smu-protocol", detail);
        }
        self.ctx.report.count("smu_message", 1);
        let argument = m.argument;
        (m.argument, m.response) = self.message(&mut self.state.lock(), m.message, argument);
        self.ctx
            .trace
            .event("SMU", format_args!("message {}", Exchange(m, argument)));
    }
}

/// A message with its argument (behind a `~` if it is an address), and the answer.
struct Exchange<'a>(&'a Mailbox, u32);

impl fmt::Display for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(m, argument) = self;
        let (response, result) = (m.response, m.argument);
        match messages::name(m.message) {
            Some(name) if messages::takes_address(m.message) => {
                write!(f, "{name} -> {response:#x} ~ {argument:#x}")
            }
            Some(name) => write!(f, "{name} {argument:#x} -> {response:#x} ~ {result:#x}"),
            None => write!(f, "{:#x} {argument:#x} -> {response:#x}", m.message),
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
            MP1_SMN_C2PMSG_90 => {
                if m.response != 0 {
                    self.reset_accepted.store(false, Ordering::Relaxed);
                }
                Some(m.response)
            }
            MP1_FIRMWARE_FLAGS => Some(self.ctx.firmware.has(Engine::Smu).into()),
            _ => self.plain.read(off),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let mut m = self.mailbox.lock();
        match off {
            MP1_SMN_C2PMSG_66 => {
                m.message = value;
                match self.ctx.inject.at(Event::new(
                    Point::Command,
                    "SMU",
                    messages::name(value).unwrap_or(""),
                )) {
                    Verdict::Hold(Some(late)) => self.ctx.inject.later(late, |gpu| {
                        gpu.smu.exchange(&mut gpu.smu.mailbox.lock());
                    }),
                    Verdict::Hold(None) | Verdict::Lose => {}
                    Verdict::Garble => (m.argument, m.response) = (0xdead_beef, 0x7e),
                    Verdict::Go | Verdict::Repeat => self.exchange(&mut m),
                }
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
        *self.state.lock() = State::new(&self.ctx);
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests;
