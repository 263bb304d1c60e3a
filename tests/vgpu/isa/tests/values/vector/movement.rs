// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DPP: where the lanes of source 0 come from, and which lanes are written.

use crate::input::Random;
use crate::{assemble, execute};
use vgpu_isa::{Wave, LANES};

/// The lane that a lane reads, if there is one.
type From = fn(usize) -> Option<usize>;

/// Controls and what they do (CDNA2 ISA "DPP").
#[rustfmt::skip]
const CONTROLS: &[(&str, From)] = &[
    ("quad_perm:[3,0,2,1]", |l| Some((l & !3) + [3, 0, 2, 1][l % 4])),
    ("row_shl:3", |l| (l % 16 < 13).then_some(l + 3)),
    ("row_shr:5", |l| (l % 16 >= 5).then(|| l - 5)),
    ("row_ror:7", |l| Some((l & !15) + (l + 9) % 16)),
    ("wave_shl:1", |l| (l < 63).then_some(l + 1)),
    ("wave_rol:1", |l| Some((l + 1) % 64)),
    ("wave_shr:1", |l| (l > 0).then(|| l - 1)),
    ("wave_ror:1", |l| Some((l + 63) % 64)),
    ("row_mirror", |l| Some((l & !15) + 15 - l % 16)),
    ("row_half_mirror", |l| Some((l & !7) + 7 - l % 8)),
    ("row_bcast:15", |l| (l >= 16).then(|| (l & !15) - 1)),
    ("row_bcast:31", |l| (l >= 32).then_some(31)),
    ("row_newbcast:6", |l| Some((l & !15) + 6)),
];

#[test]
fn movements() {
    let mut cases = Vec::new();
    for (control, from) in CONTROLS {
        for bound in [false, true] {
            for (rows, banks) in [(0xf, 0xf), (0xa, 0x7), (0x1, 0xc)] {
                let bound_ctrl = if bound { " bound_ctrl:0" } else { "" };
                let text = format!("v_sub_u32_dpp v32, v16, v20 {control} row_mask:{rows:#x} bank_mask:{banks:#x}{bound_ctrl}");
                cases.push((text, *from, bound, rows, banks));
            }
        }
    }
    let programs = assemble(&cases.iter().map(|case| case.0.clone()).collect::<Vec<_>>());
    for ((text, from, bound, rows, banks), program) in cases.iter().zip(programs) {
        for all in [true, false] {
            let mut random = Random::of(text);
            let mut wave = Wave::new(0, 40, 40);
            for row in &mut wave.vgprs {
                row.fill_with(|| random.next() as u32);
            }
            wave.exec = if all { u64::MAX } else { random.next() };
            let before = wave.clone();
            execute(&mut wave, &program);
            for lane in 0..LANES {
                let on = |lane: usize| before.exec >> lane & 1 == 1;
                // a lane that is off cannot be read
                let source = from(lane).filter(|l| on(*l)).map(|l| before.vgprs[16][l]);
                let source = if *bound { source.or(Some(0)) } else { source };
                let written = on(lane) && rows >> (lane / 16) & 1 == 1 && banks >> (lane / 4 % 4) & 1 == 1;
                let expected = match source.filter(|_| written) {
                    Some(x) => x.wrapping_sub(before.vgprs[20][lane]),
                    None => before.vgprs[32][lane],
                };
                assert_eq!(
                    wave.vgprs[32][lane], expected,
                    "{text} lane {lane} EXEC {:#x}",
                    before.exec
                );
            }
        }
    }
}
