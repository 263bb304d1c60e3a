// SPDX-License-Identifier: GPL-2.0
//! Access to registers and doorbells, and waiting for registers.

use crate::glue::{
    inject,
    mmio::{Doorbells, Registers, REGISTERS_LEN},
};
use kernel::{
    dev_err,
    device::Device,
    io::{register::LocatedRegister, Io, IoLoc, Region},
    prelude::*,
    processor::cpu_relax,
    sync::aref::ARef,
    time::{delay::fsleep, Delta, Instant, Monotonic},
};

/// The BARs by which the driver commands the device, shared by all blocks.
pub(crate) struct Bars {
    /// For log lines.
    pub(crate) dev: ARef<Device>,
    /// BAR 5.
    pub(crate) registers: Registers,
    /// BAR 2.
    pub(crate) doorbells: Doorbells,
}

/// The register BAR as a target of `register!` types.
pub(crate) type RegisterRegion = Region<REGISTERS_LEN>;

/// Typed register access. After unbind reads yield all ones and writes go nowhere.
pub(crate) trait RegisterIo {
    /// Reads the register at `at`.
    fn read<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L) -> T
    where
        T: From<u32>;

    /// Writes the register at `at`.
    fn write<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L, value: T);

    /// Writes a register that knows its place.
    fn write_reg<T, L, V>(&self, value: V)
    where
        L: IoLoc<RegisterRegion, T, IoType = u32>,
        V: LocatedRegister<RegisterRegion, Location = L, Value = T>,
    {
        let (at, value) = value.into_io_op();
        self.write(at, value);
    }

    /// Reads, changes and writes the register at `at`. The caller keeps others from doing the same meanwhile.
    fn update<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L, f: impl FnOnce(T) -> T);
}

impl RegisterIo for Registers {
    fn read<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L) -> T
    where
        T: From<u32>,
    {
        self.with(|bar| bar.try_read(at).ok())
            .flatten()
            .unwrap_or_else(|| T::from(u32::MAX))
    }

    fn write<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L, value: T) {
        self.with(|bar| bar.try_write(at, value));
    }

    fn update<T, L: IoLoc<RegisterRegion, T, IoType = u32>>(&self, at: L, f: impl FnOnce(T) -> T) {
        self.with(|bar| bar.try_update(at, f));
    }
}

/// How often a waiting CPU looks, in the beginning and later.
const SPIN: Delta = Delta::from_micros(100);
/// Pause between looks once spinning has lasted longer than [`SPIN`].
const PAUSE: Delta = Delta::from_micros(20);

impl Bars {
    /// Reads with `read` until `done`, at most for `deadline`. May sleep.
    ///
    /// On failure (`ETIMEDOUT`) the log says what was waited for, how long, and what was read last.
    pub(crate) fn poll<T: Copy + Into<u32>>(
        &self,
        what: &str,
        deadline: Delta,
        mut read: impl FnMut(&Registers) -> T,
        mut done: impl FnMut(T) -> bool,
    ) -> Result<T> {
        inject::device()?;
        let start = Instant::<Monotonic>::now();
        loop {
            // the clock first: whatever delays this task in between must not count against the device
            let elapsed = start.elapsed();
            let value = read(&self.registers);
            if done(value) {
                return Ok(value);
            }
            if elapsed >= deadline {
                let last: u32 = value.into();
                dev_err!(
                    self.dev,
                    "{}: not reached within {} ms, last read {:#010x}\n",
                    what,
                    deadline.as_millis(),
                    last
                );
                return Err(ETIMEDOUT);
            }
            if elapsed < SPIN {
                cpu_relax();
            } else {
                fsleep(PAUSE);
            }
        }
    }
}
