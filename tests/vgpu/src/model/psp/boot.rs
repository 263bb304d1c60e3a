// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bootloader: takes components one after the other from a buffer of 1 MiB, the last of which is the secure OS
//! (kernel psp_v13_0.c: the order; amdgpu_psp.h: psp_bootloader_cmd).

use std::time::{Duration, Instant};

use super::image::{Header, Refusal, HEADER};
use super::regs;
use super::{Psp, Stage, PSP, READY, SOS_ALIVE};

/// How long the secure OS takes to come up.
const SOS_BOOT: Duration = Duration::from_millis(40);
/// Bytes of the buffer that components are passed in.
const BUFFER: u32 = 1 << 20;
/// Error of a command in C2PMSG_35, bits 7:0.
const FAILED: u32 = 1;

/// A component, by its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Component {
    KeyDatabase,
    SystemDriver,
    SecureOs,
}

impl Component {
    fn of(command: u32) -> Option<Self> {
        Some(match command {
            0x8_0000 => Self::KeyDatabase,
            0x1_0000 => Self::SystemDriver,
            0x2_0000 => Self::SecureOs,
            _ => return None,
        })
    }
}

impl Component {
    /// What a command loads, for the trace.
    fn name(command: u32) -> &'static str {
        match Self::of(command) {
            Some(Self::KeyDatabase) => "KeyDatabase",
            Some(Self::SystemDriver) => "SystemDriver",
            Some(Self::SecureOs) => "SecureOs",
            None => "?",
        }
    }
}

/// What has been loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Loaded {
    pub(super) key_database: bool,
    pub(super) system_driver: bool,
}

/// A secure OS that comes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boot {
    since: Instant,
    version: u32,
    looked: bool,
}

impl Psp {
    /// A bootloader command in C2PMSG_35; answers in the same register.
    pub(super) fn bootloader(&self, command: u32) {
        let mut stage = self.stage.lock();
        let Stage::Bootloader(loaded) = &mut *stage else {
            let detail = format!("bootloader command {command:#x} in {:?}", *stage);
            return self.report.violation("psp-protocol", detail);
        };
        let answer = match self.component(command, loaded) {
            Ok(None) => READY,
            Ok(Some(version)) => {
                *stage = Stage::Booting(Boot {
                    since: Instant::now(),
                    version,
                    looked: false,
                });
                READY
            }
            Err(why) => {
                self.refuse(&format!("bootloader command {command:#x}"), &why);
                READY | FAILED
            }
        };
        let buffer = u64::from(self.regs.get(regs::MP0_SMN_C2PMSG_36)) << 20;
        let name = Component::name(command);
        self.trace
            .event("PSP", format_args!("boot {name} -> {answer:#x} ~ {buffer:#x}"));
        self.regs.write(regs::MP0_SMN_C2PMSG_35, answer);
    }

    /// Takes a component; gives the version of the secure OS if it was that.
    fn component(&self, command: u32, loaded: &mut Loaded) -> Result<Option<u32>, Refusal> {
        let Some(component) = Component::of(command) else {
            return Err("this bootloader does not have it".into());
        };
        let addr = u64::from(self.regs.get(regs::MP0_SMN_C2PMSG_36)) << 20;
        let mut b = [0; HEADER];
        self.gmc
            .read(PSP, addr, &mut b)
            .map_err(|fault| format!("the buffer cannot be read: {fault:x?}"))?;
        let header = Header::parse(&b, None)?;
        if header.size > BUFFER {
            return Err(Refusal::Image(format!(
                "{component:?} of {:#x} bytes",
                header.size
            )));
        }
        self.readable(addr, header.size)
            .map_err(|why| format!("the {component:?}: {why}"))?;
        match component {
            Component::KeyDatabase => loaded.key_database = true,
            Component::SystemDriver if loaded.key_database => loaded.system_driver = true,
            Component::SecureOs if loaded.system_driver => return Ok(Some(header.version)),
            _ => return Err(format!("{component:?} after {loaded:?}").into()),
        }
        Ok(None)
    }

    /// The sign of life, C2PMSG_81. It changes after the first look at it: the driver of the kernel looks 20 ms after it
    /// has started the secure OS and then waits for another value (psp_v13_0.c: psp_v13_0_bootloader_load_sos), which
    /// a secure OS that comes up slower than that gives on a card. Guest time and ours are not the same, so time alone
    /// will not do here.
    pub(super) fn sign_of_life(&self) -> u32 {
        let mut stage = self.stage.lock();
        let Stage::Booting(boot) = &mut *stage else {
            return match *stage {
                Stage::Alive => SOS_ALIVE,
                _ => 0,
            };
        };
        if !boot.looked || boot.since.elapsed() < SOS_BOOT {
            boot.looked = true;
            return 0;
        }
        let version = boot.version;
        *stage = Stage::Alive;
        drop(stage);
        self.regs.write(regs::MP0_SMN_C2PMSG_58, version);
        self.regs.write(regs::MP0_SMN_C2PMSG_64, READY);
        SOS_ALIVE
    }
}
