// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bits: logic, shifts, fields, bytes, counts.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::shape::u32s;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_not_b32", |w, v| u32s(w, v, |[a]| !a)),
    ("v_and_b32", |w, v| u32s(w, v, |[a, b]| a & b)),
    ("v_or_b32", |w, v| u32s(w, v, |[a, b]| a | b)),
    ("v_xor_b32", |w, v| u32s(w, v, |[a, b]| a ^ b)),
    ("v_xnor_b32", |w, v| u32s(w, v, |[a, b]| !(a ^ b))),
    ("v_or3_b32", |w, v| u32s(w, v, |[a, b, c]| a | b | c)),
    ("v_and_or_b32", |w, v| u32s(w, v, |[a, b, c]| (a & b) | c)),
    ("v_lshl_or_b32", |w, v| {
        u32s(w, v, |[a, b, c]| (a << (b & 31)) | c)
    }),
    ("v_lshl_add_u32", |w, v| {
        u32s(w, v, |[a, b, c]| (a << (b & 31)).wrapping_add(c))
    }),
    ("v_add_lshl_u32", |w, v| {
        u32s(w, v, |[a, b, c]| a.wrapping_add(b) << (c & 31))
    }),
    ("v_xad_u32", |w, v| {
        u32s(w, v, |[a, b, c]| (a ^ b).wrapping_add(c))
    }),
    ("v_lshlrev_b32", |w, v| u32s(w, v, |[a, b]| b << (a & 31))),
    ("v_lshrrev_b32", |w, v| u32s(w, v, |[a, b]| b >> (a & 31))),
    ("v_ashrrev_i32", |w, v| {
        u32s(w, v, |[a, b]| (b as i32 >> (a & 31)) as u32)
    }),
    ("v_lshlrev_b64", |w, v| shift64(w, v, |a, b| b << (a & 63))),
    ("v_lshrrev_b64", |w, v| shift64(w, v, |a, b| b >> (a & 63))),
    ("v_ashrrev_i64", |w, v| {
        shift64(w, v, |a, b| (b as i64 >> (a & 63)) as u64)
    }),
    ("v_bfe_u32", |w, v| {
        u32s(w, v, |[a, b, c]| bfe_u32(a, b & 31, c & 31))
    }),
    ("v_bfe_i32", |w, v| {
        u32s(w, v, |[a, b, c]| bfe_i32(a, b & 31, c & 31))
    }),
    ("v_bfi_b32", |w, v| u32s(w, v, |[a, b, c]| (a & b) | (!a & c))),
    ("v_bfm_b32", |w, v| {
        u32s(w, v, |[a, b]| ((1 << (a & 31)) - 1) << (b & 31))
    }),
    ("v_alignbit_b32", |w, v| {
        u32s(w, v, |[a, b, c]| align(a, b, c & 31))
    }),
    ("v_alignbyte_b32", |w, v| {
        u32s(w, v, |[a, b, c]| align(a, b, (c & 3) * 8))
    }),
    ("v_perm_b32", |w, v| u32s(w, v, |[a, b, c]| perm(a, b, c))),
    ("v_bfrev_b32", |w, v| u32s(w, v, |[a]| a.reverse_bits())),
    ("v_ffbh_u32", |w, v| {
        u32s(w, v, |[a]| position(a, a.leading_zeros()))
    }),
    ("v_ffbl_b32", |w, v| {
        u32s(w, v, |[a]| position(a, a.trailing_zeros()))
    }),
    ("v_ffbh_i32", |w, v| u32s(w, v, |[a]| ffbh_i32(a))),
    ("v_bcnt_u32_b32", |w, v| {
        u32s(w, v, |[a, b]| b.wrapping_add(a.count_ones()))
    }),
    ("v_mbcnt_lo_u32_b32", |w, v| mbcnt(w, v, 0)),
    ("v_mbcnt_hi_u32_b32", |w, v| mbcnt(w, v, 32)),
    ("v_screen_partition_4se_b32", |w, v| {
        u32s(w, v, |[a]| u32::from(SCREEN_PARTITION[(a & 0xff) as usize]))
    }),
];

/// Shifts of 64 bits by a 32-bit source 0.
#[inline(always)]
fn shift64(wave: &mut Wave, vop: &Vop, f: impl Fn(u32, u64) -> u64) -> Result<(), Why> {
    let by = source::b32(wave, vop, 0)?;
    let value = source::b64(wave, vop, 1, false)?;
    let out = std::array::from_fn(|l| f(by[l], value[l]));
    result::b64(wave, vop, &out)
}

/// `width` bits from bit `offset` on.
fn bfe_u32(x: u32, offset: u32, width: u32) -> u32 {
    (x >> offset) & ((1 << width) - 1)
}

/// The same, sign-extended; a field that reaches beyond bit 31 has the sign of the whole.
fn bfe_i32(x: u32, offset: u32, width: u32) -> u32 {
    if width == 0 {
        0
    } else if offset + width < 32 {
        ((x << (32 - offset - width)) as i32 >> (32 - width)) as u32
    } else {
        (x as i32 >> offset) as u32
    }
}

/// 32 bits from bit `shift` on of `high` and `low`.
fn align(high: u32, low: u32, shift: u32) -> u32 {
    (((u64::from(high) << 32) | u64::from(low)) >> shift) as u32
}

/// Each byte of `select` chooses a byte of the result: 0 to 7 a byte of `high` and `low`, 8 to 11 the sign of one of their four
/// halves, 12 zeros, above that ones.
fn perm(high: u32, low: u32, select: u32) -> u32 {
    let both = (u64::from(high) << 32) | u64::from(low);
    let byte = |s: u8| -> u8 {
        match s {
            0..=7 => (both >> (8 * s)) as u8,
            8..=11 => ((both >> (16 * (s - 8) + 15)) as u8 & 1).wrapping_neg(),
            12 => 0,
            _ => 0xff,
        }
    };
    u32::from_le_bytes(select.to_le_bytes().map(byte))
}

/// A bit position, or -1 where there is none.
fn position(x: u32, at: u32) -> u32 {
    if x == 0 {
        u32::MAX
    } else {
        at
    }
}

/// How many bits below the sign equal it, counting the sign: the position from the top of the first that differs, or -1.
fn ffbh_i32(x: u32) -> u32 {
    let different = x ^ ((x as i32 >> 31) as u32);
    position(different, different.leading_zeros())
}

/// Counts the bits of source 0 that belong to lanes below each lane; source 0 stands for the 32 lanes from `first` on.
fn mbcnt(wave: &mut Wave, vop: &Vop, first: u32) -> Result<(), Why> {
    let (bits, add) = (source::b32(wave, vop, 0)?, source::b32(wave, vop, 1)?);
    let out: Row = std::array::from_fn(|l| {
        let below = (l as u32).saturating_sub(first).min(32);
        let mask = ((1u64 << below) - 1) as u32;
        add[l].wrapping_add((bits[l] & mask).count_ones())
    });
    result::b32(wave, vop, &out)
}

/// What `v_screen_partition_4se_b32` looks up (source: CDNA2 ISA, V_SCREEN_PARTITION_4SE_B32).
static SCREEN_PARTITION: [u8; 256] = [
    0x1, 0x3, 0x7, 0xf, 0x5, 0xf, 0xf, 0xf, 0x7, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x2, 0x6, 0xe, 0xf,
    0xa, 0xf, 0xf, 0xf, 0xb, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xd, 0xf, 0x4, 0xc, 0xf, 0xf, 0x5, 0xf, 0xf, 0xf,
    0xd, 0xf, 0xf, 0xf, 0xf, 0xf, 0x9, 0xb, 0xf, 0x8, 0xf, 0xf, 0xf, 0xa, 0xf, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf,
    0xf, 0xf, 0xf, 0xf, 0xf, 0x4, 0xc, 0xd, 0xf, 0x6, 0xf, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf,
    0xf, 0x8, 0x9, 0xb, 0xf, 0x9, 0x9, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x7, 0xf, 0x1, 0x3, 0xf,
    0xf, 0x9, 0xf, 0xf, 0xf, 0xb, 0xf, 0xf, 0xf, 0xf, 0xf, 0x6, 0xe, 0xf, 0x2, 0x6, 0xf, 0xf, 0x6, 0xf, 0xf,
    0xf, 0x7, 0xb, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x2, 0x3, 0xb, 0xf, 0xa, 0xf, 0xf, 0xf, 0xf, 0x7, 0xf,
    0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x1, 0x9, 0xd, 0xf, 0x5, 0xf, 0xf, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf, 0xf,
    0xe, 0xf, 0x8, 0xc, 0xf, 0xf, 0xa, 0xf, 0xf, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0x6, 0x7, 0xf, 0x4, 0xf,
    0xf, 0xf, 0x5, 0x9, 0xf, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x8, 0xc, 0xe, 0xf, 0xf, 0x6,
    0x6, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x4, 0x6, 0x7, 0xf, 0xf, 0x6, 0xf, 0xf, 0xf, 0x7,
    0xf, 0xf, 0xf, 0xf, 0xf, 0xb, 0xf, 0x2, 0x3, 0x9, 0xf, 0xf, 0x9, 0xf, 0xf, 0xf, 0xb, 0xf, 0xf, 0xf, 0xf,
    0x9, 0xd, 0xf, 0x1,
];
