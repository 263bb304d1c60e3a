// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions with one source.

use super::Exec;
use crate::inst::Vop;
use crate::stop::Why;
use crate::wave::Wave;

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[("v_mov_b32", v_mov_b32)];

fn v_mov_b32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let row = wave.src32(vop.src[0], vop.literal)?.row();
    wave.write32(vop.dst, &row)
}
