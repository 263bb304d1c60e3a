// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer instructions against 128-bit arithmetic and bit-by-bit models.

use super::harness::{one, Case, Random, DST, MASK_IN, MASK_OUT};
use crate::inst::Operand;
use crate::wave::{Row, LANES};

/// How often each instruction runs, on 64 lanes each.
const ROUNDS: usize = 64;

type I = i128;

fn sx(x: I, bits: u32) -> I {
    (x << (128 - bits)) >> (128 - bits)
}

fn ux(x: I, bits: u32) -> I {
    x & ((1 << bits) - 1)
}

fn clamp_u(x: I, bits: u32) -> I {
    x.clamp(0, (1 << bits) - 1)
}

fn clamp_s(x: I, bits: u32) -> I {
    x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// Bits `from..to` of `x`.
fn field(x: I, from: I, to: I) -> I {
    (from..to).fold(0, |out, i| out | (((x >> i) & 1) << (i - from)))
}

fn bits(x: I, bits: u32) -> impl Iterator<Item = I> {
    (0..bits).map(move |i| (x >> i) & 1)
}

fn parts(x: I, width: u32) -> impl Iterator<Item = I> {
    (0..32 / width).map(move |i| ux(x >> (i * width), width))
}

fn median(a: I, b: I, c: I) -> I {
    let mut all = [a, b, c];
    all.sort_unstable();
    all[1]
}

fn s(x: I) -> I {
    sx(x, 32)
}
fn h(x: I) -> I {
    sx(x, 16)
}
fn w(x: I) -> I {
    ux(x, 16)
}

/// Name and model on zero-extended 32-bit operands; the low 32 bits of the result count.
type Model = (&'static str, fn(I, I, I) -> I);

#[rustfmt::skip]
const DWORDS: &[Model] = &[
    ("v_mov_b32", |a, _, _| a),
    ("v_accvgpr_mov_b32", |a, _, _| a),
    ("v_accvgpr_read_b32", |a, _, _| a),
    ("v_accvgpr_write_b32", |a, _, _| a),
    ("v_not_b32", |a, _, _| -1 - a),
    ("v_and_b32", |a, b, _| bits(a, 32).zip(bits(b, 32)).enumerate().map(|(i, (x, y))| (x * y) << i).sum()),
    ("v_or_b32", |a, b, _| a + b - (a & b)),
    ("v_xor_b32", |a, b, _| (a | b) - (a & b)),
    ("v_xnor_b32", |a, b, _| -1 - ((a | b) - (a & b))),
    ("v_or3_b32", |a, b, c| a | b | c),
    ("v_and_or_b32", |a, b, c| (a & b) | c),
    ("v_lshl_or_b32", |a, b, c| a * (1 << (b % 32)) | c),
    ("v_lshl_add_u32", |a, b, c| a * (1 << (b % 32)) + c),
    ("v_add_lshl_u32", |a, b, c| (a + b) * (1 << (c % 32))),
    ("v_xad_u32", |a, b, c| (a ^ b) + c),
    ("v_lshlrev_b32", |a, b, _| b * (1 << (a % 32))),
    ("v_lshrrev_b32", |a, b, _| b / (1 << (a % 32))),
    ("v_ashrrev_i32", |a, b, _| s(b).div_euclid(1 << (a % 32))),
    ("v_bfe_u32", |a, b, c| field(a, b % 32, (b % 32 + c % 32).min(32))),
    ("v_bfe_i32", |a, b, c| {
        let (from, width) = (b % 32, (c % 32).min(32 - b % 32));
        if width == 0 { 0 } else { sx(field(a, from, from + width), width as u32) }
    }),
    ("v_bfi_b32", |a, b, c| bits(a, 32).enumerate().map(|(i, m)| ((if m == 1 { b } else { c } >> i) & 1) << i).sum()),
    ("v_bfm_b32", |a, b, _| (0..a % 32).map(|i| 1 << (i + b % 32)).sum()),
    ("v_alignbit_b32", |a, b, c| field((a << 32) + b, c % 32, c % 32 + 32)),
    ("v_alignbyte_b32", |a, b, c| field((a << 32) + b, c % 4 * 8, c % 4 * 8 + 32)),
    ("v_bfrev_b32", |a, _, _| bits(a, 32).fold(0, |out, b| out * 2 + b)),
    ("v_ffbh_u32", |a, _, _| (0..32).find(|i| a >> (31 - i) & 1 == 1).unwrap_or(-1)),
    ("v_ffbl_b32", |a, _, _| (0..32).find(|i| a >> i & 1 == 1).unwrap_or(-1)),
    ("v_ffbh_i32", |a, _, _| (1..32).find(|i| a >> (31 - i) & 1 != a >> 31).unwrap_or(-1)),
    ("v_bcnt_u32_b32", |a, b, _| bits(a, 32).sum::<I>() + b),
    ("v_add_u32", |a, b, _| a + b),
    ("v_sub_u32", |a, b, _| a - b),
    ("v_subrev_u32", |a, b, _| b - a),
    ("v_add_i32", |a, b, _| a + b),
    ("v_sub_i32", |a, b, _| a - b),
    ("v_add3_u32", |a, b, c| a + b + c),
    ("v_mul_lo_u32", |a, b, _| a * b),
    ("v_mul_hi_u32", |a, b, _| (a * b) >> 32),
    ("v_mul_hi_i32", |a, b, _| (s(a) * s(b)) >> 32),
    ("v_mul_u32_u24", |a, b, _| ux(a, 24) * ux(b, 24)),
    ("v_mul_hi_u32_u24", |a, b, _| (ux(a, 24) * ux(b, 24)) >> 32),
    ("v_mul_i32_i24", |a, b, _| sx(a, 24) * sx(b, 24)),
    ("v_mul_hi_i32_i24", |a, b, _| (sx(a, 24) * sx(b, 24)) >> 32),
    ("v_mad_u32_u24", |a, b, c| ux(a, 24) * ux(b, 24) + c),
    ("v_mad_i32_i24", |a, b, c| sx(a, 24) * sx(b, 24) + c),
    ("v_mad_u32_u16", |a, b, c| w(a) * w(b) + c),
    ("v_mad_i32_i16", |a, b, c| h(a) * h(b) + c),
    ("v_min_i32", |a, b, _| s(a).min(s(b))),
    ("v_max_i32", |a, b, _| s(a).max(s(b))),
    ("v_min_u32", |a, b, _| a.min(b)),
    ("v_max_u32", |a, b, _| a.max(b)),
    ("v_min3_i32", |a, b, c| s(a).min(s(b)).min(s(c))),
    ("v_max3_i32", |a, b, c| s(a).max(s(b)).max(s(c))),
    ("v_med3_i32", |a, b, c| median(s(a), s(b), s(c))),
    ("v_min3_u32", |a, b, c| a.min(b).min(c)),
    ("v_max3_u32", |a, b, c| a.max(b).max(c)),
    ("v_med3_u32", median),
    ("v_sad_u8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| (x - y).abs()).sum::<I>()),
    ("v_sad_hi_u8", |a, b, c| c + (parts(a, 8).zip(parts(b, 8)).map(|(x, y)| (x - y).abs()).sum::<I>() << 16)),
    ("v_msad_u8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).filter(|p| p.1 != 0).map(|(x, y)| (x - y).abs()).sum::<I>()),
    ("v_sad_u16", |a, b, c| c + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| (x - y).abs()).sum::<I>()),
    ("v_sad_u32", |a, b, c| c + (a - b).abs()),
    ("v_lerp_u8", |a, b, c| (0..4).map(|i| {
        let byte = |x: I| ux(x >> (8 * i), 8);
        ((byte(a) + byte(b) + byte(c) % 2) / 2) << (8 * i)
    }).sum()),
    ("v_cvt_pk_u16_u32", |a, b, _| a.min(0xffff) + (b.min(0xffff) << 16)),
    ("v_cvt_pk_i16_i32", |a, b, _| w(clamp_s(s(a), 16)) + (clamp_s(s(b), 16) << 16)),
    ("v_sat_pk_u8_i16", |a, _, _| h(a).clamp(0, 255) + (h(a >> 16).clamp(0, 255) << 8)),
    ("v_pack_b32_f16", |a, b, _| w(a) + (b << 16)),
    ("v_dot2_u32_u16", |a, b, c| c + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| x * y).sum::<I>()),
    ("v_dot2_i32_i16", |a, b, c| c + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| h(x) * h(y)).sum::<I>()),
    ("v_dot2c_i32_i16", |a, b, c| c + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| h(x) * h(y)).sum::<I>()),
    ("v_dot4_u32_u8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| x * y).sum::<I>()),
    ("v_dot4_i32_i8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| sx(x, 8) * sx(y, 8)).sum::<I>()),
    ("v_dot4c_i32_i8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| sx(x, 8) * sx(y, 8)).sum::<I>()),
    ("v_dot8_u32_u4", |a, b, c| c + parts(a, 4).zip(parts(b, 4)).map(|(x, y)| x * y).sum::<I>()),
    ("v_dot8_i32_i4", |a, b, c| c + parts(a, 4).zip(parts(b, 4)).map(|(x, y)| sx(x, 4) * sx(y, 4)).sum::<I>()),
    ("v_dot8c_i32_i4", |a, b, c| c + parts(a, 4).zip(parts(b, 4)).map(|(x, y)| sx(x, 4) * sx(y, 4)).sum::<I>()),
    // 16 bits, zero-extended
    ("v_add_u16", |a, b, _| w(a + b)),
    ("v_sub_u16", |a, b, _| w(a - b)),
    ("v_subrev_u16", |a, b, _| w(b - a)),
    ("v_mul_lo_u16", |a, b, _| w(w(a) * w(b))),
    ("v_mad_legacy_u16", |a, b, c| w(a * b + c)),
    ("v_mad_legacy_i16", |a, b, c| w(h(a) * h(b) + h(c))),
    ("v_lshlrev_b16", |a, b, _| w(b << (a % 16))),
    ("v_lshrrev_b16", |a, b, _| w(b) >> (a % 16)),
    ("v_ashrrev_i16", |a, b, _| w(h(b) >> (a % 16))),
    ("v_min_i16", |a, b, _| w(h(a).min(h(b)))),
    ("v_max_i16", |a, b, _| w(h(a).max(h(b)))),
    ("v_min_u16", |a, b, _| w(a).min(w(b))),
    ("v_max_u16", |a, b, _| w(a).max(w(b))),
];

/// As [`DWORDS`], with the clamp modifier.
#[rustfmt::skip]
const CLAMPED: &[Model] = &[
    ("v_add_u32", |a, b, _| clamp_u(a + b, 32)),
    ("v_sub_u32", |a, b, _| clamp_u(a - b, 32)),
    ("v_subrev_u32", |a, b, _| clamp_u(b - a, 32)),
    ("v_add_i32", |a, b, _| clamp_s(s(a) + s(b), 32)),
    ("v_sub_i32", |a, b, _| clamp_s(s(a) - s(b), 32)),
    ("v_mad_u32_u24", |a, b, c| clamp_u(ux(a, 24) * ux(b, 24) + c, 32)),
    ("v_mad_i32_i24", |a, b, c| clamp_s(sx(a, 24) * sx(b, 24) + s(c), 32)),
    ("v_mad_u32_u16", |a, b, c| clamp_u(w(a) * w(b) + c, 32)),
    ("v_mad_i32_i16", |a, b, c| clamp_s(h(a) * h(b) + s(c), 32)),
    ("v_sad_u32", |a, b, c| clamp_u(c + (a - b).abs(), 32)),
    ("v_dot2_u32_u16", |a, b, c| clamp_u(c + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| x * y).sum::<I>(), 32)),
    ("v_dot2_i32_i16", |a, b, c| clamp_s(s(c) + parts(a, 16).zip(parts(b, 16)).map(|(x, y)| h(x) * h(y)).sum::<I>(), 32)),
    ("v_dot4_u32_u8", |a, b, c| clamp_u(c + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| x * y).sum::<I>(), 32)),
    ("v_dot4_i32_i8", |a, b, c| clamp_s(s(c) + parts(a, 8).zip(parts(b, 8)).map(|(x, y)| sx(x, 8) * sx(y, 8)).sum::<I>(), 32)),
    ("v_dot8_i32_i4", |a, b, c| clamp_s(s(c) + parts(a, 4).zip(parts(b, 4)).map(|(x, y)| sx(x, 4) * sx(y, 4)).sum::<I>(), 32)),
    ("v_add_u16", |a, b, _| clamp_u(w(a) + w(b), 16)),
    ("v_sub_u16", |a, b, _| clamp_u(w(a) - w(b), 16)),
    ("v_subrev_u16", |a, b, _| clamp_u(w(b) - w(a), 16)),
    ("v_mad_legacy_u16", |a, b, c| clamp_u(w(a) * w(b) + w(c), 16)),
    ("v_mad_legacy_i16", |a, b, c| w(clamp_s(h(a) * h(b) + h(c), 16))),
];

/// 16-bit instructions that keep the other half of the destination, with and without clamp.
#[rustfmt::skip]
const HALVES: &[(&str, bool, fn(I, I, I) -> I)] = &[
    ("v_add_i16", false, |a, b, _| a + b),
    ("v_add_i16", true, |a, b, _| clamp_s(h(a) + h(b), 16)),
    ("v_sub_i16", false, |a, b, _| a - b),
    ("v_sub_i16", true, |a, b, _| clamp_s(h(a) - h(b), 16)),
    ("v_mad_u16", false, |a, b, c| a * b + c),
    ("v_mad_u16", true, |a, b, c| clamp_u(w(a) * w(b) + w(c), 16)),
    ("v_mad_i16", false, |a, b, c| h(a) * h(b) + h(c)),
    ("v_mad_i16", true, |a, b, c| clamp_s(h(a) * h(b) + h(c), 16)),
    ("v_min3_i16", false, |a, b, c| h(a).min(h(b)).min(h(c))),
    ("v_max3_i16", false, |a, b, c| h(a).max(h(b)).max(h(c))),
    ("v_med3_i16", false, |a, b, c| median(h(a), h(b), h(c))),
    ("v_min3_u16", false, |a, b, c| w(a).min(w(b)).min(w(c))),
    ("v_max3_u16", false, |a, b, c| w(a).max(w(b)).max(w(c))),
    ("v_med3_u16", false, |a, b, c| median(w(a), w(b), w(c))),
];

fn lanes(rows: &[Row; 3], l: usize) -> [I; 3] {
    rows.map(|r| I::from(r[l]))
}

fn check(models: &[Model], clamp: bool) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for &(name, model) in models {
        for _ in 0..ROUNDS {
            let rows: [Row; 3] = std::array::from_fn(|_| random.row());
            let case = Case::new(name).src(0, rows[0]).src(1, rows[1]).src(2, rows[2]);
            // plain instructions have no op_sel; packed ones take the high halves for the high results
            let out = case.with(|v| v.clamp = clamp).row();
            for l in 0..LANES {
                let [a, b, c] = lanes(&rows, l);
                assert_eq!(out[l], model(a, b, c) as u32, "{name} {a:#x} {b:#x} {c:#x}");
            }
        }
    }
}

#[test]
fn dwords() {
    check(DWORDS, false);
}

#[test]
fn clamped() {
    check(CLAMPED, true);
}

#[test]
fn halves() {
    let mut random = Random(7);
    for &(name, clamp, model) in HALVES {
        for op_sel in 0..16u8 {
            let rows: [Row; 3] = std::array::from_fn(|_| random.row());
            let old = random.row();
            let case = Case::new(name).src(0, rows[0]).src(1, rows[1]).src(2, rows[2]);
            let case = case.on(|w| w.vgprs[usize::from(DST)] = old);
            let out = case.with(|v| (v.op_sel, v.clamp) = (op_sel, clamp)).row();
            for l in 0..LANES {
                let mut src = lanes(&rows, l);
                for (i, x) in src.iter_mut().enumerate() {
                    *x = w(*x >> (16 * (op_sel >> i & 1)));
                }
                let half = model(src[0], src[1], src[2]) as u32 & 0xffff;
                let expected = match op_sel & 8 {
                    0 => old[l] & 0xffff_0000 | half,
                    _ => old[l] & 0xffff | half << 16,
                };
                assert_eq!(out[l], expected, "{name} op_sel {op_sel:#x} {src:x?}");
            }
        }
    }
}

#[test]
fn bytes_by_selector() {
    let (high, low) = (0x8765_c321, 0x0fed_cba9);
    // bytes of the low and the high source, signs of the four halves, zeros and ones
    assert_eq!(one("v_perm_b32", &[high, low, 0x0302_0100]), low);
    assert_eq!(one("v_perm_b32", &[high, low, 0x0706_0504]), high);
    assert_eq!(one("v_perm_b32", &[high, low, 0x0004_0703]), 0xa921_870f);
    assert_eq!(one("v_perm_b32", &[high, low, 0x0b0a_0908]), 0xffff_00ff);
    assert_eq!(one("v_perm_b32", &[high, low, 0xff0d_0c0c]), 0xffff_0000);
}

#[test]
fn counts_below_each_lane() {
    let bits = 0xf0f0_ff0f;
    let lo = Case::new("v_mbcnt_lo_u32_b32")
        .src(0, [bits; LANES])
        .src(1, [100; LANES])
        .row();
    let hi = Case::new("v_mbcnt_hi_u32_b32")
        .src(0, [bits; LANES])
        .src(1, [100; LANES])
        .row();
    for l in 0..64u32 {
        let below = |first: u32| {
            (first..l)
                .filter(|i| i - first < 32 && bits >> (i - first) & 1 == 1)
                .count() as u32
        };
        assert_eq!(lo[l as usize], 100 + below(0), "lane {l}");
        assert_eq!(hi[l as usize], 100 + below(32), "lane {l}");
    }
}

#[test]
fn screen_partition() {
    assert_eq!(one("v_screen_partition_4se_b32", &[0]), 1);
    assert_eq!(one("v_screen_partition_4se_b32", &[0xffff_ff11]), 2);
    assert_eq!(one("v_screen_partition_4se_b32", &[255]), 1);
    // a bit per shader engine
    for i in 0..256 {
        assert!((1..16).contains(&one("v_screen_partition_4se_b32", &[i])));
    }
}

#[test]
fn quads() {
    let mut random = Random(11);
    for _ in 0..ROUNDS {
        let (a, b, c) = (random.row64(), random.row(), random.row64());
        for (name, masked, clamp) in [
            ("v_qsad_pk_u16_u8", false, false),
            ("v_qsad_pk_u16_u8", false, true),
            ("v_mqsad_pk_u16_u8", true, false),
            ("v_mqsad_pk_u16_u8", true, true),
        ] {
            let case = Case::new(name)
                .src64(0, a)
                .src(1, b)
                .src64(2, c)
                .with(|v| v.clamp = clamp);
            let out = case.row64();
            for l in 0..LANES {
                for i in 0..4 {
                    let sum = window(a[l], b[l], i, masked) + I::from(c[l] >> (16 * i) & 0xffff);
                    let expected = if clamp { clamp_u(sum, 16) } else { w(sum) };
                    assert_eq!(I::from(out[l] >> (16 * i) & 0xffff), expected, "{name}");
                }
            }
        }
        let sums: [Row; 4] = std::array::from_fn(|_| random.row());
        let mut case = Case::new("v_mqsad_u32_u8").src64(0, a).src(1, b);
        for (i, row) in sums.iter().enumerate() {
            case.wave.vgprs[24 + i] = *row;
        }
        let wave = case.run();
        for l in 0..LANES {
            for i in 0..4 {
                let expected = window(a[l], b[l], i, true) + I::from(sums[i][l]);
                assert_eq!(wave.vgprs[usize::from(DST) + i][l], expected as u32);
            }
        }
    }
}

fn window(a: u64, b: u32, i: usize, masked: bool) -> I {
    let byte = |x: u64, n: usize| I::from(x >> (8 * n) & 0xff);
    (0..4)
        .map(|n| (byte(a, n + i), byte(u64::from(b), n)))
        .filter(|&(_, y)| !masked || y != 0)
        .map(|(x, y)| (x - y).abs())
        .sum()
}

#[test]
fn qwords() {
    let mut random = Random(13);
    for _ in 0..ROUNDS {
        let (by, x) = (random.row(), random.row64());
        let run = |name| Case::new(name).src(0, by).src64(1, x).row64();
        let (left, right, signed) = (run("v_lshlrev_b64"), run("v_lshrrev_b64"), run("v_ashrrev_i64"));
        for l in 0..LANES {
            let n = by[l] % 64;
            assert_eq!(left[l], (I::from(x[l]) << n) as u64);
            assert_eq!(right[l], (I::from(x[l]) >> n) as u64);
            assert_eq!(signed[l], (I::from(x[l] as i64) >> n) as u64);
        }
        let (a, b, c) = (random.row(), random.row(), random.row64());
        for (name, is_signed) in [("v_mad_u64_u32", false), ("v_mad_i64_i32", true)] {
            for clamp in [false, true] {
                let case = Case::new(name)
                    .src(0, a)
                    .src(1, b)
                    .src64(2, c)
                    .with(|v| v.clamp = clamp);
                let wave = case.run();
                let mask = wave.sgpr64(MASK_OUT.0).unwrap();
                for l in 0..LANES {
                    let sum = if is_signed {
                        s(I::from(a[l])) * s(I::from(b[l])) + I::from(c[l] as i64)
                    } else {
                        I::from(a[l]) * I::from(b[l]) + I::from(c[l])
                    };
                    let expected = match (clamp, is_signed) {
                        (false, _) => sum,
                        (true, false) => clamp_u(sum, 64),
                        (true, true) => clamp_s(sum, 64),
                    };
                    let out = u64::from(wave.vgprs[usize::from(DST)][l])
                        | u64::from(wave.vgprs[usize::from(DST) + 1][l]) << 32;
                    assert_eq!(out, expected as u64, "{name}");
                    assert_eq!(mask >> l & 1, (sum >> 64 & 1) as u64, "{name} carry");
                }
            }
        }
    }
}

#[test]
fn carries() {
    let mut random = Random(17);
    let table: [(&'static str, bool, fn(I, I, I) -> I); 6] = [
        ("v_add_co_u32", false, |a, b, _| a + b),
        ("v_addc_co_u32", true, |a, b, c| a + b + c),
        ("v_sub_co_u32", false, |a, b, _| a - b),
        ("v_subb_co_u32", true, |a, b, c| a - b - c),
        ("v_subrev_co_u32", false, |a, b, _| b - a),
        ("v_subbrev_co_u32", true, |a, b, c| b - a - c),
    ];
    for (name, carry_in, model) in table {
        for clamp in [false, true] {
            for exec in [u64::MAX, 0x1234_5678_9abc_def0] {
                let (a, b, carry) = (random.row(), random.row(), random.next());
                let case = Case::new(name).src(0, a).src(1, b).with(|v| {
                    v.clamp = clamp;
                    v.src[2] = if carry_in { MASK_IN } else { Operand::NONE };
                });
                let case = case.on(|w| {
                    w.exec = exec;
                    w.set_sgpr64(MASK_IN.0, carry).unwrap();
                    w.set_sgpr64(MASK_OUT.0, u64::MAX).unwrap();
                });
                let wave = case.run();
                let mask = wave.sgpr64(MASK_OUT.0).unwrap();
                for l in 0..LANES {
                    let (x, y, c) = (I::from(a[l]), I::from(b[l]), I::from(carry >> l & 1));
                    let wide = model(x, y, c);
                    let active = exec >> l & 1 == 1;
                    let value = if clamp { clamp_u(wide, 32) } else { ux(wide, 32) };
                    let expected = if active { value as u32 } else { 0 };
                    assert_eq!(
                        wave.vgprs[usize::from(DST)][l],
                        expected,
                        "{name} {x:#x} {y:#x} {c}"
                    );
                    // inactive lanes give 0
                    let over = active && wide != ux(wide, 32);
                    assert_eq!(mask >> l & 1 == 1, over, "{name} {x:#x} {y:#x} {c}");
                }
            }
        }
    }
}

#[test]
fn packed() {
    let mut random = Random(19);
    #[rustfmt::skip]
    let table: [(&'static str, bool, fn(I, I, I) -> I); 21] = [
        ("v_pk_mad_i16", false, |a, b, c| h(a) * h(b) + h(c)),
        ("v_pk_mad_i16", true, |a, b, c| clamp_s(h(a) * h(b) + h(c), 16)),
        ("v_pk_mad_u16", false, |a, b, c| a * b + c),
        ("v_pk_mad_u16", true, |a, b, c| clamp_u(a * b + c, 16)),
        ("v_pk_mul_lo_u16", false, |a, b, _| a * b),
        ("v_pk_add_i16", false, |a, b, _| a + b),
        ("v_pk_add_i16", true, |a, b, _| clamp_s(h(a) + h(b), 16)),
        ("v_pk_sub_i16", false, |a, b, _| a - b),
        ("v_pk_sub_i16", true, |a, b, _| clamp_s(h(a) - h(b), 16)),
        ("v_pk_add_u16", false, |a, b, _| a + b),
        ("v_pk_add_u16", true, |a, b, _| clamp_u(a + b, 16)),
        ("v_pk_sub_u16", false, |a, b, _| a - b),
        ("v_pk_sub_u16", true, |a, b, _| clamp_u(a - b, 16)),
        ("v_pk_lshlrev_b16", false, |a, b, _| b << (a % 16)),
        ("v_pk_lshrrev_b16", false, |a, b, _| b >> (a % 16)),
        ("v_pk_ashrrev_i16", false, |a, b, _| h(b) >> (a % 16)),
        ("v_pk_min_i16", false, |a, b, _| h(a).min(h(b))),
        ("v_pk_max_i16", false, |a, b, _| h(a).max(h(b))),
        ("v_pk_min_u16", false, |a, b, _| a.min(b)),
        ("v_pk_max_u16", false, |a, b, _| a.max(b)),
        ("v_pk_max_u16", true, |a, b, _| a.max(b)),
    ];
    for (name, clamp, model) in table {
        for selects in 0..64u8 {
            let (low, high) = (selects & 7, selects >> 3);
            let rows: [Row; 3] = std::array::from_fn(|_| random.row());
            let case = Case::new(name).src(0, rows[0]).src(1, rows[1]).src(2, rows[2]);
            let out = case
                .with(|v| (v.op_sel, v.op_sel_hi, v.clamp) = (low, high, clamp))
                .row();
            for l in 0..LANES {
                let half = |select: u8| {
                    let src: [I; 3] =
                        std::array::from_fn(|i| I::from(rows[i][l] >> (16 * (select >> i & 1)) & 0xffff));
                    model(src[0], src[1], src[2]) as u32 & 0xffff
                };
                assert_eq!(out[l], half(low) | half(high) << 16, "{name} {low:b} {high:b}");
            }
        }
    }
}
