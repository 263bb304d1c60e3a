// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cube map coordinates (source: CDNA2 ISA, V_CUBEID_F32 and its siblings). The major axis is the one of the largest
//! magnitude; z wins over y and y over x.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{soft, Env, Float, F32};
use crate::valu::lanes::shape::f32s_soft;
use crate::valu::Exec;
use crate::wave::Wave;

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_cubeid_f32", |w, v| {
        cube(w, v, |_, [x, y, z], axis| {
            // ±x 0 and 1, ±y 2 and 3, ±z 4 and 5
            let face = match axis {
                Axis::X => u32::from(negative(x)),
                Axis::Y => 2 + u32::from(negative(y)),
                Axis::Z => 4 + u32::from(negative(z)),
            };
            u64::from((face as f32).to_bits())
        })
    }),
    ("v_cubesc_f32", |w, v| {
        cube(w, v, |_, [x, _, z], axis| match axis {
            Axis::X if negative(x) => z,
            Axis::X => z ^ F32::SIGN,
            Axis::Y => x,
            Axis::Z if negative(z) => x ^ F32::SIGN,
            Axis::Z => x,
        })
    }),
    ("v_cubetc_f32", |w, v| {
        cube(w, v, |_, [_, y, z], axis| match axis {
            Axis::Y if negative(y) => z ^ F32::SIGN,
            Axis::Y => z,
            Axis::X | Axis::Z => y ^ F32::SIGN,
        })
    }),
    ("v_cubema_f32", |w, v| {
        cube(w, v, |env, [x, y, z], axis| {
            let major = match axis {
                Axis::X => x,
                Axis::Y => y,
                Axis::Z => z,
            };
            soft::ldexp::<F32>(env, major, 1)
        })
    }),
];

enum Axis {
    X,
    Y,
    Z,
}

/// Whether a coordinate is less than zero; -0 is not.
fn negative(x: u64) -> bool {
    f32::from_bits(x as u32) < 0.0
}

fn cube(wave: &mut Wave, vop: &Vop, f: impl Fn(Env, [u64; 3], Axis) -> u64) -> Result<(), Why> {
    f32s_soft(wave, vop, Env::single(wave.mode), |env, src: [u64; 3]| {
        let src = src.map(|x| F32::flush(x, env.denorm_in));
        let [x, y, z] = src.map(|x| f32::from_bits(x as u32).abs());
        let axis = if z >= x && z >= y {
            Axis::Z
        } else if y >= x {
            Axis::Y
        } else {
            Axis::X
        };
        F32::flush(f(env, src, axis), env.denorm_out)
    })
}
