// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of several copies of a register an access means.

use std::fmt;

use super::extract;

crate::fields! {
    PIPEID = GRBM_GFX_CNTL.PIPEID[1:0];
    MEID = GRBM_GFX_CNTL.MEID[3:2];
    VMID = GRBM_GFX_CNTL.VMID[7:4];
    QUEUEID = GRBM_GFX_CNTL.QUEUEID[10:8];
    INSTANCE_INDEX = GRBM_GFX_INDEX.INSTANCE_INDEX[7:0];
    SH_INDEX = GRBM_GFX_INDEX.SH_INDEX[15:8];
    SE_INDEX = GRBM_GFX_INDEX.SE_INDEX[23:16];
    SH_BROADCAST_WRITES = GRBM_GFX_INDEX.SH_BROADCAST_WRITES[29:29];
    INSTANCE_BROADCAST_WRITES = GRBM_GFX_INDEX.INSTANCE_BROADCAST_WRITES[30:30];
    SE_BROADCAST_WRITES = GRBM_GFX_INDEX.SE_BROADCAST_WRITES[31:31];
}

/// The bank selects in force, decoded from GRBM_GFX_CNTL and GRBM_GFX_INDEX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Select {
    /// Micro engine: 1 and 2 are the two compute engines (GRBM_GFX_CNTL.MEID).
    pub me: u8,
    /// Pipe of the micro engine (GRBM_GFX_CNTL.PIPEID).
    pub pipe: u8,
    /// Queue of the pipe (GRBM_GFX_CNTL.QUEUEID).
    pub queue: u8,
    /// VMID for per-VMID registers (GRBM_GFX_CNTL.VMID).
    pub vmid: u8,
    /// Shader engine; `None` means all (GRBM_GFX_INDEX.SE_INDEX, SE_BROADCAST_WRITES).
    pub se: Option<u8>,
    /// Shader array; `None` means all (GRBM_GFX_INDEX.SH_INDEX, SH_BROADCAST_WRITES).
    pub sh: Option<u8>,
    /// Instance, for example the CU; `None` means all (GRBM_GFX_INDEX.INSTANCE_INDEX, INSTANCE_BROADCAST_WRITES).
    pub instance: Option<u8>,
}

impl Select {
    /// Decodes the two select registers (gc_9_4_2_sh_mask.h: GRBM_GFX_CNTL, GRBM_GFX_INDEX).
    pub fn decode(gfx_cntl: u32, gfx_index: u32) -> Self {
        let index = |field: u32, broadcast: u32| {
            (gfx_index & broadcast == 0).then_some(extract(gfx_index, field) as u8)
        };
        Self {
            pipe: extract(gfx_cntl, PIPEID) as u8,
            me: extract(gfx_cntl, MEID) as u8,
            vmid: extract(gfx_cntl, VMID) as u8,
            queue: extract(gfx_cntl, QUEUEID) as u8,
            instance: index(INSTANCE_INDEX, INSTANCE_BROADCAST_WRITES),
            sh: index(SH_INDEX, SH_BROADCAST_WRITES),
            se: index(SE_INDEX, SE_BROADCAST_WRITES),
        }
    }
}

/// Which bank selects a register listens to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bank {
    /// None: there is one such register.
    #[default]
    One,
    /// Micro engine and pipe.
    Pipe,
    /// Micro engine, pipe and queue.
    Queue,
    /// VMID.
    Vmid,
    /// Shader engine, shader array and instance.
    Array,
}

/// One of the copies of a register, for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BankSelect {
    One,
    Pipe(u8, u8),
    Queue(u8, u8, u8),
    Vmid(u8),
    Array([Option<u8>; 3]),
}

impl Bank {
    /// The copy that is selected.
    pub fn of(self, s: Select) -> BankSelect {
        match self {
            Self::One => BankSelect::One,
            Self::Pipe => BankSelect::Pipe(s.me, s.pipe),
            Self::Queue => BankSelect::Queue(s.me, s.pipe, s.queue),
            Self::Vmid => BankSelect::Vmid(s.vmid),
            Self::Array => BankSelect::Array([s.se, s.sh, s.instance]),
        }
    }
}

impl fmt::Display for BankSelect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => write!(f, "-"),
            Self::Pipe(me, pipe) => write!(f, "me{me}.pipe{pipe}"),
            Self::Queue(me, pipe, queue) => write!(f, "me{me}.pipe{pipe}.queue{queue}"),
            Self::Vmid(vmid) => write!(f, "vmid{vmid}"),
            Self::Array(all) => {
                let mut before = "";
                for (name, n) in ["se", "sh", "instance"].iter().zip(all) {
                    match n {
                        Some(n) => write!(f, "{before}{name}{n}")?,
                        None => write!(f, "{before}{name}*")?,
                    }
                    before = ".";
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_queue_selects_and_broadcasts() {
        let s = Select::decode(2 << 2 | 1 | 3 << 8 | 5 << 4, 1 << 31 | 1 << 30 | 2 << 8);
        assert_eq!((s.me, s.pipe, s.queue, s.vmid), (2, 1, 3, 5));
        assert_eq!((s.se, s.sh, s.instance), (None, Some(2), None));
        let names =
            [Bank::One, Bank::Pipe, Bank::Queue, Bank::Vmid, Bank::Array].map(|b| b.of(s).to_string());
        assert_eq!(
            names,
            ["-", "me2.pipe1", "me2.pipe1.queue3", "vmid5", "se*.sh2.instance*"]
        );
    }
}
