// SPDX-License-Identifier: GPL-2.0
//! The mailbox: what bootloader and secure OS are told by registers (kernel psp_v13_0.c).

use super::regs::*;
use crate::gpu::hw::{Bars, RegisterIo};
use amdgpu_logic::bits::{hi, lo};
use kernel::{
    dev_err,
    prelude::*,
    time::{delay::fsleep, Delta},
};

/// A mailbox has its answer; in the bootloader's the other bits are those of an error.
const READY: u32 = 1 << 31;
/// How long the bootloader may take for one component, and to come up.
const BOOTLOADER_DEADLINE: Delta = Delta::from_secs(1);
/// How long the secure OS may take to come up.
const SECURE_OS_DEADLINE: Delta = Delta::from_secs(2);
/// How long the secure OS may take for a command about rings.
const RING_DEADLINE: Delta = Delta::from_secs(1);
/// What the processor needs after a command before it may be asked whether it is done (psp_v13_0.c: "there might
/// be handshake issue with hardware").
const HANDSHAKE: Delta = Delta::from_millis(20);

/// A command for the bootloader (kernel amdgpu_psp.h: psp_bootloader_cmd).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    /// KDB: keys that the signatures of the others are checked with.
    KeyDatabase = 0x8_0000,
    /// SPL: the versions below which firmware is refused.
    SplTable = 0x1000_0000,
    /// SYSDRV: the driver below the secure OS.
    SystemDriver = 0x1_0000,
    /// SOS.
    SecureOs = 0x2_0000,
}

impl Component {
    /// For logs.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::KeyDatabase => "PSP: bootloader has the key database",
            Self::SplTable => "PSP: bootloader has the SPL table",
            Self::SystemDriver => "PSP: bootloader has the system driver",
            Self::SecureOs => "PSP: secure OS runs",
        }
    }
}

/// Whether a secure OS runs.
pub(super) fn is_alive(bars: &Bars) -> bool {
    u32::from(bars.registers.read(MP0_SMN_C2PMSG_81)) != 0
}

/// Version of the secure OS that runs.
pub(super) fn version(bars: &Bars) -> u32 {
    bars.registers.read(MP0_SMN_C2PMSG_58).into()
}

/// Waits until the bootloader takes commands, whatever became of the last one. `what` names what it is to have done by then.
pub(super) fn wait_for_bootloader(bars: &Bars, what: &str) -> Result {
    // a card that does not answer reads as all ones
    wait(bars, what, |v| v & READY != 0 && v != u32::MAX)
}

fn wait(bars: &Bars, what: &str, done: impl Fn(u32) -> bool) -> Result {
    bars.poll(
        what,
        BOOTLOADER_DEADLINE,
        |r| r.read(MP0_SMN_C2PMSG_35),
        |v| done(u32::from(v)),
    )
    .map(|_| ())
}

/// Hands the image at `addr`, a multiple of 1 MiB in VMID 0, to the bootloader, and waits until it has it.
pub(super) fn load(bars: &Bars, component: Component, addr: u64) -> Result {
    let r = &bars.registers;
    r.write_reg(MP0_SMN_C2PMSG_36::from(lo(addr >> 20)));
    r.write_reg(MP0_SMN_C2PMSG_35::from(component as u32));
    if component != Component::SecureOs {
        return wait(bars, component.name(), |v| v == READY);
    }
    fsleep(HANDSHAKE);
    bars.poll(
        component.name(),
        SECURE_OS_DEADLINE,
        |r| r.read(MP0_SMN_C2PMSG_81),
        // a card that does not answer reads as all ones
        |v| !matches!(u32::from(v), 0 | u32::MAX),
    )
    .map(|_| ())
}

/// Gives the secure OS a ring of `bytes` bytes at `addr` in VMID 0. Where in it, in dwords, the first frame goes.
pub(super) fn create_ring(bars: &Bars, addr: u64, bytes: u32) -> Result<u32> {
    /// Kind of ring that the kernel uses (psp_gfx_if.h: GFX_CTRL_CMD_ID_INIT_GPCOM_RING).
    const INIT_GPCOM_RING: u32 = 2 << 16;
    bars.poll(
        "PSP: secure OS ready for a ring",
        RING_DEADLINE,
        |r| r.read(MP0_SMN_C2PMSG_64),
        |v| u32::from(v) & READY != 0,
    )?;
    let r = &bars.registers;
    r.write_reg(MP0_SMN_C2PMSG_69::from(lo(addr)));
    r.write_reg(MP0_SMN_C2PMSG_70::from(hi(addr)));
    r.write_reg(MP0_SMN_C2PMSG_71::from(bytes));
    ring_command(bars, "PSP: ring created", INIT_GPCOM_RING)?;
    Ok(r.read(MP0_SMN_C2PMSG_67).into())
}

/// Takes all rings back.
pub(super) fn destroy_rings(bars: &Bars) -> Result {
    /// psp_gfx_if.h: GFX_CTRL_CMD_ID_DESTROY_RINGS.
    const DESTROY_RINGS: u32 = 3 << 16;
    ring_command(bars, "PSP: rings destroyed", DESTROY_RINGS)
}

fn ring_command(bars: &Bars, what: &str, command: u32) -> Result {
    bars.registers.write_reg(MP0_SMN_C2PMSG_64::from(command));
    fsleep(HANDSHAKE);
    let answer = bars.poll(
        what,
        RING_DEADLINE,
        |r| r.read(MP0_SMN_C2PMSG_64),
        |v| u32::from(v) & READY != 0,
    )?;
    match u32::from(answer) & 0xffff {
        0 => Ok(()),
        status => {
            dev_err!(bars.dev, "{}: refused with status {:#06x}\n", what, status);
            Err(EIO)
        }
    }
}

/// Tells the secure OS of frames up to `position`, in dwords.
pub(super) fn tell(bars: &Bars, position: u32) {
    bars.registers.write_reg(MP0_SMN_C2PMSG_67::from(position));
}
