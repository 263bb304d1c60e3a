// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ring of command frames (kernel psp_gfx_if.h: psp_gfx_rb_frame, psp_gfx_cmd_resp).

use super::command::Command;
use super::{regs, Psp, PSP};

/// Bytes of a frame.
const FRAME: u32 = 64;
/// Bytes of a command buffer, and where the response is in it.
pub(super) const BUFFER: usize = 1024;
const RESPONSE: u64 = 864;
/// Bytes of the response that are written: status, session, firmware address, TMR size.
const RESPONSE_SIZE: usize = 20;

/// A ring a driver has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    /// Address in VMID 0 of the memory hub.
    pub(super) addr: u64,
    /// Bytes.
    pub(super) size: u32,
    /// Where the next frame is read, dwords.
    pub(super) rptr: u32,
}

/// What a command answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u32,
    pub(super) session: u32,
    pub(super) fw_addr: u64,
}

/// A little-endian word; 0 beyond the end.
pub(super) fn word(b: &[u8], at: usize) -> u32 {
    let bytes = at.checked_add(4).and_then(|end| b.get(at..end));
    bytes
        .unwrap_or_default()
        .iter()
        .rev()
        .fold(0, |w, b| w << 8 | u32::from(*b))
}

/// Two words, low first.
pub(super) fn pair(b: &[u8], at: usize) -> u64 {
    u64::from(word(b, at)) | u64::from(word(b, at.saturating_add(4))) << 32
}

impl Psp {
    /// Works on all frames up to a write pointer.
    pub(super) fn frames(&self, wptr: u32) {
        let mut slot = self.ring.lock();
        let Some(ring) = slot.as_mut() else {
            return self.report.violation("psp-protocol", "frames without a ring");
        };
        let dwords = ring.size / 4;
        if wptr >= dwords || wptr % (FRAME / 4) != 0 {
            let detail = format!("write pointer {wptr:#x} of {ring:x?}");
            return self.report.violation("psp-protocol", detail);
        }
        while ring.rptr != wptr {
            let at = ring.addr.wrapping_add(u64::from(ring.rptr) * 4);
            ring.rptr = (ring.rptr + FRAME / 4) % dwords;
            if let Err(why) = self.frame(at) {
                self.report
                    .violation("psp-protocol", format!("frame at {at:#x}: {why}"));
            }
        }
    }

    /// Answers all frames up to a write pointer with nonsense, and carries none out.
    pub(super) fn garbled(&self, wptr: u32) {
        let mut slot = self.ring.lock();
        let Some(ring) = slot.as_mut() else { return };
        let dwords = (ring.size / 4).max(1);
        while ring.rptr != wptr % dwords {
            let at = ring.addr.wrapping_add(u64::from(ring.rptr) * 4);
            ring.rptr = (ring.rptr + FRAME / 4) % dwords;
            let mut frame = [0; FRAME as usize];
            let answer = [0xa5; RESPONSE_SIZE];
            let _ = self.get(at, &mut frame).and_then(|()| {
                self.put(pair(&frame, 0).wrapping_add(RESPONSE), &answer)?;
                self.put(pair(&frame, 12), &word(&frame, 20).to_le_bytes())
            });
        }
    }

    /// One frame: the command in its buffer, the response behind it, the fence.
    fn frame(&self, at: u64) -> Result<(), String> {
        let mut frame = [0; FRAME as usize];
        self.get(at, &mut frame)?;
        let (buffer, fence, value) = (pair(&frame, 0), pair(&frame, 12), word(&frame, 20));
        if buffer % 4096 != 0 || fence % 4 != 0 {
            return Err(format!("command buffer {buffer:#x}, fence {fence:#x}"));
        }
        if frame[24..].iter().any(|b| *b != 0) {
            return Err("its reserved part is not 0".into());
        }
        let mut command = [0; BUFFER];
        self.get(buffer, &mut command)?;
        self.report.count("psp_command", 1);
        let command = Command::decode(&command);
        let response = self.command(&command);
        let status = response.status;
        self.trace.event(
            "PSP",
            format_args!("command {} -> {status:#x} ~ {command:x?}", command.name()),
        );
        let mut b = [0; RESPONSE_SIZE];
        b[..4].copy_from_slice(&response.status.to_le_bytes());
        b[4..8].copy_from_slice(&response.session.to_le_bytes());
        b[8..16].copy_from_slice(&response.fw_addr.to_le_bytes());
        self.put(buffer.wrapping_add(RESPONSE), &b)?;
        self.put(fence, &value.to_le_bytes())
    }

    pub(super) fn get(&self, va: u64, buf: &mut [u8]) -> Result<(), String> {
        self.gmc.read(PSP, va, buf).map_err(|f| format!("{f:x?}"))
    }

    pub(super) fn put(&self, va: u64, data: &[u8]) -> Result<(), String> {
        self.gmc.write(PSP, va, data).map_err(|f| format!("{f:x?}"))
    }

    /// Whether every byte of a buffer can be read.
    pub(super) fn readable(&self, va: u64, size: u32) -> Result<(), String> {
        let mut b = vec![0; size as usize];
        self.get(va, &mut b)
    }

    /// Makes the ring that the mailbox registers describe.
    pub(super) fn make_ring(&self) -> u32 {
        let lo = self.regs.get(regs::MP0_SMN_C2PMSG_69);
        let hi = self.regs.get(regs::MP0_SMN_C2PMSG_70);
        let ring = Ring {
            addr: u64::from(hi) << 32 | u64::from(lo),
            size: self.regs.get(regs::MP0_SMN_C2PMSG_71),
            rptr: self.regs.get(regs::MP0_SMN_C2PMSG_67),
        };
        let mut slot = self.ring.lock();
        let bad = ring.addr == 0
            || ring.addr % 4096 != 0
            || ring.size == 0
            || ring.size % 4096 != 0
            || ring.rptr >= ring.size / 4;
        if slot.is_some() || bad {
            self.report.violation(
                "psp-protocol",
                format!("{ring:x?} asked for while there is {:x?}", *slot),
            );
            return super::REFUSED;
        }
        *slot = Some(ring);
        0
    }
}
