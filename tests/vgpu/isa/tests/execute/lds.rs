// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DS.

use super::*;

impl Machine {
    fn lds_dword(&self, addr: u32) -> u32 {
        u32::from_le_bytes(self.lds.read(addr))
    }

    fn fill_lds(&mut self, value: impl Fn(u32) -> u32) {
        for i in 0..1024 {
            self.lds.write(i * 4, value(i).to_le_bytes());
        }
    }
}

#[test]
fn reads_and_writes_of_all_widths() {
    let mut m = Machine::new(
        "v_lshlrev_b32 v6, 4, v0\n\
         ds_write_b128 v6, v[8:11]\n\
         ds_read_b128 v[12:15], v6\n\
         ds_read_b96 v[16:18], v6 offset:4\n\
         ds_read_b64 v[20:21], v6 offset:8\n\
         ds_read_b32 v22, v6 offset:4\n\
         ds_read_u8 v23, v6 offset:3\n\
         ds_read_i8 v24, v6 offset:3\n\
         ds_read_u16 v25, v6 offset:2\n\
         ds_read_i16 v26, v6 offset:2",
    );
    for v in 8..12 {
        m.set(v, move |l| 0x8123_4567 + (v * 64 + l) as u32);
    }
    let m = m.end();
    let v = &m.wave.vgprs;
    for i in 0..4 {
        assert_eq!(v[12 + i], v[8 + i]);
    }
    assert_eq!([v[16], v[17], v[18]], [v[9], v[10], v[11]]);
    assert_eq!([v[20], v[21], v[22]], [v[10], v[11], v[9]]);
    assert_eq!(v[23], row(|l| v[8][l] >> 24));
    assert_eq!(v[24], row(|l| ((v[8][l] as i32) >> 24) as u32));
    assert_eq!(v[25], row(|l| v[8][l] >> 16));
    assert_eq!(v[26], row(|l| ((v[8][l] as i32) >> 16) as u32));
    let mut m = Machine::new(
        "ds_write_b8 v6, v8\nds_write_b8_d16_hi v6, v8 offset:1\nds_write_b16 v6, v8 offset:2\n\
         ds_write_b16_d16_hi v6, v8 offset:4\nds_write_b32 v6, v8 offset:8\nds_write_b64 v6, v[8:9] offset:16\n\
         ds_write_b96 v6, v[8:10] offset:32",
    );
    m.set(8, |_| 0x1122_3344);
    m.set(9, |_| 9);
    m.set(10, |_| 10);
    let m = m.end();
    let want = [
        0x3344_2244,
        0x1122,
        0x1122_3344,
        0,
        0x1122_3344,
        9,
        0,
        0,
        0x1122_3344,
        9,
        10,
    ];
    for (i, want) in want.into_iter().enumerate() {
        assert_eq!(m.lds_dword(i as u32 * 4), want, "dword {i}");
    }
}

#[test]
fn half_reads_keep_the_other_half() {
    let mut m = Machine::new(
        "ds_read_u8_d16 v8, v6\nds_read_u8_d16_hi v9, v6\nds_read_i8_d16 v10, v6\nds_read_i8_d16_hi v11, v6\n\
         ds_read_u16_d16 v12, v6\nds_read_u16_d16_hi v13, v6",
    );
    m.fill_lds(|_| 0x1234_56f8);
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
fn pairs() {
    let mut m = Machine::new(
        "v_lshlrev_b32 v6, 3, v0\n\
         ds_write2_b32 v6, v8, v9 offset0:1 offset1:0\n\
         ds_read2_b32 v[10:11], v6 offset0:0 offset1:1\n\
         v_mov_b32 v7, 0\n\
         s_mov_b64 exec, 1\n\
         ds_write2st64_b64 v7, v[8:9], v[10:11] offset0:2 offset1:3\n\
         ds_read2st64_b32 v[12:13], v7 offset0:4 offset1:6\n\
         ds_read2_b64 v[16:19], v7 offset0:128 offset1:192\n\
         ds_wrxchg2_rtn_b32 v[14:15], v7, v8, v9 offset0:0 offset1:1",
    );
    m.set(8, |l| l as u32 + 100);
    m.set(9, |l| l as u32 + 200);
    let m = m.end();
    let v = &m.wave.vgprs;
    assert_eq!((v[10], v[11]), (v[9], v[8]));
    assert_eq!(m.lds_dword(1024), 100);
    assert_eq!(m.lds_dword(1028), 200);
    assert_eq!(m.lds_dword(1536), 200);
    assert_eq!((v[12][0], v[13][0]), (100, 200));
    assert_eq!([v[16][0], v[17][0], v[18][0], v[19][0]], [100, 200, 200, 100]);
    assert_eq!((v[14][0], v[15][0]), (200, 100));
    assert_eq!((m.lds_dword(0), m.lds_dword(4)), (100, 200));
}

#[test]
fn outside_is_zero_and_dropped() {
    let mut m = Machine::new(
        "ds_write_b64 v6, v[8:9]\nds_read_b64 v[10:11], v6\nds_read_b32 v12, v7\nds_write_b32 v7, v8",
    );
    m.set(6, |_| 4092);
    m.set(7, |_| u32::MAX - 3);
    m.set(8, |_| 8);
    m.set(9, |_| 9);
    for v in 10..13 {
        m.set(v, |_| 5);
    }
    let m = m.end();
    assert_eq!(
        (m.wave.vgprs[10][0], m.wave.vgprs[11][0], m.wave.vgprs[12][0]),
        (8, 0, 0)
    );
}

#[test]
fn atomics_32() {
    let f = f32::to_bits;
    for (name, old, data, want) in [
        ("add_u32", u32::MAX, 2, 1),
        ("sub_u32", 1, 2, u32::MAX),
        ("rsub_u32", 1, 3, 2),
        ("inc_u32", 3, 3, 0),
        ("dec_u32", 0, 3, 3),
        ("min_i32", 1, u32::MAX, u32::MAX),
        ("max_i32", 1, u32::MAX, 1),
        ("min_u32", 1, u32::MAX, 1),
        ("max_u32", 1, u32::MAX, u32::MAX),
        ("and_b32", 6, 3, 2),
        ("or_b32", 6, 3, 7),
        ("xor_b32", 6, 3, 5),
        ("min_f32", f(1.0), f(-1.0), f(-1.0)),
        ("max_f32", f(1.0), f(-1.0), f(1.0)),
        ("add_f32", f(1.0), f(2.0), f(3.0)),
    ] {
        let (stem, ty) = name.split_once('_').unwrap();
        let mut m = Machine::new(&format!(
            "v_lshlrev_b32 v6, 2, v0\nds_{name} v6, v8\nds_{stem}_rtn_{ty} v9, v6, v8 offset:1024"
        ));
        m.fill_lds(|_| old);
        m.set(8, |_| data);
        let m = m.end();
        for lane in 0..LANES as u32 {
            assert_eq!(m.lds_dword(lane * 4), want, "{name}");
            assert_eq!(m.lds_dword(1024 + lane * 4), want, "{name}");
        }
        assert_eq!(m.wave.vgprs[9], row(|_| old), "{name}");
    }
}

#[test]
fn atomics_64() {
    let f = f64::to_bits;
    let wide = 1u64 << 40;
    for (name, old, data, want) in [
        ("add_u64", u64::MAX, 2, 1),
        ("sub_u64", 1, 2, u64::MAX),
        ("rsub_u64", 1, 3, 2),
        ("inc_u64", wide, wide, 0),
        ("dec_u64", 0, wide, wide),
        ("min_i64", wide, u64::MAX, u64::MAX),
        ("max_i64", wide, u64::MAX, wide),
        ("min_u64", wide, u64::MAX, wide),
        ("max_u64", wide, u64::MAX, u64::MAX),
        ("and_b64", wide | 6, wide | 3, wide | 2),
        ("or_b64", wide | 6, 3, wide | 7),
        ("xor_b64", wide | 6, 3, wide | 5),
        ("min_f64", f(1.0), f(-1.0), f(-1.0)),
        ("max_f64", f(1.0), f(-1.0), f(1.0)),
        ("add_f64", f(1.0), f(2.0), f(3.0)),
    ] {
        let (stem, ty) = name.split_once('_').unwrap();
        let mut m = Machine::new(&format!(
            "v_lshlrev_b32 v6, 3, v0\nds_{name} v6, v[8:9]\nds_{stem}_rtn_{ty} v[10:11], v6, v[8:9] offset:1024"
        ));
        m.fill_lds(|i| {
            if i % 2 == 0 {
                old as u32
            } else {
                (old >> 32) as u32
            }
        });
        m.set(8, |_| data as u32);
        m.set(9, |_| (data >> 32) as u32);
        let m = m.end();
        for lane in 0..LANES as u32 {
            assert_eq!(u64::from_le_bytes(m.lds.read(lane * 8)), want, "{name}");
            assert_eq!(u64::from_le_bytes(m.lds.read(1024 + lane * 8)), want, "{name}");
        }
        assert_eq!(m.wave.vgprs[10], row(|_| old as u32), "{name}");
        assert_eq!(m.wave.vgprs[11], row(|_| (old >> 32) as u32), "{name}");
    }
}

#[test]
fn two_data_atomics() {
    // data0 is the comparand, data1 the new value
    let mut m = Machine::new(
        "v_lshlrev_b32 v6, 2, v0\n\
         ds_cmpst_rtn_b32 v10, v6, v8, v9\n\
         ds_mskor_rtn_b32 v11, v6, v8, v9 offset:1024\n\
         ds_wrap_rtn_b32 v12, v6, v8, v9 offset:2048\n\
         ds_cmpst_f32 v6, v8, v9 offset:3072\n\
         ds_wrxchg_rtn_b32 v13, v6, v9 offset:3840",
    );
    m.fill_lds(|i| i % 4);
    m.set(8, |_| 2);
    m.set(9, |_| 0x10);
    let m = m.end();
    for i in 0..64u32 {
        let old = i % 4;
        assert_eq!(m.lds_dword(i * 4), if old == 2 { 0x10 } else { old });
        assert_eq!(m.lds_dword(1024 + i * 4), old & !2 | 0x10);
        assert_eq!(
            m.lds_dword(2048 + i * 4),
            if old >= 2 { old - 2 } else { old + 0x10 }
        );
        // denormals 0 to 3 differ as floats
        if i < 48 {
            assert_eq!(m.lds_dword(3072 + i * 4), if old == 2 { 0x10 } else { old });
        }
        assert_eq!(m.wave.vgprs[10][i as usize], old);
    }
    assert_eq!(m.lds_dword(3840), 0x10);
}

#[test]
fn conditional_exchange() {
    let mut m = Machine::new("s_mov_b64 exec, 1\nds_condxchg32_rtn_b64 v[10:11], v6, v[8:9]");
    m.fill_lds(|i| i + 50);
    m.set(8, |_| 0x8000_0007);
    m.set(9, |_| 7);
    let m = m.end();
    assert_eq!((m.lds_dword(0), m.lds_dword(4)), (7, 51));
    assert_eq!((m.wave.vgprs[10][0], m.wave.vgprs[11][0]), (50, 51));
}

#[test]
fn permutes() {
    let mut m = Machine::new(
        "ds_permute_b32 v8, v6, v0\n\
         ds_bpermute_b32 v9, v6, v0\n\
         ds_bpermute_b32 v10, v6, v0 offset:4\n\
         ds_swizzle_b32 v11, v0 offset:swizzle(SWAP,16)\n\
         s_mov_b64 exec, 0xffff\n\
         ds_bpermute_b32 v12, v6, v0\n\
         ds_permute_b32 v13, v7, v0\n\
         ds_swizzle_b32 v14, v0 offset:swizzle(SWAP,16)",
    );
    // to and from the lane 5 further; the register counts bytes and wraps at 64 lanes
    m.set(6, |l| (l as u32 + 5) * 4 + 1024);
    m.set(7, |_| 12);
    for v in 12..15 {
        m.set(v, |_| 99);
    }
    let m = m.end();
    let v = &m.wave.vgprs;
    assert_eq!(v[8], row(|l| ((l + 59) % 64) as u32));
    assert_eq!(v[9], row(|l| ((l + 5) % 64) as u32));
    assert_eq!(v[10], row(|l| ((l + 6) % 64) as u32));
    assert_eq!(v[11], row(|l| l as u32 ^ 16));
    let from = |l: usize| if l + 5 < 16 { l as u32 + 5 } else { 0 };
    assert_eq!(v[12], row(|l| if l < 16 { from(l) } else { 99 }));
    assert_eq!(
        v[13],
        row(|l| if l == 3 {
            15
        } else if l < 16 {
            0
        } else {
            99
        })
    );
    assert_eq!(v[14], row(|l| if l < 16 { 0 } else { 99 }));
}

#[test]
fn addresses_from_m0() {
    let mut m = Machine::new(
        "s_movk_i32 m0, 0x40\n\
         ds_write_addtid_b32 v0 offset:16\n\
         ds_read_addtid_b32 v8 offset:20\n\
         s_mov_b64 exec, 0x111\n\
         ds_append v9 offset:4\n\
         ds_consume v10 offset:8",
    );
    m.fill_lds(|_| 7);
    let m = m.end();
    for lane in 0..LANES as u32 {
        assert_eq!(m.lds_dword(0x50 + lane * 4), lane);
    }
    assert_eq!(m.wave.vgprs[8], row(|l| if l < 63 { l as u32 + 1 } else { 7 }));
    assert_eq!((m.lds_dword(0x44), m.lds_dword(0x48)), (10, 4));
    assert_eq!(
        (m.wave.vgprs[9][0], m.wave.vgprs[9][1], m.wave.vgprs[9][8]),
        (7, 0, 7)
    );
    assert_eq!(m.wave.vgprs[10][4], 7);
}

#[test]
fn float_sums_follow_mode() {
    for (mode, want) in [(0, 0), (0x30, 3), (0x10, 0), (0x20, 0)] {
        let mut m = Machine::new("s_mov_b64 exec, 1\nds_add_f32 v6, v8");
        m.wave.mode.0 = mode;
        m.fill_lds(|_| 1);
        m.set(8, |_| 2);
        assert_eq!(m.end().lds_dword(0), want, "mode {mode:#x}");
    }
}

#[test]
fn misaligned_atomics_fault() {
    let mut m = Machine::new("ds_add_u32 v6, v8 offset:2");
    assert_eq!(m.stop(), fault(1 << 48 | 2, Access::Atomic));
}

#[test]
fn global_wave_sync_says_so() {
    let mut m = Machine::new("ds_gws_barrier v6 gds");
    let Stop::Illegal(illegal) = m.stop() else {
        panic!()
    };
    assert!(illegal.why.contains("ds_gws_barrier"), "{illegal}");
}
