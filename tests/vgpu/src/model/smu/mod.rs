// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system management unit (MP1 13.0.2): its mailbox and firmware flags (device-contract 4.6).
//!
//! In the profile "running" its firmware runs from power-on. Messages that are not modelled are refused as unknown, as
//! the firmware refuses numbers it does not have, and reported.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::regs::{name_in, Block, PlainRegs, Select};
use crate::report::Report;

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

/// Messages (kernel aldebaran_ppsmc.h).
mod message {
    pub(super) const TEST_MESSAGE: u32 = 0x1;
    pub(super) const GET_SMU_VERSION: u32 = 0x2;
    pub(super) const GET_DRIVER_IF_VERSION: u32 = 0x4;
    pub(super) const GET_ENABLED_SMU_FEATURES_LOW: u32 = 0xd;
    pub(super) const GET_ENABLED_SMU_FEATURES_HIGH: u32 = 0xe;
}

/// PPSMC_Result_OK.
const OK: u32 = 0x01;
/// PPSMC_Result_UnknownCmd.
const UNKNOWN_CMD: u32 = 0xfe;
/// Firmware version 68.67.0.
const SMU_VERSION: u32 = 0x0044_4300;
/// Version of the structures shared with the driver.
const DRIVER_IF_VERSION: u32 = 0x08;

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

/// MP1.
pub struct Smu {
    mailbox: Mutex<Mailbox>,
    plain: PlainRegs,
    report: Arc<Report>,
}

impl Smu {
    /// The power-on state of the profile "running".
    pub fn new(report: Arc<Report>) -> Self {
        let plain = PlainRegs::new(&[MP1_SMN_IH_SW_INT, MP1_SMN_IH_SW_INT_CTRL]);
        Self {
            mailbox: Mutex::new(IDLE),
            plain,
            report,
        }
    }

    fn exchange(&self, m: &mut Mailbox) {
        if m.response != 0 {
            let detail = format!("message {:#x} before the response was cleared", m.message);
            self.report.violation("smu-protocol", detail);
        }
        (m.argument, m.response) = match m.message {
            message::TEST_MESSAGE => (m.argument.wrapping_add(1), OK),
            message::GET_SMU_VERSION => (SMU_VERSION, OK),
            message::GET_DRIVER_IF_VERSION => (DRIVER_IF_VERSION, OK),
            // power management is off
            message::GET_ENABLED_SMU_FEATURES_LOW | message::GET_ENABLED_SMU_FEATURES_HIGH => (0, OK),
            other => {
                self.report
                    .unknown("smu-message", format!("{other:#x}, argument {:#x}", m.argument));
                (m.argument, UNKNOWN_CMD)
            }
        };
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
            MP1_FIRMWARE_FLAGS => Some(1),
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
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    fn send(card: &TestCard, message: u32, argument: u32) -> (u32, u32) {
        card.write(MP1_SMN_C2PMSG_90, 0);
        card.write(MP1_SMN_C2PMSG_82, argument);
        card.write(MP1_SMN_C2PMSG_66, message);
        (card.read(MP1_SMN_C2PMSG_90), card.read(MP1_SMN_C2PMSG_82))
    }

    #[test]
    fn messages_are_answered() {
        let card = TestCard::new();
        assert_eq!(send(&card, 1, 41), (OK, 42));
        assert_eq!(send(&card, 2, 0), (OK, SMU_VERSION));
        card.assert_clean();
        assert_eq!(send(&card, 0x45, 0).0, UNKNOWN_CMD);
        assert_eq!(card.gpu.report.violations_of("smu-message"), 1);
        card.write(MP1_SMN_C2PMSG_66, 1);
        assert_eq!(card.gpu.report.violations_of("smu-protocol"), 1);
    }
}
