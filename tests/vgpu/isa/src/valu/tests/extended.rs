// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SDWA and DPP against their description, lane by lane and bit by bit.

use super::harness::{Case, Random, DST, MASK_OUT};
use crate::inst::{Dpp, Ext, Operand, Sdwa, Sel, Unused};
use crate::wave::{Row, LANES};

const SELS: [Sel; 7] = [
    Sel::Byte(0),
    Sel::Byte(1),
    Sel::Byte(2),
    Sel::Byte(3),
    Sel::Word(0),
    Sel::Word(1),
    Sel::Dword,
];

/// Bytes that a selection names.
fn span(sel: Sel) -> std::ops::Range<usize> {
    match sel {
        Sel::Byte(n) => usize::from(n)..usize::from(n) + 1,
        Sel::Word(n) => 2 * usize::from(n)..2 * usize::from(n) + 2,
        Sel::Dword => 0..4,
    }
}

/// The selected bytes as a number.
fn picked(x: u32, sel: Sel, sext: bool) -> u32 {
    let bytes = x.to_le_bytes();
    let part = &bytes[span(sel)];
    let fill = if sext && part[part.len() - 1] & 0x80 != 0 {
        0xff
    } else {
        0
    };
    let mut out = [fill; 4];
    out[..part.len()].copy_from_slice(part);
    u32::from_le_bytes(out)
}

#[test]
fn parts_of_sources() {
    let mut random = Random(23);
    for sel0 in SELS {
        for sel1 in SELS {
            for sext in [[false, false], [true, false], [false, true]] {
                let (a, b) = (random.row(), random.row());
                let sdwa = Sdwa {
                    dst_sel: Sel::Dword,
                    unused: Unused::Pad,
                    sel: [sel0, sel1],
                    sext,
                };
                let case = Case::new("v_sub_u32")
                    .src(0, a)
                    .src(1, b)
                    .with(|v| v.ext = Ext::Sdwa(sdwa));
                let out = case.row();
                for l in 0..LANES {
                    let expected = picked(a[l], sel0, sext[0]).wrapping_sub(picked(b[l], sel1, sext[1]));
                    assert_eq!(out[l], expected, "{sdwa:?}");
                }
            }
        }
    }
}

#[test]
fn parts_of_destinations() {
    let mut random = Random(29);
    for dst_sel in SELS {
        for unused in [Unused::Pad, Unused::Sext, Unused::Preserve] {
            let (a, old) = (random.row(), random.row());
            let sdwa = Sdwa {
                dst_sel,
                unused,
                sel: [Sel::Dword; 2],
                sext: [false; 2],
            };
            let case = Case::new("v_mov_b32").src(0, a).with(|v| v.ext = Ext::Sdwa(sdwa));
            let out = case.on(|w| w.vgprs[usize::from(DST)] = old).row();
            for l in 0..LANES {
                let span = span(dst_sel);
                let (new, mut expected) = (a[l].to_le_bytes(), old[l].to_le_bytes());
                let sign = if new[span.len() - 1] & 0x80 != 0 { 0xff } else { 0 };
                for (i, byte) in expected.iter_mut().enumerate() {
                    if span.contains(&i) {
                        *byte = new[i - span.start];
                    } else {
                        *byte = match unused {
                            Unused::Pad => 0,
                            Unused::Sext if i >= span.end => sign,
                            Unused::Sext => 0,
                            Unused::Preserve => *byte,
                        };
                    }
                }
                assert_eq!(
                    out[l].to_le_bytes(),
                    expected,
                    "{sdwa:?} {:#x} {:#x}",
                    a[l],
                    old[l]
                );
            }
        }
    }
}

/// Half-precision instructions take halves; abs and neg act on the half.
#[test]
fn halves_of_floats() {
    let sdwa = Sdwa {
        dst_sel: Sel::Word(1),
        unused: Unused::Preserve,
        sel: [Sel::Word(1), Sel::Word(0)],
        sext: [false; 2],
    };
    let case = Case::new("v_add_f16")
        .src(0, [0xbc00_7777; LANES])
        .src(1, [0x7777_4000; LANES]);
    let case = case.with(|v| (v.ext, v.abs) = (Ext::Sdwa(sdwa), 1));
    // |-1| + 2
    assert_eq!(
        case.on(|w| w.vgprs[usize::from(DST)] = [0x1234; LANES]).row(),
        [0x4200_1234; LANES]
    );
    let sdwa = Sdwa {
        sel: [Sel::Byte(3), Sel::Dword],
        dst_sel: Sel::Dword,
        unused: Unused::Pad,
        sext: [true, false],
    };
    let case = Case::new("v_cvt_f32_i32")
        .src(0, [0xfe00_0000; LANES])
        .with(|v| v.ext = Ext::Sdwa(sdwa));
    assert_eq!(f32::from_bits(case.row()[0]), -2.0);
}

/// Compares take parts, too.
#[test]
fn parts_in_compares() {
    let sdwa = Sdwa {
        dst_sel: Sel::Dword,
        unused: Unused::Pad,
        sel: [Sel::Byte(1), Sel::Byte(2)],
        sext: [true, true],
    };
    let a: Row = std::array::from_fn(|l| (l as u32) << 8 | 0x77ff_0077);
    let case = Case::new("v_cmp_lt_i32").src(0, a).src(1, [0x0020_0000; LANES]);
    let mask = case.with(|v| (v.ext, v.dst) = (Ext::Sdwa(sdwa), MASK_OUT)).mask();
    assert_eq!(mask, 0xffff_ffff);
}

fn dpp(ctrl: u16) -> Dpp {
    Dpp {
        ctrl,
        row_mask: 15,
        bank_mask: 15,
        bound_ctrl: false,
    }
}

/// Runs `v_mov_b32` of lane numbers plus 100 into a register of 7s.
fn moved(dpp: Dpp, exec: u64) -> [Option<usize>; LANES] {
    let lanes: Row = std::array::from_fn(|l| 100 + l as u32);
    let case = Case::new("v_mov_b32")
        .src(0, lanes)
        .with(|v| v.ext = Ext::Dpp(dpp))
        .on(|w| {
            w.exec = exec;
            w.vgprs[usize::from(DST)] = [7; LANES];
        });
    case.row().map(|x| (x != 7).then(|| x.wrapping_sub(100) as usize))
}

/// A read of 0 in [`moved`].
const ZERO: usize = 0u32.wrapping_sub(100) as usize;

#[test]
fn movements() {
    let expect = |ctrl: u16, source: &dyn Fn(usize) -> Option<usize>| {
        let out = moved(dpp(ctrl), u64::MAX);
        for (l, from) in out.iter().enumerate() {
            assert_eq!(*from, source(l), "dpp_ctrl {ctrl:#x} lane {l}");
        }
        // outside: 0 with bound_ctrl
        let out = moved(
            Dpp {
                bound_ctrl: true,
                ..dpp(ctrl)
            },
            u64::MAX,
        );
        for (l, from) in out.iter().enumerate() {
            assert_eq!(
                *from,
                source(l).or(Some(ZERO)),
                "dpp_ctrl {ctrl:#x} lane {l} bound_ctrl"
            );
        }
    };
    // quad_perm:[3,0,2,1]
    expect(0b01_10_00_11, &|l| Some(l / 4 * 4 + [3, 0, 2, 1][l % 4]));
    for n in 1..16usize {
        let ctrl = |base: u16| base + n as u16;
        expect(ctrl(0x100), &|l| (l % 16 + n < 16).then_some(l + n));
        expect(ctrl(0x110), &|l| (l % 16 >= n).then(|| l - n));
        expect(ctrl(0x120), &|l| Some(l / 16 * 16 + (l % 16 + 16 - n) % 16));
    }
    expect(0x130, &|l| (l < 63).then_some(l + 1));
    expect(0x134, &|l| Some((l + 1) % 64));
    expect(0x138, &|l| (l > 0).then(|| l - 1));
    expect(0x13c, &|l| Some((l + 63) % 64));
    expect(0x140, &|l| Some(l / 16 * 16 + 15 - l % 16));
    expect(0x141, &|l| Some(l / 8 * 8 + 7 - l % 8));
    expect(0x142, &|l| (l >= 16).then(|| l / 16 * 16 - 1));
    expect(0x143, &|l| (l >= 32).then_some(31));
    for n in 0..16 {
        expect(0x150 + n as u16, &|l| Some(l / 16 * 16 + n));
    }
}

#[test]
fn masks() {
    let out = moved(
        Dpp {
            row_mask: 0b1010,
            bank_mask: 0b0110,
            ..dpp(0xe4)
        },
        u64::MAX,
    );
    for (l, from) in out.iter().enumerate() {
        let on = (l / 16) % 2 == 1 && (1..3).contains(&(l / 4 % 4));
        assert_eq!(*from, on.then_some(l), "lane {l}");
    }
}

/// A source lane that is not active counts as outside; a lane that is not active is not written.
#[test]
fn inactive_sources() {
    let even = 0x5555_5555_5555_5555;
    // row_shr:1 from odd lanes, which are off
    assert!(moved(dpp(0x111), even).iter().all(Option::is_none));
    let out = moved(
        Dpp {
            bound_ctrl: true,
            ..dpp(0x111)
        },
        even,
    );
    for (l, from) in out.iter().enumerate() {
        assert_eq!(*from, (l % 2 == 0).then_some(ZERO), "lane {l}");
    }
}

#[test]
fn unknown_movements_are_refused() {
    for ctrl in [0x100, 0x110, 0x120, 0x131, 0x144, 0x160, 0x1ff] {
        let case = Case::new("v_mov_b32").with(|v| v.ext = Ext::Dpp(dpp(ctrl)));
        let why = case.try_run().unwrap_err();
        assert!(why.contains(&format!("{ctrl:#x}")), "{why}");
    }
}

/// Only source 0 moves; carries of lanes that are not written are 0; other widths work alike.
#[test]
fn dpp_in_other_instructions() {
    let lanes: Row = std::array::from_fn(|l| l as u32);
    let case = Case::new("v_add_f32")
        .src(0, lanes.map(|x| (x as f32).to_bits()))
        .src(1, [1f32.to_bits(); LANES]);
    let out = case.with(|v| (v.ext, v.neg) = (Ext::Dpp(dpp(0x140)), 1)).row();
    assert_eq!(f32::from_bits(out[3]), 1.0 - 12.0);
    let case = Case::new("v_add_co_u32")
        .src(0, [u32::MAX; LANES])
        .src(1, [1; LANES]);
    let case = case.with(|v| {
        (v.ext, v.sdst) = (
            Ext::Dpp(Dpp {
                row_mask: 1,
                ..dpp(0xe4)
            }),
            Operand::VCC,
        )
    });
    assert_eq!(case.on(|w| w.vcc = u64::MAX).run().vcc, 0xffff);
    let qwords: [u64; LANES] = std::array::from_fn(|l| (l as f64).to_bits());
    let case = Case::new("v_ceil_f64")
        .src64(0, qwords)
        .with(|v| v.ext = Ext::Dpp(dpp(0x153)));
    let out = case.row64();
    for (l, x) in out.iter().enumerate() {
        assert_eq!(f64::from_bits(*x), (l / 16 * 16 + 3) as f64);
    }
}
