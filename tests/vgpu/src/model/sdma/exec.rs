// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each packet does.

use std::time::Duration;

use super::packet::{Packet, Poll, PollSource, Timestamp};
use super::queue::Ib;
use super::run::{Runner, Step, Trouble};
use crate::inject::event::{Event, Point, Verdict};
use crate::model::gmc::Fault;
use crate::model::ih::{client, Iv};

/// First wait of a poll that does not pass; doubles up to [`POLL_MAX`].
pub(super) const POLL_FIRST: Duration = Duration::from_micros(20);
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
        if !self.job.user && self.job.tries == 0 && self.ctx.trace.enabled() {
            let buffer = if self.job.at.ib.is_some() { " IB" } else { "" };
            self.ctx
                .trace
                .event(self.job.who, format_args!("packet ring{buffer} {packet}"));
        }
        let event = Event::new(Point::Packet, self.job.who, packet.name()).of(self.client().vmid);
        match self.ctx.inject.at(event) {
            Verdict::Hold(_) => return Ok(Step::Retry(POLL_MAX)),
            Verdict::Lose => return Ok(Step::Next),
            _ => {}
        }
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

    pub(super) fn load(&self, va: u64, buf: &mut [u8]) -> Result<(), Trouble> {
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

    pub(super) fn store(&self, va: u64, data: &[u8]) -> Result<(), Trouble> {
        self.canonical(va)?;
        self.ctx
            .gmc
            .write(self.client(), va, data)
            .map_err(|f| self.fault(f))
    }

    pub(super) fn zero(&self, va: u64, len: u64) -> Result<(), Trouble> {
        self.canonical(va)?;
        self.ctx
            .gmc
            .zero(self.client(), va, len)
            .map_err(|f| self.fault(f))
    }

    fn fault(&self, f: Fault) -> Trouble {
        Trouble::Fault(self.client(), f)
    }

    pub(super) fn aligned(&self, what: &str, va: u64, to: u64) -> Result<(), Trouble> {
        match va % to {
            0 => Ok(()),
            _ => Err(Trouble::Rule(
                "sdma-address-misaligned",
                format!("{what} address {va:#x}, needs {to} bytes"),
            )),
        }
    }

    /// Addresses have 48 bits; the upper ones repeat bit 47.
    pub(super) fn canonical(&self, va: u64) -> Result<(), Trouble> {
        let extended = ((va << 16) as i64 >> 16) as u64;
        if extended == va {
            Ok(())
        } else {
            Err(Trouble::Hole(va))
        }
    }
}
