// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The platform security processor (MP0 13.0.2): bootloader mailbox, ring of commands (device-contract 4.5).
//!
//! In the profile "running" its secure OS is alive from power-on and has loaded all firmware. A ring may be made and
//! unmade; what a command in it would do is not modelled, and says so.

mod regs;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::regs::{name_in, Block, PlainRegs, Select};
use crate::report::Report;

/// Bit 31 of a mailbox: ready, or the response is there.
const READY: u32 = 1 << 31;
/// Version of the secure OS that runs (device-contract 4.5: the one in Debian's firmware for boards without XGMI).
const SOS_VERSION: u32 = 0x0027_0087;
/// Any value but 0 says that the secure OS is alive.
const SOS_ALIVE: u32 = 1;
/// Response of a mailbox command that was refused.
const REFUSED: u32 = 0xffff;

/// A command in C2PMSG_64, bits 23:16 (kernel psp_gfx_if.h: psp_gfx_ctrl_command_id).
mod ring_command {
    pub(super) const INIT_GPCOM_RING: u32 = 2;
    pub(super) const DESTROY_RINGS: u32 = 3;
    pub(super) const DESTROY_GPCOM_RING: u32 = 4;
}

/// The ring a driver has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ring {
    /// Address in VMID 0 of the memory hub.
    addr: u64,
    /// Bytes.
    size: u32,
}

/// MP0.
pub struct Psp {
    regs: PlainRegs,
    ring: Mutex<Option<Ring>>,
    report: Arc<Report>,
}

impl Psp {
    /// The power-on state of the profile "running".
    pub fn new(report: Arc<Report>) -> Self {
        let regs = PlainRegs::named(regs::NAMES).powered_on_with(&[
            (regs::MP0_SMN_C2PMSG_33, READY),
            (regs::MP0_SMN_C2PMSG_35, READY),
            (regs::MP0_SMN_C2PMSG_58, SOS_VERSION),
            (regs::MP0_SMN_C2PMSG_64, READY),
            (regs::MP0_SMN_C2PMSG_81, SOS_ALIVE),
        ]);
        Self {
            regs,
            ring: Mutex::new(None),
            report,
        }
    }

    /// A command for the secure OS; answers in the same register.
    fn mailbox(&self, value: u32) {
        let status = match value >> 16 & 0xff {
            ring_command::INIT_GPCOM_RING => self.make_ring(),
            ring_command::DESTROY_RINGS | ring_command::DESTROY_GPCOM_RING => {
                *self.ring.lock() = None;
                0
            }
            other => {
                self.report
                    .unknown("psp-command", format!("mailbox command {other} ({value:#010x})"));
                REFUSED
            }
        };
        self.regs.write(regs::MP0_SMN_C2PMSG_64, READY | status);
    }

    fn make_ring(&self) -> u32 {
        let lo = self.regs.get(regs::MP0_SMN_C2PMSG_69);
        let hi = self.regs.get(regs::MP0_SMN_C2PMSG_70);
        let ring = Ring {
            addr: u64::from(hi) << 32 | u64::from(lo),
            size: self.regs.get(regs::MP0_SMN_C2PMSG_71),
        };
        let mut slot = self.ring.lock();
        if slot.is_some() || ring.addr == 0 || ring.size == 0 || ring.size % 64 != 0 {
            self.report.violation(
                "psp-protocol",
                format!("{ring:x?} asked for while there is {:x?}", *slot),
            );
            return REFUSED;
        }
        *slot = Some(ring);
        0
    }
}

impl Block for Psp {
    fn name(&self) -> &'static str {
        "PSP"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        self.regs.read(off)
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        match off {
            regs::MP0_SMN_C2PMSG_33 | regs::MP0_SMN_C2PMSG_58 | regs::MP0_SMN_C2PMSG_81 => {
                self.report
                    .violation("read-only-register", format!("{off:#x} = {value:#x}"));
            }
            regs::MP0_SMN_C2PMSG_35 => {
                let detail = format!("bootloader command {value:#x} while the secure OS is alive");
                self.report.violation("psp-protocol", detail);
            }
            regs::MP0_SMN_C2PMSG_64 => self.mailbox(value),
            regs::MP0_SMN_C2PMSG_67 => {
                self.regs.write(off, value);
                match *self.ring.lock() {
                    Some(ring) => self
                        .report
                        .unknown("psp-command", format!("frames up to {value:#x} in {ring:x?}")),
                    None => self.report.violation("psp-protocol", "frames without a ring"),
                }
            }
            _ => return self.regs.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(regs::NAMES, off)
    }

    fn reset(&self) {
        self.regs.reset();
        *self.ring.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    #[test]
    fn a_ring_is_made_once_and_unmade() {
        let card = TestCard::new();
        assert_eq!(card.read(regs::MP0_SMN_C2PMSG_81), SOS_ALIVE);
        card.write(regs::MP0_SMN_C2PMSG_69, 0x1000);
        card.write(regs::MP0_SMN_C2PMSG_71, 0x1000);
        card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
        assert_eq!(card.read(regs::MP0_SMN_C2PMSG_64), READY);
        card.assert_clean();
        card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
        assert_eq!(card.read(regs::MP0_SMN_C2PMSG_64), READY | REFUSED);
        card.write(regs::MP0_SMN_C2PMSG_64, 3 << 16);
        card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
        assert_eq!(card.read(regs::MP0_SMN_C2PMSG_64), READY);
        assert_eq!(card.gpu.report.violations_of("psp-protocol"), 1);
    }

    #[test]
    fn what_is_not_modelled_says_so() {
        let card = TestCard::new();
        card.write(regs::MP0_SMN_C2PMSG_67, 16);
        card.write(regs::MP0_SMN_C2PMSG_35, 0x10000);
        assert_eq!(card.gpu.report.violations_of("psp-protocol"), 2);
        card.write(regs::MP0_SMN_C2PMSG_64, 9 << 16);
        assert_eq!(card.gpu.report.violations_of("psp-command"), 1);
    }
}
