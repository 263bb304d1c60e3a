// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Immediates that have a syntax of their own.

use super::{operand, List};
use crate::inst::Scalar;
use crate::salu::hwreg;
use crate::table::{Op, Ty};

/// Operands of SOPK after the destination.
pub(super) fn sopk(op: &Op, s: &Scalar, list: &mut List) {
    let imm = s.imm;
    match op.name {
        "s_getreg_b32" => list.item(hw_register(imm)),
        "s_setreg_b32" => {
            list.item(hw_register(imm));
            list.item(operand::source(s.src[0], Ty::B32, s.literal));
        }
        "s_setreg_imm32_b32" => {
            list.item(hw_register(imm));
            list.item(operand::constant(Ty::B32, s.literal));
        }
        _ => {
            if op.src_ty(0) != Ty::No {
                list.item(operand::source(s.src[0], op.src_ty(0), s.literal));
            }
            match op.name {
                "s_call_b64" | "s_cbranch_i_fork" => list.item(imm),
                _ => list.item(format!("{imm:#x}")),
            }
        }
    }
}

/// The immediate of SOPP.
pub(super) fn sopp(op: &Op, s: &Scalar, list: &mut List) {
    let imm = s.imm;
    if op.src.is_empty() {
        return;
    }
    match op.name {
        "s_endpgm" if imm == 0 => {}
        "s_waitcnt" => list.item(wait_count(imm)),
        "s_sendmsg" | "s_sendmsghalt" => list.item(message(imm)),
        "s_set_gpr_idx_mode" => list.item(gpr_idx(imm)),
        name if name == "s_endpgm" || name.contains("branch") => list.item(imm),
        _ => list.item(operand::constant(Ty::B32, imm.into())),
    }
}

fn hw_register(imm: u16) -> String {
    let field = hwreg::Field::new(imm);
    let name = hwreg::name(field.id);
    match (field.offset, field.width) {
        (0, 32) => format!("hwreg({name})"),
        (offset, width) => format!("hwreg({name}, {offset}, {width})"),
    }
}

/// Which operands are relative.
pub(super) fn gpr_idx(imm: u16) -> String {
    let names = ["SRC0", "SRC1", "SRC2", "DST"];
    let on: Vec<&str> = (0..4).filter(|i| imm >> i & 1 != 0).map(|i| names[i]).collect();
    format!("gpr_idx({})", on.join(","))
}

/// Counters at their maximum are not waited for.
fn wait_count(imm: u16) -> String {
    let vm = imm & 0xf | imm >> 10 & 0x30;
    let counters = [
        ("vmcnt", vm, 63),
        ("expcnt", imm >> 4 & 7, 7),
        ("lgkmcnt", imm >> 8 & 15, 15),
    ];
    let all = counters.iter().all(|(_, value, max)| value == max);
    let shown: Vec<String> = counters
        .iter()
        .filter(|(_, value, max)| all || value != max)
        .map(|(name, value, _)| format!("{name}({value})"))
        .collect();
    shown.join(" ")
}

/// Message in bits 3:0, operation in 6:4, stream in 9:8.
fn message(imm: u16) -> String {
    let (id, op, stream) = (imm & 0xf, imm >> 4 & 7, imm >> 8 & 3);
    let gs = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
    let system = [
        "",
        "SYSMSG_OP_ECC_ERR_INTERRUPT",
        "SYSMSG_OP_REG_RD",
        "",
        "SYSMSG_OP_TTRACE_PC",
    ];
    let (name, operations, first): (&str, &[&str], u16) = match id {
        1 => ("MSG_INTERRUPT", &[], 0),
        2 => ("MSG_GS", &gs, 1),
        3 => ("MSG_GS_DONE", &gs, 0),
        4 => ("MSG_SAVEWAVE", &[], 0),
        5 => ("MSG_STALL_WAVE_GEN", &[], 0),
        6 => ("MSG_HALT_WAVES", &[], 0),
        7 => ("MSG_ORDERED_PS_DONE", &[], 0),
        8 => ("MSG_EARLY_PRIM_DEALLOC", &[], 0),
        9 => ("MSG_GS_ALLOC_REQ", &[], 0),
        10 => ("MSG_GET_DOORBELL", &[], 0),
        15 => ("MSG_SYSMSG", &system, 1),
        _ => ("", &[], 0),
    };
    let streams = matches!(id, 2 | 3) && op != 0;
    let known = match operations {
        [] => op == 0,
        list => op >= first && list.get(usize::from(op)).is_some_and(|name| !name.is_empty()),
    };
    if name.is_empty() || !known || (stream != 0 && !streams) {
        return match imm & !0x37f {
            0 => format!("sendmsg({id}, {op}, {stream})"),
            _ => imm.to_string(),
        };
    }
    match (operations.get(usize::from(op)), streams) {
        (None, _) => format!("sendmsg({name})"),
        (Some(operation), false) => format!("sendmsg({name}, {operation})"),
        (Some(operation), true) => format!("sendmsg({name}, {operation}, {stream})"),
    }
}

/// The pattern of `ds_swizzle_b32`.
pub(super) fn swizzle(imm: u16) -> String {
    if imm & 0xff00 == 0x8000 {
        let lanes: Vec<String> = (0..4).map(|i| (imm >> (2 * i) & 3).to_string()).collect();
        return format!("swizzle(QUAD_PERM,{})", lanes.join(","));
    }
    if imm & 0x8000 != 0 {
        return imm.to_string();
    }
    let [and, or, xor] = [0, 5, 10].map(|shift| imm >> shift & 0x1f);
    let group = 32 - and;
    if and == 0x1f && or == 0 && xor.is_power_of_two() {
        format!("swizzle(SWAP,{xor})")
    } else if and == 0x1f && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        format!("swizzle(REVERSE,{})", xor + 1)
    } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        format!("swizzle(BROADCAST,{group},{or})")
    } else {
        // per bit of the lane number: 0, 1, preserved or inverted
        let bits: String = (0..5)
            .rev()
            .map(|bit| {
                let of = |lane: u16| ((lane & and | or) ^ xor) >> bit & 1;
                match (of(0), of(1 << bit)) {
                    (0, 0) => '0',
                    (1, 1) => '1',
                    (0, _) => 'p',
                    _ => 'i',
                }
            })
            .collect();
        format!("swizzle(BITMASK_PERM,\"{bits}\")")
    }
}

/// Data and number format of MTBUF.
pub(super) fn format(format: u8) -> String {
    let data = [
        "INVALID",
        "8",
        "16",
        "8_8",
        "32",
        "16_16",
        "10_11_11",
        "11_11_10",
        "10_10_10_2",
        "2_10_10_10",
        "8_8_8_8",
        "32_32",
        "16_16_16_16",
        "32_32_32",
        "32_32_32_32",
        "RESERVED_15",
    ];
    let number = [
        "UNORM",
        "SNORM",
        "USCALED",
        "SSCALED",
        "UINT",
        "SINT",
        "RESERVED_6",
        "FLOAT",
    ];
    let (d, n) = (usize::from(format & 0xf), usize::from(format >> 4 & 7));
    // the assembler's defaults are left out
    let mut names = Vec::new();
    if d != 1 {
        names.push(format!("BUF_DATA_FORMAT_{}", data[d]));
    }
    if n != 0 {
        names.push(format!("BUF_NUM_FORMAT_{}", number[n]));
    }
    if names.is_empty() {
        return String::new();
    }
    format!(" format:[{}]", names.join(","))
}
