// SPDX-License-Identifier: GPL-2.0
//! The ring of commands of the secure OS, one command at a time.

use super::mailbox;
use crate::glue::wait::Wakeable;
use crate::gpu::hw::{memory_wait, Bars};
use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::psp::{Command, Frame, Position, Response, COMMAND_BYTES, RESPONSE};
use kernel::{
    dev_err, dev_warn,
    prelude::*,
    sync::{
        barrier::{smp_mb, Write},
        Arc,
    },
    time::Delta,
};

/// Bytes of the ring, a page.
const RING_BYTES: u32 = 4096;
/// In the memory behind the ring: the command's buffer, a page.
const COMMAND: u64 = 4096;
/// The fence, on a page of its own.
const FENCE: u64 = 8192;
/// Bytes of all three.
const BYTES: u64 = 12288;

/// How long the secure OS may take for a command.
const DEADLINE: Delta = Delta::from_secs(4);

/// The ring. Dropping it takes it back from the secure OS.
pub(super) struct Ring {
    bars: Arc<Bars>,
    memory: KernelBo,
    position: Position,
    /// Last fence handed out.
    sequence: u32,
}

impl Ring {
    /// Gives the secure OS, which runs, an empty ring.
    pub(super) fn new(bars: &Arc<Bars>, memory: &Memory) -> Result<Self> {
        // from here on dropping `ring` takes it back
        let mut ring = Self {
            bars: bars.clone(),
            memory: KernelBo::new(memory, BYTES, 0, Domain::Gtt)?,
            position: Position::new(0, RING_BYTES / 4).ok_or(EINVAL)?,
            sequence: 0,
        };
        let first = mailbox::create_ring(bars, ring.memory.gpu_addr(), RING_BYTES)?;
        ring.position = Position::new(first, RING_BYTES / 4)
            .ok_or(EIO)
            .inspect_err(|_| dev_err!(bars.dev, "PSP: the ring begins at dword {:#x}\n", first))?;
        Ok(ring)
    }

    /// Lets the secure OS carry a command out. `what` names it in the log. `EIO` if it is refused, `ETIMEDOUT` if there
    /// is no answer within [`DEADLINE`].
    pub(super) fn run(&mut self, what: &str, command: &Command) -> Result {
        let at = |offset: u64| self.memory.gpu_addr().wrapping_add(offset);
        self.memory
            .write_words(COMMAND, (COMMAND_BYTES / 8) as usize, |_| 0)?;
        self.write(COMMAND, &command.encode())?;
        self.sequence = self.sequence.wrapping_add(1);
        let frame = Frame {
            command: at(COMMAND),
            fence: at(FENCE),
            value: self.sequence,
        };
        let place = u64::from(self.position.dwords()).wrapping_mul(4);
        self.write(place, &frame.encode())?;
        self.position = self.position.next();
        // command and frame are in memory before the secure OS hears of them
        smp_mb(Write);
        mailbox::tell(&self.bars, self.position.dwords());
        memory_wait(&self.bars.dev, what, DEADLINE, Wakeable::Never, || {
            Ok(self.memory.read32(FENCE)? == self.sequence)
        })?;
        let response = Response(self.memory.read32(COMMAND.wrapping_add(RESPONSE))?);
        if !response.is_done(command) {
            dev_err!(
                self.bars.dev,
                "{}: {} refused with status {:#010x}\n",
                what,
                command.name(),
                response.0
            );
            return Err(EIO);
        }
        Ok(())
    }

    fn write(&self, offset: u64, words: &[u32]) -> Result {
        let mut at = offset;
        for word in words {
            self.memory.write32(at, *word)?;
            at = at.wrapping_add(4);
        }
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The secure OS does one thing after the other: when it has confirmed this, no command is under way either.
        if mailbox::destroy_rings(&self.bars).is_err() {
            dev_warn!(
                self.bars.dev,
                "PSP: the ring's memory is kept, the secure OS may still use it\n"
            );
            self.memory.leak();
        }
    }
}
