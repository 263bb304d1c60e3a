// SPDX-License-Identifier: GPL-2.0
//! Commands of the secure OS and its responses (kernel psp_gfx_if.h: psp_gfx_cmd_id, the psp_gfx_cmd structures,
//! psp_gfx_resp).

use crate::bits::{hi, lo};

/// Bytes of a command's buffer.
pub const COMMAND_BYTES: u64 = 1024;
/// Dwords at its start that commands use; the others up to the response are 0.
pub const COMMAND_WORDS: usize = 13;
/// Byte in the buffer where the response begins.
pub const RESPONSE: u64 = 864;

/// Dword of the command's number, and the first of its arguments.
const NUMBER: usize = 2;
const ARGUMENTS: usize = 7;

/// The driver tells a buffer's offset in VRAM besides its address (psp_gfx_cmd_setup_tmr: virt_phy_addr).
const BOTH_ADDRESSES: u32 = 1 << 1;

/// Whom an image is for (psp_gfx_if.h: psp_gfx_fw_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Compute micro engines.
    Mec = 4,
    /// Jump table of the first of them.
    MecJumpTable = 5,
    /// Run list controller.
    Rlc = 8,
    /// SDMA engine 0.
    Sdma0 = 9,
    /// SDMA engine 1.
    Sdma1 = 10,
    /// System management unit.
    Smu = 18,
    /// The run list controller's own processor: registers to restore.
    RlcRestoreGpm = 20,
    /// The save and restore machine: registers to restore.
    RlcRestoreSrm = 21,
    /// Control of registers to restore.
    RlcRestoreCntl = 22,
    /// SDMA engine 2.
    Sdma2 = 52,
    /// SDMA engine 3.
    Sdma3 = 53,
    /// SDMA engine 4.
    Sdma4 = 54,
    /// The secure OS itself: registers that engines may access.
    RegisterList = 67,
}

impl Target {
    /// The step of bringing a card up in which the image is handed over, for logs.
    pub const fn step(self) -> &'static str {
        match self {
            Self::Mec => "PSP: firmware of the MEC",
            Self::MecJumpTable => "PSP: firmware of the MEC's jump table",
            Self::Rlc => "PSP: firmware of the RLC",
            Self::Sdma0 => "PSP: firmware of SDMA0",
            Self::Sdma1 => "PSP: firmware of SDMA1",
            Self::Smu => "PSP: firmware of the SMU",
            Self::RlcRestoreGpm => "PSP: firmware of the RLC's restore list GPM",
            Self::RlcRestoreSrm => "PSP: firmware of the RLC's restore list SRM",
            Self::RlcRestoreCntl => "PSP: firmware of the RLC's restore list CNTL",
            Self::Sdma2 => "PSP: firmware of SDMA2",
            Self::Sdma3 => "PSP: firmware of SDMA3",
            Self::Sdma4 => "PSP: firmware of SDMA4",
            Self::RegisterList => "PSP: register list",
        }
    }
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Gives the secure OS a part of VRAM (TMR, trusted memory region) for what it protects.
    SetupTmr {
        /// Address in VMID 0, aligned to 1 MiB.
        addr: u64,
        /// Bytes, a multiple of 4 KiB.
        size: u32,
        /// The same place as an offset in VRAM.
        vram: u64,
    },
    /// Takes it back. Engines whose firmware is there must not run any more.
    DestroyTmr,
    /// Checks an image, and hands it to an engine.
    LoadIpFw {
        /// Address in VMID 0, aligned to 4 KiB.
        addr: u64,
        /// Bytes.
        size: u32,
        /// Whom it is for.
        target: Target,
    },
}

impl Command {
    /// The dwords at the start of the buffer.
    pub fn encode(&self) -> [u32; COMMAND_WORDS] {
        let (number, arguments) = match *self {
            Self::SetupTmr { addr, size, vram } => {
                (5, [lo(addr), hi(addr), size, BOTH_ADDRESSES, lo(vram), hi(vram)])
            }
            Self::LoadIpFw { addr, size, target } => (6, [lo(addr), hi(addr), size, target as u32, 0, 0]),
            Self::DestroyTmr => (7, [0; 6]),
        };
        let mut words = [0; COMMAND_WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = match at {
                NUMBER => number,
                _ => at
                    .checked_sub(ARGUMENTS)
                    .and_then(|n| arguments.get(n).copied())
                    .unwrap_or(0),
            };
        }
        words
    }

    /// For logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SetupTmr { .. } => "SETUP_TMR",
            Self::DestroyTmr => "DESTROY_TMR",
            Self::LoadIpFw { .. } => "LOAD_IP_FW",
        }
    }
}

/// What the secure OS answers, by the first dword of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response(pub u32);

impl Response {
    /// A list of registers that is in force already is not loaded again (GlobalPlatform TEE: TEE_ERROR_CANCEL).
    const CANCEL: u32 = 0xffff_0002;

    /// Whether the command was carried out.
    pub fn is_done(self, command: &Command) -> bool {
        match command {
            Command::LoadIpFw {
                target: Target::RegisterList,
                ..
            } => self.0 == 0 || self.0 == Self::CANCEL,
            _ => self.0 == 0,
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_psp_command))]
mod tests {
    use super::*;

    #[test]
    fn arguments_follow_the_number() {
        let load = Command::LoadIpFw {
            addr: 0x80_0010_0000,
            size: 0x8600,
            target: Target::Sdma4,
        };
        assert_eq!(
            load.encode(),
            [0, 0, 6, 0, 0, 0, 0, 0x0010_0000, 0x80, 0x8600, 54, 0, 0]
        );
        let tmr = Command::SetupTmr {
            addr: 0x80_0080_0000,
            size: 8 << 20,
            vram: 0x80_0000,
        };
        assert_eq!(
            tmr.encode(),
            [0, 0, 5, 0, 0, 0, 0, 0x0080_0000, 0x80, 8 << 20, 2, 0x80_0000, 0]
        );
        assert_eq!(Command::DestroyTmr.encode().iter().sum::<u32>(), 7);
    }

    #[test]
    fn only_the_register_list_may_be_there_already() {
        let load = |target| Command::LoadIpFw {
            addr: 0,
            size: 1,
            target,
        };
        let there = Response(0xffff_0002);
        assert!(there.is_done(&load(Target::RegisterList)));
        assert!(!there.is_done(&load(Target::Rlc)));
        assert!(!Response(0xffff_0006).is_done(&load(Target::RegisterList)));
        assert!(Response(0).is_done(&Command::DestroyTmr));
    }
}
