// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares what a run left behind with the model.

use super::form::{packed_floats, packed_selects, read, Form, Run, DST};
use super::{In, Model, Width, I};
use crate::packed;
use vgpu_isa::table::{flags, Ty};
use vgpu_isa::{Wave, LANES};

/// `x` as a number of type `ty`.
fn extended(x: u128, ty: Ty) -> I {
    let bits = match ty {
        Ty::I16 => 16,
        Ty::I32 => 32,
        Ty::I64 => 64,
        _ => return x as I,
    };
    (x << (128 - bits)) as I >> (128 - bits)
}

/// Limits of integers of type `ty`.
fn limits(ty: Ty) -> (I, I) {
    match ty {
        Ty::I16 => (-0x8000, 0x7fff),
        Ty::I32 => (i32::MIN.into(), i32::MAX.into()),
        Ty::I64 => (i64::MIN.into(), i64::MAX.into()),
        Ty::B16 | Ty::U16 => (0, 0xffff),
        ty => (0, (1 << (32 * ty.dwords())) - 1),
    }
}

fn pair(wave: &Wave, first: usize) -> u64 {
    u64::from(wave.sgprs[first]) | u64::from(wave.sgprs[first + 1]) << 32
}

/// What `lane` computes with.
fn input(run: &Run, wave: &Wave, lane: usize) -> In {
    let op = run.op;
    let mut src: [u128; 3] = std::array::from_fn(|i| match op.src_ty(i) {
        Ty::Mask => 0,
        _ => run.source(wave, i, lane),
    });
    if op.has(flags::MIX) {
        src = packed::mixed(src, [run.op_sel, run.op_sel_hi, run.abs, run.neg], run.mode);
    } else if packed_selects(op) {
        let modifiers = [run.op_sel, run.op_sel_hi, run.neg, run.abs];
        for (i, x) in src.iter_mut().enumerate().take(op.src.len()) {
            let half = op.src_ty(i).dwords() as u32 * 16;
            *x = packed::select(*x, half, i, modifiers, op.name);
        }
    } else if packed_floats(op) {
        // a dot product: halves with signs, and the sum so far
        for (i, x) in src.iter_mut().enumerate().take(2) {
            *x = packed::select(*x, 16, i, [0, 7, run.neg, run.abs], op.name);
        }
        src[2] ^= u128::from(run.neg >> 2 & 1) << 31;
    }
    let ty = |i: usize| match i {
        2 if op.has(flags::TIED) => op.dst,
        _ => op.src_ty(i),
    };
    let carry = match run.form {
        Form::Long => pair(wave, 40),
        _ => wave.vcc,
    };
    In {
        src,
        int: std::array::from_fn(|i| extended(src[i], ty(i))),
        old: read(wave, DST, op.dst.dwords(), lane),
        carry: carry >> lane & 1 == 1,
        vcc: wave.vcc >> lane & 1 == 1,
        lane,
        mode: run.mode,
        omod: run.omod,
        clamp: run.clamp,
    }
}

/// The result in the destination, of which short ones take half: instructions of VOP3 keep the other half, the others clear it.
fn result(run: &Run, got: u128, old: u128) -> u128 {
    let op = run.op;
    if op.dst.literal_mask() != 0xffff {
        return got;
    }
    let high = run.op_sel & 8 != 0 || op.name == "v_fma_mixhi_f16";
    let keeps = op.has(flags::OPSEL) || op.has(flags::MIX);
    let (value, other) = if high {
        (got >> 16, got & 0xffff)
    } else {
        (got & 0xffff, got >> 16)
    };
    let expected = match (keeps, high) {
        (false, _) => 0,
        (true, true) => old & 0xffff,
        (true, false) => old >> 16,
    };
    assert_eq!(other, expected, "{}: the other half of {got:#x}", run.text());
    value
}

/// An exact integer as the destination holds it.
fn wrapped(run: &Run, exact: I) -> u128 {
    let (low, high) = limits(run.op.dst);
    let value = if run.clamp { exact.clamp(low, high) } else { exact };
    value as u128 & (u128::MAX >> (128 - bits(run.op.dst)))
}

/// Bits of a result of type `ty`.
fn bits(ty: Ty) -> u32 {
    match ty.literal_mask() {
        0xffff => 16,
        _ => 32 * ty.dwords() as u32,
    }
}

/// Whether `value` is right, and the lane's bit of the mask result.
fn judge(run: &Run, model: Model, x: &In, value: u128) -> (bool, bool) {
    let quiet = run.mode & 0x200 != 0;
    let float = |width: Width, expected| width.agrees(expected, value, quiet);
    match model {
        Model::Int(f) => (value == wrapped(run, f(x.int[0], x.int[1], x.int[2])), false),
        Model::Carry(f) => {
            let c = if run.op.src_ty(2) == Ty::Mask {
                x.carry.into()
            } else {
                x.int[2]
            };
            let exact = f(x.int[0], x.int[1], c);
            (value == wrapped(run, exact), exact >> bits(run.op.dst) & 1 == 1)
        }
        Model::Bits(f) => (value == f(x), false),
        Model::Float(width, f) => (float(width, f(x)), false),
        Model::Floats(width, f) => {
            let expected = f(x);
            let part = |x: u128, shift: u32| x >> shift & ((1 << width.bits()) - 1);
            let half = |shift| width.agrees(part(expected, shift), part(value, shift), quiet);
            (half(0) && half(width.bits()), false)
        }
        Model::Mask(f) => (true, f(run.op.name, x)),
        Model::Judge(f) => (f(x, value), false),
        Model::Flagged(width, f) => {
            let (expected, flag) = f(x);
            (float(width, expected), flag)
        }
    }
}

/// Panics unless `after` is what `run` must make of `before`: results, masks, lanes that are off, everything else.
pub(super) fn check(run: &Run, model: Model, before: &Wave, after: &Wave) {
    let op = run.op;
    let mut expected = before.clone();
    let mut mask = 0;
    for lane in (0..LANES).filter(|lane| run.exec >> lane & 1 == 1) {
        let got = read(after, DST, op.dst.dwords(), lane);
        let x = input(run, before, lane);
        let value = if op.dst == Ty::Mask {
            0
        } else {
            result(run, got, x.old)
        };
        let (right, flag) = judge(run, model, &x, value);
        assert!(
            right,
            "{} (MODE {:#x}): {x:x?}: got {got:#x}",
            run.text(),
            run.mode
        );
        mask |= u64::from(flag) << lane;
        if op.dst != Ty::Mask {
            for d in DST..DST + op.dst.dwords() {
                expected.vgprs[d][lane] = after.vgprs[d][lane];
            }
        }
    }
    if op.dst == Ty::Mask || op.sdst == Ty::Mask {
        match run.form {
            Form::Long => (expected.sgprs[42], expected.sgprs[43]) = (mask as u32, (mask >> 32) as u32),
            _ => expected.vcc = mask,
        }
    }
    if op.name.contains("_cmpx_") {
        expected.exec = mask;
    }
    let scalars = |w: &Wave| (w.exec, w.vcc, w.scc, w.m0, w.mode, w.sgprs);
    assert_eq!(
        scalars(after),
        scalars(&expected),
        "{} (MODE {:#x})",
        run.text(),
        run.mode
    );
    assert!(
        after.vgprs == expected.vgprs,
        "{} changes other registers or lanes",
        run.text()
    );
}
