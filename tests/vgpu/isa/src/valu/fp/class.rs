// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Classification of numbers.

use super::Float;

/// The class of `x` as the one bit that `v_cmp_class` tests (source: LLVM AMDGPU `llvm.amdgcn.class`): 0 signalling NaN,
/// 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +infinity. Denormals count as
/// such in every MODE.
pub fn class<F: Float>(x: u64) -> u32 {
    if F::is_nan(x) {
        return if F::is_snan(x) { 1 << 0 } else { 1 << 1 };
    }
    let from_zero = if F::is_zero(x) {
        0
    } else if F::is_denormal(x) {
        1
    } else if F::is_inf(x) {
        3
    } else {
        2
    };
    if F::is_negative(x) {
        1 << (5 - from_zero)
    } else {
        1 << (6 + from_zero)
    }
}
