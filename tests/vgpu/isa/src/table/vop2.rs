// SPDX-License-Identifier: Apache-2.0 OR MIT
//! VOP2: two sources.

use super::flags::{AK, CLAMP, DPP, MK, NO_E64, OMOD, SDWA, TIED};
use super::{Enc, Flags, Op, Ty, Ty::*};

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], flags: Flags) -> Op {
    Op::vop(Enc::Vop2, code, name, dst, No, src, flags)
}

const fn carry(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], flags: Flags) -> Op {
    Op::vop(Enc::Vop2, code, name, dst, Mask, src, flags)
}

/// All of them.
pub static VOP2: &[Op] = &[
    row(0x000, "v_cndmask_b32", F32, &[F32, F32, Mask], SDWA | DPP),
    row(0x001, "v_add_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x002, "v_sub_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x003, "v_subrev_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x004, "v_fmac_f64", F64, &[F64, F64], CLAMP | OMOD | DPP | TIED),
    row(0x005, "v_mul_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x006, "v_mul_i32_i24", I32, &[I32, I32], CLAMP | SDWA | DPP),
    row(0x007, "v_mul_hi_i32_i24", I32, &[I32, I32], SDWA | DPP),
    row(0x008, "v_mul_u32_u24", U32, &[U32, U32], CLAMP | SDWA | DPP),
    row(0x009, "v_mul_hi_u32_u24", U32, &[U32, U32], SDWA | DPP),
    row(0x00a, "v_min_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x00b, "v_max_f32", F32, &[F32, F32], CLAMP | OMOD | SDWA | DPP),
    row(0x00c, "v_min_i32", I32, &[I32, I32], SDWA | DPP),
    row(0x00d, "v_max_i32", I32, &[I32, I32], SDWA | DPP),
    row(0x00e, "v_min_u32", U32, &[U32, U32], SDWA | DPP),
    row(0x00f, "v_max_u32", U32, &[U32, U32], SDWA | DPP),
    row(0x010, "v_lshrrev_b32", B32, &[U32, B32], SDWA | DPP),
    row(0x011, "v_ashrrev_i32", I32, &[U32, I32], SDWA | DPP),
    row(0x012, "v_lshlrev_b32", B32, &[U32, B32], SDWA | DPP),
    row(0x013, "v_and_b32", B32, &[B32, B32], SDWA | DPP),
    row(0x014, "v_or_b32", B32, &[B32, B32], SDWA | DPP),
    row(0x015, "v_xor_b32", B32, &[B32, B32], SDWA | DPP),
    row(0x016, "v_mac_f32", F32, &[F32, F32], CLAMP | OMOD | DPP | TIED),
    row(0x017, "v_madmk_f32", F32, &[F32, F32, F32], NO_E64 | MK),
    row(0x018, "v_madak_f32", F32, &[F32, F32, F32], NO_E64 | AK),
    carry(0x019, "v_add_co_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    carry(0x01a, "v_sub_co_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    carry(0x01b, "v_subrev_co_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    carry(0x01c, "v_addc_co_u32", U32, &[U32, U32, Mask], CLAMP | SDWA | DPP),
    carry(0x01d, "v_subb_co_u32", U32, &[U32, U32, Mask], CLAMP | SDWA | DPP),
    carry(
        0x01e,
        "v_subbrev_co_u32",
        U32,
        &[U32, U32, Mask],
        CLAMP | SDWA | DPP,
    ),
    row(0x01f, "v_add_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x020, "v_sub_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x021, "v_subrev_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x022, "v_mul_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x023, "v_mac_f16", F16, &[F16, F16], CLAMP | OMOD | DPP | TIED),
    row(0x024, "v_madmk_f16", F16, &[F16, F16, F16], NO_E64 | MK),
    row(0x025, "v_madak_f16", F16, &[F16, F16, F16], NO_E64 | AK),
    row(0x026, "v_add_u16", U16, &[U16, U16], CLAMP | SDWA | DPP),
    row(0x027, "v_sub_u16", U16, &[U16, U16], CLAMP | SDWA | DPP),
    row(0x028, "v_subrev_u16", U16, &[U16, U16], CLAMP | SDWA | DPP),
    row(0x029, "v_mul_lo_u16", U16, &[U16, U16], SDWA | DPP),
    row(0x02a, "v_lshlrev_b16", B16, &[U16, B16], SDWA | DPP),
    row(0x02b, "v_lshrrev_b16", B16, &[U16, B16], SDWA | DPP),
    row(0x02c, "v_ashrrev_i16", I16, &[U16, I16], SDWA | DPP),
    row(0x02d, "v_max_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x02e, "v_min_f16", F16, &[F16, F16], CLAMP | OMOD | SDWA | DPP),
    row(0x02f, "v_max_u16", U16, &[U16, U16], SDWA | DPP),
    row(0x030, "v_max_i16", I16, &[I16, I16], SDWA | DPP),
    row(0x031, "v_min_u16", U16, &[U16, U16], SDWA | DPP),
    row(0x032, "v_min_i16", I16, &[I16, I16], SDWA | DPP),
    row(0x033, "v_ldexp_f16", F16, &[F16, I16], CLAMP | OMOD | SDWA | DPP),
    row(0x034, "v_add_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    row(0x035, "v_sub_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    row(0x036, "v_subrev_u32", U32, &[U32, U32], CLAMP | SDWA | DPP),
    row(
        0x037,
        "v_dot2c_f32_f16",
        F32,
        &[F16x2, F16x2],
        CLAMP | OMOD | DPP | TIED,
    ),
    row(0x038, "v_dot2c_i32_i16", I32, &[I16x2, I16x2], CLAMP | DPP | TIED),
    row(0x039, "v_dot4c_i32_i8", I32, &[I8x4, I8x4], CLAMP | DPP | TIED),
    row(0x03a, "v_dot8c_i32_i4", I32, &[I4x8, I4x8], CLAMP | DPP | TIED),
    row(0x03b, "v_fmac_f32", F32, &[F32, F32], CLAMP | OMOD | DPP | TIED),
    row(0x03c, "v_pk_fmac_f16", F16x2, &[F16x2, F16x2], NO_E64 | TIED),
    row(0x03d, "v_xnor_b32", B32, &[B32, B32], SDWA | DPP),
];
