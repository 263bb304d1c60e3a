// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's FPU against the exact functions.

use super::number::{number, Twin};
use crate::mode::Round;
use crate::valu::fp::{half, host, soft, Env, Float, F16, F32, F64};
use crate::wave::{Row, LANES};
use proptest::collection::vec;
use proptest::prelude::*;

/// Rows of numbers of format `F`.
fn row<F: Twin>() -> impl Strategy<Value = [u64; LANES]> {
    vec(number::<F>(), LANES).prop_map(|v| std::array::from_fn(|i| v[i]))
}

fn env() -> impl Strategy<Value = Env> {
    let rounds = prop_oneof![7 => Just(Round::NearestEven), 1 => super::number::round()];
    (rounds, any::<[bool; 4]>()).prop_map(|(round, [denorm_in, denorm_out, ieee, saturate])| Env {
        round,
        denorm_in,
        denorm_out,
        ieee,
        dx10_clamp: true,
        saturate,
    })
}

fn single(row: &[u64; LANES]) -> Row {
    row.map(|x| x as u32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn singles(e in env(), a in row::<F32>(), b in row::<F32>(), c in row::<F32>()) {
        let env = Env { saturate: false, ..e };
        let (ra, rb, rc) = (single(&a), single(&b), single(&c));
        let sum = host::rows(env, [&ra, &rb], |[a, b]| a + b, soft::add::<F32>);
        let product = host::rows(env, [&ra, &rb], |[a, b]| a * b, soft::mul::<F32>);
        let fused = host::rows(env, [&ra, &rb, &rc], |[a, b, c]| host::fma32(a, b, c), soft::fma::<F32>);
        for l in 0..LANES {
            prop_assert_eq!(u64::from(sum[l]), soft::add::<F32>(env, [a[l], b[l]]));
            prop_assert_eq!(u64::from(product[l]), soft::mul::<F32>(env, [a[l], b[l]]));
            let exact = soft::fma::<F32>(env, [a[l], b[l], c[l]]);
            prop_assert_eq!(u64::from(fused[l]), exact, "{:#x} {:#x} {:#x}", a[l], b[l], c[l]);
        }
    }

    #[test]
    fn doubles(e in env(), a in row::<F64>(), b in row::<F64>(), c in row::<F64>()) {
        let env = Env { saturate: false, ..e };
        let sum = host::rows(env, [&a, &b], |[a, b]| a + b, soft::add::<F64>);
        let fused = host::rows(env, [&a, &b, &c], |[a, b, c]| a.mul_add(b, c), soft::fma::<F64>);
        for l in 0..LANES {
            prop_assert_eq!(sum[l], soft::add::<F64>(env, [a[l], b[l]]));
            let exact = soft::fma::<F64>(env, [a[l], b[l], c[l]]);
            prop_assert_eq!(fused[l], exact, "{:#x} {:#x} {:#x}", a[l], b[l], c[l]);
        }
    }

    #[test]
    fn halves(env in env(), a in row::<F16>(), b in row::<F16>(), c in row::<F16>()) {
        let (ra, rb, rc) = (single(&a), single(&b), single(&c));
        let sum = host::rows16(env, [&ra, &rb], |[a, b]| a + b, soft::add::<F16>);
        let product = host::rows16(env, [&ra, &rb], |[a, b]| a * b, soft::mul::<F16>);
        let fused = host::rows16(env, [&ra, &rb, &rc], |[a, b, c]| host::fma16(a, b, c), soft::fma::<F16>);
        for l in 0..LANES {
            prop_assert_eq!(u64::from(sum[l]), soft::add::<F16>(env, [a[l], b[l]]));
            prop_assert_eq!(u64::from(product[l]), soft::mul::<F16>(env, [a[l], b[l]]));
            let exact = soft::fma::<F16>(env, [a[l], b[l], c[l]]);
            prop_assert_eq!(u64::from(fused[l]), exact, "{:#x} {:#x} {:#x}", a[l], b[l], c[l]);
        }
    }

    #[test]
    fn narrowing(x in number::<F32>()) {
        let ours = half::from_f32(f32::from_bits(x as u32));
        if F32::is_nan(x) {
            prop_assert!(F16::is_nan(u64::from(ours)));
        } else {
            prop_assert_eq!(u64::from(ours), soft::convert::<F32, F16>(Env::NEAREST, true, x));
        }
    }
}

/// All half-precision numbers go to single precision and back unchanged.
#[test]
fn every_half() {
    for h in 0..=0xffffu32 {
        let wide = half::to_f32(h);
        if F16::is_nan(u64::from(h)) {
            assert!(wide.is_nan());
        } else {
            let exact = soft::convert::<F16, F32>(Env::NEAREST, true, u64::from(h));
            assert_eq!(u64::from(wide.to_bits()), exact, "{h:#x}");
            assert_eq!(half::from_f32(wide), h);
        }
    }
}

/// All sums and products with a few half-precision numbers, which includes every kind of tie.
#[test]
fn every_half_operand() {
    for b in [0x0001u32, 0x0400, 0x1001, 0x3555, 0x3c01, 0x7bff, 0x83ff, 0xbfff] {
        for start in (0..0x10000).step_by(LANES) {
            let a: Row = std::array::from_fn(|l| (start + l) as u32);
            let b = [b; LANES];
            let sum = host::rows16(Env::NEAREST, [&a, &b], |[a, b]| a + b, soft::add::<F16>);
            let product = host::rows16(Env::NEAREST, [&a, &b], |[a, b]| a * b, soft::mul::<F16>);
            for l in 0..LANES {
                let src = [u64::from(a[l]), u64::from(b[l])];
                assert_eq!(u64::from(sum[l]), soft::add::<F16>(Env::NEAREST, src), "{src:x?}");
                assert_eq!(
                    u64::from(product[l]),
                    soft::mul::<F16>(Env::NEAREST, src),
                    "{src:x?}"
                );
            }
        }
    }
}
