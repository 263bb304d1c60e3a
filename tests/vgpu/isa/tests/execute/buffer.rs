// SPDX-License-Identifier: Apache-2.0 OR MIT
//! MUBUF: plain buffers and the swizzled descriptor of scratch.

use super::*;

/// A machine whose s[8:11] is a descriptor of `DATA`.
fn machine(text: &str, word1: u32, records: u32, word3: u32) -> Machine {
    let mut m = Machine::new(text);
    m.wave.sgprs[8..12].copy_from_slice(&[DATA as u32, word1, records, word3]);
    m.fill(|i| i as u32);
    m
}

#[test]
fn plain_buffers() {
    let mut m = machine(
        "buffer_load_dword v8, off, s[8:11], 0 offset:16\n\
         buffer_load_dword v9, v6, s[8:11], s4 offen offset:8\n\
         buffer_load_dwordx4 v[12:15], v6, s[8:11], 0 offen\n\
         buffer_load_ubyte v10, v6, s[8:11], 0 offen offset:1\n\
         buffer_store_short v7, v6, s[8:11], 0 offen offset:2048\n\
         buffer_atomic_add v7, v6, s[8:11], 0 offen offset:3072 glc\n\
         buffer_wbinvl1_vol\nbuffer_wbl2\nbuffer_invl2\nbuffer_wbinvl1",
        0,
        SIZE as u32,
        0,
    );
    m.wave.sgprs[4] = 32;
    m.set(6, |l| l as u32 * 4);
    m.set(7, |l| 0xabcd_0000 + l as u32);
    let m = m.end();
    let v = &m.wave.vgprs;
    assert_eq!(v[8], row(|_| 4));
    assert_eq!(v[9], row(|l| l as u32 + 10));
    assert_eq!(v[14], row(|l| l as u32 + 2));
    assert_eq!(v[10], row(|_| 0));
    for l in 0..LANES {
        assert_eq!(
            m.memory.dword(2048 + l * 4),
            l as u32,
            "the upper half was {:#x}",
            512 + l
        );
        assert_eq!(
            m.memory.dword(3072 + l * 4),
            0xabcd_0000 + l as u32 + 768 + l as u32
        );
    }
    assert_eq!(v[7], row(|l| 768 + l as u32));
}

#[test]
fn records_and_strides() {
    // 12 bytes per record, 20 records
    let mut m = machine(
        "buffer_load_dword v8, v0, s[8:11], 0 idxen offset:4\n\
         buffer_load_dword v9, v[6:7], s[8:11], 0 idxen offen",
        12 << 16,
        20,
        0,
    );
    m.set(6, |l| l as u32 % 4);
    m.set(7, |_| 8);
    m.set(8, |_| 99);
    let m = m.end();
    assert_eq!(
        m.wave.vgprs[8],
        row(|l| if l < 20 { l as u32 * 3 + 1 } else { 0 })
    );
    assert_eq!(m.wave.vgprs[9], row(|l| l as u32 % 4 * 3 + 2));
}

#[test]
fn strides_without_index_are_bytes() {
    // 12 bytes per record, but there is no index: 20 are bytes
    let mut m = machine("buffer_load_dword v8, v6, s[8:11], 0 offen", 12 << 16, 20, 0);
    m.set(6, |l| l as u32 * 4);
    m.set(8, |_| 99);
    let m = m.end();
    assert_eq!(m.wave.vgprs[8], row(|l| if l < 5 { l as u32 } else { 0 }));
}

#[test]
fn lane_numbers_have_a_wider_stride() {
    // the lane's record: 0x4010 bytes, the upper bits where the format would be
    let m = machine(
        "buffer_load_dword v8, off, s[8:11], 0",
        0x10 << 16,
        0xa000,
        1 << 15 | 1 << 23,
    );
    let m = m.end();
    assert_eq!(
        m.wave.vgprs[8],
        row(|l| [0, 0x4010 / 4, 0x8020 / 4].get(l).copied().unwrap_or(0))
    );
}

#[test]
fn outside_is_zero_and_dropped() {
    let mut m = machine(
        "buffer_load_dwordx2 v[8:9], v6, s[8:11], 0 offen\n\
         buffer_store_dword v0, v6, s[8:11], 0 offen offset:4",
        0,
        128,
        0,
    );
    m.set(6, |l| l as u32 * 4);
    m.set(8, |_| 99);
    let m = m.end();
    assert_eq!(m.wave.vgprs[8], row(|l| if l < 31 { l as u32 } else { 0 }));
    for i in 1..64 {
        let want = if i < 32 { i - 1 } else { i };
        assert_eq!(m.memory.dword(i * 4), want as u32);
    }
}

#[test]
fn scratch_descriptor() {
    // as the runtime makes it: swizzled, lane number added, 64 lanes alternate in dwords
    let mut m = machine(
        "buffer_store_dword v0, off, s[8:11], s32 offset:8\n\
         buffer_store_dwordx2 v[6:7], v10, s[8:11], s32 offen\n\
         buffer_load_dword v11, off, s[8:11], s32 offset:8\n\
         buffer_load_ushort v12, v10, s[8:11], s32 offen offset:2\n\
         buffer_load_dwordx2 v[14:15], v10, s[8:11], s32 offen",
        1 << 31,
        SIZE as u32,
        4 << 15 | 3 << 21 | 1 << 23,
    );
    m.wave.sgprs[32] = 1024;
    m.set(6, |l| 0x1_0000 * (l as u32 + 7));
    m.set(7, |l| 70 + l as u32);
    m.set(10, |_| 20);
    let m = m.end();
    let at = |lane: usize, offset: usize| 1024 + (offset / 4 * 64 + lane) * 4;
    for l in 0..LANES {
        assert_eq!(m.memory.dword(at(l, 8)), l as u32);
        assert_eq!(m.memory.dword(at(l, 24)), 70 + l as u32);
    }
    let v = &m.wave.vgprs;
    assert_eq!(v[11], row(|l| l as u32));
    assert_eq!(v[12], row(|l| l as u32 + 7));
    assert_eq!((v[14], v[15]), (v[6], v[7]));
}

#[test]
fn formats_without_meaning_say_so() {
    // normalised dwords, floats of a byte, and no format at all
    for format in [4 << 15, 1 << 15 | 7 << 12, 0] {
        let mut m = machine("buffer_load_format_x v8, off, s[8:11], 0", 0, 64, format);
        let Stop::Illegal(illegal) = m.stop() else {
            panic!()
        };
        assert!(illegal.why.contains("buffer format"), "{illegal}");
    }
}

#[test]
fn typed_loads_reach_lds() {
    let mut m = machine(
        "s_mov_b32 m0, 64\nbuffer_load_format_x v0, s[8:11], 0 idxen offset:4 lds",
        4 << 16,
        SIZE as u32,
        4 | 1 << 15 | 5 << 12,
    );
    m.memory.data.iter_mut().for_each(|byte| *byte = 0x85);
    let m = m.end();
    assert_eq!(m.lds.read(64 + 4), (-0x7b_i32).to_le_bytes());
}
