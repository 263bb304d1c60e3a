// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mappings of this process, which live as long as their object.

use crate::errno::Errno;
use crate::record;
use crate::refusal::{paced, Side};
use std::io::Read;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// A mapping in this process.
pub struct Mapping {
    address: usize,
    len: usize,
}

impl Mapping {
    /// Address space without memory behind it, aligned to 2 MiB, as the runtime reserves it for a buffer.
    pub fn reserve(len: usize) -> Result<Self, Errno> {
        const ALIGN: usize = 2 << 20;
        let room = len.checked_add(ALIGN).ok_or(Errno(libc::EINVAL))?;
        let whole = map(
            0,
            room,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )?;
        let address = whole.next_multiple_of(ALIGN);
        unmap(whole, address - whole);
        unmap(address + len, whole + room - address - len);
        Ok(Self { address, len })
    }

    /// Ordinary memory of this process.
    pub fn anonymous(len: usize) -> Result<Self, Errno> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let address = map(0, len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)?;
        Ok(Self { address, len })
    }

    /// A part of a device node, anywhere.
    pub fn node(fd: RawFd, offset: u64, len: usize) -> Result<Self, Errno> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let address = paced(Side::Kfd, "mmap", || {
            map(0, len, protection, libc::MAP_SHARED, fd, offset)
        });
        record::mapping(offset, len, address.as_ref().err().copied());
        let address = address?;
        Ok(Self { address, len })
    }

    /// Puts a part of a device node in this mapping's place.
    pub fn replace(&self, fd: RawFd, offset: u64, protection: i32) -> Result<(), Errno> {
        map(
            self.address,
            self.len,
            protection,
            libc::MAP_SHARED | libc::MAP_FIXED,
            fd,
            offset,
        )
        .map(|_| ())
    }

    /// Changes the protection of `len` bytes at `offset`, both multiples of a page.
    pub fn protect(&self, offset: usize, len: usize, protection: i32) -> Result<(), Errno> {
        assert!(offset + len <= self.len);
        let start = ptr::without_provenance_mut(self.address + offset);
        // SAFETY: inside our own mapping; the caller does not use what it protects.
        match unsafe { libc::mprotect(start, len, protection) } {
            0 => Ok(()),
            _ => Err(Errno::last()),
        }
    }

    /// Its first address.
    pub fn address(&self) -> u64 {
        self.address as u64
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes; a mapping always has some.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The 32-bit word at a byte offset, or `EFAULT` where there is no page any more.
    pub fn peek(&self, offset: usize) -> Result<u32, Errno> {
        let word = self.word(offset).as_ptr();
        let (mut from, to) = UnixStream::pair()?;
        // the kernel finds out, where the process would get a signal
        // SAFETY: inside our own mapping.
        if unsafe { libc::write(to.as_raw_fd(), word.cast(), 4) } != 4 {
            return Err(Errno::last());
        }
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    /// The 32-bit word at a byte offset. Panics outside the mapping.
    pub fn word(&self, offset: usize) -> &AtomicU32 {
        assert!(
            offset % 4 == 0 && offset + 4 <= self.len,
            "offset {offset:#x} of {:#x}",
            self.len
        );
        // SAFETY: aligned and inside a mapping that lives as long as `self`; others may change it, hence atomic.
        unsafe { AtomicU32::from_ptr((self.address + offset) as *mut u32) }
    }

    /// The 64-bit word at a byte offset. Panics outside the mapping.
    pub fn long(&self, offset: usize) -> &AtomicU64 {
        assert!(
            offset % 8 == 0 && offset + 8 <= self.len,
            "offset {offset:#x} of {:#x}",
            self.len
        );
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr((self.address + offset) as *mut u64) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        unmap(self.address, self.len);
    }
}

fn map(at: usize, len: usize, protection: i32, flags: i32, fd: RawFd, offset: u64) -> Result<usize, Errno> {
    // SAFETY: without MAP_FIXED the kernel picks unused addresses; with it, `at` is a mapping of ours.
    let address = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(at),
            len,
            protection,
            flags,
            fd,
            offset as i64,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(Errno::last());
    }
    Ok(address as usize)
}

fn unmap(at: usize, len: usize) {
    if len > 0 {
        // SAFETY: a range that belongs to the caller's mapping alone.
        unsafe { libc::munmap(ptr::without_provenance_mut(at), len) };
    }
}
