// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each packet does.

use std::time::Duration;

use super::packet::{Atomic, AtomicOp, FillUnit, Packet, Poll, PollSource, Timestamp, Width, Window};
use super::queue::Ib;
use super::run::{Runner, Step, Trouble};
use crate::model::gmc::Fault;
use crate::model::ih::{client, Iv};

/// Bytes moved between two looks at whether the queue shall stop.
const CHUNK: u64 = 1 << 20;
/// Bytes held on the way from source to destination.
const BOUNCE: u64 = 64 << 10;
/// First wait of a poll that does not pass; doubles up to [`POLL_MAX`].
const POLL_FIRST: Duration = Duration::from_micros(20);
/// Longest wait between two tries of a poll.
const POLL_MAX: Duration = Duration::from_micros(500);

/// Interrupt sources (kernel include/ivsrcid/sdma0/irqsrcs_sdma0_4_0.h).
pub(super) mod source {
    /// TRAP packet.
    pub(in super::super) const TRAP: u8 = 224;
    /// Address between the canonical halves.
    pub(in super::super) const VM_HOLE: u8 = 242;
    /// POLL_REGMEM gave up.
    pub(in super::super) const POLL_TIMEOUT: u8 = 246;
    /// SRBM_WRITE from a user queue.
    pub(in super::super) const SRBM_WRITE: u8 = 247;
}

/// GPU_HDP_FLUSH_REQ (nbio_7_4_offset.h); engine n's bit is 10 + n (nbio_7_4_sh_mask.h: SDMA0, SDMA1, then reserved).
const GPU_HDP_FLUSH_REQ: u32 = 0x3898;

impl Runner<'_> {
    /// Executes a packet of `len` dwords at the current position.
    pub(super) fn execute(&mut self, packet: Packet, len: u64) -> Result<Step, Trouble> {
        match packet {
            Packet::Nop => Ok(Step::Next),
            Packet::CopyLinear {
                src,
                dst,
                second,
                bytes,
            } => self.copy_linear(src, dst, second, bytes),
            Packet::CopySubWindow {
                element,
                src,
                dst,
                extent,
            } => self.copy_window(element, src, dst, extent),
            Packet::WriteLinear { dst, dwords } => self.write_linear(dst, dwords),
            Packet::ConstFill {
                dst,
                data,
                unit,
                bytes,
            } => self.fill(dst, data, unit, bytes),
            Packet::PtePdeGenerate {
                dst,
                mask,
                value,
                increment,
                entries,
            } => self.generate(dst, mask, value, increment, entries),
            Packet::Indirect { vmid, base, dwords } => self.indirect(vmid, base, dwords, len),
            Packet::Fence { addr, data } => {
                self.aligned("FENCE", addr, 4)?;
                self.store(addr, &data.to_le_bytes())?;
                Ok(Step::Next)
            }
            Packet::Trap { context } => {
                if self.job.trap_enabled {
                    self.interrupt(source::TRAP, context);
                } else {
                    self.ctx.report.count("sdma_trap_masked", 1);
                }
                Ok(Step::Next)
            }
            Packet::Poll(poll) => self.poll(poll),
            Packet::HdpFlush => {
                let bit = 1u32.checked_shl(10 + self.job.engine as u32).unwrap_or(0);
                self.ctx.reg_write(self.job.who, GPU_HDP_FLUSH_REQ, bit);
                Ok(Step::Next)
            }
            Packet::RegisterToMemory { reg, dst } => {
                self.aligned("POLL_REG_WRITE_MEM", dst, 4)?;
                let value = self.ctx.reg_read(self.job.who, reg);
                self.store(dst, &value.to_le_bytes())?;
                Ok(Step::Next)
            }
            Packet::Atomic(atomic) => self.atomic(atomic),
            Packet::Timestamp(timestamp) => self.timestamp(timestamp),
            Packet::SrbmWrite {
                reg,
                byte_enable,
                data,
            } => self.srbm_write(reg, byte_enable, data),
            Packet::CondExe {
                addr,
                reference,
                dwords,
            } => {
                self.aligned("COND_EXE", addr, 4)?;
                let value = self.load32(addr)?;
                Ok(if value == reference {
                    Step::Next
                } else {
                    Step::Skip(u64::from(dwords))
                })
            }
        }
    }

    fn copy_linear(&mut self, src: u64, dst: u64, second: Option<u64>, bytes: u64) -> Result<Step, Trouble> {
        self.ctx
            .report
            .count("sdma_copy_bytes", bytes.saturating_sub(self.job.at.done));
        self.in_chunks(bytes, |run, off, n| {
            let mut buffer = std::mem::take(&mut run.buffer);
            buffer.resize(n as usize, 0);
            let result = run
                .load(src.wrapping_add(off), &mut buffer)
                .and_then(|()| run.store(dst.wrapping_add(off), &buffer))
                .and_then(|()| second.map_or(Ok(()), |to| run.store(to.wrapping_add(off), &buffer)));
            run.buffer = buffer;
            result
        })
    }

    /// Row by row; the progress counter counts rows here.
    fn copy_window(
        &mut self,
        element: u32,
        src: Window,
        dst: Window,
        extent: [u32; 3],
    ) -> Result<Step, Trouble> {
        self.aligned("COPY sub-window source", src.base, 4)?;
        self.aligned("COPY sub-window destination", dst.base, 4)?;
        let [width, height, depth] = extent.map(u64::from);
        let row_bytes = width << element;
        while self.job.at.done < height * depth {
            if self.interrupted() {
                return Ok(Step::Interrupted);
            }
            let (y, z) = (self.job.at.done % height, self.job.at.done / height);
            let start = |w: &Window| {
                let [x0, y0, z0] = w.at.map(u64::from);
                let elements = x0 + (y0 + y) * w.pitch + (z0 + z) * w.slice;
                w.base.wrapping_add(elements << element)
            };
            let (from, to) = (start(&src), start(&dst));
            let mut row = std::mem::take(&mut self.buffer);
            row.resize(row_bytes as usize, 0);
            let result = self.load(from, &mut row).and_then(|()| self.store(to, &row));
            self.buffer = row;
            result?;
            self.job.at.done += 1;
        }
        self.ctx
            .report
            .count("sdma_copy_bytes", row_bytes * height * depth);
        Ok(Step::Next)
    }

    fn write_linear(&mut self, dst: u64, dwords: u64) -> Result<Step, Trouble> {
        self.aligned("WRITE", dst, 4)?;
        self.in_chunks(dwords * 4, |run, off, n| {
            let mut words = vec![0; (n / 4) as usize];
            run.payload(4 + off / 4, &mut words)?;
            let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            run.store(dst.wrapping_add(off), &bytes)
        })
    }

    fn fill(&mut self, dst: u64, data: u32, unit: FillUnit, bytes: u64) -> Result<Step, Trouble> {
        let pattern = match unit {
            FillUnit::Dword => {
                self.aligned("CONST_FILL", dst, 4)?;
                data
            }
            FillUnit::Byte => {
                let pattern = u32::from_le_bytes([data as u8; 4]);
                if pattern != data {
                    let text = format!("byte-wise CONST_FILL with unequal bytes {data:#010x}");
                    self.ctx.report.unknown("sdma-fill-pattern", text);
                }
                pattern
            }
        };
        self.ctx
            .report
            .count("sdma_fill_bytes", bytes.saturating_sub(self.job.at.done));
        let block: Vec<u8> = pattern.to_le_bytes().repeat(BOUNCE as usize / 4);
        self.in_chunks(bytes, |run, off, n| {
            run.store(dst.wrapping_add(off), block.get(..n as usize).unwrap_or_default())
        })
    }

    /// Page-table entries: `mask | value`, the value growing by `increment` (kernel sdma_v4_0_vm_set_pte_pde).
    fn generate(
        &mut self,
        dst: u64,
        mask: u64,
        value: u64,
        step: u64,
        entries: u64,
    ) -> Result<Step, Trouble> {
        self.aligned("PTEPDE", dst, 8)?;
        self.in_chunks(entries * 8, |run, off, n| {
            let first = off / 8;
            let entry = |i: u64| mask | value.wrapping_add(step.wrapping_mul(i));
            let bytes: Vec<u8> = (first..first + n / 8)
                .flat_map(|i| entry(i).to_le_bytes())
                .collect();
            run.store(dst.wrapping_add(off), &bytes)
        })
    }

    /// Runs `f(offset, length)` over `bytes` in bounded pieces, from where the packet was interrupted.
    fn in_chunks(
        &mut self,
        bytes: u64,
        mut f: impl FnMut(&mut Self, u64, u64) -> Result<(), Trouble>,
    ) -> Result<Step, Trouble> {
        while self.job.at.done < bytes {
            let off = self.job.at.done;
            if off % CHUNK == 0 && self.interrupted() {
                return Ok(Step::Interrupted);
            }
            let n = BOUNCE.min(bytes - off);
            f(self, off, n)?;
            self.job.at.done = off + n;
        }
        Ok(Step::Next)
    }

    fn indirect(&mut self, vmid: u8, base: u64, dwords: u32, len: u64) -> Result<Step, Trouble> {
        let rule = |kind, text: String| Err(Trouble::Rule(kind, text));
        if self.job.at.ib.is_some() {
            return rule(
                "sdma-ib-nested",
                format!("INDIRECT to {base:#x} inside an indirect buffer"),
            );
        }
        if !self.job.ib_enabled {
            return rule(
                "sdma-ib-disabled",
                format!("INDIRECT to {base:#x} with IB_CNTL.IB_ENABLE = 0"),
            );
        }
        if base % 32 != 0 {
            return rule(
                "sdma-ib-misaligned",
                format!("indirect buffer at {base:#x}, not 32-byte aligned"),
            );
        }
        let end = self.job.at.rptr.wrapping_add(len * 4);
        if end % 32 != 0 {
            return rule(
                "sdma-ib-packet-end",
                format!("INDIRECT ends at ring byte {end:#x}, not at 8 dwords"),
            );
        }
        // a user queue's buffers are always in its own address space
        let vmid = if self.job.user {
            self.job.ring.client.vmid
        } else {
            vmid
        };
        Ok(Step::Enter(Ib {
            base,
            dwords,
            next: 0,
            vmid,
        }))
    }

    fn poll(&mut self, poll: Poll) -> Result<Step, Trouble> {
        let value = match poll.source {
            PollSource::Memory(addr) => self.load32(addr)?,
            PollSource::Register(reg) => self.ctx.reg_read(self.job.who, reg),
            PollSource::HdpFlush { done, request } => {
                if self.job.tries == 0 {
                    self.ctx.reg_write(self.job.who, request, poll.reference);
                }
                self.ctx.reg_read(self.job.who, done)
            }
        };
        if poll.compare.holds(value & poll.mask, poll.reference) {
            return Ok(Step::Next);
        }
        let tries = self.job.tries;
        if poll.retries.is_some_and(|limit| tries >= limit) {
            self.interrupt(source::POLL_TIMEOUT, 0);
            self.ctx.report.count("sdma_poll_timeout", 1);
            return Ok(Step::Next);
        }
        self.job.tries = tries.saturating_add(1);
        let wait = POLL_FIRST.saturating_mul(1u32.checked_shl(tries.min(16)).unwrap_or(1));
        Ok(Step::Retry(wait.min(POLL_MAX)))
    }

    fn atomic(&mut self, a: Atomic) -> Result<Step, Trouble> {
        let client = self.client();
        let bytes = if a.width == Width::W64 { 8 } else { 4 };
        self.aligned("ATOMIC", a.addr, bytes)?;
        self.canonical(a.addr)?;
        let old = match a.width {
            Width::W64 => self
                .ctx
                .gmc
                .rmw64(client, a.addr, |v| apply64(a.op, v, a.src, a.cmp)),
            Width::W32 => self
                .ctx
                .gmc
                .rmw32(client, a.addr, |v| apply32(a.op, v, a.src as u32, a.cmp as u32))
                .map(u64::from),
        };
        let old = old.map_err(|f| Trouble::Fault(client, f))?;
        self.job.preop = Some(old);
        let expected = if a.width == Width::W64 {
            a.cmp
        } else {
            a.cmp & 0xffff_ffff
        };
        if a.repeat && a.op == AtomicOp::CompareSwap && old != expected {
            self.job.tries = self.job.tries.saturating_add(1);
            return Ok(Step::Retry(POLL_FIRST));
        }
        Ok(Step::Next)
    }

    fn timestamp(&mut self, t: Timestamp) -> Result<Step, Trouble> {
        let now = self.ctx.clock.now();
        match t {
            Timestamp::Set(value) => self.job.clock_offset = value.wrapping_sub(now),
            Timestamp::Get(addr) => {
                self.store(addr, &now.wrapping_add(self.job.clock_offset).to_le_bytes())?
            }
            Timestamp::GetGlobal(addr) => self.store(addr, &now.to_le_bytes())?,
        }
        Ok(Step::Next)
    }

    fn srbm_write(&mut self, reg: u32, byte_enable: u8, data: u32) -> Result<Step, Trouble> {
        if self.client().vmid != 0 {
            // protected: the driver is told, the register stays
            self.interrupt(source::SRBM_WRITE, reg);
            self.ctx.report.count("sdma_srbm_write_protected", 1);
            return Ok(Step::Next);
        }
        let mask = (0..4)
            .filter(|b| byte_enable >> b & 1 != 0)
            .fold(0u32, |m, b| m | 0xff << (8 * b));
        let value = match mask {
            u32::MAX => data,
            _ => self.ctx.reg_read(self.job.who, reg) & !mask | data & mask,
        };
        self.ctx.reg_write(self.job.who, reg, value);
        Ok(Step::Next)
    }

    /// Raises an interrupt of this queue. Queues are numbered GFX 0, PAGE 1, RLC0 2, as in the register space.
    pub(super) fn interrupt(&self, source: u8, context: u32) {
        let vmid = self.client().vmid;
        self.ctx.ih.send(Iv {
            client: client::SDMA.get(self.job.engine).copied().unwrap_or(0),
            source,
            ring_id: self.job.queue as u8,
            vmid,
            vmid_src: 1,
            pasid: self.job.pasid,
            data: [context, 0, 0, 0],
        });
    }

    fn load(&self, va: u64, buf: &mut [u8]) -> Result<(), Trouble> {
        self.canonical(va)?;
        self.ctx
            .gmc
            .read(self.client(), va, buf)
            .map_err(|f| self.fault(f))
    }

    fn load32(&self, va: u64) -> Result<u32, Trouble> {
        let mut bytes = [0; 4];
        self.load(va, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn store(&self, va: u64, data: &[u8]) -> Result<(), Trouble> {
        self.canonical(va)?;
        self.ctx
            .gmc
            .write(self.client(), va, data)
            .map_err(|f| self.fault(f))
    }

    fn fault(&self, f: Fault) -> Trouble {
        Trouble::Fault(self.client(), f)
    }

    fn aligned(&self, what: &str, va: u64, to: u64) -> Result<(), Trouble> {
        match va % to {
            0 => Ok(()),
            _ => Err(Trouble::Rule(
                "sdma-address-misaligned",
                format!("{what} address {va:#x}, needs {to} bytes"),
            )),
        }
    }

    /// Addresses have 48 bits; the upper ones repeat bit 47.
    fn canonical(&self, va: u64) -> Result<(), Trouble> {
        let extended = ((va << 16) as i64 >> 16) as u64;
        if extended == va {
            Ok(())
        } else {
            Err(Trouble::Hole(va))
        }
    }
}

fn apply64(op: AtomicOp, v: u64, src: u64, cmp: u64) -> u64 {
    match op {
        AtomicOp::Swap => src,
        AtomicOp::CompareSwap if v == cmp => src,
        AtomicOp::CompareSwap => v,
        AtomicOp::Add => v.wrapping_add(src),
        AtomicOp::Sub => v.wrapping_sub(src),
        AtomicOp::SMin => (v as i64).min(src as i64) as u64,
        AtomicOp::UMin => v.min(src),
        AtomicOp::SMax => (v as i64).max(src as i64) as u64,
        AtomicOp::UMax => v.max(src),
        AtomicOp::And => v & src,
        AtomicOp::Or => v | src,
        AtomicOp::Xor => v ^ src,
        AtomicOp::Inc if v >= src => 0,
        AtomicOp::Inc => v.wrapping_add(1),
        AtomicOp::Dec if v == 0 || v > src => src,
        AtomicOp::Dec => v.wrapping_sub(1),
    }
}

fn apply32(op: AtomicOp, v: u32, src: u32, cmp: u32) -> u32 {
    match op {
        AtomicOp::SMin => (v as i32).min(src as i32) as u32,
        AtomicOp::SMax => (v as i32).max(src as i32) as u32,
        _ => apply64(op, u64::from(v), u64::from(src), u64::from(cmp)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_atomics_wrap_at_32_bits() {
        assert_eq!(apply32(AtomicOp::Add, u32::MAX, 1, 0), 0);
        assert_eq!(apply32(AtomicOp::Sub, 0, 1, 0), u32::MAX);
        assert_eq!(apply32(AtomicOp::SMin, u32::MAX, 1, 0), u32::MAX);
        assert_eq!(apply32(AtomicOp::UMin, u32::MAX, 1, 0), 1);
        assert_eq!(apply32(AtomicOp::Dec, 0, 7, 0), 7);
        assert_eq!(apply32(AtomicOp::Inc, 7, 7, 0), 0);
        assert_eq!(apply64(AtomicOp::CompareSwap, 5, 9, 5), 9);
        assert_eq!(apply64(AtomicOp::CompareSwap, 6, 9, 5), 6);
    }
}
