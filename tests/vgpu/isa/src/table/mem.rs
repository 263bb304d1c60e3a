// SPDX-License-Identifier: Apache-2.0 OR MIT
//! FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF: what exists in several of them has one number and one row.

use super::flags::{FLAT, GLOBAL, MTBUF, MUBUF, SCRATCH};
use super::{Enc, Flags, Op, Ty, Ty::*};
use crate::rmw::Rmw;

/// What a vector memory instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loads `bytes` per lane.
    Load {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
        /// Sign-extends bytes and shorts.
        signed: bool,
        /// Where bytes and shorts go.
        part: Part,
    },
    /// Stores `bytes` per lane.
    Store {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
        /// Where bytes and shorts come from.
        part: Part,
    },
    /// Reads, modifies and writes 4 or 8 bytes per lane.
    Atomic {
        /// The operation.
        rmw: Rmw,
        /// 4 or 8.
        bytes: u8,
    },
    /// Converts between the buffer's format and registers.
    Format {
        /// Whether it stores.
        store: bool,
        /// Components: 1 to 4.
        count: u8,
        /// Whole registers, or halves of them: packed, or the high one alone.
        part: Part,
    },
    /// Stores a dword per lane from LDS.
    StoreLds,
    /// Writes back or invalidates caches. There are none here.
    Cache,
}

/// The part of a dword that a byte or short uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole dword, extended.
    Dword,
    /// The low half; the other one stays (D16).
    Low,
    /// The high half; the other one stays (D16_HI).
    High,
}

const fn ty(bytes: u8) -> Ty {
    match bytes {
        8 => B64,
        12 => B96,
        16 => B128,
        _ => B32,
    }
}

const fn load(code: u16, name: &'static str, bytes: u8, signed: bool, part: Part, flags: Flags) -> Op {
    let kind = super::Kind::Mem(Kind::Load { bytes, signed, part });
    Op {
        name,
        enc: Enc::Mem,
        code,
        dst: ty(bytes),
        sdst: No,
        src: &[],
        flags,
        kind,
    }
}

const fn store(code: u16, name: &'static str, bytes: u8, part: Part, flags: Flags) -> Op {
    let src: &[Ty] = match bytes {
        8 => &[B64],
        12 => &[B96],
        16 => &[B128],
        _ => &[B32],
    };
    let kind = super::Kind::Mem(Kind::Store { bytes, part });
    Op {
        name,
        enc: Enc::Mem,
        code,
        dst: No,
        sdst: No,
        src,
        flags,
        kind,
    }
}

/// The data of a compare-and-swap is the new value followed by the comparand.
const fn atomic(code: u16, name: &'static str, rmw: Rmw, bytes: u8, flags: Flags) -> Op {
    let src: &[Ty] = match (rmw, bytes) {
        (Rmw::CmpSwap, 4) => &[B64],
        (Rmw::CmpSwap, _) => &[B128],
        (_, 4) => &[B32],
        _ => &[B64],
    };
    let kind = super::Kind::Mem(Kind::Atomic { rmw, bytes });
    Op {
        name,
        enc: Enc::Mem,
        code,
        dst: ty(bytes),
        sdst: No,
        src,
        flags,
        kind,
    }
}

const fn format(code: u16, name: &'static str, count: u8, part: Part, store: bool, flags: Flags) -> Op {
    let dwords = match part {
        Part::Dword => count,
        _ => count.div_ceil(2),
    };
    let src: &[Ty] = match dwords {
        1 => &[B32],
        2 => &[B64],
        3 => &[B96],
        _ => &[B128],
    };
    let (dst, src): (Ty, &[Ty]) = if store { (No, src) } else { (ty(dwords * 4), &[]) };
    let kind = super::Kind::Mem(Kind::Format { store, count, part });
    Op {
        name,
        enc: Enc::Mem,
        code,
        dst,
        sdst: No,
        src,
        flags,
        kind,
    }
}

/// Of MUBUF, without data in registers.
const fn without_data(code: u16, name: &'static str, kind: Kind) -> Op {
    Op {
        name,
        enc: Enc::Mem,
        code,
        dst: No,
        sdst: No,
        src: &[],
        flags: MUBUF,
        kind: super::Kind::Mem(kind),
    }
}

/// Loads and stores.
const ALL: Flags = FLAT | GLOBAL | SCRATCH | MUBUF;
/// Atomics: not in scratch.
const RMW: Flags = FLAT | GLOBAL | MUBUF;
/// Not in FLAT.
const FP: Flags = GLOBAL | MUBUF;
/// Both kinds of buffer.
const BUF: Flags = MUBUF | MTBUF;

/// All of them.
pub static MEM: &[Op] = &[
    format(0x00, "load_format_x", 1, Part::Dword, false, BUF),
    format(0x01, "load_format_xy", 2, Part::Dword, false, BUF),
    format(0x02, "load_format_xyz", 3, Part::Dword, false, BUF),
    format(0x03, "load_format_xyzw", 4, Part::Dword, false, BUF),
    format(0x04, "store_format_x", 1, Part::Dword, true, BUF),
    format(0x05, "store_format_xy", 2, Part::Dword, true, BUF),
    format(0x06, "store_format_xyz", 3, Part::Dword, true, BUF),
    format(0x07, "store_format_xyzw", 4, Part::Dword, true, BUF),
    format(0x08, "load_format_d16_x", 1, Part::Low, false, BUF),
    format(0x09, "load_format_d16_xy", 2, Part::Low, false, BUF),
    format(0x0a, "load_format_d16_xyz", 3, Part::Low, false, BUF),
    format(0x0b, "load_format_d16_xyzw", 4, Part::Low, false, BUF),
    format(0x0c, "store_format_d16_x", 1, Part::Low, true, BUF),
    format(0x0d, "store_format_d16_xy", 2, Part::Low, true, BUF),
    format(0x0e, "store_format_d16_xyz", 3, Part::Low, true, BUF),
    format(0x0f, "store_format_d16_xyzw", 4, Part::Low, true, BUF),
    load(0x10, "load_ubyte", 1, false, Part::Dword, ALL),
    load(0x11, "load_sbyte", 1, true, Part::Dword, ALL),
    load(0x12, "load_ushort", 2, false, Part::Dword, ALL),
    load(0x13, "load_sshort", 2, true, Part::Dword, ALL),
    load(0x14, "load_dword", 4, false, Part::Dword, ALL),
    load(0x15, "load_dwordx2", 8, false, Part::Dword, ALL),
    load(0x16, "load_dwordx3", 12, false, Part::Dword, ALL),
    load(0x17, "load_dwordx4", 16, false, Part::Dword, ALL),
    store(0x18, "store_byte", 1, Part::Dword, ALL),
    store(0x19, "store_byte_d16_hi", 1, Part::High, ALL),
    store(0x1a, "store_short", 2, Part::Dword, ALL),
    store(0x1b, "store_short_d16_hi", 2, Part::High, ALL),
    store(0x1c, "store_dword", 4, Part::Dword, ALL),
    store(0x1d, "store_dwordx2", 8, Part::Dword, ALL),
    store(0x1e, "store_dwordx3", 12, Part::Dword, ALL),
    store(0x1f, "store_dwordx4", 16, Part::Dword, ALL),
    load(0x20, "load_ubyte_d16", 1, false, Part::Low, ALL),
    load(0x21, "load_ubyte_d16_hi", 1, false, Part::High, ALL),
    load(0x22, "load_sbyte_d16", 1, true, Part::Low, ALL),
    load(0x23, "load_sbyte_d16_hi", 1, true, Part::High, ALL),
    load(0x24, "load_short_d16", 2, false, Part::Low, ALL),
    load(0x25, "load_short_d16_hi", 2, false, Part::High, ALL),
    format(0x26, "load_format_d16_hi_x", 1, Part::High, false, MUBUF),
    format(0x27, "store_format_d16_hi_x", 1, Part::High, true, MUBUF),
    without_data(0x28, "wbl2", Kind::Cache),
    without_data(0x29, "invl2", Kind::Cache),
    without_data(0x3d, "store_lds_dword", Kind::StoreLds),
    without_data(0x3e, "wbinvl1", Kind::Cache),
    without_data(0x3f, "wbinvl1_vol", Kind::Cache),
    atomic(0x40, "atomic_swap", Rmw::Swap, 4, RMW),
    atomic(0x41, "atomic_cmpswap", Rmw::CmpSwap, 4, RMW),
    atomic(0x42, "atomic_add", Rmw::Add, 4, RMW),
    atomic(0x43, "atomic_sub", Rmw::Sub, 4, RMW),
    atomic(0x44, "atomic_smin", Rmw::SMin, 4, RMW),
    atomic(0x45, "atomic_umin", Rmw::UMin, 4, RMW),
    atomic(0x46, "atomic_smax", Rmw::SMax, 4, RMW),
    atomic(0x47, "atomic_umax", Rmw::UMax, 4, RMW),
    atomic(0x48, "atomic_and", Rmw::And, 4, RMW),
    atomic(0x49, "atomic_or", Rmw::Or, 4, RMW),
    atomic(0x4a, "atomic_xor", Rmw::Xor, 4, RMW),
    atomic(0x4b, "atomic_inc", Rmw::Inc, 4, RMW),
    atomic(0x4c, "atomic_dec", Rmw::Dec, 4, RMW),
    atomic(0x4d, "atomic_add_f32", Rmw::AddFloat, 4, FP),
    atomic(0x4e, "atomic_pk_add_f16", Rmw::PkAddF16, 4, FP),
    atomic(0x4f, "atomic_add_f64", Rmw::AddFloat, 8, RMW),
    atomic(0x50, "atomic_min_f64", Rmw::MinFloat, 8, RMW),
    atomic(0x51, "atomic_max_f64", Rmw::MaxFloat, 8, RMW),
    atomic(0x60, "atomic_swap_x2", Rmw::Swap, 8, RMW),
    atomic(0x61, "atomic_cmpswap_x2", Rmw::CmpSwap, 8, RMW),
    atomic(0x62, "atomic_add_x2", Rmw::Add, 8, RMW),
    atomic(0x63, "atomic_sub_x2", Rmw::Sub, 8, RMW),
    atomic(0x64, "atomic_smin_x2", Rmw::SMin, 8, RMW),
    atomic(0x65, "atomic_umin_x2", Rmw::UMin, 8, RMW),
    atomic(0x66, "atomic_smax_x2", Rmw::SMax, 8, RMW),
    atomic(0x67, "atomic_umax_x2", Rmw::UMax, 8, RMW),
    atomic(0x68, "atomic_and_x2", Rmw::And, 8, RMW),
    atomic(0x69, "atomic_or_x2", Rmw::Or, 8, RMW),
    atomic(0x6a, "atomic_xor_x2", Rmw::Xor, 8, RMW),
    atomic(0x6b, "atomic_inc_x2", Rmw::Inc, 8, RMW),
    atomic(0x6c, "atomic_dec_x2", Rmw::Dec, 8, RMW),
];
