// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The local data share of one workgroup.

/// Local memory that all waves of a workgroup see. Reads outside give 0 and writes outside are dropped, as the hardware's
/// range check does.
#[derive(Clone, Debug, Default)]
pub struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// Local memory of `size` bytes, zeroed.
    pub fn new(size: usize) -> Self {
        Self { bytes: vec![0; size] }
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, for whoever saves and restores a workgroup.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// `N` bytes at `addr`; 0 where any of them lies outside.
    #[inline]
    pub fn read<const N: usize>(&self, addr: u32) -> [u8; N] {
        let at = addr as usize;
        let bytes = at.checked_add(N).and_then(|end| self.bytes.get(at..end));
        bytes.and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }

    /// Writes `N` bytes at `addr`, or nothing where any of them lies outside.
    #[inline]
    pub fn write<const N: usize>(&mut self, addr: u32, data: [u8; N]) {
        let at = addr as usize;
        if let Some(bytes) = at.checked_add(N).and_then(|end| self.bytes.get_mut(at..end)) {
            bytes.copy_from_slice(&data);
        }
    }

    /// Replaces the dword at `addr` by `f` of it and returns the old one.
    #[inline]
    pub fn update32(&mut self, addr: u32, f: impl FnOnce(u32) -> u32) -> u32 {
        let old = u32::from_le_bytes(self.read(addr));
        self.write(addr, f(old).to_le_bytes());
        old
    }

    /// Replaces the qword at `addr` by `f` of it and returns the old one.
    #[inline]
    pub fn update64(&mut self, addr: u32, f: impl FnOnce(u64) -> u64) -> u64 {
        let old = u64::from_le_bytes(self.read(addr));
        self.write(addr, f(old).to_le_bytes());
        old
    }
}
