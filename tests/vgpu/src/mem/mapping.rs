// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One shared memory mapping, and every raw access to it. All `unsafe` of `mem` that touches guest bytes is here.

use std::ffi::c_void;
use std::io;
use std::os::fd::AsFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};

use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};

/// A shared mapping of a file. Its bytes may change at any time.
#[derive(Debug)]
pub(crate) struct Mapping {
    ptr: NonNull<u8>,
    len: usize,
    writable: bool,
}

// SAFETY: the mapping is plain memory owned by this value until drop; all access is atomic, from any thread.
unsafe impl Send for Mapping {}
// SAFETY: as above; `&Mapping` offers only atomic access.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes of `fd` from `offset`. The file must hold them: a short file would fault later.
    pub(crate) fn new(fd: impl AsFd, offset: u64, len: u64, writable: bool) -> io::Result<Self> {
        let end = offset.checked_add(len).ok_or(io::ErrorKind::InvalidInput)?;
        let held = u64::try_from(rustix::fs::fstat(&fd)?.st_size).unwrap_or(0);
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::InvalidInput)?;
        if len == 0 || end > held {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let prot = if writable {
            ProtFlags::READ | ProtFlags::WRITE
        } else {
            ProtFlags::READ
        };
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        // SAFETY: a fresh mapping at an address the kernel chooses aliases no Rust object; it is unmapped once, in drop.
        let ptr = unsafe { mmap(std::ptr::null_mut(), len, prot, flags, fd, offset)? };
        let ptr = NonNull::new(ptr.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { ptr, len, writable })
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len as u64
    }

    /// The address of `len` bytes at `off`, if all of them are inside.
    pub(crate) fn at(&self, off: u64, len: u64) -> Option<NonNull<u8>> {
        let end = off.checked_add(len)?;
        if end > self.len() {
            return None;
        }
        // SAFETY: `off` is within the mapping (checked above), so the result stays inside the same allocation.
        Some(unsafe { self.ptr.add(off as usize) })
    }

    /// Copies out; `false` if not all bytes are inside.
    pub(crate) fn read(&self, off: u64, buf: &mut [u8]) -> bool {
        let Some(mut src) = self.at(off, buf.len() as u64) else {
            return false;
        };
        let mut rest = buf;
        while let Some(n) = piece(src, rest.len()) {
            let (now, later) = rest.split_at_mut(n);
            // SAFETY: `n` bytes from `src` are inside the mapping, `piece` chose `n` so that `src` is aligned to it.
            unsafe {
                match n {
                    8 => now.copy_from_slice(
                        &src.cast::<AtomicU64>()
                            .as_ref()
                            .load(Ordering::Relaxed)
                            .to_ne_bytes(),
                    ),
                    4 => now.copy_from_slice(
                        &src.cast::<AtomicU32>()
                            .as_ref()
                            .load(Ordering::Relaxed)
                            .to_ne_bytes(),
                    ),
                    2 => now.copy_from_slice(
                        &src.cast::<AtomicU16>()
                            .as_ref()
                            .load(Ordering::Relaxed)
                            .to_ne_bytes(),
                    ),
                    _ => now.fill(src.cast::<AtomicU8>().as_ref().load(Ordering::Relaxed)),
                }
                src = src.add(n);
            }
            rest = later;
        }
        // device code that saw a flag must see what was stored before it
        std::sync::atomic::fence(Ordering::Acquire);
        true
    }

    /// Copies in; `false` if not all bytes are inside or the mapping is read-only.
    pub(crate) fn write(&self, off: u64, data: &[u8]) -> bool {
        if !self.writable {
            return false;
        }
        let Some(mut dst) = self.at(off, data.len() as u64) else {
            return false;
        };
        // what was stored before must be visible before these bytes
        std::sync::atomic::fence(Ordering::Release);
        let mut rest = data;
        while let Some(n) = piece(dst, rest.len()) {
            let (now, later) = rest.split_at(n);
            // SAFETY: `n` bytes from `dst` are inside the writable mapping, and `dst` is aligned to `n`.
            unsafe {
                match (n, now) {
                    (8, &[a, b, c, d, e, f, g, h]) => {
                        let v = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
                        dst.cast::<AtomicU64>().as_ref().store(v, Ordering::Relaxed)
                    }
                    (4, &[a, b, c, d]) => {
                        let v = u32::from_ne_bytes([a, b, c, d]);
                        dst.cast::<AtomicU32>().as_ref().store(v, Ordering::Relaxed)
                    }
                    (2, &[a, b]) => {
                        let v = u16::from_ne_bytes([a, b]);
                        dst.cast::<AtomicU16>().as_ref().store(v, Ordering::Relaxed)
                    }
                    (_, now) => {
                        for v in now {
                            dst.cast::<AtomicU8>().as_ref().store(*v, Ordering::Relaxed)
                        }
                    }
                }
                dst = dst.add(n);
            }
            rest = later;
        }
        true
    }

    /// The 32-bit word at `off` as an atomic; `None` if outside or not aligned.
    pub(crate) fn atomic32(&self, off: u64) -> Option<&AtomicU32> {
        let p = self.at(off, 4)?.cast::<AtomicU32>();
        if !p.is_aligned() {
            return None;
        }
        // SAFETY: inside the mapping, aligned (checked), lives as long as `self`; only atomics access it.
        Some(unsafe { p.as_ref() })
    }

    /// The 64-bit word at `off` as an atomic; `None` if outside or not aligned.
    pub(crate) fn atomic64(&self, off: u64) -> Option<&AtomicU64> {
        let p = self.at(off, 8)?.cast::<AtomicU64>();
        if !p.is_aligned() {
            return None;
        }
        // SAFETY: inside the mapping, aligned (checked), lives as long as `self`; only atomics access it.
        Some(unsafe { p.as_ref() })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `ptr` and `len` are exactly what mmap returned, and nothing borrows from `self` any more.
        let _ = unsafe { munmap(self.ptr.as_ptr().cast::<c_void>(), self.len) };
    }
}

/// The largest access size (8, 4, 2, 1) that is aligned at `p` and not longer than `left`; `None` when done.
fn piece(p: NonNull<u8>, left: usize) -> Option<usize> {
    let addr = p.as_ptr() as usize;
    [8usize, 4, 2, 1]
        .into_iter()
        .find(|n| *n <= left && addr % n == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memfd(len: u64) -> std::os::fd::OwnedFd {
        let fd = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&fd, len).unwrap();
        fd
    }

    proptest! {
        #[test]
        fn reads_back_what_was_written(off in 0u64..5000, data in proptest::collection::vec(any::<u8>(), 0..100)) {
            let m = Mapping::new(memfd(4096), 0, 4096, true).unwrap();
            let fits = off + data.len() as u64 <= 4096;
            prop_assert_eq!(m.write(off, &data), fits);
            let mut back = vec![0; data.len()];
            prop_assert_eq!(m.read(off, &mut back), fits);
            if fits { prop_assert_eq!(back, data); }
        }
    }

    #[test]
    fn refuses_more_than_the_file_holds() {
        assert!(Mapping::new(memfd(4096), 0, 8192, true).is_err());
        assert!(Mapping::new(memfd(4096), 4096, 4096, true).is_err());
        assert!(Mapping::new(memfd(4096), u64::MAX, 4096, true).is_err());
        assert!(Mapping::new(memfd(4096), 0, 0, true).is_err());
    }

    #[test]
    fn read_only_and_unaligned_are_refused() {
        let m = Mapping::new(memfd(4096), 0, 4096, false).unwrap();
        assert!(!m.write(0, &[1]));
        assert!(m.atomic32(2).is_none() && m.atomic64(4).is_none() && m.atomic32(4096).is_none());
    }
}
