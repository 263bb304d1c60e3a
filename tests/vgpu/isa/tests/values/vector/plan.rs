// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which runs an instruction gets: forms, modifiers, modes, lanes that are off.

use super::form::{packed_floats, packed_selects, Form, Run, DST, SRC};
use super::HIP;
use crate::input::Random;
use vgpu_isa::table::{flags, Enc, Op, Ty};
use vgpu_isa::{Mode, Wave, LANES};

/// The runs of `op`.
pub(super) fn runs(op: &'static Op, random: &mut Random) -> Vec<Run> {
    let plain = Run {
        op,
        form: if op.has(flags::NO_E64) {
            Form::Short
        } else {
            Form::Long
        },
        exec: u64::MAX,
        mode: HIP,
        abs: 0,
        neg: 0,
        op_sel: 0,
        op_sel_hi: 7,
        omod: 0,
        clamp: false,
        sel: [6; 2],
        sext: 0,
    };
    let mut runs = vec![plain];
    let is_float = |ty: &Ty| matches!(ty, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16x2 | Ty::F32x2);
    let float = op.src.iter().any(is_float);
    let signs = if op.has(flags::PACKED) {
        if packed_floats(op) {
            (1 << op.src.len()) - 1
        } else {
            0
        }
    } else if op.has(flags::MIX) {
        7
    } else if op.has(flags::NO_E64) {
        0
    } else {
        (0..op.src.len())
            .filter(|i| op.src_ty(*i).is_float())
            .map(|i| 1 << i)
            .sum()
    };
    let selects = match op {
        _ if packed_selects(op) || op.has(flags::MIX) => (1 << op.src.len()) - 1,
        _ if op.has(flags::OPSEL) => {
            let halves = (0..op.src.len())
                .filter(|i| op.src_ty(*i).literal_mask() == 0xffff)
                .map(|i| 1 << i)
                .sum::<u8>();
            halves | if op.dst.literal_mask() == 0xffff { 8 } else { 0 }
        }
        _ => 0,
    };
    let signed_abs = if op.sdst == Ty::Mask { 0 } else { signs };
    for _ in 0..4 {
        let any = random.next().to_le_bytes();
        runs.push(Run {
            exec: random.next(),
            abs: any[0] & signed_abs,
            neg: any[1] & signs,
            op_sel: any[2] & selects,
            op_sel_hi: any[3] & 7,
            ..plain
        });
    }
    if plain.form == Form::Long && matches!(op.enc, Enc::Vop1 | Enc::Vop2 | Enc::Vopc) {
        runs.push(Run {
            form: Form::Short,
            exec: random.next(),
            ..plain
        });
    }
    // a clamp is for results; compares only accept the bit
    if op.has(flags::CLAMP) && op.dst != Ty::Mask && !op.has(flags::NO_E64) {
        runs.push(Run {
            clamp: true,
            exec: random.next(),
            ..plain
        });
        if float {
            runs.push(Run {
                clamp: true,
                mode: HIP & !0x100,
                ..plain
            });
        }
    }
    if op.has(flags::OMOD) && !op.has(flags::NO_E64) {
        // only without IEEE mode and denormals it works
        for omod in 1..4 {
            runs.push(Run {
                omod,
                mode: 0x100,
                ..plain
            });
            runs.push(Run {
                omod,
                mode: HIP,
                ..plain
            });
        }
        runs.push(Run {
            omod: 1,
            clamp: true,
            mode: 0x100,
            ..plain
        });
    }
    if float || op.dst.is_float() {
        for mode in [0x300, 0x3c0, 0x330, 0x350, 0x3a0, 0x0f0] {
            runs.push(Run { mode, ..plain });
        }
        for round in 1..4 {
            runs.push(Run {
                mode: HIP | round | round << 2,
                ..plain
            });
        }
        if op.dst == Ty::F16 || op.dst == Ty::F16x2 {
            runs.push(Run {
                mode: HIP | 1 << 23,
                ..plain
            });
        }
    }
    let abs_neg = |random: &mut Random| {
        let any = random.next().to_le_bytes();
        [any[0] & signed_abs, any[1] & signs]
    };
    if op.has(flags::DPP) {
        let [abs, neg] = if op.has(flags::NO_E64) {
            [0; 2]
        } else {
            abs_neg(random)
        };
        runs.push(Run {
            form: Form::Dpp,
            abs,
            neg,
            ..plain
        });
    }
    if op.has(flags::SDWA) {
        runs.extend((0..5).map(|_| sdwa(plain, abs_neg(random), random)));
    }
    runs
}

/// Any parts of the sources, signs, output modifiers.
fn sdwa(plain: Run, [abs, neg]: [u8; 2], random: &mut Random) -> Run {
    let op = plain.op;
    let integers: u8 = (0..op.src.len().min(2))
        .filter(|i| !op.src_ty(*i).is_float())
        .map(|i| 1 << i)
        .sum();
    let value = op.dst != Ty::Mask;
    let omod = if op.dst.is_float() && op.has(flags::OMOD) {
        random.below(4) as u8
    } else {
        0
    };
    Run {
        form: Form::Sdwa,
        exec: random.next(),
        mode: if omod == 0 { HIP } else { 0x100 },
        abs: abs & 3,
        neg: neg & 3,
        sext: random.below(4) as u8 & integers,
        sel: [random.below(7) as u8, random.below(7) as u8],
        clamp: value && op.has(flags::CLAMP) && random.below(3) == 0,
        omod,
        ..plain
    }
}

/// A wave with operands for `run`.
pub(super) fn wave(run: &Run, random: &mut Random) -> Wave {
    let mut wave = Wave::new(0, 48, 48);
    wave.exec = run.exec;
    wave.mode = Mode(run.mode);
    wave.vcc = random.next();
    for i in [40, 41, 42, 43] {
        wave.sgprs[i] = random.next() as u32;
    }
    let mut fill = |first: usize, ty: Ty| {
        for lane in 0..LANES {
            let x = random.operand(ty);
            for d in 0..ty.dwords().clamp(1, 4) {
                wave.vgprs[first + d][lane] = (x >> (32 * d)) as u32;
            }
        }
    };
    for (i, ty) in run.op.src.iter().enumerate() {
        // halves of mixed operands must be sensible, too
        fill(SRC[i], *ty);
    }
    fill(
        DST,
        if run.op.dst == Ty::Mask {
            Ty::B32
        } else {
            run.op.dst
        },
    );
    if run.op.has(flags::MIX) || run.op.src_ty(0) == Ty::F32 && run.form == Form::Sdwa {
        for first in SRC {
            for lane in (0..LANES).step_by(2) {
                wave.vgprs[first][lane] = random.operand(Ty::F16x2) as u32;
            }
        }
    }
    wave
}
