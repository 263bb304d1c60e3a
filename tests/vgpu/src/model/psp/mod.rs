// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The platform security processor (MP0 13.0.2): bootloader mailbox, ring of commands (device-contract 4.5).
//!
//! Powered on, its bootloader takes the secure OS and what that needs; the secure OS takes a ring of commands, which
//! load all other firmware. In the profile "running" the secure OS is alive from power-on and everything is loaded.

mod boot;
mod command;
mod firmware;
mod image;
mod regs;
mod ring;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::device::Profile;
use crate::inject::event::{Event, Point, Verdict};
use crate::inject::Inject;
use crate::mem::Space;
use crate::model::gmc::{Access, Client, Gmc, HubId};
use crate::regs::{name_in, Block, PlainRegs, Select};
use crate::report::Report;
use crate::trace::Trace;
use boot::{Boot, Loaded};
use command::SecureOs;
pub use firmware::{Engine, Firmware};
use image::Refusal;
use ring::Ring;

/// Bit 31 of a mailbox: ready, or the response is there.
const READY: u32 = 1 << 31;
/// Version of the secure OS that runs in the profile "running" (device-contract 4.5: the one in Debian's firmware for
/// boards without XGMI).
const SOS_VERSION: u32 = 0x0027_0087;
/// Any value but 0 says that the secure OS is alive.
const SOS_ALIVE: u32 = 1;
/// Response of a mailbox command that was refused.
const REFUSED: u32 = 0xffff;
/// Its accesses to memory.
const PSP: Client = Client {
    hub: HubId::Mm,
    vmid: 0,
    name: "PSP",
};

/// A command in C2PMSG_64, bits 19:16 (kernel psp_gfx_if.h: psp_gfx_crtl_cmd_id).
mod ring_command {
    pub(super) const INIT_GPCOM_RING: u32 = 2;
    pub(super) const DESTROY_RINGS: u32 = 3;
    pub(super) const DESTROY_GPCOM_RING: u32 = 12;

    /// For the trace.
    pub(super) fn name(command: u32) -> &'static str {
        match command {
            INIT_GPCOM_RING => "INIT_GPCOM_RING",
            DESTROY_RINGS => "DESTROY_RINGS",
            DESTROY_GPCOM_RING => "DESTROY_GPCOM_RING",
            _ => "?",
        }
    }
}

/// How far the start has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The bootloader waits for components.
    Bootloader(Loaded),
    /// The secure OS comes up.
    Booting(Boot),
    /// The secure OS runs.
    Alive,
}

/// MP0.
pub struct Psp {
    profile: Profile,
    regs: PlainRegs,
    stage: Mutex<Stage>,
    ring: Mutex<Option<Ring>>,
    os: Mutex<SecureOs>,
    firmware: Arc<Firmware>,
    gmc: Arc<Gmc>,
    report: Arc<Report>,
    trace: Arc<Trace>,
    inject: Arc<Inject>,
}

impl Psp {
    /// The power-on state of a profile.
    pub fn new(
        profile: Profile,
        firmware: Arc<Firmware>,
        gmc: Arc<Gmc>,
        report: Arc<Report>,
        trace: Arc<Trace>,
        inject: Arc<Inject>,
    ) -> Self {
        let (version, mailbox) = match profile {
            Profile::Running => (SOS_VERSION, READY),
            Profile::PowerOn => (0, 0),
        };
        let regs = PlainRegs::named(regs::NAMES).powered_on_with(&[
            (regs::MP0_SMN_C2PMSG_33, READY),
            (regs::MP0_SMN_C2PMSG_35, READY),
            (regs::MP0_SMN_C2PMSG_58, version),
            (regs::MP0_SMN_C2PMSG_64, mailbox),
        ]);
        Self {
            profile,
            regs,
            stage: Mutex::new(first_stage(profile)),
            ring: Mutex::new(None),
            os: Mutex::default(),
            firmware,
            gmc,
            report,
            trace,
            inject,
        }
    }

    /// A register with a command is written: it is carried out, unless a fault is in the way.
    fn command_at(&self, off: u32, value: u32, what: &'static str, carry_out: fn(&Self, u32)) {
        self.regs.write(off, value);
        match self.inject.at(Event::new(Point::Command, "PSP", what)) {
            Verdict::Hold(Some(late)) => self.inject.later(late, move |gpu| carry_out(&gpu.psp, value)),
            Verdict::Hold(None) | Verdict::Lose => {}
            // an answer with all bits of an error; for the ring there is none
            Verdict::Garble if off != regs::MP0_SMN_C2PMSG_67 => {
                self.regs.write(off, u32::MAX);
            }
            Verdict::Garble => self.garbled(value),
            Verdict::Go | Verdict::Repeat => carry_out(self, value),
        }
    }

    /// A command for the secure OS; answers in the same register.
    fn mailbox(&self, value: u32) {
        if *self.stage.lock() != Stage::Alive {
            let detail = format!("mailbox command {value:#010x} without a secure OS");
            return self.report.violation("psp-protocol", detail);
        }
        let command = value >> 16 & 0xf;
        let status = match command {
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
        let name = ring_command::name(command);
        self.trace
            .event("PSP", format_args!("mailbox {name} -> {status:#x}"));
        self.regs.write(regs::MP0_SMN_C2PMSG_64, READY | status);
    }

    /// Tells why something was refused.
    fn refuse(&self, what: &str, why: &Refusal) {
        match why {
            Refusal::Protocol(_) => self.report.violation("psp-protocol", format!("{what}: {why}")),
            Refusal::Image(_) => {
                self.report.count("psp_image_refused", 1);
                tracing::warn!("PSP: {what}: {why}");
            }
        }
    }

    /// Where in VRAM an address of VMID 0 is.
    fn vram_offset(&self, va: u64) -> Result<u64, String> {
        match self.gmc.translate(PSP, va, Access::Write) {
            Ok(page) if page.at.space == Space::Vram => Ok(page.at.addr),
            Ok(_) => Err(format!("{va:#x} is not in VRAM")),
            Err(fault) => Err(format!("{fault:x?}")),
        }
    }
}

const fn first_stage(profile: Profile) -> Stage {
    match profile {
        Profile::Running => Stage::Alive,
        Profile::PowerOn => Stage::Bootloader(Loaded {
            key_database: false,
            system_driver: false,
        }),
    }
}

impl Block for Psp {
    fn name(&self) -> &'static str {
        "PSP"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        match off {
            regs::MP0_SMN_C2PMSG_81 => Some(self.sign_of_life()),
            _ => self.regs.read(off),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        match off {
            regs::MP0_SMN_C2PMSG_33 | regs::MP0_SMN_C2PMSG_58 | regs::MP0_SMN_C2PMSG_81 => {
                self.report
                    .violation("read-only-register", format!("{off:#x} = {value:#x}"));
            }
            regs::MP0_SMN_C2PMSG_35 => self.command_at(off, value, "BOOT", Self::bootloader),
            regs::MP0_SMN_C2PMSG_64 => self.command_at(off, value, "MAILBOX", Self::mailbox),
            regs::MP0_SMN_C2PMSG_67 => self.command_at(off, value, "RING", Self::frames),
            _ => return self.regs.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(regs::NAMES, off)
    }

    fn reset(&self) {
        self.regs.reset();
        *self.stage.lock() = first_stage(self.profile);
        *self.ring.lock() = None;
        *self.os.lock() = SecureOs::default();
        self.firmware.reset();
    }
}

#[cfg(test)]
mod tests;
