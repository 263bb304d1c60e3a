// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Half precision on the host: conversions without branches, so that row loops become vector code.

/// The value of half-precision bits (the low 16 of `h`), exactly. Of a NaN the payload moves to the top.
#[inline(always)]
pub fn to_f32(h: u32) -> f32 {
    let magnitude = (h & 0x7fff) << 13;
    // the exponent is biased by 15 instead of 127; denormals come out right because the product is exact
    let rebiased = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
    let special = if h & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(rebiased.to_bits() | special | ((h & 0x8000) << 16))
}

/// The nearest half-precision number, ties to even; any NaN for a NaN.
#[inline(always)]
pub fn from_f32(x: f32) -> u32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let odd = (magnitude >> 13) & 1;
    let normal = (magnitude.wrapping_add(0xfff + odd) >> 13).wrapping_sub((127 - 15) << 10);
    // 0.5 has its last place at 2^-24, where that of half-precision denormals is: the addition rounds
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let finite = if magnitude < 0x3880_0000 { denormal } else { normal };
    let nan_or_inf = if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let rounded = if magnitude < 0x4780_0000 {
        finite
    } else {
        nan_or_inf
    };
    rounded | ((bits >> 16) & 0x8000)
}

/// The value of bfloat16 bits (the low 16 of `b`).
#[inline(always)]
pub fn bf16_to_f32(b: u32) -> f32 {
    f32::from_bits(b << 16)
}
