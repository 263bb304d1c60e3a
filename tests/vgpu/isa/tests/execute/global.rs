// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GLOBAL.

use super::*;

/// A word that differs in every byte and every lane.
fn pattern(i: usize) -> u32 {
    (i as u32).wrapping_mul(0x9e37_79b9) ^ 0x80c0_a0f1
}

#[test]
fn loads_of_all_widths() {
    let mut m = Machine::new(
        "global_load_ubyte v8, v[2:3], off\n\
         global_load_sbyte v9, v[2:3], off\n\
         global_load_ushort v10, v[2:3], off offset:2\n\
         global_load_sshort v11, v[2:3], off offset:2\n\
         global_load_dword v12, v[2:3], off\n\
         global_load_dwordx2 v[14:15], v[4:5], off\n\
         global_load_dwordx3 v[16:18], v[4:5], off\n\
         global_load_dwordx4 v[20:23], v[4:5], off",
    );
    m.fill(pattern);
    let m = m.end();
    let v = &m.wave.vgprs;
    assert_eq!(v[8], row(|l| pattern(l) & 0xff));
    assert_eq!(v[9], row(|l| i32::from(pattern(l) as i8) as u32));
    assert_eq!(v[10], row(|l| pattern(l) >> 16));
    assert_eq!(v[11], row(|l| ((pattern(l) as i32) >> 16) as u32));
    assert_eq!(v[12], row(pattern));
    for (first, dwords) in [(14, 2), (16, 3), (20, 4)] {
        for i in 0..dwords {
            assert_eq!(v[first + i], row(|l| pattern(l * 4 + i)), "dword {i} of {dwords}");
        }
    }
}

#[test]
fn half_loads_keep_the_other_half() {
    let mut m = Machine::new(
        "global_load_ubyte_d16 v8, v[2:3], off\n\
         global_load_ubyte_d16_hi v9, v[2:3], off\n\
         global_load_sbyte_d16 v10, v[2:3], off\n\
         global_load_sbyte_d16_hi v11, v[2:3], off\n\
         global_load_short_d16 v12, v[2:3], off\n\
         global_load_short_d16_hi v13, v[2:3], off",
    );
    m.fill(|_| 0x1234_56f8);
    for v in 8..14 {
        m.set(v, |_| 0xaaaa_bbbb);
    }
    let m = m.end();
    let want = [
        0xaaaa_00f8,
        0x00f8_bbbb,
        0xaaaa_fff8,
        0xfff8_bbbb,
        0xaaaa_56f8,
        0x56f8_bbbb,
    ];
    for (v, want) in (8..14).zip(want) {
        assert_eq!(m.wave.vgprs[v], row(|_| want), "v{v}");
    }
}

#[test]
fn stores_of_all_widths() {
    let mut m = Machine::new(
        "global_store_byte v[2:3], v8, off\n\
         global_store_byte_d16_hi v[2:3], v8, off offset:1\n\
         global_store_short_d16_hi v[2:3], v8, off offset:2\n\
         global_store_dword v[2:3], v8, off offset:1024\n\
         global_store_short v[2:3], v9, off offset:1024\n\
         global_store_dwordx2 v[4:5], v[8:9], off offset:2048\n\
         global_store_dwordx3 v[4:5], v[8:10], off offset:3072\n\
         v_add_u32 v4, 0x1000, v4\n\
         global_store_dwordx4 v[4:5], v[8:11], off",
    );
    for v in 8..12 {
        m.set(v, move |l| pattern(l * 4 + v));
    }
    let before = m.wave.vgprs.clone();
    let m = m.end();
    for lane in 0..LANES {
        let v = |register: usize| before[register][lane];
        let d = |offset: usize| m.memory.dword(offset);
        let bytes = v(8) & 0xff | (v(8) >> 16 & 0xff) << 8 | v(8) & 0xffff_0000;
        assert_eq!(d(lane * 4), bytes, "lane {lane}");
        assert_eq!(
            d(1024 + lane * 4),
            v(8) & 0xffff_0000 | v(9) & 0xffff,
            "lane {lane}"
        );
        // the three-dword store leaves the fourth dword of each 16 bytes; it overlaps the two-dword one's upper lanes
        for i in 0..3 {
            assert_eq!(d(3072 + lane * 16 + i * 4), v(8 + i), "lane {lane}");
        }
        for i in 0..4 {
            assert_eq!(d(4096 + lane * 16 + i * 4), v(8 + i), "lane {lane}");
        }
    }
    for lane in 0..LANES {
        assert_eq!(m.memory.dword(2048 + lane % 64 * 16), before[8][lane]);
        if lane == 63 {
            break;
        }
    }
}

#[test]
fn inactive_lanes_neither_load_nor_store() {
    let mut m = Machine::new(
        "s_mov_b32 exec_lo, 0xf0f0ff01\n\
         s_mov_b32 exec_hi, 0x80000001\n\
         global_load_dword v8, v[2:3], off\n\
         global_load_dwordx4 v[12:15], v[4:5], off\n\
         global_store_dword v[2:3], v9, off offset:2048",
    );
    m.fill(pattern);
    for v in [8, 12, 13, 14, 15] {
        m.set(v, |_| 7);
    }
    m.set(9, |l| l as u32 + 1000);
    // wild addresses in lanes that are off
    for lane in 0..LANES {
        if 0x8000_0001_f0f0_ff01_u64 >> lane & 1 == 0 {
            m.wave.vgprs[3][lane] = 0xdead;
            m.wave.vgprs[5][lane] = 0xdead;
        }
    }
    let m = m.end();
    let exec = m.wave.exec;
    assert_eq!(exec, 0x8000_0001_f0f0_ff01);
    for lane in 0..LANES {
        let on = exec >> lane & 1 != 0;
        assert_eq!(m.wave.vgprs[8][lane], if on { pattern(lane) } else { 7 });
        for i in 0..4 {
            assert_eq!(
                m.wave.vgprs[12 + i][lane],
                if on { pattern(lane * 4 + i) } else { 7 }
            );
        }
        let stored = if on {
            lane as u32 + 1000
        } else {
            pattern(512 + lane)
        };
        assert_eq!(m.memory.dword(2048 + lane * 4), stored);
    }
    // no lane at all
    let mut m = Machine::new(
        "s_mov_b64 exec, 0\nglobal_load_dword v8, v[2:3], off\nglobal_store_dword v[2:3], v9, off",
    );
    m.set(3, |_| 0xdead);
    m.end();
}

#[test]
fn address_forms() {
    let mut m = Machine::new(
        "v_lshlrev_b32 v6, 2, v0\n\
         global_load_dword v8, v6, s[2:3]\n\
         global_load_dword v9, v6, s[2:3] offset:4092\n\
         global_load_dword v10, v6, s[4:5] offset:-4096\n\
         v_mov_b32 v7, 0x40\n\
         global_load_dword v11, v7, s[2:3]\n\
         global_load_dwordx2 v[12:13], v7, s[2:3] offset:1",
    );
    m.fill(pattern);
    m.wave.sgprs[4] = DATA as u32 + 4096;
    let m = m.end();
    let v = &m.wave.vgprs;
    assert_eq!(v[8], row(pattern));
    assert_eq!(v[9], row(|l| pattern(1023 + l)));
    assert_eq!(v[10], row(pattern));
    assert_eq!(v[11], row(|_| pattern(16)), "all lanes the same address");
    assert_eq!(v[12], row(|_| pattern(16) >> 8 | pattern(17) << 24), "unaligned");
    assert_eq!(v[13], row(|_| pattern(17) >> 8 | pattern(18) << 24), "unaligned");
}

#[test]
fn gathers_and_scatters() {
    let mut m =
        Machine::new("global_load_dword v8, v6, s[2:3]\nglobal_store_dword v7, v8, s[2:3] offset:2048");
    m.fill(pattern);
    // runs of 1, 2, 3... neighbours in reverse blocks, and repeated addresses
    let index = |l: usize| [5, 6, 7, 3, 3, 3, 0, 1, 63, 62, 61, 9, 10, 11, 12, 9][l % 16];
    m.set(6, |l| index(l) * 4);
    m.set(7, |l| (l as u32 * 37 % 64) * 4);
    let m = m.end();
    assert_eq!(m.wave.vgprs[8], row(|l| pattern(index(l) as usize)));
    for l in 0..LANES {
        assert_eq!(
            m.memory.dword(2048 + l * 37 % 64 * 4),
            pattern(index(l) as usize),
            "lane {l}"
        );
    }
    // of lanes that store to the same place the last one wins
    let mut m = Machine::new("global_store_dword v6, v0, s[2:3]");
    m.set(6, |l| l as u32 / 8 * 4);
    let m = m.end();
    for i in 0..8 {
        assert_eq!(m.memory.dword(i * 4), i as u32 * 8 + 7);
    }
}

#[test]
fn accumulators() {
    let mut m = Machine::new(
        "global_load_dwordx2 a[2:3], v[4:5], off\nglobal_store_dwordx2 v[4:5], a[2:3], off offset:2048",
    );
    m.fill(pattern);
    let m = m.end();
    assert_eq!(m.wave.vgprs[32 + 2], row(|l| pattern(l * 4)));
    assert_eq!(m.wave.vgprs[32 + 3], row(|l| pattern(l * 4 + 1)));
    assert_eq!(m.memory.dword(2048 + 16), pattern(4));
}

#[test]
fn atomics_32() {
    for (name, old, data, want) in [
        ("swap", 1, 2, 2),
        ("add", u32::MAX, 2, 1),
        ("sub", 1, 2, u32::MAX),
        ("smin", 1, u32::MAX, u32::MAX),
        ("umin", 1, u32::MAX, 1),
        ("smax", 1, u32::MAX, 1),
        ("umax", 1, u32::MAX, u32::MAX),
        ("and", 6, 3, 2),
        ("or", 6, 3, 7),
        ("xor", 6, 3, 5),
        ("inc", 5, 5, 0),
        ("dec", 0, 5, 5),
        ("add_f32", 0x3f80_0000, 0x4000_0000, 0x4040_0000),
        ("add_f32", 1, 2, 0),
        ("pk_add_f16", 0x3c00_0001, 0x3c00_0001, 0x4000_0002),
    ] {
        let returns = !matches!(name, "add_f32" | "pk_add_f16");
        let mut text = format!("global_atomic_{name} v[2:3], v8, off\n");
        if returns {
            text += &format!("global_atomic_{name} v9, v[2:3], v8, off offset:2048 glc\n");
        }
        let mut m = Machine::new(&text);
        m.fill(|_| old);
        m.set(8, |_| data);
        m.set(9, |_| old);
        let m = m.end();
        for lane in 0..LANES {
            assert_eq!(m.memory.dword(lane * 4), want, "{name} lane {lane}");
            if returns {
                assert_eq!(m.memory.dword(2048 + lane * 4), want, "{name} lane {lane}");
            }
        }
        assert_eq!(m.wave.vgprs[9], row(|_| old), "{name}");
    }
}

#[test]
fn atomics_64() {
    let two = 2.0f64.to_bits();
    let wide = 1u64 << 40;
    for (name, old, data, want) in [
        ("swap_x2", wide, 2, 2),
        ("add_x2", u64::MAX, 2, 1),
        ("sub_x2", 1, 2, u64::MAX),
        ("smin_x2", wide, u64::MAX, u64::MAX),
        ("umin_x2", wide, u64::MAX, wide),
        ("smax_x2", wide, u64::MAX, wide),
        ("umax_x2", wide, u64::MAX, u64::MAX),
        ("and_x2", wide | 6, wide | 3, wide | 2),
        ("or_x2", wide | 6, 3, wide | 7),
        ("xor_x2", wide | 6, wide | 3, 5),
        ("inc_x2", wide, wide, 0),
        ("dec_x2", 0, wide, wide),
        ("add_f64", 1.0f64.to_bits(), two, 3.0f64.to_bits()),
        ("add_f64", 1, 2, 3),
        ("min_f64", (-1.0f64).to_bits(), two, (-1.0f64).to_bits()),
        ("max_f64", f64::NAN.to_bits(), two, two),
    ] {
        let mut m = Machine::new(&format!("global_atomic_{name} v[10:11], v[4:5], v[8:9], off glc"));
        for i in 0..SIZE / 8 {
            m.memory.set_qword(i * 8, old);
        }
        m.set(8, |_| data as u32);
        m.set(9, |_| (data >> 32) as u32);
        let m = m.end();
        for lane in 0..LANES {
            assert_eq!(m.memory.qword(lane * 16), want, "{name} lane {lane}");
        }
        assert_eq!(m.wave.vgprs[10], row(|_| old as u32), "{name}");
        assert_eq!(m.wave.vgprs[11], row(|_| (old >> 32) as u32), "{name}");
    }
}

#[test]
fn compare_and_swap() {
    let mut m = Machine::new(
        "global_atomic_cmpswap v10, v[2:3], v[8:9], off glc\n\
         global_atomic_cmpswap_x2 v[14:15], v[4:5], v[16:19], off offset:2048 glc",
    );
    m.fill(|i| i as u32 % 2);
    m.set(8, |_| 100);
    m.set(9, |_| 1);
    // the old qword is 1 << 32
    for (v, value) in [(16, 7), (17, 8), (18, 0), (19, 1)] {
        m.set(v, move |l| if l == 5 { 9 } else { value });
    }
    let m = m.end();
    for lane in 0..LANES {
        let old = lane as u32 % 2;
        assert_eq!(m.memory.dword(lane * 4), if old == 1 { 100 } else { old });
        let want = if lane == 5 { 1 << 32 } else { 8 << 32 | 7 };
        assert_eq!(m.memory.qword(2048 + lane * 16), want);
    }
    assert_eq!(m.wave.vgprs[10], row(|l| l as u32 % 2));
    assert_eq!((m.wave.vgprs[14][3], m.wave.vgprs[15][3]), (0, 1));
}

#[test]
fn lanes_of_one_address_add_up() {
    let m = Machine::new("v_mov_b32 v6, 0\nglobal_atomic_add v8, v6, v0, s[2:3] glc").end();
    assert_eq!(m.memory.dword(0), 63 * 64 / 2);
    assert_eq!(m.wave.vgprs[8], row(|l| (l * l.saturating_sub(1) / 2) as u32));
}

#[test]
fn faults_stop_before_anything_is_written() {
    let mut m = Machine::new("global_load_dwordx2 v[8:9], v[4:5], off");
    m.wave.vgprs[5][40] = 1;
    assert_eq!(m.stop(), fault(1 << 32 | DATA + 640, Access::Read));
    assert_eq!(m.wave.pc, CODE);
    assert_eq!(m.wave.vgprs[8], [0; LANES]);
    let mut m = Machine::new("s_nop 0\nglobal_store_dword v[2:3], v0, off");
    m.wave.vgprs[3][0] = 2;
    assert_eq!(m.stop(), fault(2 << 32 | DATA, Access::Write));
    assert_eq!(m.wave.pc, CODE + 4);
    let mut m = Machine::new("global_atomic_add v[2:3], v0, off offset:2");
    assert_eq!(m.stop(), fault(DATA + 2, Access::Atomic), "misaligned");
}

#[test]
fn loads_to_lds() {
    let mut m = Machine::new(
        "s_movk_i32 m0, 0x100\n\
         s_mov_b32 s8, s2\ns_mov_b32 s9, 0\ns_mov_b32 s10, 0x10000\ns_mov_b32 s11, 0\n\
         v_lshlrev_b32 v6, 2, v0\n\
         buffer_load_dword v6, s[8:11], 0 offen offset:16 lds",
    );
    m.fill(pattern);
    let m = m.end();
    for lane in 0..LANES as u32 {
        assert_eq!(
            u32::from_le_bytes(m.lds.read(0x110 + lane * 4)),
            pattern(lane as usize + 4)
        );
    }
}
