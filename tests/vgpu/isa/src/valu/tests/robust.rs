// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Nothing that an encoding can express panics, whether it makes sense or not.

use super::harness::Random;
use crate::inst::{Dpp, Ext, Operand, Sdwa, Sel, Unused, Vop};
use crate::mode::Mode;
use crate::valu::OPS;
use crate::wave::Wave;

fn sel(x: u64) -> Sel {
    match x % 7 {
        n @ 0..=3 => Sel::Byte(n as u8),
        n @ (4 | 5) => Sel::Word(n as u8 - 4),
        _ => Sel::Dword,
    }
}

fn operand(random: &mut Random) -> Operand {
    let x = random.next();
    match x >> 60 {
        0..=8 => Operand(256 + (x % 34) as u16),
        9 => Operand(512 + (x % 34) as u16),
        10 => Operand(128 + (x % 128) as u16),
        11 | 12 => Operand((x % 128) as u16),
        13 => Operand::NONE,
        _ => Operand(x as u16),
    }
}

fn vop(random: &mut Random) -> Vop {
    let bits = random.next();
    let ext = match random.next() % 8 {
        0 => Ext::Sdwa(Sdwa {
            dst_sel: sel(random.next()),
            unused: [Unused::Pad, Unused::Sext, Unused::Preserve][(random.next() % 3) as usize],
            sel: [sel(random.next()), sel(random.next())],
            sext: [bits & 1 != 0, bits & 2 != 0],
        }),
        1 => Ext::Dpp(Dpp {
            ctrl: (random.next() & 0x1ff) as u16,
            row_mask: (random.next() & 15) as u8,
            bank_mask: (random.next() & 15) as u8,
            bound_ctrl: bits & 1 != 0,
        }),
        _ => Ext::None,
    };
    let byte = |i: u32| (bits >> (8 * i)) as u8;
    Vop {
        dst: operand(random),
        sdst: operand(random),
        src: [operand(random), operand(random), operand(random)],
        literal: random.next() as u32,
        abs: byte(0),
        neg: byte(1),
        neg_hi: byte(2),
        op_sel: byte(3),
        op_sel_hi: byte(4),
        omod: byte(5) & 3,
        clamp: byte(5) & 4 != 0,
        ext,
        cbsz: (random.next() & 7) as u8,
        abid: (random.next() & 15) as u8,
        blgp: (random.next() & 7) as u8,
    }
}

#[test]
fn any_operands() {
    let mut random = Random(0xdead_beef);
    let mut wave = Wave::new(0, 64, 32);
    let (mut worked, mut refused) = (0, 0);
    for (name, exec) in OPS.iter().flat_map(|list| list.iter()) {
        for round in 0..if name.contains("mfma") { 40 } else { 150 } {
            for row in wave.vgprs.iter_mut().skip(round % 8).step_by(8) {
                *row = random.row();
            }
            (wave.exec, wave.vcc, wave.m0) = (random.next(), random.next(), random.next() as u32);
            wave.mode = Mode(random.next() as u32);
            let vop = vop(&mut random);
            match exec(&mut wave, &vop) {
                Ok(()) => worked += 1,
                Err(why) => {
                    assert!(!why.is_empty(), "{name}");
                    refused += 1;
                }
            }
        }
    }
    // both must have happened often for the test to mean anything
    assert!(
        worked > 10_000 && refused > 1000,
        "{worked} worked, {refused} refused"
    );
}

/// A wave without registers can run nothing, but must not fall over.
#[test]
fn no_registers() {
    let mut random = Random(5);
    for (_, exec) in OPS.iter().flat_map(|list| list.iter()) {
        for _ in 0..10 {
            let mut wave = Wave::new(0, 0, 0);
            let _ = exec(&mut wave, &vop(&mut random));
        }
    }
}
