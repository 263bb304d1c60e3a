// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Relative VGPR addressing (CDNA2 ISA "VGPR indexing"): while MODE.GPR_IDX_EN is set, M0 7:0 is added to the register
//! numbers of the operands that M0 15:12 names.

use crate::inst::{Operand, Vop};
use crate::stop::Why;
use crate::wave::Wave;

/// `vop` with its relative operands resolved.
pub(super) fn relative(wave: &Wave, vop: &Vop) -> Result<Vop, Why> {
    let index = wave.m0 & 0xff;
    let on = wave.m0 >> 12 & 0xf;
    let mut out = *vop;
    for (bit, operand) in out.src.iter_mut().chain([&mut out.dst]).enumerate() {
        if on >> bit & 1 == 0 || !operand.is_vector() || operand.is_acc() {
            continue;
        }
        let register = u32::from(operand.0) + index;
        if register >= u32::from(Operand::A0.0) {
            let first = operand.0 - Operand::V0.0;
            return Err(Why::Owned(format!(
                "v{first} plus index {index} is past the last register"
            )));
        }
        *operand = Operand(register as u16);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_operands_move() {
        let mut wave = Wave::new(0, 8, 8);
        let vop = Vop {
            dst: Operand::vgpr(1),
            src: [Operand::vgpr(2), Operand(5), Operand::vgpr(255)],
            ..Vop::EMPTY
        };
        wave.m0 = 0x3003;
        let moved = relative(&wave, &vop).unwrap();
        assert_eq!(
            (moved.dst, moved.src),
            (vop.dst, [Operand::vgpr(5), Operand(5), Operand::vgpr(255)])
        );
        wave.m0 = 0x8003;
        assert_eq!(relative(&wave, &vop).unwrap().dst, Operand::vgpr(4));
        wave.m0 = 0x4001;
        assert!(relative(&wave, &vop).is_err());
    }
}
