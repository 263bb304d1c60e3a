// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer arithmetic and bits (CDNA2 ISA "VOP1", "VOP2" and "VOP3 instructions").

use super::vector::{In, Model, I};

fn sx(x: I, bits: u32) -> I {
    (x << (128 - bits)) >> (128 - bits)
}

fn ux(x: I, bits: u32) -> I {
    x & ((1 << bits) - 1)
}

fn parts(x: I, width: u32) -> impl Iterator<Item = I> {
    (0..32 / width).map(move |i| ux(x >> (i * width), width))
}

/// The sum of products of the unsigned or signed parts.
fn dot(a: I, b: I, width: u32, signed: bool) -> I {
    let part = |x: I| if signed { sx(x, width) } else { x };
    parts(a, width)
        .zip(parts(b, width))
        .map(|(x, y)| part(x) * part(y))
        .sum()
}

/// The sum of absolute differences.
fn sad(a: I, b: I, width: u32) -> I {
    parts(a, width)
        .zip(parts(b, width))
        .map(|(x, y)| (x - y).abs())
        .sum()
}

fn median(a: I, b: I, c: I) -> I {
    let mut all = [a, b, c];
    all.sort_unstable();
    all[1]
}

/// The four sums of quads of `a`, a byte further each, against `b`.
fn windows(a: u128, b: u128, masked: bool) -> [u128; 4] {
    let byte = |x: u128, n: usize| x >> (8 * n) & 0xff;
    std::array::from_fn(|i| {
        (0..4)
            .map(|n| (byte(a, n + i), byte(b, n)))
            .filter(|(_, y)| !masked || *y != 0)
            .map(|(x, y)| x.abs_diff(y))
            .sum()
    })
}

fn quads(x: &In, masked: bool) -> u128 {
    let sums = windows(x.src[0], x.src[1], masked);
    (0..4)
        .map(|i| {
            let sum = sums[i] + (x.src[2] >> (16 * i) & 0xffff);
            (if x.clamp { sum.min(0xffff) } else { sum & 0xffff }) << (16 * i)
        })
        .sum()
}

fn first(x: I, bits: I, from_top: bool, wanted: impl Fn(I) -> bool) -> I {
    (0..bits)
        .find(|i| wanted(x >> if from_top { bits - 1 - i } else { *i } & 1))
        .unwrap_or(-1)
}

/// A selector byte of `v_perm_b32`: 0 to 7 bytes of b and a, 8 to 11 their signs, 12 zeros, above ones.
fn permuted(a: I, b: I, selector: I) -> I {
    let all = a << 32 | b;
    match selector {
        0..=7 => all >> (8 * selector) & 0xff,
        8..=11 => (all >> (16 * (selector - 8) + 15) & 1) * 0xff,
        12 => 0,
        _ => 0xff,
    }
}

/// Exact results of operands of the row's types.
type Integers = (&'static str, fn(I, I, I) -> I);

#[rustfmt::skip]
const INTEGERS: &[Integers] = &[
    ("v_mov_b32", |a, _, _| a),
    ("v_not_b32", |a, _, _| -1 - a),
    ("v_and_b32", |a, b, _| (0..32).map(|i| (a >> i & 1) * (b >> i & 1) << i).sum()),
    ("v_or_b32", |a, b, _| (0..32).map(|i| (a >> i & 1).max(b >> i & 1) << i).sum()),
    ("v_xor_b32", |a, b, _| (0..32).map(|i| ((a >> i & 1) + (b >> i & 1)) % 2 << i).sum()),
    ("v_xnor_b32", |a, b, _| (0..32).map(|i| I::from(a >> i & 1 == b >> i & 1) << i).sum()),
    ("v_or3_b32", |a, b, c| (0..32).map(|i| (a >> i & 1).max(b >> i & 1).max(c >> i & 1) << i).sum()),
    ("v_and_or_b32", |a, b, c| (0..32).map(|i| ((a >> i & 1) * (b >> i & 1)).max(c >> i & 1) << i).sum()),
    ("v_xad_u32", |a, b, c| (0..32).map(|i| ((a >> i & 1) + (b >> i & 1)) % 2 << i).sum::<I>() + c),
    ("v_lshl_or_b32", |a, b, c| a * (1 << (b % 32)) | c),
    ("v_lshl_add_u32", |a, b, c| a * (1 << (b % 32)) + c),
    ("v_add_lshl_u32", |a, b, c| (a + b) * (1 << (c % 32))),
    ("v_lshlrev_b32", |a, b, _| b * (1 << (a % 32))),
    ("v_lshrrev_b32", |a, b, _| b / (1 << (a % 32))),
    ("v_ashrrev_i32", |a, b, _| b.div_euclid(1 << (a % 32))),
    ("v_lshlrev_b64", |a, b, _| b * (1 << (a % 64))),
    ("v_lshrrev_b64", |a, b, _| b / (1 << (a % 64))),
    ("v_ashrrev_i64", |a, b, _| b.div_euclid(1 << (a % 64))),
    ("v_lshlrev_b16", |a, b, _| b * (1 << (a % 16))),
    ("v_lshrrev_b16", |a, b, _| b / (1 << (a % 16))),
    ("v_ashrrev_i16", |a, b, _| b.div_euclid(1 << (a % 16))),
    ("v_bfe_u32", |a, b, c| ux(a >> (b % 32), (c % 32) as u32)),
    ("v_bfe_i32", |a, b, c| if c % 32 == 0 { 0 } else { sx(a >> (b % 32), (c % 32) as u32) }),
    ("v_bfi_b32", |a, b, c| (0..32).map(|i| (if a >> i & 1 == 1 { b } else { c } >> i & 1) << i).sum()),
    ("v_bfm_b32", |a, b, _| (0..a % 32).map(|i| 1 << (i + b % 32)).sum()),
    ("v_alignbit_b32", |a, b, c| (a << 32 | b) >> (c % 32)),
    ("v_alignbyte_b32", |a, b, c| (a << 32 | b) >> (8 * (c % 4))),
    ("v_bfrev_b32", |a, _, _| (0..32).map(|i| (a >> i & 1) << (31 - i)).sum()),
    ("v_ffbh_u32", |a, _, _| first(a, 32, true, |bit| bit == 1)),
    ("v_ffbl_b32", |a, _, _| first(a, 32, false, |bit| bit == 1)),
    ("v_ffbh_i32", |a, _, _| { let sign = a >> 31 & 1; first(a, 32, true, |bit| bit != sign) }),
    ("v_bcnt_u32_b32", |a, b, _| (0..32).map(|i| a >> i & 1).sum::<I>() + b),
    ("v_add_u32", |a, b, _| a + b),
    ("v_sub_u32", |a, b, _| a - b),
    ("v_subrev_u32", |a, b, _| b - a),
    ("v_add_i32", |a, b, _| a + b),
    ("v_sub_i32", |a, b, _| a - b),
    ("v_add3_u32", |a, b, c| a + b + c),
    ("v_mul_lo_u32", |a, b, _| a * b),
    ("v_mul_hi_u32", |a, b, _| (a * b) >> 32),
    ("v_mul_hi_i32", |a, b, _| (a * b) >> 32),
    ("v_mul_hi_u32_u24", |a, b, _| (ux(a, 24) * ux(b, 24)) >> 32),
    ("v_mul_hi_i32_i24", |a, b, _| (sx(a, 24) * sx(b, 24)) >> 32),
    ("v_mad_u32_u24", |a, b, c| ux(a, 24) * ux(b, 24) + c),
    ("v_mad_i32_i24", |a, b, c| sx(a, 24) * sx(b, 24) + c),
    ("v_mul_u32_u24", |a, b, _| ux(a, 24) * ux(b, 24)),
    ("v_mul_i32_i24", |a, b, _| sx(a, 24) * sx(b, 24)),
    ("v_mad_u32_u16", |a, b, c| a * b + c),
    ("v_mad_i32_i16", |a, b, c| a * b + c),
    ("v_min_i32", |a, b, _| a.min(b)),
    ("v_max_i32", |a, b, _| a.max(b)),
    ("v_min_u32", |a, b, _| a.min(b)),
    ("v_max_u32", |a, b, _| a.max(b)),
    ("v_min3_i32", |a, b, c| a.min(b).min(c)),
    ("v_max3_i32", |a, b, c| a.max(b).max(c)),
    ("v_med3_i32", median),
    ("v_min3_u32", |a, b, c| a.min(b).min(c)),
    ("v_max3_u32", |a, b, c| a.max(b).max(c)),
    ("v_med3_u32", median),
    ("v_sad_u8", |a, b, c| c + sad(a, b, 8)),
    ("v_sad_hi_u8", |a, b, c| c + (sad(a, b, 8) << 16)),
    ("v_msad_u8", |a, b, c| c + parts(a, 8).zip(parts(b, 8)).filter(|p| p.1 != 0).map(|(x, y)| (x - y).abs()).sum::<I>()),
    ("v_sad_u16", |a, b, c| c + sad(a, b, 16)),
    ("v_sad_u32", |a, b, c| c + (a - b).abs()),
    ("v_lerp_u8", |a, b, c| (0..4).map(|i| {
        let byte = |x: I| ux(x >> (8 * i), 8);
        ((byte(a) + byte(b) + byte(c) % 2) / 2) << (8 * i)
    }).sum()),
    ("v_cvt_pk_u16_u32", |a, b, _| a.min(0xffff) | b.min(0xffff) << 16),
    ("v_cvt_pk_i16_i32", |a, b, _| ux(a.clamp(-0x8000, 0x7fff), 16) | ux(b.clamp(-0x8000, 0x7fff), 16) << 16),
    ("v_sat_pk_u8_i16", |a, _, _| sx(a, 16).clamp(0, 255) | sx(a >> 16, 16).clamp(0, 255) << 8),
    ("v_perm_b32", |a, b, c| (0..4).map(|i| permuted(a, b, c >> (8 * i) & 0xff) << (8 * i)).sum()),
    ("v_add_u16", |a, b, _| a + b),
    ("v_sub_u16", |a, b, _| a - b),
    ("v_subrev_u16", |a, b, _| b - a),
    ("v_mul_lo_u16", |a, b, _| a * b),
    ("v_mad_legacy_u16", |a, b, c| a * b + c),
    ("v_mad_legacy_i16", |a, b, c| a * b + c),
    ("v_mad_u16", |a, b, c| a * b + c),
    ("v_mad_i16", |a, b, c| a * b + c),
    ("v_add_i16", |a, b, _| a + b),
    ("v_sub_i16", |a, b, _| a - b),
    ("v_min_i16", |a, b, _| a.min(b)),
    ("v_max_i16", |a, b, _| a.max(b)),
    ("v_min_u16", |a, b, _| a.min(b)),
    ("v_max_u16", |a, b, _| a.max(b)),
    ("v_min3_i16", |a, b, c| a.min(b).min(c)),
    ("v_max3_i16", |a, b, c| a.max(b).max(c)),
    ("v_med3_i16", median),
    ("v_min3_u16", |a, b, c| a.min(b).min(c)),
    ("v_max3_u16", |a, b, c| a.max(b).max(c)),
    ("v_med3_u16", median),
    ("v_dot2_u32_u16", |a, b, c| c + dot(a, b, 16, false)),
    ("v_dot2_i32_i16", |a, b, c| c + dot(a, b, 16, true)),
    ("v_dot2c_i32_i16", |a, b, c| c + dot(a, b, 16, true)),
    ("v_dot4_u32_u8", |a, b, c| c + dot(a, b, 8, false)),
    ("v_dot4_i32_i8", |a, b, c| c + dot(a, b, 8, true)),
    ("v_dot4c_i32_i8", |a, b, c| c + dot(a, b, 8, true)),
    ("v_dot8_u32_u4", |a, b, c| c + dot(a, b, 4, false)),
    ("v_dot8_i32_i4", |a, b, c| c + dot(a, b, 4, true)),
    ("v_dot8c_i32_i4", |a, b, c| c + dot(a, b, 4, true)),
];

#[rustfmt::skip]
const CARRIES: &[Integers] = &[
    ("v_add_co_u32", |a, b, _| a + b),
    ("v_addc_co_u32", |a, b, c| a + b + c),
    ("v_sub_co_u32", |a, b, _| a - b),
    ("v_subb_co_u32", |a, b, c| a - b - c),
    ("v_subrev_co_u32", |a, b, _| b - a),
    ("v_subbrev_co_u32", |a, b, c| b - a - c),
    ("v_mad_u64_u32", |a, b, c| a * b + c),
    ("v_mad_i64_i32", |a, b, c| a * b + c),
];

/// Results of everything that a lane has.
type Bits = (&'static str, fn(&In) -> u128);

#[rustfmt::skip]
const BITS: &[Bits] = &[
    ("v_cndmask_b32", |x| if x.carry { x.src[1] } else { x.src[0] }),
    ("v_mbcnt_lo_u32_b32", |x| {
        let below = (0..x.lane.min(32)).filter(|l| x.src[0] >> l & 1 == 1).count() as u128;
        (below + x.src[1]) & 0xffff_ffff
    }),
    ("v_mbcnt_hi_u32_b32", |x| {
        let below = (32..x.lane.max(32)).filter(|l| x.src[0] >> (l - 32) & 1 == 1).count() as u128;
        (below + x.src[1]) & 0xffff_ffff
    }),
    ("v_qsad_pk_u16_u8", |x| quads(x, false)),
    ("v_mqsad_pk_u16_u8", |x| quads(x, true)),
    ("v_mqsad_u32_u8", |x| {
        let sums = windows(x.src[0], x.src[1], true);
        (0..4).map(|i| {
            let sum = sums[i] + (x.src[2] >> (32 * i) & 0xffff_ffff);
            (if x.clamp { sum.min(0xffff_ffff) } else { sum & 0xffff_ffff }) << (32 * i)
        }).sum()
    }),
    ("v_pack_b32_f16", |x| (x.src[0] & 0xffff) | (x.src[1] & 0xffff) << 16),
];

/// Entries of the table that `v_screen_partition_4se_b32` looks up (CDNA2 ISA); the others name at least one of four engines.
const PARTITIONS: [(u128, u128); 6] = [(0, 1), (1, 3), (2, 7), (0x11, 2), (0x22, 4), (0xff, 1)];

pub(crate) fn model(name: &str) -> Option<Model> {
    let find = |list: &[Integers]| list.iter().find(|(n, _)| *n == name).map(|(_, f)| *f);
    if let Some(f) = find(INTEGERS) {
        return Some(Model::Int(f));
    }
    if let Some(f) = find(CARRIES) {
        return Some(Model::Carry(f));
    }
    if name == "v_screen_partition_4se_b32" {
        return Some(Model::Judge(|x, got| {
            match PARTITIONS.iter().find(|(index, _)| *index == x.src[0] & 0xff) {
                Some((_, engines)) => got == *engines,
                None => (1..16).contains(&got),
            }
        }));
    }
    BITS.iter()
        .find(|(n, _)| *n == name)
        .map(|(_, f)| Model::Bits(*f))
}
