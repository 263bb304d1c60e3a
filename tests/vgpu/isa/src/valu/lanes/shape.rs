// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions of single lanes as instructions.
//!
//! The name says the type of the operands and results; the number of operands follows from the function. `*_half` are for
//! 16-bit instructions that exist in VOP3 only: they keep the other half of the destination. Floating-point shapes take two
//! functions, for the host's FPU and exact (see [`host`]).

use super::{result, source};
use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{host, Env, F16};
use crate::wave::{Row, Wave, LANES};

/// 32-bit integers.
#[inline(always)]
pub fn u32s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([u32; N]) -> u32) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::b32_in(wave, vop, i, b))?;
    let out: Row = std::array::from_fn(|l| f(std::array::from_fn(|i| src[i][l])));
    result::b32(wave, vop, &out)
}

/// Signed 32-bit integers.
#[inline(always)]
pub fn i32s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([i32; N]) -> i32) -> Result<(), Why> {
    u32s(wave, vop, |s: [u32; N]| f(s.map(|x| x as i32)) as u32)
}

/// 64-bit integers.
#[inline(always)]
pub fn u64s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([u64; N]) -> u64) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::b64_in(wave, vop, i, false, b))?;
    let out = std::array::from_fn(|l| f(std::array::from_fn(|i| src[i][l])));
    result::b64(wave, vop, &out)
}

#[inline(always)]
fn u16_rows<const N: usize>(wave: &Wave, vop: &Vop, f: impl Fn([u16; N]) -> u16) -> Result<Row, Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::b16_in(wave, vop, i, false, b))?;
    Ok(std::array::from_fn(|l| {
        u32::from(f(std::array::from_fn(|i| src[i][l] as u16)))
    }))
}

/// 16-bit integers.
#[inline(always)]
pub fn u16s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([u16; N]) -> u16) -> Result<(), Why> {
    let out = u16_rows(wave, vop, f)?;
    result::b16(wave, vop, &out)
}

/// Signed 16-bit integers.
#[inline(always)]
pub fn i16s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([i16; N]) -> i16) -> Result<(), Why> {
    u16s(wave, vop, |s: [u16; N]| f(s.map(|x| x as i16)) as u16)
}

/// Signed 16-bit integers, keeping the other half.
#[inline(always)]
pub fn i16s_half<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([i16; N]) -> i16) -> Result<(), Why> {
    u16s_half(wave, vop, |s: [u16; N]| f(s.map(|x| x as i16)) as u16)
}

/// 16-bit integers, keeping the other half.
#[inline(always)]
pub fn u16s_half<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([u16; N]) -> u16) -> Result<(), Why> {
    let out = u16_rows(wave, vop, f)?;
    result::half(wave, vop, &out)
}

/// Single precision, in `env`.
#[inline(always)]
pub fn f32s_in<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let out = host::rows(env, src, fpu, soft);
    result::f32(wave, vop, env, out)
}

/// Single precision.
#[inline(always)]
pub fn f32s<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    f32s_in(wave, vop, env, fpu, soft)
}

/// Double precision.
#[inline(always)]
pub fn f64s<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    fpu: impl Fn([f64; N]) -> f64,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f64_in(wave, vop, i, b))?;
    let out = host::rows(env, src, fpu, soft);
    result::f64(wave, vop, env, out)
}

#[inline(always)]
fn f16_rows<const N: usize>(
    wave: &Wave,
    vop: &Vop,
    env: Env,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<Row, Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f16_in(wave, vop, i, b))?;
    let mut out = host::rows16(env, src, fpu, soft);
    result::finish::<F16>(env, vop, &mut out);
    Ok(out)
}

/// Half precision, in `env`.
#[inline(always)]
pub fn f16s_in<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let out = f16_rows(wave, vop, env, fpu, soft)?;
    result::b16(wave, vop, &out)
}

/// Half precision in `env`, keeping the other half.
#[inline(always)]
pub fn f16s_half_in<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let out = f16_rows(wave, vop, env, fpu, soft)?;
    result::half(wave, vop, &out)
}

/// Half precision.
#[inline(always)]
pub fn f16s<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    f16s_in(wave, vop, env, fpu, soft)
}

/// Half precision, keeping the other half.
#[inline(always)]
pub fn f16s_half<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    f16s_half_in(wave, vop, env, fpu, soft)
}

/// Single precision by an exact function alone, in `env`.
#[inline(always)]
pub fn f32s_soft<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    f: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let out: Row = std::array::from_fn(|l| f(env, std::array::from_fn(|i| u64::from(src[i][l]))) as u32);
    result::f32(wave, vop, env, out)
}

/// Double precision by an exact function alone.
#[inline(always)]
pub fn f64s_soft<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    f: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f64_in(wave, vop, i, b))?;
    let out = std::array::from_fn(|l| f(env, std::array::from_fn(|i| src[i][l])));
    result::f64(wave, vop, env, out)
}

#[inline(always)]
fn f16_rows_soft<const N: usize>(
    wave: &Wave,
    vop: &Vop,
    env: Env,
    f: impl Fn(Env, [u64; N]) -> u64,
) -> Result<Row, Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::f16_in(wave, vop, i, b))?;
    let mut out: Row =
        std::array::from_fn(|l| f(env, std::array::from_fn(|i| u64::from(src[i][l] & 0xffff))) as u32);
    result::finish::<F16>(env, vop, &mut out);
    Ok(out)
}

/// Half precision by an exact function alone, in `env`.
#[inline(always)]
pub fn f16s_soft<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    f: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let out = f16_rows_soft(wave, vop, env, f)?;
    result::b16(wave, vop, &out)
}

/// The same, keeping the other half.
#[inline(always)]
pub fn f16s_half_soft<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    env: Env,
    f: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let out = f16_rows_soft(wave, vop, env, f)?;
    result::half(wave, vop, &out)
}
