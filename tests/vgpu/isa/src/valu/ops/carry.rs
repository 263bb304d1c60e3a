// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Additions and subtractions with carry: a bit per lane in, a bit per lane out.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::source::bit;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_co_u32", |w, v| sum(w, v, false)),
    ("v_addc_co_u32", |w, v| sum(w, v, true)),
    ("v_sub_co_u32", |w, v| difference(w, v, false, |a, b| (a, b))),
    ("v_subb_co_u32", |w, v| difference(w, v, true, |a, b| (a, b))),
    ("v_subrev_co_u32", |w, v| difference(w, v, false, |a, b| (b, a))),
    ("v_subbrev_co_u32", |w, v| difference(w, v, true, |a, b| (b, a))),
];

/// `f` gets the terms and the carry in, and gives the result and the carry out.
fn with_carry(
    wave: &mut Wave,
    vop: &Vop,
    carry_in: bool,
    f: impl Fn(u32, u32, bool) -> (u32, bool),
) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::b32_in(wave, vop, i, b))?;
    let carries = if carry_in { source::mask(wave, vop, 2)? } else { 0 };
    let mut out = [0; LANES];
    let mut overs = 0;
    for (l, out) in out.iter_mut().enumerate() {
        let (value, over) = f(a[l], b[l], bit(carries, l));
        *out = value;
        overs |= u64::from(over) << l;
    }
    result::b32(wave, vop, &out)?;
    result::mask(wave, vop, vop.sdst, overs)
}

fn sum(wave: &mut Wave, vop: &Vop, carry_in: bool) -> Result<(), Why> {
    with_carry(wave, vop, carry_in, |a, b, carry| {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let over = wide >> 32 != 0;
        let value = if over && vop.clamp { u32::MAX } else { wide as u32 };
        (value, over)
    })
}

fn difference(
    wave: &mut Wave,
    vop: &Vop,
    carry_in: bool,
    order: impl Fn(u32, u32) -> (u32, u32),
) -> Result<(), Why> {
    with_carry(wave, vop, carry_in, |a, b, borrow| {
        let (a, b) = order(a, b);
        let wide = i64::from(a) - i64::from(b) - i64::from(borrow);
        let under = wide < 0;
        let value = if under && vop.clamp { 0 } else { wide as u32 };
        (value, under)
    })
}
