// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SDWA results: the part of the destination that gets them, and the rest.

use super::form::{Form, Run, DST, DWORD, SELS};
use super::{model, plan, rows};
use crate::input::Random;
use crate::{assemble, execute};
use vgpu_isa::table::Ty;
use vgpu_isa::LANES;

/// `value` in part `sel` of a destination that held `old`.
fn composed(value: u32, old: u32, sel: usize, unused: &str) -> u32 {
    let (_, from, bits) = SELS[sel];
    let mask = ((1u64 << bits) - 1) as u32;
    let placed = (value & mask) << from;
    let above = u32::MAX.checked_shl(from + bits).unwrap_or(0);
    match unused {
        "UNUSED_SEXT" if value >> (bits - 1) & 1 == 1 => placed | above,
        "UNUSED_PRESERVE" => placed | old & !(mask << from),
        _ => placed,
    }
}

/// Against the result in the whole register, which [`super::each_instruction`] checks.
#[test]
fn parts_of_results() {
    let mut random = Random::of("parts");
    let ops = rows().filter(|op| model(op.name).is_some() && op.dst != Ty::Mask);
    let plans = ops.flat_map(|op| plan::runs(op, &mut Random::of(op.name)));
    let cases: Vec<(Run, usize, &str, String)> = plans
        .filter(|run| run.form == Form::Sdwa)
        .map(|run| {
            let sel = random.below(6) as usize;
            let unused = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"][random.below(3) as usize];
            let part = format!(" dst_sel:{} dst_unused:{unused}", SELS[sel].0);
            (run, sel, unused, run.text().replace(DWORD, &part))
        })
        .collect();
    let programs = |text: fn(&(Run, usize, &str, String)) -> String| {
        assemble(&cases.iter().map(text).collect::<Vec<_>>())
    };
    let (whole, part) = (programs(|case| case.0.text()), programs(|case| case.3.clone()));
    for (((run, sel, unused, text), whole), part) in cases.iter().zip(whole).zip(part) {
        let before = plan::wave(run, &mut Random::of(text));
        let (mut a, mut b) = (before.clone(), before.clone());
        execute(&mut a, &whole);
        execute(&mut b, &part);
        for lane in 0..LANES {
            let old = before.vgprs[DST][lane];
            let expected = match run.exec >> lane & 1 {
                0 => old,
                _ => composed(a.vgprs[DST][lane], old, *sel, unused),
            };
            assert_eq!(b.vgprs[DST][lane], expected, "{text} lane {lane}");
        }
    }
}
