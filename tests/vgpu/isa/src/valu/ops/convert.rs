// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions.

use crate::inst::Vop;
use crate::mode::Round;
use crate::stop::Why;
use crate::valu::fp::convert::{f32_to_i32_floor, from_integer, to_integer, to_normalised};
use crate::valu::fp::{half, soft, Env, Float, F16, F32, F64};
use crate::valu::lanes::shape::u32s;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    // integers to single precision
    ("v_cvt_f32_i32", |w, v| {
        int_to_f32(w, v, |e, x| from_i32(e, x as i32))
    }),
    ("v_cvt_f32_u32", |w, v| int_to_f32(w, v, from_u32)),
    ("v_cvt_f32_ubyte0", |w, v| int_to_f32(w, v, |_, x| byte(x, 0))),
    ("v_cvt_f32_ubyte1", |w, v| int_to_f32(w, v, |_, x| byte(x, 1))),
    ("v_cvt_f32_ubyte2", |w, v| int_to_f32(w, v, |_, x| byte(x, 2))),
    ("v_cvt_f32_ubyte3", |w, v| int_to_f32(w, v, |_, x| byte(x, 3))),
    // a signed nibble in sixteenths
    ("v_cvt_off_f32_i4", |w, v| {
        int_to_f32(w, v, |_, x| (((x << 28) as i32 >> 28) as f32 / 16.0).to_bits())
    }),
    // single precision to integers
    ("v_cvt_i32_f32", |w, v| {
        f32_to_int(w, v, |_, x| f32::from_bits(x) as i32 as u32)
    }),
    ("v_cvt_u32_f32", |w, v| {
        f32_to_int(w, v, |_, x| f32::from_bits(x) as u32)
    }),
    ("v_cvt_rpi_i32_f32", |w, v| {
        f32_to_int(w, v, |e, x| f32_to_i32_floor(e, true, x) as u32)
    }),
    ("v_cvt_flr_i32_f32", |w, v| {
        f32_to_int(w, v, |e, x| f32_to_i32_floor(e, false, x) as u32)
    }),
    // double precision
    ("v_cvt_f64_i32", |w, v| {
        b32_to_f64(w, v, |x| f64::from(x as i32).to_bits())
    }),
    ("v_cvt_f64_u32", |w, v| {
        b32_to_f64(w, v, |x| f64::from(x).to_bits())
    }),
    ("v_cvt_f64_f32", f32_to_f64),
    ("v_cvt_f32_f64", f64_to_f32),
    ("v_cvt_i32_f64", |w, v| f64_to_int(w, v, |x| x as i32 as u32)),
    ("v_cvt_u32_f64", |w, v| f64_to_int(w, v, |x| x as u32)),
    // half precision
    ("v_cvt_f16_f32", f32_to_f16),
    ("v_cvt_f32_f16", f16_to_f32),
    ("v_cvt_f16_u16", |w, v| int_to_f16(w, v, i64::from)),
    ("v_cvt_f16_i16", |w, v| int_to_f16(w, v, |x| i64::from(x as i16))),
    ("v_cvt_u16_f16", |w, v| {
        f16_to_int(w, v, |e, x| {
            to_integer::<F16>(e, Round::Zero, x, 0, 0xffff).unwrap_or(0) as u16
        })
    }),
    ("v_cvt_i16_f16", |w, v| {
        f16_to_int(w, v, |e, x| {
            to_integer::<F16>(e, Round::Zero, x, -0x8000, 0x7fff).unwrap_or(0) as u16
        })
    }),
    ("v_cvt_norm_i16_f16", |w, v| {
        f16_to_int(w, v, |e, x| snorm::<F16>(e, e.round, x))
    }),
    ("v_cvt_norm_u16_f16", |w, v| {
        f16_to_int(w, v, |e, x| unorm::<F16>(e, e.round, x))
    }),
    // packed results
    ("v_cvt_pkrtz_f16_f32", pkrtz),
    ("v_cvt_pknorm_i16_f32", |w, v| {
        pack_f32(w, v, |e, x| snorm::<F32>(e, Round::NearestEven, x))
    }),
    ("v_cvt_pknorm_u16_f32", |w, v| {
        pack_f32(w, v, |e, x| unorm::<F32>(e, Round::NearestEven, x))
    }),
    ("v_cvt_pknorm_i16_f16", |w, v| {
        pack_f16(w, v, |e, x| snorm::<F16>(e, Round::NearestEven, x))
    }),
    ("v_cvt_pknorm_u16_f16", |w, v| {
        pack_f16(w, v, |e, x| unorm::<F16>(e, Round::NearestEven, x))
    }),
    ("v_cvt_pk_u16_u32", |w, v| {
        pack_b32(w, v, |x| x.min(0xffff) as u16)
    }),
    ("v_cvt_pk_i16_i32", |w, v| {
        pack_b32(w, v, |x| (x as i32).clamp(-0x8000, 0x7fff) as u16)
    }),
    ("v_cvt_pk_u8_f32", |w, v| pk_u8(w, v, false)),
    ("v_cvt_pkaccum_u8_f32", |w, v| pk_u8(w, v, true)),
    ("v_sat_pk_u8_i16", |w, v| {
        u32s(w, v, |[x]| saturated_byte(x) | (saturated_byte(x >> 16) << 8))
    }),
];

fn from_i32(env: Env, x: i32) -> u32 {
    match env.round {
        Round::NearestEven => (x as f32).to_bits(),
        _ => from_integer::<F32>(env, i64::from(x)) as u32,
    }
}

fn from_u32(env: Env, x: u32) -> u32 {
    match env.round {
        Round::NearestEven => (x as f32).to_bits(),
        _ => from_integer::<F32>(env, i64::from(x)) as u32,
    }
}

/// The nearest byte to the signed low half.
fn saturated_byte(x: u32) -> u32 {
    u32::from((x as u16 as i16).clamp(0, 255) as u16)
}

/// Byte `i`, unsigned.
fn byte(x: u32, i: usize) -> u32 {
    f32::from(x.to_le_bytes()[i]).to_bits()
}

/// -32767 to 32767 for -1 to 1.
fn snorm<F: Float>(env: Env, round: Round, x: u64) -> u16 {
    to_normalised::<F>(env, round, x, 0x7fff, -0x7fff)
}

/// 0 to 65535 for 0 to 1.
fn unorm<F: Float>(env: Env, round: Round, x: u64) -> u16 {
    to_normalised::<F>(env, round, x, 0xffff, 0)
}

#[inline(always)]
fn int_to_f32(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, u32) -> u32) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let out = source::b32(wave, vop, 0)?.map(|x| f(env, x));
    result::f32(wave, vop, env, out)
}

#[inline(always)]
fn f32_to_int(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, u32) -> u32) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let out = source::f32(wave, vop, 0)?.map(|x| f(env, x));
    result::b32(wave, vop, &out)
}

#[inline(always)]
fn b32_to_f64(wave: &mut Wave, vop: &Vop, f: impl Fn(u32) -> u64) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let a = source::b32(wave, vop, 0)?;
    let out = std::array::from_fn(|l| f(a[l]));
    result::f64(wave, vop, env, out)
}

#[inline(always)]
fn f64_to_int(wave: &mut Wave, vop: &Vop, f: impl Fn(f64) -> u32) -> Result<(), Why> {
    let a = source::f64(wave, vop, 0)?;
    let out: Row = std::array::from_fn(|l| f(f64::from_bits(a[l])));
    result::b32(wave, vop, &out)
}

fn f32_to_f64(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let (from, to) = (Env::single(wave.mode), Env::double(wave.mode));
    let a = source::f32(wave, vop, 0)?;
    let out = std::array::from_fn(|l| {
        let x = f32::from_bits(a[l]);
        if x.is_normal() {
            f64::from(x).to_bits()
        } else {
            soft::convert::<F32, F64>(to, from.denorm_in, u64::from(a[l]))
        }
    });
    result::f64(wave, vop, to, out)
}

fn f64_to_f32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let (from, to) = (Env::double(wave.mode), Env::single(wave.mode));
    let a = source::f64(wave, vop, 0)?;
    let out = std::array::from_fn(|l| {
        let narrow = f64::from_bits(a[l]) as f32;
        if narrow.is_normal() && to.round == Round::NearestEven {
            narrow.to_bits()
        } else {
            soft::convert::<F64, F32>(to, from.denorm_in, a[l]) as u32
        }
    });
    result::f32(wave, vop, to, out)
}

fn f32_to_f16(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let (from, to) = (Env::single(wave.mode), Env::half(wave.mode));
    let a = source::f32(wave, vop, 0)?;
    let mut out: Row = std::array::from_fn(|l| narrow(to, from.denorm_in, a[l]));
    result::finish::<F16>(to, vop, &mut out);
    result::b16(wave, vop, &out)
}

/// Single to half precision.
pub(super) fn narrow(to: Env, denorm_in: bool, x: u32) -> u32 {
    let narrow = half::from_f32(f32::from_bits(x));
    // normal numbers come out of the fast way right; they are neither denormal nor infinite
    let normal = (0x400..0x7c00).contains(&(narrow & 0x7fff));
    if normal && to.round == Round::NearestEven {
        narrow
    } else {
        soft::convert::<F32, F16>(to, denorm_in, u64::from(x)) as u32
    }
}

fn f16_to_f32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let (from, to) = (Env::half(wave.mode), Env::single(wave.mode));
    let a = source::f16(wave, vop, 0)?;
    let out = std::array::from_fn(|l| widen(to, from.denorm_in, a[l]));
    result::f32(wave, vop, to, out)
}

/// Half (the low bits) to single precision.
pub(super) fn widen(to: Env, denorm_in: bool, x: u32) -> u32 {
    if (0x400..0x7c00).contains(&(x & 0x7fff)) {
        half::to_f32(x).to_bits()
    } else {
        soft::convert::<F16, F32>(to, denorm_in, u64::from(x & 0xffff)) as u32
    }
}

fn int_to_f16(wave: &mut Wave, vop: &Vop, f: impl Fn(u16) -> i64) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let a = source::b16(wave, vop, 0, false)?;
    let mut out: Row = std::array::from_fn(|l| from_integer::<F16>(env, f(a[l] as u16)) as u32);
    result::finish::<F16>(env, vop, &mut out);
    result::b16(wave, vop, &out)
}

fn f16_to_int(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, u64) -> u16) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let a = source::f16(wave, vop, 0)?;
    let out: Row = std::array::from_fn(|l| u32::from(f(env, u64::from(a[l] & 0xffff))));
    result::b16(wave, vop, &out)
}

/// Two single-precision sources, rounded towards 0.
fn pkrtz(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let denorm_in = Env::single(wave.mode).denorm_in;
    let to = Env::half(wave.mode).rounding(Round::Zero);
    let (low, high) = (source::f32(wave, vop, 0)?, source::f32(wave, vop, 1)?);
    let one = |x: u32| {
        let half = u64::from(narrow(to, denorm_in, x));
        result::modified::<F16>(to, vop.omod, vop.clamp, half) as u32
    };
    let out: Row = std::array::from_fn(|l| one(low[l]) | (one(high[l]) << 16));
    result::b32(wave, vop, &out)
}

fn pack_f32(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, u64) -> u16) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let (low, high) = (source::f32(wave, vop, 0)?, source::f32(wave, vop, 1)?);
    let one = |x: u32| u32::from(f(env, u64::from(x)));
    let out: Row = std::array::from_fn(|l| one(low[l]) | (one(high[l]) << 16));
    result::b32(wave, vop, &out)
}

fn pack_f16(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, u64) -> u16) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let (low, high) = (source::f16(wave, vop, 0)?, source::f16(wave, vop, 1)?);
    let one = |x: u32| u32::from(f(env, u64::from(x & 0xffff)));
    let out: Row = std::array::from_fn(|l| one(low[l]) | (one(high[l]) << 16));
    result::b32(wave, vop, &out)
}

fn pack_b32(wave: &mut Wave, vop: &Vop, f: impl Fn(u32) -> u16) -> Result<(), Why> {
    let (low, high) = (source::b32(wave, vop, 0)?, source::b32(wave, vop, 1)?);
    let out: Row = std::array::from_fn(|l| u32::from(f(low[l])) | (u32::from(f(high[l])) << 16));
    result::b32(wave, vop, &out)
}

/// Replaces a byte, which source 1 names, of source 2 or (`accumulate`) of the destination.
fn pk_u8(wave: &mut Wave, vop: &Vop, accumulate: bool) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let (value, index) = (source::f32(wave, vop, 0)?, source::b32(wave, vop, 1)?);
    let mut out = if accumulate {
        *source::old(wave, vop)?
    } else {
        source::b32(wave, vop, 2)?
    };
    for (l, out) in out.iter_mut().enumerate() {
        let byte = to_integer::<F32>(env, env.round, u64::from(value[l]), 0, 0xff).unwrap_or(0);
        let shift = (index[l] & 3) * 8;
        *out = (*out & !(0xff << shift)) | ((byte as u32) << shift);
    }
    result::b32(wave, vop, &out)
}
