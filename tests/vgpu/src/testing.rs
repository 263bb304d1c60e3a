// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card with guest memory for unit tests of blocks: no QEMU, no driver.

use std::sync::Arc;

use rustix::fs::{ftruncate, memfd_create, MemfdFlags};

use crate::clock::Clock;
use crate::device::{Config, Gpu, Profile};
use crate::mem::{PhysAddr, Space};
use crate::model::gmc;
use crate::report::Report;
use crate::trace::Trace;

/// VRAM of a test card.
pub(crate) const VRAM: u64 = 64 << 20;
/// Guest memory of a test card: bus addresses 0 up to this.
pub(crate) const RAM: u64 = 16 << 20;
/// Where VRAM is in the card's address space.
pub(crate) const FB: u64 = (gmc::FB_BASE as u64) << 24;
/// First address of the test GART; guest memory appears here one to one.
pub(crate) const GART: u64 = 0x7f_0000_0000;
/// PTE bits for "valid, readable, writable, executable".
pub(crate) const RWX: u64 = 0x71;
/// PTE bit for guest memory.
pub(crate) const SYSTEM: u64 = 2;

/// VRAM offset of the GART table, and where page tables of other VMIDs are taken from.
const GART_TABLE: u64 = VRAM - (1 << 20);
const TABLES: u64 = VRAM - (8 << 20);

/// A card, with VMID 0 set up as a driver does and helpers to map memory for the others.
pub(crate) struct TestCard {
    /// The card.
    pub(crate) gpu: Arc<Gpu>,
    next_table: u64,
    roots: [u64; 16],
}

impl TestCard {
    /// A card whose VMID 0 reaches VRAM at [`FB`] and guest memory at [`GART`], in both hubs; no TLB entries.
    pub(crate) fn new() -> Self {
        Self::in_profile(Profile::Running)
    }

    /// The same in a profile of the firmware.
    pub(crate) fn in_profile(profile: Profile) -> Self {
        let card = Self::blank(profile);
        card.set_up_vmid_0();
        card
    }

    /// A card as it is at power-on.
    pub(crate) fn blank(profile: Profile) -> Self {
        let clock = Clock::start();
        let config = Config {
            vram_size: VRAM,
            profile,
            ..Config::default()
        };
        let gpu = Gpu::new(
            &config,
            Arc::new(Report::default()),
            clock,
            Arc::new(Trace::off(clock)),
        )
        .unwrap();
        let ram = memfd_create("ram", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&ram, RAM).unwrap();
        gpu.mem.map(0, RAM, Some((ram, 0)), true).unwrap();
        Self {
            gpu,
            next_table: TABLES,
            roots: [0; 16],
        }
    }

    fn set_up_vmid_0(&self) {
        for page in 0..RAM >> 12 {
            self.put(PhysAddr::vram(GART_TABLE + page * 8), page << 12 | RWX | SYSTEM);
        }
        for hub in [gmc::GFXHUB, gmc::MMHUB] {
            let w = |reg: u32, value: u64| self.write(hub + reg, value as u32);
            w(0x514, FB >> 18);
            w(0x518, (FB + VRAM - 1) >> 18);
            w(0x50c, 0xff_ffff);
            w(0x2ac, GART_TABLE | 1);
            w(0x2b0, 0);
            w(0x32c, GART >> 12);
            w(0x330, GART >> 44);
            w(0x3ac, (GART + RAM - 1) >> 12);
            w(0x3b0, (GART + RAM - 1) >> 44);
            w(0x100, 1);
            for engine in 0..18 {
                w(0x21c + 8 * engine, 0xffff_ffff);
                w(0x220 + 8 * engine, 0x1f);
            }
            for vmid in 1..16 {
                // enabled, depth 2, block 9, all fault interrupts
                w(0x100 + 4 * vmid, 1 | 2 << 1 | 9 << 3 | 0x2a_aa00);
                w(0x3ac + 8 * vmid, 0xffff_ffff);
                w(0x3b0 + 8 * vmid, 0xf);
            }
        }
    }

    /// Writes a register as the CPU.
    pub(crate) fn write(&self, off: u32, value: u32) {
        self.gpu.reg_write("CPU", off, value);
    }

    /// Reads a register as the CPU.
    pub(crate) fn read(&self, off: u32) -> u32 {
        self.gpu.reg_read("CPU", off)
    }

    /// Stores a 64-bit word.
    pub(crate) fn put(&self, at: PhysAddr, value: u64) {
        self.gpu.mem.write(at, &value.to_le_bytes()).unwrap();
    }

    /// Loads a 64-bit word.
    pub(crate) fn get(&self, at: PhysAddr) -> u64 {
        let mut b = [0; 8];
        self.gpu.mem.read(at, &mut b).unwrap();
        u64::from_le_bytes(b)
    }

    /// Stores 32-bit words.
    pub(crate) fn put_words(&self, at: PhysAddr, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.gpu.mem.write(at, &bytes).unwrap();
    }

    /// Loads 32-bit words.
    pub(crate) fn get_words(&self, at: PhysAddr, n: usize) -> Vec<u32> {
        let mut b = vec![0; n * 4];
        self.gpu.mem.read(at, &mut b).unwrap();
        b.chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    /// Maps whole pages for a VMID (both hubs), with the given PTE flags (see [`RWX`]); flushes nothing.
    pub(crate) fn map(&mut self, vmid: u8, va: u64, to: PhysAddr, len: u64, flags: u64) {
        for page in 0..len.div_ceil(4096) {
            let system = if to.space == Space::System { SYSTEM } else { 0 };
            let at = self.pte(vmid, va + page * 4096);
            self.put(at, (to.addr + page * 4096) | flags | system);
        }
    }

    /// Where the 4 KiB PTE of an address is; makes the tables above it.
    pub(crate) fn pte(&mut self, vmid: u8, va: u64) -> PhysAddr {
        let mut table = match self.roots[usize::from(vmid)] {
            0 => {
                let root = self.table();
                self.roots[usize::from(vmid)] = root;
                self.gpu.gmc.set_context(vmid, root | 1, 0x8000 + u16::from(vmid));
                root
            }
            root => root,
        };
        for (shift, flags) in [(39, 1), (30, 1 | 9 << 59), (21, 1 | 1 << 56)] {
            let at = PhysAddr::vram(table + (va >> shift & 511) * 8);
            if self.get(at) == 0 {
                let new = self.table();
                self.put(at, new | flags);
            }
            table = self.get(at) & 0x0000_ffff_ffff_f000;
        }
        PhysAddr::vram(table + (va >> 12 & 511) * 8)
    }

    fn table(&mut self) -> u64 {
        let t = self.next_table;
        self.next_table += 4096;
        assert!(t < GART_TABLE, "too many page tables for a test card");
        t
    }

    /// Asserts that nothing was violated.
    pub(crate) fn assert_clean(&self) {
        let s = self.gpu.report.status();
        assert_eq!(s.violations, 0, "{:#?}", s.kinds);
    }
}
