// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs one queue for a while: the loop that fetches, decodes and executes packets. Holds no lock of the engine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::decode::{decode, head_dwords, BadPacket, MAX_HEAD};
use super::queue::{Ib, Position};
use super::stream::{Ring, Stream};
use crate::ctx::Ctx;
use crate::model::gmc::{Client, Fault};

/// Packets after which another queue gets its turn.
const SLICE: usize = 1024;
/// Packets after which the read pointer is written back at the latest.
const WRITEBACK: usize = 64;

/// What a queue hands to the worker for one slice.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Index of the engine.
    pub(super) engine: usize,
    /// Index of the queue.
    pub(super) queue: usize,
    /// For messages and faults: "SDMA0".
    pub(super) who: &'static str,
    /// Whether it is a user queue (RLC), not the kernel's.
    pub(super) user: bool,
    /// The ring and how it is read.
    pub(super) ring: Ring,
    /// Process, for interrupts.
    pub(super) pasid: u16,
    /// Where the read pointer is written back.
    pub(super) rptr_addr: Option<u64>,
    /// Whether indirect buffers are allowed (IB_CNTL.IB_ENABLE; user queues always).
    pub(super) ib_enabled: bool,
    /// Whether TRAP packets interrupt (SDMA_CNTL.TRAP_ENABLE).
    pub(super) trap_enabled: bool,
    /// Where the command stream is; moves on.
    pub(super) at: Position,
    /// Failed tries of the poll at `at`.
    pub(super) tries: u32,
    /// What the engine's own clock is ahead of the card's (TIMESTAMP SET).
    pub(super) clock_offset: u64,
    /// Value before the last atomic (ATOMIC_PREOP).
    pub(super) preop: Option<u64>,
}

/// Why a slice ended.
#[derive(Clone, Debug)]
pub(super) enum Pause {
    /// Nothing left to do.
    Empty,
    /// The slice is used up, or somebody wants the queue to stop.
    Slice,
    /// A poll does not pass yet.
    Blocked(Duration),
    /// The queue cannot go on.
    Stopped(Trouble),
}

/// What stops a queue.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// A translation or memory fault, and as whom.
    Fault(Client, Fault),
    /// An address between the two canonical halves (SDMA_VM_HOLE).
    Hole(u64),
    /// A packet that does not exist.
    Packet(BadPacket),
    /// The driver broke a rule of the hardware: kind and text.
    Rule(&'static str, String),
}

impl From<BadPacket> for Trouble {
    fn from(e: BadPacket) -> Self {
        Self::Packet(e)
    }
}

/// How a packet ended.
pub(super) enum Step {
    /// Done.
    Next,
    /// Done; this many dwords behind it are skipped.
    Skip(u64),
    /// An indirect buffer starts behind it.
    Enter(Ib),
    /// Not done: try again after a while.
    Retry(Duration),
    /// Not done: somebody wants the queue to stop; `at.done` says how far it got.
    Interrupted,
}

/// One slice in progress.
pub(super) struct Runner<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) job: &'a mut Job,
    pub(super) stream: Stream<'a>,
    pub(super) attention: &'a AtomicBool,
    pub(super) buffer: Vec<u8>,
    written_back: u64,
}

impl<'a> Runner<'a> {
    /// Starts a slice; it ends soon after `attention` becomes true.
    pub(super) fn new(ctx: &'a Ctx, job: &'a mut Job, attention: &'a AtomicBool) -> Self {
        let stream = Stream::new(ctx, job.ring);
        let written_back = job.at.rptr;
        Self {
            ctx,
            job,
            stream,
            attention,
            buffer: Vec::new(),
            written_back,
        }
    }

    /// Runs until the slice ends.
    pub(super) fn run(&mut self) -> Pause {
        let mut pause = self.packets();
        if let Err(trouble) = self.write_back() {
            pause = Pause::Stopped(trouble);
        }
        pause
    }

    /// Whether somebody wants the queue to stop.
    pub(super) fn interrupted(&self) -> bool {
        self.attention.load(Ordering::Relaxed)
    }

    /// The client for accesses of the packet at hand.
    pub(super) fn client(&self) -> Client {
        let vmid = self.job.at.ib.map_or(self.job.ring.client.vmid, |ib| ib.vmid);
        Client {
            vmid,
            ..self.job.ring.client
        }
    }

    fn packets(&mut self) -> Pause {
        if let Err(trouble) = self.check_ring() {
            return Pause::Stopped(trouble);
        }
        for n in 1..=SLICE {
            if self.interrupted() {
                return Pause::Slice;
            }
            match self.one() {
                Ok(None) => {}
                Ok(Some(pause)) => return pause,
                Err(trouble) => return Pause::Stopped(trouble),
            }
            if n % WRITEBACK == 0 {
                if let Err(trouble) = self.write_back() {
                    return Pause::Stopped(trouble);
                }
            }
        }
        Pause::Slice
    }

    fn check_ring(&self) -> Result<(), Trouble> {
        let (rptr, wptr, bytes) = (self.job.at.rptr, self.job.ring.wptr, self.job.ring.bytes);
        let queued = wptr.wrapping_sub(rptr);
        if queued > bytes {
            return Err(Trouble::Rule(
                "sdma-ring-overrun",
                format!("rptr {rptr:#x}, wptr {wptr:#x}, ring of {bytes:#x}"),
            ));
        }
        if (rptr | wptr) % 4 != 0 {
            return Err(Trouble::Rule(
                "sdma-pointer-misaligned",
                format!("rptr {rptr:#x}, wptr {wptr:#x}"),
            ));
        }
        Ok(())
    }

    /// Executes one packet; `Some` ends the slice.
    fn one(&mut self) -> Result<Option<Pause>, Trouble> {
        let at = self.job.at;
        let available = self.stream.available(&at);
        if available == 0 {
            if at.ib.is_some() {
                // only a zero-length buffer gets here; the others are left when their last packet is done
                self.job.at.ib = None;
                return Ok(None);
            }
            return Ok(Some(Pause::Empty));
        }
        let mut head = [0; MAX_HEAD];
        self.peek(&at, 0, &mut head)?;
        let needed = head_dwords(head[0])? as u64;
        if available < needed {
            return self.truncated(&at, needed, available);
        }
        let (packet, len) = decode(&head)?;
        if available < len {
            return self.truncated(&at, len, available);
        }
        let step = self.execute(packet, len)?;
        let skip = match step {
            Step::Next | Step::Enter(_) => 0,
            Step::Skip(dwords) => dwords,
            Step::Retry(after) => return Ok(Some(Pause::Blocked(after))),
            Step::Interrupted => return Ok(Some(Pause::Slice)),
        };
        self.job.tries = 0;
        self.ctx.report.count("sdma_packet", 1);
        self.advance(len, skip)?;
        if let Step::Enter(ib) = step {
            self.job.at.ib = Some(ib);
            self.stream.forget();
        }
        Ok(None)
    }

    /// Moves behind a packet of `len` dwords, and `skip` dwords more.
    fn advance(&mut self, len: u64, skip: u64) -> Result<(), Trouble> {
        let left = self.stream.available(&self.job.at).saturating_sub(len);
        if skip > left {
            return Err(Trouble::Rule(
                "sdma-skip-beyond-end",
                format!("COND_EXE skips {skip} of {left} dwords"),
            ));
        }
        let dwords = len + skip;
        self.job.at.done = 0;
        match &mut self.job.at.ib {
            None => self.job.at.rptr = self.job.at.rptr.wrapping_add(dwords * 4),
            Some(ib) => {
                ib.next = ib.next.saturating_add(dwords as u32);
                if ib.next >= ib.dwords {
                    self.job.at.ib = None;
                }
            }
        }
        Ok(())
    }

    /// A packet that is not all there: in the ring the rest may still come, in an indirect buffer never.
    fn truncated(&self, at: &Position, needed: u64, available: u64) -> Result<Option<Pause>, Trouble> {
        if at.ib.is_none() {
            return Ok(Some(Pause::Empty));
        }
        let text = format!("packet of {needed} dwords, {available} left in the indirect buffer");
        Err(Trouble::Rule("sdma-packet-truncated", text))
    }

    fn peek(&mut self, at: &Position, skip: u64, out: &mut [u32]) -> Result<(), Trouble> {
        let client = self.client();
        self.stream
            .peek(at, skip, out)
            .map_err(|f| Trouble::Fault(client, f))
    }

    /// The payload of the packet at hand, `skip` dwords behind its start.
    pub(super) fn payload(&mut self, skip: u64, out: &mut [u32]) -> Result<(), Trouble> {
        let at = self.job.at;
        self.peek(&at, skip, out)
    }

    /// Tells the ring's owner how far the engine is.
    fn write_back(&mut self) -> Result<(), Trouble> {
        let rptr = self.job.at.rptr;
        let Some(addr) = self.job.rptr_addr.filter(|_| rptr != self.written_back) else {
            return Ok(());
        };
        let client = self.job.ring.client;
        self.ctx
            .gmc
            .write(client, addr, &rptr.to_le_bytes())
            .map_err(|f| Trouble::Fault(client, f))?;
        self.written_back = rptr;
        Ok(())
    }
}
