// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading a queue's command stream: the ring, or an indirect buffer.

use super::queue::{Ib, Position};
use crate::ctx::Ctx;
use crate::model::gmc::{Client, Fault};

/// Dwords fetched at once.
const WINDOW: usize = 1024;

/// The ring a stream lies in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// Virtual address.
    pub(super) base: u64,
    /// Length in bytes, a power of two.
    pub(super) bytes: u64,
    /// End of the valid commands, in bytes since the queue's creation.
    pub(super) wptr: u64,
    /// How the ring is read.
    pub(super) client: Client,
}

/// Where a packet starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Ring(u64),
    Ib(u64, u32),
}

/// A window of fetched dwords. Fetched commands are not looked at again, as in the engine's own prefetch buffer.
pub(super) struct Stream<'a> {
    ctx: &'a Ctx,
    ring: Ring,
    words: Vec<u32>,
    start: Option<Place>,
}

impl<'a> Stream<'a> {
    /// An empty window.
    pub(super) fn new(ctx: &'a Ctx, ring: Ring) -> Self {
        Self {
            ctx,
            ring,
            words: Vec::new(),
            start: None,
        }
    }

    /// Forgets what was fetched: an indirect buffer starts.
    pub(super) fn forget(&mut self) {
        self.start = None;
    }

    /// Dwords from `at` to the end of what may be read.
    pub(super) fn available(&self, at: &Position) -> u64 {
        match at.ib {
            Some(ib) => u64::from(ib.dwords.saturating_sub(ib.next)),
            None => self.ring.wptr.wrapping_sub(at.rptr) / 4,
        }
    }

    /// Fills `out` with the dwords that are `skip` behind `at`; what lies behind the end of the stream stays as it is.
    pub(super) fn peek(&mut self, at: &Position, skip: u64, out: &mut [u32]) -> Result<(), Fault> {
        let left = self.available(at).saturating_sub(skip);
        let count = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        for (i, word) in out.iter_mut().take(count).enumerate() {
            *word = self.word(at, skip + i as u64)?;
        }
        Ok(())
    }

    fn word(&mut self, at: &Position, skip: u64) -> Result<u32, Fault> {
        let place = match at.ib {
            Some(ib) => Place::Ib(ib.base, ib.next.wrapping_add(skip as u32)),
            None => Place::Ring(at.rptr.wrapping_add(skip * 4)),
        };
        if let Some(word) = self.cached(place) {
            return Ok(word);
        }
        self.fetch(place, at)?;
        Ok(self.cached(place).unwrap_or(0))
    }

    fn cached(&self, place: Place) -> Option<u32> {
        let index = match (self.start?, place) {
            (Place::Ring(start), Place::Ring(at)) => at.checked_sub(start)? / 4,
            (Place::Ib(base, start), Place::Ib(b, at)) if base == b => u64::from(at.checked_sub(start)?),
            _ => return None,
        };
        self.words.get(usize::try_from(index).ok()?).copied()
    }

    /// Reads from `place` to the end of the window, the ring or the stream, whichever comes first.
    fn fetch(&mut self, place: Place, at: &Position) -> Result<(), Fault> {
        let (client, va, dwords) = match place {
            Place::Ring(pos) => {
                let off = pos & (self.ring.bytes - 1);
                let left = (self.ring.bytes - off).min(self.ring.wptr.wrapping_sub(pos));
                (self.ring.client, self.ring.base.wrapping_add(off), left / 4)
            }
            Place::Ib(base, next) => {
                let ib = at.ib.unwrap_or(Ib {
                    base,
                    dwords: next,
                    next,
                    vmid: 0,
                });
                let client = Client {
                    vmid: ib.vmid,
                    ..self.ring.client
                };
                let left = u64::from(ib.dwords.saturating_sub(next));
                (client, base.wrapping_add(u64::from(next) * 4), left)
            }
        };
        let dwords = usize::try_from(dwords).unwrap_or(WINDOW).min(WINDOW);
        let mut bytes = vec![0; dwords * 4];
        self.start = None;
        self.ctx.gmc.read(client, va, &mut bytes)?;
        self.words.clear();
        self.words.extend(
            bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        );
        self.start = Some(place);
        Ok(())
    }
}
