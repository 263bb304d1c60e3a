// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DS: local data share. `src` of a row is the address and up to two data.

use super::flags::NONE;
pub use super::mem::Part;
use super::{Enc, Op, Ty, Ty::*};
use crate::rmw::Rmw;

/// What an LDS instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Nop,
    /// Reads `bytes` per lane.
    Read {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
        /// Sign-extends bytes and shorts.
        signed: bool,
        /// Where bytes and shorts go.
        part: Part,
    },
    /// Writes `bytes` per lane.
    Write {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
        /// Where bytes and shorts come from.
        part: Part,
    },
    /// Reads two elements of `bytes` at address plus OFFSET0 and OFFSET1 times `scale`.
    Read2 {
        /// 4 or 8.
        bytes: u8,
        /// Bytes per unit of the offsets.
        scale: u16,
    },
    /// Writes two elements.
    Write2 {
        /// 4 or 8.
        bytes: u8,
        /// Bytes per unit of the offsets.
        scale: u16,
    },
    /// Exchanges two elements.
    Exchange2 {
        /// 4 or 8.
        bytes: u8,
        /// Bytes per unit of the offsets.
        scale: u16,
    },
    /// Reads, modifies and writes.
    Atomic {
        /// The operation.
        rmw: Rmw,
        /// 4 or 8.
        bytes: u8,
    },
    /// Of each half whose data bit 31 is set, writes the other 31 bits.
    CondExchange,
    /// Moves data between lanes by the pattern in the offset.
    Swizzle,
    /// Sends data to the lane that the address names.
    Permute,
    /// Fetches data from the lane that the address names.
    BPermute,
    /// Reads at M0 plus four times the lane number.
    ReadAddTid,
    /// Writes at M0 plus four times the lane number.
    WriteAddTid,
    /// Subtracts the number of active lanes from the counter at M0.
    Consume,
    /// Adds the number of active lanes to the counter at M0.
    Append,
    /// Global wave sync.
    Gws,
}

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], kind: Kind) -> Op {
    Op {
        name,
        enc: Enc::Ds,
        code,
        dst,
        sdst: No,
        src,
        flags: NONE,
        kind: super::Kind::Ds(kind),
    }
}

const fn ty(bytes: u8) -> Ty {
    match bytes {
        8 => B64,
        12 => B96,
        16 => B128,
        _ => B32,
    }
}

const fn one(bytes: u8) -> &'static [Ty] {
    match bytes {
        8 => &[B32, B64],
        12 => &[B32, B96],
        16 => &[B32, B128],
        _ => &[B32, B32],
    }
}

const fn two(bytes: u8) -> &'static [Ty] {
    match bytes {
        8 => &[B32, B64, B64],
        _ => &[B32, B32, B32],
    }
}

const fn read(code: u16, name: &'static str, bytes: u8, signed: bool, part: Part) -> Op {
    row(code, name, ty(bytes), &[B32], Kind::Read { bytes, signed, part })
}

const fn write(code: u16, name: &'static str, bytes: u8, part: Part) -> Op {
    row(code, name, No, one(bytes), Kind::Write { bytes, part })
}

const fn read2(code: u16, name: &'static str, bytes: u8, scale: u16) -> Op {
    row(code, name, ty(bytes * 2), &[B32], Kind::Read2 { bytes, scale })
}

const fn write2(code: u16, name: &'static str, bytes: u8, scale: u16) -> Op {
    row(code, name, No, two(bytes), Kind::Write2 { bytes, scale })
}

const fn exchange2(code: u16, name: &'static str, bytes: u8, scale: u16) -> Op {
    row(
        code,
        name,
        ty(bytes * 2),
        two(bytes),
        Kind::Exchange2 { bytes, scale },
    )
}

/// `returns`: the old value goes to the destination.
const fn atomic(code: u16, name: &'static str, rmw: Rmw, bytes: u8, returns: bool) -> Op {
    let dst = if returns { ty(bytes) } else { No };
    row(code, name, dst, one(bytes), Kind::Atomic { rmw, bytes })
}

/// The same with two data. Those of a compare are the comparand and the new value, in this order.
const fn atomic2(code: u16, name: &'static str, rmw: Rmw, bytes: u8, returns: bool) -> Op {
    let dst = if returns { ty(bytes) } else { No };
    row(code, name, dst, two(bytes), Kind::Atomic { rmw, bytes })
}

/// All of them.
pub static DS: &[Op] = &[
    atomic(0x00, "ds_add_u32", Rmw::Add, 4, false),
    atomic(0x01, "ds_sub_u32", Rmw::Sub, 4, false),
    atomic(0x02, "ds_rsub_u32", Rmw::RSub, 4, false),
    atomic(0x03, "ds_inc_u32", Rmw::Inc, 4, false),
    atomic(0x04, "ds_dec_u32", Rmw::Dec, 4, false),
    atomic(0x05, "ds_min_i32", Rmw::SMin, 4, false),
    atomic(0x06, "ds_max_i32", Rmw::SMax, 4, false),
    atomic(0x07, "ds_min_u32", Rmw::UMin, 4, false),
    atomic(0x08, "ds_max_u32", Rmw::UMax, 4, false),
    atomic(0x09, "ds_and_b32", Rmw::And, 4, false),
    atomic(0x0a, "ds_or_b32", Rmw::Or, 4, false),
    atomic(0x0b, "ds_xor_b32", Rmw::Xor, 4, false),
    atomic2(0x0c, "ds_mskor_b32", Rmw::MskOr, 4, false),
    write(0x0d, "ds_write_b32", 4, Part::Dword),
    write2(0x0e, "ds_write2_b32", 4, 4),
    write2(0x0f, "ds_write2st64_b32", 4, 256),
    atomic2(0x10, "ds_cmpst_b32", Rmw::CmpSwap, 4, false),
    atomic2(0x11, "ds_cmpst_f32", Rmw::CmpSwapFloat, 4, false),
    atomic(0x12, "ds_min_f32", Rmw::MinFloat, 4, false),
    atomic(0x13, "ds_max_f32", Rmw::MaxFloat, 4, false),
    row(0x14, "ds_nop", No, &[], Kind::Nop),
    atomic(0x15, "ds_add_f32", Rmw::AddFloat, 4, false),
    row(0x1d, "ds_write_addtid_b32", No, &[No, B32], Kind::WriteAddTid),
    write(0x1e, "ds_write_b8", 1, Part::Dword),
    write(0x1f, "ds_write_b16", 2, Part::Dword),
    atomic(0x20, "ds_add_rtn_u32", Rmw::Add, 4, true),
    atomic(0x21, "ds_sub_rtn_u32", Rmw::Sub, 4, true),
    atomic(0x22, "ds_rsub_rtn_u32", Rmw::RSub, 4, true),
    atomic(0x23, "ds_inc_rtn_u32", Rmw::Inc, 4, true),
    atomic(0x24, "ds_dec_rtn_u32", Rmw::Dec, 4, true),
    atomic(0x25, "ds_min_rtn_i32", Rmw::SMin, 4, true),
    atomic(0x26, "ds_max_rtn_i32", Rmw::SMax, 4, true),
    atomic(0x27, "ds_min_rtn_u32", Rmw::UMin, 4, true),
    atomic(0x28, "ds_max_rtn_u32", Rmw::UMax, 4, true),
    atomic(0x29, "ds_and_rtn_b32", Rmw::And, 4, true),
    atomic(0x2a, "ds_or_rtn_b32", Rmw::Or, 4, true),
    atomic(0x2b, "ds_xor_rtn_b32", Rmw::Xor, 4, true),
    atomic2(0x2c, "ds_mskor_rtn_b32", Rmw::MskOr, 4, true),
    atomic(0x2d, "ds_wrxchg_rtn_b32", Rmw::Swap, 4, true),
    exchange2(0x2e, "ds_wrxchg2_rtn_b32", 4, 4),
    exchange2(0x2f, "ds_wrxchg2st64_rtn_b32", 4, 256),
    atomic2(0x30, "ds_cmpst_rtn_b32", Rmw::CmpSwap, 4, true),
    atomic2(0x31, "ds_cmpst_rtn_f32", Rmw::CmpSwapFloat, 4, true),
    atomic(0x32, "ds_min_rtn_f32", Rmw::MinFloat, 4, true),
    atomic(0x33, "ds_max_rtn_f32", Rmw::MaxFloat, 4, true),
    atomic2(0x34, "ds_wrap_rtn_b32", Rmw::Wrap, 4, true),
    atomic(0x35, "ds_add_rtn_f32", Rmw::AddFloat, 4, true),
    read(0x36, "ds_read_b32", 4, false, Part::Dword),
    read2(0x37, "ds_read2_b32", 4, 4),
    read2(0x38, "ds_read2st64_b32", 4, 256),
    read(0x39, "ds_read_i8", 1, true, Part::Dword),
    read(0x3a, "ds_read_u8", 1, false, Part::Dword),
    read(0x3b, "ds_read_i16", 2, true, Part::Dword),
    read(0x3c, "ds_read_u16", 2, false, Part::Dword),
    row(0x3d, "ds_swizzle_b32", B32, &[B32], Kind::Swizzle),
    row(0x3e, "ds_permute_b32", B32, &[B32, B32], Kind::Permute),
    row(0x3f, "ds_bpermute_b32", B32, &[B32, B32], Kind::BPermute),
    atomic(0x40, "ds_add_u64", Rmw::Add, 8, false),
    atomic(0x41, "ds_sub_u64", Rmw::Sub, 8, false),
    atomic(0x42, "ds_rsub_u64", Rmw::RSub, 8, false),
    atomic(0x43, "ds_inc_u64", Rmw::Inc, 8, false),
    atomic(0x44, "ds_dec_u64", Rmw::Dec, 8, false),
    atomic(0x45, "ds_min_i64", Rmw::SMin, 8, false),
    atomic(0x46, "ds_max_i64", Rmw::SMax, 8, false),
    atomic(0x47, "ds_min_u64", Rmw::UMin, 8, false),
    atomic(0x48, "ds_max_u64", Rmw::UMax, 8, false),
    atomic(0x49, "ds_and_b64", Rmw::And, 8, false),
    atomic(0x4a, "ds_or_b64", Rmw::Or, 8, false),
    atomic(0x4b, "ds_xor_b64", Rmw::Xor, 8, false),
    atomic2(0x4c, "ds_mskor_b64", Rmw::MskOr, 8, false),
    write(0x4d, "ds_write_b64", 8, Part::Dword),
    write2(0x4e, "ds_write2_b64", 8, 8),
    write2(0x4f, "ds_write2st64_b64", 8, 512),
    atomic2(0x50, "ds_cmpst_b64", Rmw::CmpSwap, 8, false),
    atomic2(0x51, "ds_cmpst_f64", Rmw::CmpSwapFloat, 8, false),
    atomic(0x52, "ds_min_f64", Rmw::MinFloat, 8, false),
    atomic(0x53, "ds_max_f64", Rmw::MaxFloat, 8, false),
    write(0x54, "ds_write_b8_d16_hi", 1, Part::High),
    write(0x55, "ds_write_b16_d16_hi", 2, Part::High),
    read(0x56, "ds_read_u8_d16", 1, false, Part::Low),
    read(0x57, "ds_read_u8_d16_hi", 1, false, Part::High),
    read(0x58, "ds_read_i8_d16", 1, true, Part::Low),
    read(0x59, "ds_read_i8_d16_hi", 1, true, Part::High),
    read(0x5a, "ds_read_u16_d16", 2, false, Part::Low),
    read(0x5b, "ds_read_u16_d16_hi", 2, false, Part::High),
    atomic(0x5c, "ds_add_f64", Rmw::AddFloat, 8, false),
    atomic(0x60, "ds_add_rtn_u64", Rmw::Add, 8, true),
    atomic(0x61, "ds_sub_rtn_u64", Rmw::Sub, 8, true),
    atomic(0x62, "ds_rsub_rtn_u64", Rmw::RSub, 8, true),
    atomic(0x63, "ds_inc_rtn_u64", Rmw::Inc, 8, true),
    atomic(0x64, "ds_dec_rtn_u64", Rmw::Dec, 8, true),
    atomic(0x65, "ds_min_rtn_i64", Rmw::SMin, 8, true),
    atomic(0x66, "ds_max_rtn_i64", Rmw::SMax, 8, true),
    atomic(0x67, "ds_min_rtn_u64", Rmw::UMin, 8, true),
    atomic(0x68, "ds_max_rtn_u64", Rmw::UMax, 8, true),
    atomic(0x69, "ds_and_rtn_b64", Rmw::And, 8, true),
    atomic(0x6a, "ds_or_rtn_b64", Rmw::Or, 8, true),
    atomic(0x6b, "ds_xor_rtn_b64", Rmw::Xor, 8, true),
    atomic2(0x6c, "ds_mskor_rtn_b64", Rmw::MskOr, 8, true),
    atomic(0x6d, "ds_wrxchg_rtn_b64", Rmw::Swap, 8, true),
    exchange2(0x6e, "ds_wrxchg2_rtn_b64", 8, 8),
    exchange2(0x6f, "ds_wrxchg2st64_rtn_b64", 8, 512),
    atomic2(0x70, "ds_cmpst_rtn_b64", Rmw::CmpSwap, 8, true),
    atomic2(0x71, "ds_cmpst_rtn_f64", Rmw::CmpSwapFloat, 8, true),
    atomic(0x72, "ds_min_rtn_f64", Rmw::MinFloat, 8, true),
    atomic(0x73, "ds_max_rtn_f64", Rmw::MaxFloat, 8, true),
    read(0x76, "ds_read_b64", 8, false, Part::Dword),
    read2(0x77, "ds_read2_b64", 8, 8),
    read2(0x78, "ds_read2st64_b64", 8, 512),
    atomic(0x7c, "ds_add_rtn_f64", Rmw::AddFloat, 8, true),
    row(
        0x7e,
        "ds_condxchg32_rtn_b64",
        B64,
        &[B32, B64],
        Kind::CondExchange,
    ),
    row(0x98, "ds_gws_sema_release_all", No, &[], Kind::Gws),
    row(0x99, "ds_gws_init", No, &[B32], Kind::Gws),
    row(0x9a, "ds_gws_sema_v", No, &[], Kind::Gws),
    row(0x9b, "ds_gws_sema_br", No, &[B32], Kind::Gws),
    row(0x9c, "ds_gws_sema_p", No, &[], Kind::Gws),
    row(0x9d, "ds_gws_barrier", No, &[B32], Kind::Gws),
    row(0xb6, "ds_read_addtid_b32", B32, &[], Kind::ReadAddTid),
    row(0xbd, "ds_consume", B32, &[], Kind::Consume),
    row(0xbe, "ds_append", B32, &[], Kind::Append),
    write(0xde, "ds_write_b96", 12, Part::Dword),
    write(0xdf, "ds_write_b128", 16, Part::Dword),
    read(0xfe, "ds_read_b96", 12, false, Part::Dword),
    read(0xff, "ds_read_b128", 16, false, Part::Dword),
];
