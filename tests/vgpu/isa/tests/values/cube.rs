// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cube map coordinates (CDNA2 ISA, V_CUBE*).

use super::float::{operand, result, round};
use super::vector::{In, Model};
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round};

/// The axis of largest magnitude (z before y before x) and the signs: face, s, t and twice the axis.
fn cube([x, y, z]: [Single; 3], r: Round) -> [Single; 4] {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let number = |n: u128| Single::from_u128(n).value;
    let two = |a: Single| a.mul_r(number(2), r).value;
    if az >= ax && az >= ay {
        let back = z < Single::ZERO;
        [
            number(if back { 5 } else { 4 }),
            if back { -x } else { x },
            -y,
            two(z),
        ]
    } else if ay >= ax {
        let down = y < Single::ZERO;
        [
            number(if down { 3 } else { 2 }),
            x,
            if down { -z } else { z },
            two(y),
        ]
    } else {
        let left = x < Single::ZERO;
        [
            number(if left { 1 } else { 0 }),
            if left { z } else { -z },
            -y,
            two(x),
        ]
    }
}

/// Cube coordinates of operands that are numbers.
fn cubed(x: &In, got: u128, part: usize) -> bool {
    let src = x.src.map(|s| operand::<Single>(s, x.mode));
    if src.iter().any(|s| s.is_nan()) {
        // not documented
        return true;
    }
    result(cube(src, round::<Single>(x.mode))[part], x) == got
}

pub(crate) fn model(name: &str) -> Option<Model> {
    Some(match name {
        "v_cubeid_f32" => Model::Judge(|x, got| cubed(x, got, 0)),
        "v_cubesc_f32" => Model::Judge(|x, got| cubed(x, got, 1)),
        "v_cubetc_f32" => Model::Judge(|x, got| cubed(x, got, 2)),
        "v_cubema_f32" => Model::Judge(|x, got| cubed(x, got, 3)),
        _ => return None,
    })
}
