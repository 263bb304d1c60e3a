// SPDX-License-Identifier: GPL-2.0
//! Command rings of the kernel: the driver writes packets and rings a doorbell, the device reads and reports how
//! far it is.

use super::Bars;
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::RingSize;
use amdgpu_logic::slots::doorbell::Doorbell;
use kernel::{
    dev_err,
    prelude::*,
    sync::{
        barrier::{smp_mb, Write},
        Arc,
    },
    time::{delay::fsleep, Delta, Instant, Monotonic},
};

/// In what the device counts ring positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Command processor.
    Dwords,
    /// SDMA.
    Bytes,
}

/// A ring in memory of VMID 0, followed by a page for the pointers and for fences.
///
/// Methods that write need `&mut`: the owner's lock keeps submissions apart.
pub(super) struct Ring {
    name: &'static str,
    memory: Arc<KernelBo>,
    size: RingSize,
    doorbell: Doorbell,
    unit: Unit,
    /// Dwords written since the beginning, of which all but the open submission are the device's.
    written: u64,
}

/// Bytes after the ring.
const STATUS_BYTES: u64 = 4096;
/// In the page after the ring: how far the device has read.
const READ_POINTER: u64 = 0;
/// How far the driver has written.
const WRITE_POINTER: u64 = 64;
/// First of the words for answers.
const ANSWERS: u64 = 128;

/// How long the device may take to make room.
const ROOM_DEADLINE: Delta = Delta::from_secs(2);

impl Ring {
    /// Bytes of memory that a ring of `size` needs.
    pub(super) const fn memory_bytes(size: RingSize) -> u64 {
        (size.bytes() as u64).saturating_add(STATUS_BYTES)
    }

    /// An empty ring. `memory` is zeroed, of [`Ring::memory_bytes`] bytes at least. `nop` is a packet of one dword.
    pub(super) fn new(
        name: &'static str,
        memory: KernelBo,
        size: RingSize,
        doorbell: Doorbell,
        unit: Unit,
        nop: u32,
    ) -> Result<Self> {
        let memory = Arc::new(memory, GFP_KERNEL)?;
        let ring = Self {
            name,
            memory,
            size,
            doorbell,
            unit,
            written: 0,
        };
        for index in 0..size.dwords() {
            ring.memory.write32(u64::from(index).saturating_mul(4), nop)?;
        }
        for offset in [READ_POINTER, WRITE_POINTER, ANSWERS, ANSWERS + 8] {
            ring.memory.write64(ring.status_offset(offset), 0)?;
        }
        Ok(ring)
    }

    /// Address of the ring.
    pub(super) fn base(&self) -> u64 {
        self.memory.gpu_addr()
    }

    /// Its size.
    pub(super) fn size(&self) -> RingSize {
        self.size
    }

    /// Its doorbell.
    pub(super) fn doorbell(&self) -> Doorbell {
        self.doorbell
    }

    /// Where the device reports how far it has read.
    pub(super) fn read_pointer_addr(&self) -> u64 {
        self.status_addr(READ_POINTER)
    }

    /// Where the driver keeps how far it has written.
    pub(super) fn write_pointer_addr(&self) -> u64 {
        self.status_addr(WRITE_POINTER)
    }

    /// The words for the device's answers, in reach without the owner's lock.
    pub(super) fn answers(&self) -> Answers {
        Answers {
            memory: self.memory.clone(),
            base: self.size.bytes().into(),
        }
    }

    /// Lets `build` append packets, of up to `dwords` dwords, and hands them to the device. If `build` fails, or
    /// there is no room within [`ROOM_DEADLINE`], the device gets nothing.
    pub(super) fn submit(
        &mut self,
        bars: &Bars,
        dwords: u32,
        build: impl FnOnce(&mut Submission<'_>) -> Result,
    ) -> Result {
        self.wait_for_room(bars, dwords)?;
        let mut submission = Submission {
            ring: self,
            at: 0,
            room: dwords,
        };
        build(&mut submission)?;
        let at = submission.at;
        self.commit(bars, at)
    }

    /// Hands `dwords` more dwords over to the device.
    fn commit(&mut self, bars: &Bars, dwords: u32) -> Result {
        self.written = self.written.wrapping_add(dwords.into());
        let position = match self.unit {
            Unit::Dwords => self.written,
            Unit::Bytes => self.written.wrapping_mul(4),
        };
        self.memory.write64(self.status_offset(WRITE_POINTER), position)?;
        // the packets are in memory before the device hears of them
        smp_mb(Write);
        bars.doorbells.ring64(self.doorbell.dword(), position);
        Ok(())
    }

    /// Dwords that can be written now. One stays free, so that a full ring does not look empty.
    fn room(&self) -> Result<u32> {
        let reported = self.memory.read64(self.status_offset(READ_POINTER))?;
        let read = match self.unit {
            Unit::Dwords => reported,
            Unit::Bytes => reported / 4,
        };
        let mask = u64::from(self.size.dwords()).wrapping_sub(1);
        let used = self.written.wrapping_sub(read) & mask;
        Ok(mask.saturating_sub(used) as u32)
    }

    fn wait_for_room(&self, bars: &Bars, dwords: u32) -> Result {
        let start = Instant::<Monotonic>::now();
        loop {
            let elapsed = start.elapsed();
            let room = self.room()?;
            if room >= dwords {
                return Ok(());
            }
            if elapsed >= ROOM_DEADLINE {
                dev_err!(
                    bars.dev,
                    "{}: no room for {} dwords in the ring within {} ms, {} are free\n",
                    self.name,
                    dwords,
                    ROOM_DEADLINE.as_millis(),
                    room
                );
                return Err(ETIMEDOUT);
            }
            fsleep(Delta::from_micros(20));
        }
    }

    fn status_offset(&self, offset: u64) -> u64 {
        u64::from(self.size.bytes()).wrapping_add(offset)
    }

    fn status_addr(&self, offset: u64) -> u64 {
        self.memory.gpu_addr().wrapping_add(self.status_offset(offset))
    }
}

/// Words in the page after a ring that packets write for the driver to read.
#[derive(Clone)]
pub(super) struct Answers {
    memory: Arc<KernelBo>,
    base: u64,
}

/// One of them, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Tells how far submissions are.
    Fence = 0,
    /// For tests.
    Scratch = 1,
}

impl Answers {
    /// Its address for packets.
    pub(super) fn addr(&self, which: Answer) -> u64 {
        self.memory.gpu_addr().wrapping_add(self.offset(which))
    }

    /// Its value.
    pub(super) fn get(&self, which: Answer) -> Result<u64> {
        self.memory.read64(self.offset(which))
    }

    /// Sets its value.
    pub(super) fn set(&self, which: Answer, value: u64) -> Result {
        self.memory.write64(self.offset(which), value)
    }

    fn offset(&self, which: Answer) -> u64 {
        self.base
            .wrapping_add(ANSWERS)
            .wrapping_add((which as u64).wrapping_mul(8))
    }
}

/// Packets being appended to a ring.
pub(super) struct Submission<'a> {
    ring: &'a mut Ring,
    at: u32,
    room: u32,
}

impl Submission<'_> {
    /// Appends dwords. `ENOSPC` if there are more than were announced.
    pub(super) fn words(&mut self, words: &[u32]) -> Result {
        for &word in words {
            if self.at >= self.room {
                return Err(ENOSPC);
            }
            let mask = u64::from(self.ring.size.dwords()).wrapping_sub(1);
            let index = self.ring.written.wrapping_add(self.at.into()) & mask;
            self.ring.memory.write32(index.wrapping_mul(4), word)?;
            self.at = self.at.wrapping_add(1);
        }
        Ok(())
    }

    /// Appends a PM4 packet.
    pub(super) fn pm4(&mut self, packet: &impl amdgpu_logic::pm4::Packet) -> Result {
        self.words(packet.encode().as_ref())
    }

    /// Appends an SDMA packet.
    pub(super) fn sdma(&mut self, packet: &impl amdgpu_logic::sdma_packet::Packet) -> Result {
        self.words(packet.encode().as_ref())
    }
}
