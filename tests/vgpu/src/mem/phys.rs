// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Physical memory as the card's blocks use it.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;
use rustix::fs::{fallocate, ftruncate, memfd_create, FallocateFlags, MemfdFlags};
use rustix::io::Errno;

use super::dma::{DmaTable, MapError, MessageDma, Segment};
use super::mapping::Mapping;
use super::{HostSpan, MemError, PhysAddr, Space};
use crate::report::{Counter, Report};

/// Ranges a client may map; QEMU needs a few dozen.
const MAX_SEGMENTS: usize = 65536;
/// Bytes copied under one hold of the DMA table: an unmap waits for no more than this.
const MAX_HELD: usize = 1 << 20;
/// Bytes of VRAM from which on zeroing gives pages back instead of writing.
const PUNCHED: u64 = 1 << 20;
/// What pages are given back in: a multiple of every host's page size.
const PUNCH_UNIT: u64 = 64 << 10;
/// Zeroes are written from here.
static ZEROES: [u8; PUNCH_UNIT as usize] = [0; PUNCH_UNIT as usize];

/// VRAM and the guest memory mapped for DMA. Shared by all blocks; every method may be called from any thread.
pub struct PhysMem {
    vram: Arc<Mapping>,
    vram_fd: OwnedFd,
    /// Held for reading during every copy, so that an unmap returns only when no access to the old range is under way.
    dma: RwLock<DmaTable>,
    /// Bumped by every unmap, so that kept spans can be told from current ones.
    generation: AtomicU64,
    messages: RwLock<Option<Arc<dyn MessageDma>>>,
    report: Arc<Report>,
    read_bytes: Counter,
    write_bytes: Counter,
}

impl PhysMem {
    /// Makes VRAM of `vram_size` bytes (sparse: pages exist once touched) and an empty DMA table.
    pub fn new(vram_size: u64, report: Arc<Report>) -> io::Result<Self> {
        let vram_fd = memfd_create("vram", MemfdFlags::CLOEXEC)?;
        ftruncate(&vram_fd, vram_size)?;
        Ok(Self {
            vram: Arc::new(Mapping::new(&vram_fd, 0, vram_size, true)?),
            vram_fd,
            dma: RwLock::default(),
            generation: AtomicU64::new(0),
            messages: RwLock::new(None),
            read_bytes: report.counter("dma_read_bytes"),
            write_bytes: report.counter("dma_write_bytes"),
            report,
        })
    }

    /// VRAM size in bytes.
    pub fn vram_size(&self) -> u64 {
        self.vram.len()
    }

    /// The file behind VRAM, for the guest's mapping of BAR0.
    pub fn vram_fd(&self) -> BorrowedFd<'_> {
        self.vram_fd.as_fd()
    }

    /// Zeroes VRAM by giving its pages back. The file keeps its size: others have it mapped.
    pub fn clear_vram(&self) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.vram_fd, flags, 0, self.vram_size())?)
    }

    /// Writes `len` zeroes. Large parts of VRAM are given back to the host, which takes no time that depends on how much
    /// was written there: a card clears hundreds of megabytes in a millisecond, and drivers count on it.
    pub fn zero(&self, at: PhysAddr, len: u64) -> Result<(), MemError> {
        let end = at.addr.saturating_add(len);
        let inside = at.space == Space::Vram && end <= self.vram_size();
        let first = at.addr.next_multiple_of(PUNCH_UNIT);
        let last = end - end % PUNCH_UNIT;
        if !inside || len < PUNCHED || first >= last {
            return self.write_zeroes(at, len);
        }
        self.write_zeroes(at, first - at.addr)?;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if fallocate(&self.vram_fd, flags, first, last - first).is_err() {
            self.write_zeroes(PhysAddr::vram(first), last - first)?;
        }
        self.write_zeroes(PhysAddr::vram(last), end - last)
    }

    fn write_zeroes(&self, at: PhysAddr, len: u64) -> Result<(), MemError> {
        let mut done = 0;
        while done < len {
            let n = (len - done).min(PUNCH_UNIT);
            let at = PhysAddr {
                addr: at.addr.wrapping_add(done),
                ..at
            };
            self.write(at, ZEROES.get(..n as usize).unwrap_or_default())?;
            done += n;
        }
        Ok(())
    }

    /// Maps guest memory for DMA. Without `file` only messages reach it. Errors are the errno for the client.
    pub fn map(
        &self,
        addr: u64,
        len: u64,
        file: Option<(OwnedFd, u64)>,
        writable: bool,
    ) -> Result<(), Errno> {
        let backing = match file {
            Some((fd, offset)) => {
                let m = Mapping::new(fd, offset, len, writable)
                    .map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::INVAL))?;
                Some((Arc::new(m), 0))
            }
            None => None,
        };
        let mut dma = self.dma.write();
        if dma.len() >= MAX_SEGMENTS {
            return Err(Errno::NOSPC);
        }
        dma.map(
            addr,
            Segment {
                len,
                backing,
                writable,
            },
        )
        .map_err(|e| match e {
            MapError::BadRange => Errno::INVAL,
            MapError::Overlap => Errno::EXIST,
        })
    }

    /// Unmaps whatever of the range is mapped; returns when no access to it is under way.
    pub fn unmap(&self, addr: u64, len: u64) -> Result<(), Errno> {
        let hit = self.dma.write().unmap(addr, len).map_err(|_| Errno::INVAL)?;
        if !hit {
            tracing::debug!("unmap of {addr:#x}+{len:#x}, where nothing is mapped");
        }
        self.generation.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Unmaps all guest memory.
    pub fn unmap_all(&self) {
        self.dma.write().clear();
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Sets or removes the way to reach memory that was mapped without a file; returns what was set before.
    pub fn set_messages(&self, to: Option<Arc<dyn MessageDma>>) -> Option<Arc<dyn MessageDma>> {
        std::mem::replace(&mut *self.messages.write(), to)
    }

    /// Reads all of `buf`, or fails at the first byte that cannot be read.
    pub fn read(&self, at: PhysAddr, buf: &mut [u8]) -> Result<(), MemError> {
        let len = buf.len() as u64;
        if at.space == Space::Vram {
            return self
                .vram
                .read(at.addr, buf)
                .then_some(())
                .ok_or(MemError::BeyondVram { addr: at.addr, len });
        }
        self.read_bytes.add(len);
        self.pieces(at.addr, buf.len(), false, |addr, range, piece| {
            let Some(buf) = buf.get_mut(range) else {
                return Err(MemError::Unmapped(addr));
            };
            match piece {
                Piece::Mapped(m, at) => m.read(at, buf).then_some(()).ok_or(MemError::Unmapped(addr)),
                Piece::Message(m) => m
                    .read(addr, buf)
                    .map_err(|errno| MemError::Message { addr, errno }),
            }
        })
    }

    /// Writes all of `data`; if it fails, what comes before the failing address is written.
    pub fn write(&self, at: PhysAddr, data: &[u8]) -> Result<(), MemError> {
        let len = data.len() as u64;
        if at.space == Space::Vram {
            return self
                .vram
                .write(at.addr, data)
                .then_some(())
                .ok_or(MemError::BeyondVram { addr: at.addr, len });
        }
        self.write_bytes.add(len);
        self.pieces(at.addr, data.len(), true, |addr, range, piece| {
            let Some(data) = data.get(range) else {
                return Err(MemError::Unmapped(addr));
            };
            match piece {
                Piece::Mapped(m, at) => m.write(at, data).then_some(()).ok_or(MemError::Unmapped(addr)),
                Piece::Message(m) => m
                    .write(addr, data)
                    .map_err(|errno| MemError::Message { addr, errno }),
            }
        })
    }

    /// Replaces the 32-bit word with `f` of it, atomically also against the guest; returns the old value.
    /// `f` may run more than once.
    pub fn rmw32(&self, at: PhysAddr, mut f: impl FnMut(u32) -> u32) -> Result<u32, MemError> {
        if at.addr % 4 != 0 {
            return Err(self.refused(MemError::Misaligned(at.addr)));
        }
        self.atomically(at, 4, |m, off| {
            m.atomic32(off)?
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |v| Some(f(v)))
                .ok()
        })
    }

    /// Replaces the 64-bit word with `f` of it, atomically also against the guest; returns the old value.
    /// `f` may run more than once.
    pub fn rmw64(&self, at: PhysAddr, mut f: impl FnMut(u64) -> u64) -> Result<u64, MemError> {
        if at.addr % 8 != 0 {
            return Err(self.refused(MemError::Misaligned(at.addr)));
        }
        self.atomically(at, 8, |m, off| {
            m.atomic64(off)?
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |v| Some(f(v)))
                .ok()
        })
    }

    /// The contiguous host memory behind `at`, at most `len` bytes; `None` if there is none (not mapped, or reached by
    /// messages only). A kept span must be asked for [`is_current`](Self::is_current) before each use.
    pub fn host_span(&self, at: PhysAddr, len: u64) -> Option<HostSpan> {
        if len == 0 {
            return None;
        }
        if at.space == Space::Vram {
            let len = self.vram_size().checked_sub(at.addr).filter(|n| *n > 0)?.min(len);
            return Some(HostSpan {
                mapping: self.vram.clone(),
                start: at.addr,
                len,
                writable: true,
                generation: None,
            });
        }
        let dma = self.dma.read();
        let (into, s) = dma.find(at.addr)?;
        let (mapping, start) = s.backing.clone()?;
        let generation = Some(self.generation.load(Ordering::Acquire));
        Some(HostSpan {
            mapping,
            start: start + into,
            len: (s.len - into).min(len),
            writable: s.writable,
            generation,
        })
    }

    /// Whether nothing was unmapped since the span was made.
    pub fn is_current(&self, span: &HostSpan) -> bool {
        span.generation
            .is_none_or(|g| g == self.generation.load(Ordering::Acquire))
    }

    /// Runs `f` on each piece of a range of bus addresses, in order: its address, its part of the buffer, where it is.
    fn pieces(
        &self,
        start: u64,
        len: usize,
        write: bool,
        mut f: impl FnMut(u64, Range<usize>, Piece<'_>) -> Result<(), MemError>,
    ) -> Result<(), MemError> {
        let mut done = 0;
        while done < len {
            let addr = start.wrapping_add(done as u64);
            let dma = self.dma.read();
            let (into, s) = dma
                .find(addr)
                .ok_or_else(|| self.refused(MemError::Unmapped(addr)))?;
            if write && !s.writable {
                return Err(self.refused(MemError::ReadOnly(addr)));
            }
            let n = usize::try_from(s.len - into)
                .unwrap_or(usize::MAX)
                .min(len - done)
                .min(MAX_HELD);
            let part = done..done + n;
            match &s.backing {
                Some((m, at)) => f(addr, part, Piece::Mapped(m, at + into))?,
                None => {
                    // the reply may need the thread that waits to change the table
                    drop(dma);
                    let m = self
                        .messages
                        .read()
                        .clone()
                        .ok_or_else(|| self.refused(MemError::Unmapped(addr)))?;
                    f(addr, part, Piece::Message(&*m))?;
                }
            }
            done += n;
        }
        Ok(())
    }

    fn atomically<T>(
        &self,
        at: PhysAddr,
        len: u64,
        f: impl FnOnce(&Mapping, u64) -> Option<T>,
    ) -> Result<T, MemError> {
        if at.space == Space::Vram {
            return f(&self.vram, at.addr).ok_or(MemError::BeyondVram { addr: at.addr, len });
        }
        self.write_bytes.add(len);
        let dma = self.dma.read();
        let (into, s) = dma
            .find(at.addr)
            .ok_or_else(|| self.refused(MemError::Unmapped(at.addr)))?;
        if !s.writable {
            return Err(self.refused(MemError::ReadOnly(at.addr)));
        }
        let (m, start) = s
            .backing
            .as_ref()
            .ok_or_else(|| self.refused(MemError::NoAtomics(at.addr)))?;
        f(m, start + into).ok_or_else(|| self.refused(MemError::Misaligned(at.addr)))
    }

    /// A driver must never point the card at such memory: counts it.
    fn refused(&self, e: MemError) -> MemError {
        self.report.violation("dma-refused", e.to_string());
        e
    }
}

/// Where a piece of guest memory is.
enum Piece<'a> {
    /// In a mapping, at this offset.
    Mapped(&'a Mapping, u64),
    /// Behind messages.
    Message(&'a dyn MessageDma),
}
