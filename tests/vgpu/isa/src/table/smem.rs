// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SMEM: scalar loads, stores and atomics, clocks, the scalar cache.

use super::flags::NONE;
use super::{Enc, Op, Ty, Ty::*};
use crate::rmw::Rmw;

/// What a scalar memory instruction does. `src[0]` of the row is the base: an address (B64) or a buffer descriptor (B128).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loads the destination.
    Load,
    /// Stores the data, `src[1]` of the row.
    Store,
    /// Loads or stores scratch memory, whose offset register counts in units of 64 bytes.
    Scratch {
        /// Whether it stores.
        store: bool,
    },
    /// Reads, modifies and writes 4 or 8 bytes; returns the old value with GLC.
    Atomic {
        /// The operation.
        rmw: Rmw,
        /// 4 or 8.
        bytes: u8,
    },
    /// Writes back, invalidates or prefetches caches or translations. There are none here.
    Cache,
    /// Reads the shader clock.
    Clock,
    /// Reads the 100 MHz counter.
    Realtime,
    /// Prefetches a translation; `data` is a number.
    Probe,
}

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], kind: Kind) -> Op {
    Op {
        name,
        enc: Enc::Smem,
        code,
        dst,
        sdst: No,
        src,
        flags: NONE,
        kind: super::Kind::Smem(kind),
    }
}

/// The base alone.
const fn base(base: Ty) -> &'static [Ty] {
    match base {
        B128 => &[B128],
        _ => &[B64],
    }
}

/// The base and the data.
const fn base_data(base: Ty, data: Ty) -> &'static [Ty] {
    match (base, data) {
        (B128, B32) => &[B128, B32],
        (B128, B64) => &[B128, B64],
        (B128, _) => &[B128, B128],
        (_, B32) => &[B64, B32],
        (_, B64) => &[B64, B64],
        _ => &[B64, B128],
    }
}

const fn load(code: u16, name: &'static str, data: Ty, from: Ty) -> Op {
    row(code, name, data, base(from), Kind::Load)
}

const fn store(code: u16, name: &'static str, data: Ty, to: Ty) -> Op {
    row(code, name, No, base_data(to, data), Kind::Store)
}

const fn scratch(code: u16, name: &'static str, data: Ty, store: bool) -> Op {
    let (dst, src) = if store {
        (No, base_data(B64, data))
    } else {
        (data, base(B64))
    };
    row(code, name, dst, src, Kind::Scratch { store })
}

/// The data of a compare-and-swap is the new value followed by the comparand.
const fn atomic(code: u16, name: &'static str, rmw: Rmw, bytes: u8, at: Ty) -> Op {
    let data = match (rmw, bytes) {
        (Rmw::CmpSwap, 8) => B128,
        (Rmw::CmpSwap, _) | (_, 8) => B64,
        _ => B32,
    };
    row(code, name, No, base_data(at, data), Kind::Atomic { rmw, bytes })
}

const fn cache(code: u16, name: &'static str, src: &'static [Ty]) -> Op {
    row(code, name, No, src, Kind::Cache)
}

const fn time(code: u16, name: &'static str, kind: Kind) -> Op {
    row(code, name, B64, &[], kind)
}

const fn probe(code: u16, name: &'static str, at: Ty) -> Op {
    row(code, name, No, base(at), Kind::Probe)
}

/// All of them.
pub static SMEM: &[Op] = &[
    load(0x00, "s_load_dword", B32, B64),
    load(0x01, "s_load_dwordx2", B64, B64),
    load(0x02, "s_load_dwordx4", B128, B64),
    load(0x03, "s_load_dwordx8", B256, B64),
    load(0x04, "s_load_dwordx16", B512, B64),
    scratch(0x05, "s_scratch_load_dword", B32, false),
    scratch(0x06, "s_scratch_load_dwordx2", B64, false),
    scratch(0x07, "s_scratch_load_dwordx4", B128, false),
    load(0x08, "s_buffer_load_dword", B32, B128),
    load(0x09, "s_buffer_load_dwordx2", B64, B128),
    load(0x0a, "s_buffer_load_dwordx4", B128, B128),
    load(0x0b, "s_buffer_load_dwordx8", B256, B128),
    load(0x0c, "s_buffer_load_dwordx16", B512, B128),
    store(0x10, "s_store_dword", B32, B64),
    store(0x11, "s_store_dwordx2", B64, B64),
    store(0x12, "s_store_dwordx4", B128, B64),
    scratch(0x15, "s_scratch_store_dword", B32, true),
    scratch(0x16, "s_scratch_store_dwordx2", B64, true),
    scratch(0x17, "s_scratch_store_dwordx4", B128, true),
    store(0x18, "s_buffer_store_dword", B32, B128),
    store(0x19, "s_buffer_store_dwordx2", B64, B128),
    store(0x1a, "s_buffer_store_dwordx4", B128, B128),
    cache(0x20, "s_dcache_inv", &[]),
    cache(0x21, "s_dcache_wb", &[]),
    cache(0x22, "s_dcache_inv_vol", &[]),
    cache(0x23, "s_dcache_wb_vol", &[]),
    time(0x24, "s_memtime", Kind::Clock),
    time(0x25, "s_memrealtime", Kind::Realtime),
    probe(0x26, "s_atc_probe", B64),
    probe(0x27, "s_atc_probe_buffer", B128),
    cache(0x28, "s_dcache_discard", &[B64]),
    cache(0x29, "s_dcache_discard_x2", &[B64]),
    atomic(0x40, "s_buffer_atomic_swap", Rmw::Swap, 4, B128),
    atomic(0x41, "s_buffer_atomic_cmpswap", Rmw::CmpSwap, 4, B128),
    atomic(0x42, "s_buffer_atomic_add", Rmw::Add, 4, B128),
    atomic(0x43, "s_buffer_atomic_sub", Rmw::Sub, 4, B128),
    atomic(0x44, "s_buffer_atomic_smin", Rmw::SMin, 4, B128),
    atomic(0x45, "s_buffer_atomic_umin", Rmw::UMin, 4, B128),
    atomic(0x46, "s_buffer_atomic_smax", Rmw::SMax, 4, B128),
    atomic(0x47, "s_buffer_atomic_umax", Rmw::UMax, 4, B128),
    atomic(0x48, "s_buffer_atomic_and", Rmw::And, 4, B128),
    atomic(0x49, "s_buffer_atomic_or", Rmw::Or, 4, B128),
    atomic(0x4a, "s_buffer_atomic_xor", Rmw::Xor, 4, B128),
    atomic(0x4b, "s_buffer_atomic_inc", Rmw::Inc, 4, B128),
    atomic(0x4c, "s_buffer_atomic_dec", Rmw::Dec, 4, B128),
    atomic(0x60, "s_buffer_atomic_swap_x2", Rmw::Swap, 8, B128),
    atomic(0x61, "s_buffer_atomic_cmpswap_x2", Rmw::CmpSwap, 8, B128),
    atomic(0x62, "s_buffer_atomic_add_x2", Rmw::Add, 8, B128),
    atomic(0x63, "s_buffer_atomic_sub_x2", Rmw::Sub, 8, B128),
    atomic(0x64, "s_buffer_atomic_smin_x2", Rmw::SMin, 8, B128),
    atomic(0x65, "s_buffer_atomic_umin_x2", Rmw::UMin, 8, B128),
    atomic(0x66, "s_buffer_atomic_smax_x2", Rmw::SMax, 8, B128),
    atomic(0x67, "s_buffer_atomic_umax_x2", Rmw::UMax, 8, B128),
    atomic(0x68, "s_buffer_atomic_and_x2", Rmw::And, 8, B128),
    atomic(0x69, "s_buffer_atomic_or_x2", Rmw::Or, 8, B128),
    atomic(0x6a, "s_buffer_atomic_xor_x2", Rmw::Xor, 8, B128),
    atomic(0x6b, "s_buffer_atomic_inc_x2", Rmw::Inc, 8, B128),
    atomic(0x6c, "s_buffer_atomic_dec_x2", Rmw::Dec, 8, B128),
    atomic(0x80, "s_atomic_swap", Rmw::Swap, 4, B64),
    atomic(0x81, "s_atomic_cmpswap", Rmw::CmpSwap, 4, B64),
    atomic(0x82, "s_atomic_add", Rmw::Add, 4, B64),
    atomic(0x83, "s_atomic_sub", Rmw::Sub, 4, B64),
    atomic(0x84, "s_atomic_smin", Rmw::SMin, 4, B64),
    atomic(0x85, "s_atomic_umin", Rmw::UMin, 4, B64),
    atomic(0x86, "s_atomic_smax", Rmw::SMax, 4, B64),
    atomic(0x87, "s_atomic_umax", Rmw::UMax, 4, B64),
    atomic(0x88, "s_atomic_and", Rmw::And, 4, B64),
    atomic(0x89, "s_atomic_or", Rmw::Or, 4, B64),
    atomic(0x8a, "s_atomic_xor", Rmw::Xor, 4, B64),
    atomic(0x8b, "s_atomic_inc", Rmw::Inc, 4, B64),
    atomic(0x8c, "s_atomic_dec", Rmw::Dec, 4, B64),
    atomic(0xa0, "s_atomic_swap_x2", Rmw::Swap, 8, B64),
    atomic(0xa1, "s_atomic_cmpswap_x2", Rmw::CmpSwap, 8, B64),
    atomic(0xa2, "s_atomic_add_x2", Rmw::Add, 8, B64),
    atomic(0xa3, "s_atomic_sub_x2", Rmw::Sub, 8, B64),
    atomic(0xa4, "s_atomic_smin_x2", Rmw::SMin, 8, B64),
    atomic(0xa5, "s_atomic_umin_x2", Rmw::UMin, 8, B64),
    atomic(0xa6, "s_atomic_smax_x2", Rmw::SMax, 8, B64),
    atomic(0xa7, "s_atomic_umax_x2", Rmw::UMax, 8, B64),
    atomic(0xa8, "s_atomic_and_x2", Rmw::And, 8, B64),
    atomic(0xa9, "s_atomic_or_x2", Rmw::Or, 8, B64),
    atomic(0xaa, "s_atomic_xor_x2", Rmw::Xor, 8, B64),
    atomic(0xab, "s_atomic_inc_x2", Rmw::Inc, 8, B64),
    atomic(0xac, "s_atomic_dec_x2", Rmw::Dec, 8, B64),
];
