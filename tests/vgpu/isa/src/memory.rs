// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a wave needs from the memory behind it.

use crate::code::CodePage;
use std::fmt;
use std::sync::Arc;

/// What an access wanted to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
    /// Read-modify-write.
    Atomic,
    /// Instruction fetch.
    Execute,
}

/// An access that could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemFault {
    /// First byte that is not accessible (virtual address).
    pub va: u64,
    /// What was tried.
    pub access: Access,
}

impl fmt::Display for MemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory fault: {:?} at {:#x}", self.access, self.va)
    }
}

/// The wave's view of its process' GPU address space.
///
/// Addresses are byte addresses after aperture checks: LDS and scratch apertures of flat instructions are resolved by the
/// executor before it calls here. Lengths are 1 to 4 KiB. A call may cross page ends.
///
/// Every aligned element of `elem` bytes (1, 2, 4 or 8) must be transferred without tearing: other waves and the CPU
/// look at the same bytes. `data.len()` is a multiple of `elem`.
pub trait Memory {
    /// Reads `data.len()` bytes at `va`.
    fn load(&mut self, va: u64, elem: usize, data: &mut [u8]) -> Result<(), MemFault>;

    /// Writes `data` at `va`.
    fn store(&mut self, va: u64, elem: usize, data: &[u8]) -> Result<(), MemFault>;

    /// Replaces the aligned dword at `va` by `f` of it, atomically; returns the old value. `f` may run several times.
    fn atomic32(&mut self, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Result<u32, MemFault>;

    /// Replaces the aligned qword at `va` by `f` of it, atomically; returns the old value. `f` may run several times.
    fn atomic64(&mut self, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Result<u64, MemFault>;

    /// The page of code that contains `va`. Implementations keep a [`CodeCache`](crate::CodeCache) per address space, so
    /// that instructions are decoded once.
    fn code(&mut self, va: u64) -> Result<Arc<CodePage>, MemFault>;

    /// `s_icache_inv`: later calls of `code` must see memory as it is now.
    fn invalidate_code(&mut self);

    /// The 100 MHz counter that `s_memrealtime` reads.
    fn realtime(&mut self) -> u64;

    /// The shader clock that `s_memtime` reads.
    fn clock(&mut self) -> u64;
}
