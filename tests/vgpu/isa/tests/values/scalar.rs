// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalar arithmetic: results, SCC and EXEC (CDNA2 ISA "SOP1", "SOP2", "SOPC" and "SOPK instructions").

use super::input::Random;
use super::vector::I;
use super::{assemble, execute};
use std::collections::BTreeSet;
use vgpu_isa::table::{Enc, Op, Ty, TABLES};
use vgpu_isa::Wave;

/// What an instruction sees. Sources are extended by their types.
struct In {
    a: I,
    b: I,
    /// The destination before, which some read.
    old: I,
    exec: I,
    scc: bool,
}

/// Destination, SCC if it changes, EXEC if it changes.
struct Out(I, Option<bool>, Option<I>);

type Model = fn(&In) -> Out;

/// SCC tells that the result, in its width, is not 0.
fn nz(x: I, bits: u32) -> Out {
    Out(x, Some(x & ((1 << bits) - 1) != 0), None)
}
fn nz32(x: I) -> Out {
    nz(x, 32)
}
fn nz64(x: I) -> Out {
    nz(x, 64)
}
fn kept(x: I) -> Out {
    Out(x, None, None)
}
fn test(scc: bool) -> Out {
    Out(0, Some(scc), None)
}
/// SCC is the carry or borrow of the exact unsigned result.
fn carry(x: I) -> Out {
    Out(x, Some(x >> 32 != 0), None)
}
/// SCC tells that the exact signed result does not fit.
fn overflow(x: I) -> Out {
    Out(x, Some(i32::try_from(x).is_err()), None)
}
/// SCC tells that the first source was taken.
fn pick(x: &In, first: bool) -> Out {
    Out(if first { x.a } else { x.b }, Some(first), None)
}

const M32: I = 0xffff_ffff;
const M64: I = 0xffff_ffff_ffff_ffff;

/// EXEC becomes `new`, the destination the old one.
fn save(x: &In, new: I) -> Out {
    Out(x.exec, Some(new & M64 != 0), Some(new & M64))
}

fn write(new: I) -> Out {
    Out(new, Some(new & M64 != 0), Some(new & M64))
}

fn bits(x: I, width: u32) -> impl DoubleEndedIterator<Item = I> {
    (0..width).map(move |i| x >> i & 1)
}

fn count(x: I, width: u32, of: I) -> I {
    bits(x, width).filter(|b| *b == of).count() as I
}

/// The first bit that is `wanted`, from below or from above; -1 if none is.
fn first(x: I, width: u32, wanted: I, above: bool) -> I {
    let found = if above {
        bits(x, width).rev().position(|b| b == wanted)
    } else {
        bits(x, width).position(|b| b == wanted)
    };
    found.map_or(-1, |n| n as I)
}

/// The first bit from above that differs from the sign; -1 if none does.
fn first_unlike(x: I, width: u32) -> I {
    let sign = x >> (width - 1) & 1;
    first(x, width, 1 - sign, true)
}

fn quads(x: I, width: u32) -> impl Iterator<Item = (u32, bool)> {
    (0..width / 4).map(move |q| (q, x >> (4 * q) & 15 != 0))
}

/// The field of `b`: offset in the low bits, width in 22:16. It is cut out of the extended source.
fn field(x: &In, offset_mask: I, signed: bool) -> I {
    let (offset, width) = (x.b & offset_mask, (x.b >> 16 & 0x7f).min(100) as u32);
    let part = (x.a >> offset) & ((1 << width) - 1);
    if signed && width > 0 {
        part << (128 - width) >> (128 - width)
    } else {
        part
    }
}

fn sx(x: I, bits: u32) -> I {
    x << (128 - bits) >> (128 - bits)
}

#[rustfmt::skip]
const MODELS: &[(&str, Model)] = &[
    ("s_mov_b32", |x| kept(x.a)),
    ("s_mov_b64", |x| kept(x.a)),
    ("s_cmov_b32", |x| kept(if x.scc { x.a } else { x.old })),
    ("s_cmov_b64", |x| kept(if x.scc { x.a } else { x.old })),
    ("s_not_b32", |x| nz32(-1 - x.a)),
    ("s_not_b64", |x| nz64(-1 - x.a)),
    ("s_wqm_b32", |x| nz32(quads(x.a, 32).map(|(q, any)| I::from(any) * 15 << (4 * q)).sum())),
    ("s_wqm_b64", |x| nz64(quads(x.a, 64).map(|(q, any)| I::from(any) * 15 << (4 * q)).sum())),
    ("s_quadmask_b32", |x| nz32(quads(x.a, 32).map(|(q, any)| I::from(any) << q).sum())),
    ("s_quadmask_b64", |x| nz64(quads(x.a, 64).map(|(q, any)| I::from(any) << q).sum())),
    ("s_brev_b32", |x| kept(bits(x.a, 32).fold(0, |out, b| out * 2 + b))),
    ("s_brev_b64", |x| kept(bits(x.a, 64).fold(0, |out, b| out * 2 + b))),
    ("s_bcnt0_i32_b32", |x| nz32(count(x.a, 32, 0))),
    ("s_bcnt0_i32_b64", |x| nz32(count(x.a, 64, 0))),
    ("s_bcnt1_i32_b32", |x| nz32(count(x.a, 32, 1))),
    ("s_bcnt1_i32_b64", |x| nz32(count(x.a, 64, 1))),
    ("s_ff0_i32_b32", |x| kept(first(x.a, 32, 0, false))),
    ("s_ff0_i32_b64", |x| kept(first(x.a, 64, 0, false))),
    ("s_ff1_i32_b32", |x| kept(first(x.a, 32, 1, false))),
    ("s_ff1_i32_b64", |x| kept(first(x.a, 64, 1, false))),
    ("s_flbit_i32_b32", |x| kept(first(x.a, 32, 1, true))),
    ("s_flbit_i32_b64", |x| kept(first(x.a, 64, 1, true))),
    ("s_flbit_i32", |x| kept(first_unlike(x.a, 32))),
    ("s_flbit_i32_i64", |x| kept(first_unlike(x.a, 64))),
    ("s_sext_i32_i8", |x| kept(sx(x.a, 8))),
    ("s_sext_i32_i16", |x| kept(sx(x.a, 16))),
    ("s_bitset0_b32", |x| kept(x.old & !(1 << (x.a % 32)))),
    ("s_bitset0_b64", |x| kept(x.old & !(1 << (x.a % 64)))),
    ("s_bitset1_b32", |x| kept(x.old | 1 << (x.a % 32))),
    ("s_bitset1_b64", |x| kept(x.old | 1 << (x.a % 64))),
    ("s_and_saveexec_b64", |x| save(x, x.a & x.exec)),
    ("s_or_saveexec_b64", |x| save(x, x.a | x.exec)),
    ("s_xor_saveexec_b64", |x| save(x, x.a ^ x.exec)),
    ("s_andn2_saveexec_b64", |x| save(x, x.a & !x.exec)),
    ("s_orn2_saveexec_b64", |x| save(x, x.a | !x.exec)),
    ("s_nand_saveexec_b64", |x| save(x, !(x.a & x.exec))),
    ("s_nor_saveexec_b64", |x| save(x, !(x.a | x.exec))),
    ("s_xnor_saveexec_b64", |x| save(x, !(x.a ^ x.exec))),
    ("s_andn1_saveexec_b64", |x| save(x, !x.a & x.exec)),
    ("s_orn1_saveexec_b64", |x| save(x, !x.a | x.exec)),
    ("s_andn1_wrexec_b64", |x| write(!x.a & x.exec)),
    ("s_andn2_wrexec_b64", |x| write(x.a & !x.exec)),
    ("s_abs_i32", |x| nz32(x.a.abs())),
    ("s_bitreplicate_b64_b32", |x| kept(bits(x.a, 32).enumerate().map(|(i, b)| b * 3 << (2 * i)).sum())),
    ("s_add_u32", |x| carry(x.a + x.b)),
    ("s_sub_u32", |x| carry(x.a - x.b)),
    ("s_add_i32", |x| overflow(x.a + x.b)),
    ("s_sub_i32", |x| overflow(x.a - x.b)),
    ("s_addc_u32", |x| carry(x.a + x.b + I::from(x.scc))),
    ("s_subb_u32", |x| carry(x.a - x.b - I::from(x.scc))),
    ("s_min_i32", |x| pick(x, x.a < x.b)),
    ("s_min_u32", |x| pick(x, x.a < x.b)),
    ("s_max_i32", |x| pick(x, x.a > x.b)),
    ("s_max_u32", |x| pick(x, x.a > x.b)),
    ("s_cselect_b32", |x| kept(if x.scc { x.a } else { x.b })),
    ("s_cselect_b64", |x| kept(if x.scc { x.a } else { x.b })),
    ("s_and_b32", |x| nz32(x.a & x.b)),
    ("s_and_b64", |x| nz64(x.a & x.b)),
    ("s_or_b32", |x| nz32(x.a | x.b)),
    ("s_or_b64", |x| nz64(x.a | x.b)),
    ("s_xor_b32", |x| nz32(x.a ^ x.b)),
    ("s_xor_b64", |x| nz64(x.a ^ x.b)),
    ("s_andn2_b32", |x| nz32(x.a & (M32 - x.b))),
    ("s_andn2_b64", |x| nz64(x.a & (M64 - x.b))),
    ("s_orn2_b32", |x| nz32(x.a | (M32 - x.b))),
    ("s_orn2_b64", |x| nz64(x.a | (M64 - x.b))),
    ("s_nand_b32", |x| nz32(M32 - (x.a & x.b))),
    ("s_nand_b64", |x| nz64(M64 - (x.a & x.b))),
    ("s_nor_b32", |x| nz32(M32 - (x.a | x.b))),
    ("s_nor_b64", |x| nz64(M64 - (x.a | x.b))),
    ("s_xnor_b32", |x| nz32(M32 - (x.a ^ x.b))),
    ("s_xnor_b64", |x| nz64(M64 - (x.a ^ x.b))),
    ("s_lshl_b32", |x| nz32(x.a << (x.b % 32))),
    ("s_lshl_b64", |x| nz64(x.a << (x.b % 64) & M64)),
    ("s_lshr_b32", |x| nz32(x.a >> (x.b % 32))),
    ("s_lshr_b64", |x| nz64(x.a >> (x.b % 64))),
    ("s_ashr_i32", |x| nz32(x.a >> (x.b % 32))),
    ("s_ashr_i64", |x| nz64(x.a >> (x.b % 64))),
    ("s_bfm_b32", |x| kept(((1 << (x.a % 32)) - 1) << (x.b % 32))),
    ("s_bfm_b64", |x| kept(((1 << (x.a % 64)) - 1) << (x.b % 64))),
    ("s_mul_i32", |x| kept(x.a * x.b)),
    ("s_mul_hi_u32", |x| kept(x.a * x.b >> 32)),
    ("s_mul_hi_i32", |x| kept(x.a * x.b >> 32)),
    ("s_bfe_u32", |x| nz32(field(x, 31, false))),
    ("s_bfe_i32", |x| nz32(field(x, 31, true))),
    ("s_bfe_u64", |x| nz64(field(x, 63, false))),
    ("s_bfe_i64", |x| nz64(field(x, 63, true))),
    ("s_absdiff_i32", |x| nz32(sx(x.a - x.b, 32).abs())),
    ("s_lshl1_add_u32", |x| carry((x.a << 1) + x.b)),
    ("s_lshl2_add_u32", |x| carry((x.a << 2) + x.b)),
    ("s_lshl3_add_u32", |x| carry((x.a << 3) + x.b)),
    ("s_lshl4_add_u32", |x| carry((x.a << 4) + x.b)),
    ("s_pack_ll_b32_b16", |x| kept((x.a & 0xffff) + ((x.b & 0xffff) << 16))),
    ("s_pack_lh_b32_b16", |x| kept((x.a & 0xffff) + (x.b >> 16 << 16))),
    ("s_pack_hh_b32_b16", |x| kept((x.a >> 16) + (x.b >> 16 << 16))),
    ("s_cmp_eq_i32", |x| test(x.a == x.b)),
    ("s_cmp_lg_i32", |x| test(x.a != x.b)),
    ("s_cmp_gt_i32", |x| test(x.a > x.b)),
    ("s_cmp_ge_i32", |x| test(x.a >= x.b)),
    ("s_cmp_lt_i32", |x| test(x.a < x.b)),
    ("s_cmp_le_i32", |x| test(x.a <= x.b)),
    ("s_cmp_eq_u32", |x| test(x.a == x.b)),
    ("s_cmp_lg_u32", |x| test(x.a != x.b)),
    ("s_cmp_gt_u32", |x| test(x.a > x.b)),
    ("s_cmp_ge_u32", |x| test(x.a >= x.b)),
    ("s_cmp_lt_u32", |x| test(x.a < x.b)),
    ("s_cmp_le_u32", |x| test(x.a <= x.b)),
    ("s_cmp_eq_u64", |x| test(x.a == x.b)),
    ("s_cmp_lg_u64", |x| test(x.a != x.b)),
    ("s_bitcmp0_b32", |x| test(x.a >> (x.b % 32) & 1 == 0)),
    ("s_bitcmp1_b32", |x| test(x.a >> (x.b % 32) & 1 == 1)),
    ("s_bitcmp0_b64", |x| test(x.a >> (x.b % 64) & 1 == 0)),
    ("s_bitcmp1_b64", |x| test(x.a >> (x.b % 64) & 1 == 1)),
    // the immediate is b; a is the register that is compared
    ("s_movk_i32", |x| kept(x.b)),
    ("s_cmovk_i32", |x| kept(if x.scc { x.b } else { x.old })),
    ("s_cmpk_eq_i32", |x| test(x.a == x.b)),
    ("s_cmpk_lg_i32", |x| test(x.a != x.b)),
    ("s_cmpk_gt_i32", |x| test(x.a > x.b)),
    ("s_cmpk_ge_i32", |x| test(x.a >= x.b)),
    ("s_cmpk_lt_i32", |x| test(x.a < x.b)),
    ("s_cmpk_le_i32", |x| test(x.a <= x.b)),
    ("s_cmpk_eq_u32", |x| test(x.a == x.b & 0xffff)),
    ("s_cmpk_lg_u32", |x| test(x.a != x.b & 0xffff)),
    ("s_cmpk_gt_u32", |x| test(x.a > x.b & 0xffff)),
    ("s_cmpk_ge_u32", |x| test(x.a >= x.b & 0xffff)),
    ("s_cmpk_lt_u32", |x| test(x.a < x.b & 0xffff)),
    ("s_cmpk_le_u32", |x| test(x.a <= x.b & 0xffff)),
    ("s_addk_i32", |x| overflow(sx(x.old, 32) + x.b)),
    ("s_mulk_i32", |x| kept(sx(x.old, 32) * x.b)),
];

fn rows() -> impl Iterator<Item = (&'static Op, Model)> {
    let all = TABLES.iter().flat_map(|(_, rows)| rows.iter());
    all.filter_map(|op| {
        MODELS
            .iter()
            .find(|(name, _)| *name == op.name)
            .map(|(_, model)| (op, *model))
    })
}

/// All instructions that [`each_instruction`] runs.
pub(crate) fn names() -> BTreeSet<&'static str> {
    rows().map(|(op, _)| op.name).collect()
}

const DST: usize = 4;
const SRC: [usize; 2] = [8, 12];

fn registers(first: usize, ty: Ty) -> String {
    match ty.dwords() {
        1 => format!("s{first}"),
        n => format!("s[{first}:{}]", first + n - 1),
    }
}

fn read(wave: &Wave, first: usize, dwords: usize) -> I {
    (0..dwords)
        .map(|d| I::from(wave.sgprs[first + d]) << (32 * d))
        .sum()
}

fn extended(x: I, ty: Ty) -> I {
    match ty {
        Ty::I32 => sx(x, 32),
        Ty::I64 => sx(x, 64),
        _ => x,
    }
}

#[test]
fn each_instruction() {
    const RUNS: usize = 120;
    let mut runs = Vec::new();
    for (op, model) in rows() {
        let mut random = Random::of(op.name);
        for _ in 0..RUNS {
            let mut wave = Wave::new(0, 0, 0);
            for first in [DST, SRC[0], SRC[1]] {
                let x = random.integer(64);
                // some equal, some with equal halves
                let low = random.integer(32);
                (wave.sgprs[first], wave.sgprs[first + 1]) = (low as u32, (x >> 32) as u32);
            }
            if random.below(4) == 0 {
                (wave.sgprs[SRC[1]], wave.sgprs[SRC[1] + 1]) = (wave.sgprs[SRC[0]], wave.sgprs[SRC[0] + 1]);
            }
            wave.scc = random.below(2) == 1;
            wave.exec = random.integer(64);
            let imm = random.integer(16);
            let mut operands = Vec::new();
            if op.dst != Ty::No {
                operands.push(registers(DST, op.dst));
            }
            operands.extend(op.src.iter().enumerate().map(|(i, ty)| registers(SRC[i], *ty)));
            if op.enc == Enc::Sopk {
                operands.push(format!("{imm:#x}"));
                // small registers meet immediates
                wave.sgprs[SRC[0]] = if random.below(2) == 0 {
                    i32::from(imm as i16) as u32
                } else {
                    wave.sgprs[SRC[0]]
                };
            }
            runs.push((
                op,
                model,
                wave,
                imm,
                format!("{} {}", op.name, operands.join(", ")),
            ));
        }
    }
    let texts: Vec<String> = runs.iter().map(|run| run.4.clone()).collect();
    let mut problems = Vec::new();
    for ((op, model, before, imm, text), program) in runs.iter().zip(assemble(&texts)) {
        let mut after = before.clone();
        execute(&mut after, &program);
        let source = |i: usize| extended(read(before, SRC[i], op.src_ty(i).dwords()), op.src_ty(i));
        let input = In {
            a: source(0),
            b: if op.enc == Enc::Sopk {
                I::from(*imm as i16)
            } else {
                source(1)
            },
            old: read(before, DST, op.dst.dwords()),
            exec: before.exec.into(),
            scc: before.scc,
        };
        let Out(value, scc, exec) = model(&input);
        let mut expected = before.clone();
        for d in 0..op.dst.dwords() {
            expected.sgprs[DST + d] = (value >> (32 * d)) as u32;
        }
        expected.scc = scc.unwrap_or(before.scc);
        expected.exec = exec.map_or(before.exec, |e| e as u64);
        let state = |w: &Wave| (w.sgprs, w.scc, w.exec, w.vcc, w.m0, w.mode);
        if state(&after) != state(&expected) {
            problems.push(format!(
                "{text} ({:x} {:x} {:x} {}): s[4:5] {:x} instead of {:x}, SCC {} instead of {}, EXEC {:x} instead of {:x}",
                input.a, input.b, input.old, input.scc,
                read(&after, DST, 2), read(&expected, DST, 2), after.scc, expected.scc, after.exec, expected.exec
            ));
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {}:\n{}",
        problems.len(),
        runs.len(),
        problems.join("\n")
    );
}
