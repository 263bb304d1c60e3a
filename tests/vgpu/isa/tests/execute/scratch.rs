// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SCRATCH.

use super::*;

/// Offset in data memory of `lane`'s scratch byte `offset`, the base being `DATA`.
fn at(lane: usize, offset: usize) -> usize {
    (offset / 4 * 64 + lane) * 4 + offset % 4
}

#[test]
fn lanes_alternate_by_dword() {
    let mut m = Machine::new(
        "scratch_store_dword off, v0, s4 offset:8\n\
         scratch_store_dwordx2 v6, v[0:1], off\n\
         scratch_store_byte v6, v8, off offset:13\n\
         scratch_load_dword v10, off, s4 offset:8\n\
         scratch_load_dwordx4 v[12:15], v7, off\n\
         scratch_load_sbyte v11, v6, off offset:13\n\
         scratch_load_ushort v9, off, s4 offset:10",
    );
    m.wave.flat_scratch = DATA;
    m.wave.sgprs[4] = 16;
    m.set(1, |l| l as u32 + 500);
    m.set(6, |_| 64);
    m.set(7, |_| 64);
    m.set(8, |l| 0x80 + l as u32);
    let m = m.end();
    for l in 0..LANES {
        assert_eq!(m.memory.dword(at(l, 24)), l as u32);
        assert_eq!(m.memory.dword(at(l, 64)), l as u32);
        assert_eq!(m.memory.dword(at(l, 68)), l as u32 + 500);
        assert_eq!(m.memory.data[at(l, 77)], 0x80 + l as u8);
    }
    let v = &m.wave.vgprs;
    assert_eq!(v[10], row(|l| l as u32));
    assert_eq!(v[12], row(|l| l as u32));
    assert_eq!(v[13], row(|l| l as u32 + 500));
    assert_eq!(v[14], row(|_| 0));
    assert_eq!(v[15], row(|l| (0x80 + l as u32) << 8));
    assert_eq!(v[11], row(|l| i32::from((0x80 + l) as u8 as i8) as u32));
    assert_eq!(v[9], row(|_| 0));
}

#[test]
fn accesses_across_elements() {
    let mut m = Machine::new(
        "scratch_store_dword v6, v8, off\n\
         scratch_load_dword v9, v6, off\n\
         scratch_load_ushort v10, v7, off\n\
         scratch_load_dwordx2 v[12:13], v6, off offset:-1",
    );
    m.wave.flat_scratch = DATA;
    m.set(6, |l| 5 + (l as u32 % 3) * 4);
    m.set(7, |l| 7 + (l as u32 % 3) * 4);
    m.set(8, |l| 0x0403_0201 + 0x1010_1010 * (l as u32 % 8));
    let m = m.end();
    for l in 0..LANES {
        let stored = m.wave.vgprs[8][l];
        let first = 5 + l % 3 * 4;
        let bytes: Vec<u8> = (0..4).map(|i| m.memory.data[at(l, first + i)]).collect();
        assert_eq!(bytes, stored.to_le_bytes(), "lane {l}");
        assert_eq!(m.wave.vgprs[9][l], stored);
        assert_eq!(m.wave.vgprs[10][l], stored >> 16 & 0xffff);
        assert_eq!(m.wave.vgprs[12][l], stored << 8);
        assert_eq!(m.wave.vgprs[13][l], stored >> 24);
    }
}

#[test]
fn inactive_lanes_are_left_alone() {
    let mut m =
        Machine::new("s_mov_b64 exec, 5\nscratch_store_dword off, v8, s4\nscratch_load_dword v9, off, s4");
    m.wave.flat_scratch = DATA;
    m.set(8, |_| 9);
    let m = m.end();
    let stored: Vec<u32> = (0..4).map(|l| m.memory.dword(at(l, 0))).collect();
    assert_eq!(stored, [9, 0, 9, 0]);
    assert_eq!(m.wave.vgprs[9][..4], [9, 0, 9, 0]);
}
