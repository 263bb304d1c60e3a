// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands of the secure OS (kernel psp_gfx_if.h: psp_gfx_cmd_id, the psp_gfx_cmd structures).

use super::firmware::Engine;
use super::image::{Header, Refusal, HEADER};
use super::ring::{pair, word, Response, BUFFER};
use super::Psp;

/// Where the arguments of a command are in its buffer.
const ARGUMENTS: usize = 28;
/// Status of a command that the secure OS refuses (GlobalPlatform TEE: TEE_ERROR_BAD_PARAMETERS).
const BAD_PARAMETERS: u32 = 0xffff_0006;
/// Status of a command that the secure OS does not have (psp_gfx_if.h).
const UNKNOWN_COMMAND: u32 = 0x100;
/// TMR_ALIGNMENT.
const TMR_ALIGNMENT: u64 = 1 << 20;

/// A command and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Loads a trusted application: image, its shared buffer.
    LoadTa {
        image: u64,
        size: u32,
        shared: u64,
        shared_size: u32,
    },
    UnloadTa {
        session: u32,
    },
    Invoke {
        session: u32,
        command: u32,
    },
    /// Gives VRAM to the secure OS: address in VMID 0, bytes, offset in VRAM.
    SetupTmr {
        addr: u64,
        size: u32,
        physical: u64,
    },
    DestroyTmr,
    LoadIpFw {
        image: u64,
        size: u32,
        fw_type: u32,
    },
    Unknown(u32),
}

impl Command {
    /// Its public name (psp_gfx_if.h: GFX_CMD_ID) and what of its arguments is no address, for the trace.
    pub(super) fn name(&self) -> String {
        match self {
            Self::LoadTa { size, .. } => format!("LOAD_TA size={size:#x}"),
            Self::UnloadTa { .. } => "UNLOAD_TA".into(),
            Self::Invoke { command, .. } => format!("INVOKE_CMD command={command:#x}"),
            Self::SetupTmr { size, .. } => format!("SETUP_TMR size={size:#x}"),
            Self::DestroyTmr => "DESTROY_TMR".into(),
            Self::LoadIpFw { size, fw_type, .. } => match Engine::of_type(*fw_type) {
                Some(engine) => format!("LOAD_IP_FW {engine:?} size={size:#x}"),
                None => format!("LOAD_IP_FW type={fw_type} size={size:#x}"),
            },
            Self::Unknown(id) => format!("command {id:#x}"),
        }
    }

    pub(super) fn decode(b: &[u8; BUFFER]) -> Self {
        let at = |n: usize| word(b, ARGUMENTS + 4 * n);
        let addr = |n: usize| pair(b, ARGUMENTS + 4 * n);
        match word(b, 8) {
            1 => Self::LoadTa {
                image: addr(0),
                size: at(2),
                shared: addr(3),
                shared_size: at(5),
            },
            2 => Self::UnloadTa { session: at(0) },
            3 => Self::Invoke {
                session: at(0),
                command: at(1),
            },
            5 => Self::SetupTmr {
                addr: addr(0),
                size: at(2),
                physical: addr(4),
            },
            6 => Self::LoadIpFw {
                image: addr(0),
                size: at(2),
                fw_type: at(3),
            },
            7 => Self::DestroyTmr,
            other => Self::Unknown(other),
        }
    }
}

/// Memory that belongs to the secure OS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tmr {
    addr: u64,
    size: u32,
    /// Bytes in use.
    used: u32,
}

/// A trusted application that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ta {
    session: u32,
    shared: u64,
}

/// What commands have left behind.
#[derive(Debug, Default)]
pub(super) struct SecureOs {
    tmr: Option<Tmr>,
    tas: Vec<Ta>,
    sessions: u32,
}

type Answer = Result<Response, Refusal>;

impl Psp {
    /// Carries a command out.
    pub(super) fn command(&self, command: &Command) -> Response {
        let mut os = self.os.lock();
        let answer = match *command {
            Command::LoadTa {
                image,
                size,
                shared,
                shared_size,
            } => self
                .image(image, size)
                .and_then(|_| self.load_ta(&mut os, shared, shared_size)),
            Command::UnloadTa { session } => {
                let before = os.tas.len();
                os.tas.retain(|ta| ta.session != session);
                match os.tas.len() == before {
                    true => Err(format!("no session {session}").into()),
                    false => Ok(Response::default()),
                }
            }
            Command::Invoke { session, command } => return self.invoke(&os, session, command),
            Command::SetupTmr { addr, size, physical } => self.setup_tmr(&mut os, addr, size, physical),
            Command::DestroyTmr => match os.tmr.take() {
                Some(_) => Ok(Response::default()),
                None => Err("there is none".into()),
            },
            Command::LoadIpFw { image, size, fw_type } => self.load_ip_fw(&mut os, image, size, fw_type),
            Command::Unknown(id) => {
                self.report.unknown("psp-command", format!("command {id:#x}"));
                return Response {
                    status: UNKNOWN_COMMAND,
                    ..Response::default()
                };
            }
        };
        answer.unwrap_or_else(|why| {
            self.refuse(&format!("{command:x?}"), &why);
            Response {
                status: BAD_PARAMETERS,
                ..Response::default()
            }
        })
    }

    /// Checks a signed image in memory.
    fn image(&self, addr: u64, size: u32) -> Result<Header, Refusal> {
        if addr % 4096 != 0 {
            return Err("the image is not aligned to 4 KiB".into());
        }
        let mut b = [0; HEADER];
        self.get(addr, &mut b)?;
        let header = Header::parse(&b, Some(size))?;
        self.readable(addr, size)?;
        Ok(header)
    }

    fn load_ip_fw(&self, os: &mut SecureOs, image: u64, size: u32, fw_type: u32) -> Answer {
        let engine = Engine::of_type(fw_type).ok_or("this card has no engine of that type")?;
        self.image(image, size)?;
        let fw_addr = match (&mut os.tmr, engine) {
            (_, Engine::Smu | Engine::RegList) => 0,
            (None, _) => return Err("there is no TMR".into()),
            (Some(tmr), _) => {
                let end = tmr.used.checked_add(size.next_multiple_of(4096));
                let end = end.filter(|end| *end <= tmr.size).ok_or("the TMR is full")?;
                let at = tmr.addr.wrapping_add(tmr.used.into());
                tmr.used = end;
                at
            }
        };
        self.firmware.add(engine);
        Ok(Response {
            fw_addr,
            ..Response::default()
        })
    }

    fn setup_tmr(&self, os: &mut SecureOs, addr: u64, size: u32, physical: u64) -> Answer {
        if let Some(tmr) = os.tmr {
            return Err(format!("there is {tmr:x?}").into());
        }
        if size == 0 || size % 4096 != 0 || addr % TMR_ALIGNMENT != 0 {
            return Err("its size or alignment".into());
        }
        let first = self.vram_offset(addr)?;
        let last = self.vram_offset(addr.wrapping_add(u64::from(size) - 1))?;
        if first != physical || last.checked_sub(first) != Some(u64::from(size) - 1) {
            return Err(format!("VMID 0 has it at {first:#x} to {last:#x} of VRAM").into());
        }
        os.tmr = Some(Tmr { addr, size, used: 0 });
        Ok(Response::default())
    }

    fn load_ta(&self, os: &mut SecureOs, shared: u64, shared_size: u32) -> Answer {
        if shared % 4096 != 0 || shared_size % 4096 != 0 || shared_size == 0 {
            return Err("its shared buffer".into());
        }
        self.readable(shared, shared_size)?;
        os.sessions = os.sessions.wrapping_add(1);
        let session = os.sessions;
        os.tas.push(Ta { session, shared });
        Ok(Response {
            session,
            ..Response::default()
        })
    }

    /// What this card's trusted applications are asked for: RAP's INITIALIZE (ta_rap_if.h), which has nothing to
    /// validate here and says so in its status.
    fn invoke(&self, os: &SecureOs, session: u32, command: u32) -> Response {
        const INITIALIZE: u32 = 1;
        const STATUS: u64 = 12;
        const SUCCESS: u32 = 1;
        let status = match os.tas.iter().find(|ta| ta.session == session) {
            Some(ta) if command == INITIALIZE => {
                match self.put(ta.shared.wrapping_add(STATUS), &SUCCESS.to_le_bytes()) {
                    Ok(()) => 0,
                    Err(why) => {
                        self.report.violation(
                            "psp-protocol",
                            format!("shared buffer of session {session}: {why}"),
                        );
                        BAD_PARAMETERS
                    }
                }
            }
            Some(_) => {
                let detail = format!("command {command:#x} of a trusted application");
                self.report.unknown("psp-command", detail);
                UNKNOWN_COMMAND
            }
            None => {
                let detail = format!("command {command:#x} for session {session}, which does not exist");
                self.report.violation("psp-protocol", detail);
                BAD_PARAMETERS
            }
        };
        Response {
            status,
            ..Response::default()
        }
    }
}
