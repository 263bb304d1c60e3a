// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SMEM.

use super::*;

#[test]
fn loads() {
    let mut m = Machine::new(
        "s_load_dword s8, s[2:3], 0x10\n\
         s_load_dwordx2 s[10:11], s[2:3], s4\n\
         s_load_dwordx4 s[12:15], s[2:3], s4 offset:0x10\n\
         s_load_dwordx8 s[16:23], s[6:7], -0x40\n\
         s_load_dwordx16 s[24:39], s[2:3], 0x2\n\
         s_load_dwordx2 vcc, s[2:3], 0x8\n\
         s_mov_b32 m0, 0x20\n\
         s_load_dword s40, s[2:3], m0",
    );
    m.fill(|i| i as u32 + 100);
    m.wave.sgprs[4] = 0x20;
    m.wave.sgprs[6] = DATA as u32 + 0x80;
    let m = m.end();
    let s = &m.wave.sgprs;
    assert_eq!(s[8], 104);
    assert_eq!(s[10..12], [108, 109]);
    assert_eq!(s[12..16], [112, 113, 114, 115]);
    assert_eq!(s[16..24], std::array::from_fn::<u32, 8, _>(|i| i as u32 + 116));
    assert_eq!(
        s[24..40],
        std::array::from_fn::<u32, 16, _>(|i| i as u32 + 100),
        "the low address bits are dropped"
    );
    assert_eq!(m.wave.vcc, 103 << 32 | 102);
    assert_eq!(s[40], 108);
}

#[test]
fn buffers_end_in_zeros() {
    let mut m = Machine::new(
        "s_buffer_load_dwordx4 s[12:15], s[8:11], 0x8\n\
         s_buffer_load_dwordx2 s[16:17], s[8:11], 0x1000\n\
         s_buffer_store_dwordx2 s[4:5], s[8:11], 0x4",
    );
    m.fill(|i| i as u32 + 100);
    m.wave.sgprs[8..12].copy_from_slice(&[DATA as u32, 0, 16, 0]);
    m.wave.sgprs[4..6].copy_from_slice(&[7, 8]);
    m.wave.sgprs[17] = 9;
    let m = m.end();
    assert_eq!(m.wave.sgprs[12..18], [102, 103, 0, 0, 0, 0]);
    assert_eq!(
        (m.memory.dword(4), m.memory.dword(8), m.memory.dword(12)),
        (7, 8, 103)
    );
}

#[test]
fn stores_and_atomics() {
    let mut m = Machine::new(
        "s_store_dword s4, s[2:3], 0x0\n\
         s_store_dwordx4 s[4:7], s[2:3], 0x10\n\
         s_dcache_wb\n\
         s_atomic_add s4, s[2:3], 0x40 glc\n\
         s_atomic_cmpswap s[6:7], s[2:3], 0x44\n\
         s_atomic_add_x2 s[8:9], s[2:3], 0x48 glc\n\
         s_atomic_swap s5, s[2:3], 0x50",
    );
    m.wave.sgprs[4..8].copy_from_slice(&[1, 2, 3, 0]);
    m.wave.sgprs[8..10].copy_from_slice(&[1, 0]);
    m.memory.set_dword(0x40, 10);
    m.memory.set_qword(0x48, 0xffff_ffff);
    let m = m.end();
    assert_eq!(m.memory.dword(0), 1);
    assert_eq!([0x10, 0x14, 0x18].map(|o| m.memory.dword(o)), [1, 2, 3]);
    assert_eq!((m.memory.dword(0x40), m.wave.sgprs[4]), (11, 10));
    assert_eq!(
        (m.memory.dword(0x44), m.wave.sgprs[6]),
        (3, 3),
        "no result without GLC"
    );
    assert_eq!((m.memory.qword(0x48), m.wave.sgprs[8]), (1 << 32, u32::MAX));
    assert_eq!((m.memory.dword(0x50), m.wave.sgprs[5]), (2, 2));
}

#[test]
fn clocks_and_caches() {
    let m = Machine::new(
        "s_memtime s[4:5]\ns_memrealtime s[6:7]\ns_dcache_inv\ns_dcache_inv_vol\ns_dcache_wb_vol",
    )
    .end();
    assert_eq!(m.wave.sgprs[4..8], [10, 0, 11, 0]);
}

#[test]
fn faults() {
    let mut m = Machine::new("s_load_dwordx2 s[8:9], s[4:5], 0x8");
    assert_eq!(m.stop(), fault(8, Access::Read));
    assert_eq!(m.wave.pc, CODE);
    let mut m = Machine::new("s_atomic_add_x2 s[8:9], s[2:3], 0x4");
    assert_eq!(m.stop(), fault(DATA + 4, Access::Atomic));
}
