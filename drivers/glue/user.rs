// SPDX-License-Identifier: GPL-2.0
//! Memory of the caller. The kernel crate's `uaccess`, by addresses as they come in arguments, and with failures on demand.
use super::inject;
use kernel::{
    prelude::*,
    uaccess::{UserPtr, UserSlice},
};

/// Reads bytes of the caller; `EFAULT` if it has no such memory.
pub(crate) fn read(addr: u64, out: &mut [u8]) -> Result {
    inject::point(EFAULT)?;
    slice(addr, out.len())?.reader().read_slice(out)
}

/// Writes bytes of the caller; `EFAULT` if it has no such memory.
pub(crate) fn write(addr: u64, bytes: &[u8]) -> Result {
    inject::point(EFAULT)?;
    slice(addr, bytes.len())?.writer().write_slice(bytes)
}

/// Clears `len` bytes of the caller; `EFAULT` if it has no such memory.
pub(crate) fn clear(addr: u64, len: usize) -> Result {
    inject::point(EFAULT)?;
    let mut writer = slice(addr, len)?.writer();
    (0..len).try_for_each(|_| writer.write_slice(&[0]))
}

fn slice(addr: u64, len: usize) -> Result<UserSlice> {
    let addr = usize::try_from(addr).map_err(|_| EFAULT)?;
    Ok(UserSlice::new(UserPtr::from_addr(addr), len))
}
