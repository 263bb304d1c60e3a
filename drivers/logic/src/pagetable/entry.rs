// SPDX-License-Identifier: GPL-2.0
//! Page-table entries (kernel amdgpu/amdgpu_vm.h: `AMDGPU_PTE_*`, `AMDGPU_PDE_*`).

use super::Level;

/// An entry as the memory controller reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(pub u64);

const VALID: u64 = 1 << 0;
const SYSTEM: u64 = 1 << 1;
const SNOOPED: u64 = 1 << 2;
const EXECUTABLE: u64 = 1 << 4;
const READABLE: u64 = 1 << 5;
const WRITABLE: u64 = 1 << 6;
const FRAGMENT_SHIFT: u32 = 7;
const ADDRESS: u64 = 0x0000_ffff_ffff_f000;
const MTYPE_SHIFT: u32 = 57;
/// In an entry of PDB1 and PDB2: maps memory, or would, instead of pointing to a table.
const IS_PAGE: u64 = 1 << 54;
/// In an entry of PDB0: points to a table of small pages.
const TRANSLATE_FURTHER: u64 = 1 << 56;
const BLOCK_FRAGMENT_SHIFT: u32 = 59;

/// How the GPU caches a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mtype {
    /// Not coherent: cached until the next acquire.
    Nc,
    /// Read and write cached; coherent among the GPU's own engines.
    Rw,
    /// Cached and kept coherent.
    Cc,
    /// Not cached.
    Uc,
}

/// What the GPU may do to a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// Loads.
    pub read: bool,
    /// Stores and atomics.
    pub write: bool,
    /// Instruction fetches.
    pub execute: bool,
}

/// What a page is, and how it is cached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// System memory, by bus address; else VRAM, by physical address.
    pub system: bool,
    /// Whether accesses look into the CPU's caches.
    pub snooped: bool,
    /// The GPU's own caching.
    pub mtype: Mtype,
}

impl Memory {
    /// How gfx90a reaches memory of kind `system` that a process asked to be so (kernel amdgpu/gmc_v9_0.c:
    /// `gmc_v9_0_get_coherence_flags`, 9.4.2 without XGMI to the CPU).
    pub const fn gfx90a(system: bool, coherent: bool, uncached: bool) -> Self {
        let mtype = match (system, uncached, coherent) {
            (_, true, _) | (true, _, true) => Mtype::Uc,
            (true, false, false) => Mtype::Nc,
            (false, false, true) => Mtype::Cc,
            (false, false, false) => Mtype::Rw,
        };
        Self {
            system,
            snooped: system,
            mtype,
        }
    }
}

/// `bit`, if `on`.
const fn when(on: bool, bit: u64) -> u64 {
    if on {
        bit
    } else {
        0
    }
}

impl Entry {
    /// Entry of `level` that maps nothing. The walker reports a fault on it as one of a page (kernel
    /// amdgpu/amdgpu_vm_pt.c: `amdgpu_vm_pt_clear`, and amdgpu/gmc_v9_0.c: `gmc_v9_0_get_vm_pde`).
    pub const fn empty(level: Level) -> Self {
        match level {
            // without it the memory controller ranks missing execution rights above the missing page
            Level::Ptb => Self(EXECUTABLE),
            // PDB0 has no bit that says "page": anything but a table is one
            Level::Pdb0 => Self(1 << 12),
            Level::Pdb1 | Level::Pdb2 => Self(IS_PAGE),
        }
    }

    /// Entry of `level` that points to a table at physical VRAM address `table`, a multiple of 4 KiB.
    pub const fn table(level: Level, table: u64) -> Self {
        let kind = match level {
            // entries of the next table count as blocks of 2^9 pages
            Level::Pdb1 => 9 << BLOCK_FRAGMENT_SHIFT,
            Level::Pdb0 => TRANSLATE_FURTHER,
            Level::Pdb2 | Level::Ptb => 0,
        };
        Self((table & ADDRESS) | kind | VALID)
    }

    /// The address of a root table as an address space is given it.
    pub const fn root(table: u64) -> Self {
        Self((table & ADDRESS) | VALID)
    }

    /// Entry that maps the page at `address` (of system memory or of VRAM, as `memory` says). `fragment` is the
    /// logarithm of how many small pages around it are contiguous and alike, at most 31.
    pub const fn page(address: u64, access: Access, memory: Memory, fragment: u32) -> Self {
        let mtype = match memory.mtype {
            Mtype::Nc => 0,
            Mtype::Rw => 1,
            Mtype::Cc => 2,
            Mtype::Uc => 3,
        };
        let fragment = if fragment > 31 { 31 } else { fragment as u64 };
        let flags = VALID
            | when(memory.system, SYSTEM)
            | when(memory.snooped, SNOOPED)
            | when(access.read, READABLE)
            | when(access.write, WRITABLE)
            | when(access.execute, EXECUTABLE);
        Self((address & ADDRESS) | flags | (fragment << FRAGMENT_SHIFT) | (mtype << MTYPE_SHIFT))
    }

    /// Entry of the kernel's flat table (GART) for the system page at bus address `address`: anything is allowed,
    /// nothing cached (kernel amdgpu/gmc_v9_0.c: `gart_pte_flags`).
    pub const fn gart(address: u64) -> Self {
        let access = Access {
            read: true,
            write: true,
            execute: true,
        };
        Self::page(
            address,
            access,
            Memory {
                system: true,
                snooped: true,
                mtype: Mtype::Uc,
            },
            0,
        )
    }

    /// Entry of the GART that maps nothing.
    pub const GART_EMPTY: Self = Self(0);
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::prelude::kunit_tests(amdgpu_logic_pagetable_entry)
)]
mod tests {
    use super::*;

    const RW: Access = Access {
        read: true,
        write: true,
        execute: false,
    };

    #[test]
    fn vram_is_cached_as_asked() {
        let page =
            |coherent, uncached| Entry::page(0x20_3000, RW, Memory::gfx90a(false, coherent, uncached), 0).0;
        assert_eq!(page(false, false), 0x0200_0000_0020_3061);
        assert_eq!(page(true, false), 0x0400_0000_0020_3061);
        assert_eq!(page(false, true), 0x0600_0000_0020_3061);
        assert_eq!(page(true, true), 0x0600_0000_0020_3061);
    }

    #[test]
    fn system_memory_is_snooped() {
        let page = |coherent| Entry::page(0x1_2345_6000, RW, Memory::gfx90a(true, coherent, false), 0).0;
        assert_eq!(page(false), 0x0000_0001_2345_6067);
        assert_eq!(page(true), 0x0600_0001_2345_6067);
    }

    #[test]
    fn access_and_fragment_have_their_bits() {
        let memory = Memory {
            system: false,
            snooped: false,
            mtype: Mtype::Nc,
        };
        let page = |access, fragment| Entry::page(0, access, memory, fragment).0;
        assert_eq!(page(Access::default(), 0), 1);
        assert_eq!(
            page(
                Access {
                    execute: true,
                    ..Access::default()
                },
                0
            ),
            0x11
        );
        assert_eq!(
            page(
                Access {
                    read: true,
                    ..Access::default()
                },
                9
            ),
            0x4a1
        );
        assert_eq!(
            page(
                Access {
                    write: true,
                    ..Access::default()
                },
                99
            ),
            0xfc1
        );
    }

    #[test]
    fn directories_point_to_tables() {
        assert_eq!(Entry::table(Level::Pdb2, 0x8000).0, 0x8001);
        assert_eq!(Entry::table(Level::Pdb1, 0x8000).0, 0x4800_0000_0000_8001);
        assert_eq!(Entry::table(Level::Pdb0, 0x8000).0, 0x0100_0000_0000_8001);
        assert_eq!(Entry::root(0x8000).0, 0x8001);
    }

    #[test]
    fn empty_entries_are_not_valid() {
        for level in [Level::Ptb, Level::Pdb0, Level::Pdb1, Level::Pdb2] {
            assert_eq!(Entry::empty(level).0 & 1, 0);
        }
        assert_eq!(Entry::empty(Level::Ptb).0, 0x10);
        assert_eq!(Entry::empty(Level::Pdb0).0, 0x1000);
        assert_eq!(Entry::empty(Level::Pdb1).0, 0x40_0000_0000_0000);
        assert_eq!(Entry::GART_EMPTY.0 & 1, 0);
        assert_eq!(Entry::gart(0x7000).0, 0x0600_0000_0000_7077);
    }
}
