// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Page-table entries of GMC 9 (device-contract 4.3; kernel amdgpu_vm.h names the bits).

/// Address bits 47:12 of a PTE.
const PTE_ADDR: u64 = 0x0000_ffff_ffff_f000;
/// Address bits 47:6 of a PDE.
const PDE_ADDR: u64 = 0x0000_ffff_ffff_ffc0;

/// An entry of any level; what it means depends on where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(pub(crate) u64);

impl Entry {
    const fn bit(self, n: u32) -> bool {
        self.0 >> n & 1 != 0
    }

    /// V: the entry may be used.
    pub(crate) const fn valid(self) -> bool {
        self.bit(0)
    }
    /// S: the address is a bus address, else a physical VRAM address.
    pub(crate) const fn system(self) -> bool {
        self.bit(1)
    }
    /// X: instructions may be fetched.
    pub(crate) const fn executable(self) -> bool {
        self.bit(4)
    }
    /// R: loads allowed.
    pub(crate) const fn readable(self) -> bool {
        self.bit(5)
    }
    /// W: stores allowed.
    pub(crate) const fn writable(self) -> bool {
        self.bit(6)
    }
    /// Fragment: the entry and its neighbours map 2^n contiguous, aligned 4 KiB pages.
    pub(crate) const fn fragment(self) -> u32 {
        (self.0 >> 7 & 0x1f) as u32
    }
    /// Page address of a PTE.
    pub(crate) const fn page_addr(self) -> u64 {
        self.0 & PTE_ADDR
    }
    /// Table address of a PDE, or of a PTE that points further.
    pub(crate) const fn table_addr(self) -> u64 {
        self.0 & PDE_ADDR
    }
    /// T: partially resident.
    pub(crate) const fn prt(self) -> bool {
        self.bit(51)
    }
    /// P: a PDE that is itself the leaf.
    pub(crate) const fn is_pte(self) -> bool {
        self.bit(54)
    }
    /// F: a PTE that points to one more table ("translate further").
    pub(crate) const fn further(self) -> bool {
        self.bit(56)
    }
    /// Memory type: 0 NC, 1 RW, 2 CC, 3 UC.
    pub(crate) const fn mtype(self) -> u8 {
        (self.0 >> 57 & 3) as u8
    }
    /// Block fragment size of a PDE: its table's entries map 2^n 4 KiB pages each.
    pub(crate) const fn block_fragment(self) -> u32 {
        (self.0 >> 59) as u32
    }
    /// A leaf that says "fault without retry": V, S and T, no access allowed (amdgpu_vm.h: AMDGPU_VM_NORETRY_FLAGS_TF).
    pub(crate) const fn no_retry_marker(self) -> bool {
        self.valid()
            && self.system()
            && self.prt()
            && !self.readable()
            && !self.writable()
            && !self.executable()
    }
    /// The same entry for a page `by` bytes further.
    pub(crate) const fn advanced(self, by: u64) -> Self {
        Self(self.0 & !PTE_ADDR | self.0.wrapping_add(by) & PTE_ADDR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let e = Entry(1 | 1 << 1 | 1 << 5 | 9 << 7 | 0x1234_5678_9000 | 1 << 56 | 2 << 57 | 9 << 59);
        assert!(e.valid() && e.system() && e.readable() && !e.writable() && !e.executable() && e.further());
        assert_eq!(
            (e.fragment(), e.page_addr(), e.mtype(), e.block_fragment()),
            (9, 0x1234_5678_9000, 2, 9)
        );
        assert_eq!(e.advanced(0x3000).page_addr(), 0x1234_5678_c000);
        assert_eq!(e.advanced(0x3000).0 & !PTE_ADDR, e.0 & !PTE_ADDR);
        assert_eq!(Entry(0x40).table_addr(), 0x40);
    }

    #[test]
    fn no_retry_marker_needs_all_of_it() {
        let marker = 1 | 1 << 1 | 1 << 51;
        assert!(Entry(marker).no_retry_marker());
        for allowed in [1 << 4, 1 << 5, 1 << 6] {
            assert!(!Entry(marker | allowed).no_retry_marker());
        }
        assert!(!Entry(1 << 1 | 1 << 51).no_retry_marker());
    }
}
