// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pieces of 2/pi for the reduction of large arguments (source: CDNA2 ISA, V_TRIG_PREOP_F64).

/// The fraction of 2/pi, most significant bits first. The hardware knows 1201 bits of it, which a test checks against a
/// computation of pi.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];
/// How many of the bits count.
const BITS: u32 = 1201;

/// 53 bits of 2/pi as a number with their weight: segment `segment` (5 bits), moved further down by as much as the exponent of
/// `x` exceeds 1077; scaled up by 2^128 where `x` is so large that the weight would be denormal.
pub fn trig_preop(x: u64, segment: u32) -> u64 {
    let exponent = (x >> 52) as u32 & 0x7ff;
    let shift = (segment & 31) * 53 + exponent.saturating_sub(1077);
    let mut bits = 0;
    for i in 0..53 {
        bits = (bits << 1) | bit(shift + i);
    }
    let mut scale = -53 - shift as i32;
    if exponent >= 1968 {
        scale += 128;
    }
    super::soft::ldexp::<super::F64>(super::Env::NEAREST, (bits as f64).to_bits(), scale)
}

/// Bit `i` of the fraction, 0 beyond its end.
fn bit(i: u32) -> u64 {
    let word = TWO_OVER_PI.get((i / 64) as usize).copied().unwrap_or(0);
    if i < BITS {
        (word >> (63 - i % 64)) & 1
    } else {
        0
    }
}
