// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands: any number, and those that hurt.

use vgpu_isa::table::Ty;

/// A small generator of repeatable numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    /// Numbers that depend on `name` alone, so that a failure repeats whatever else runs.
    pub(crate) fn of(name: &str) -> Self {
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Self(hash | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }

    /// An integer of `bits` bits: any, small, or at a limit.
    pub(crate) fn integer(&mut self, bits: u32) -> u64 {
        let any = self.next();
        let value = match self.below(8) {
            0..=2 => any,
            3 => any >> 59,
            4 => (any >> 59).wrapping_neg(),
            5 => 1 << (any % u64::from(bits)),
            6 => (1u64 << (any % u64::from(bits))) - 1,
            // the signed limits
            _ => (1u64 << (bits - 1))
                .wrapping_add(any & 1)
                .wrapping_sub(any >> 1 & 1),
        };
        value & (u64::MAX >> (64 - bits))
    }

    /// A floating-point number with `exp` bits of exponent and `frac` of fraction.
    pub(crate) fn float(&mut self, exp: u32, frac: u32) -> u64 {
        let any = self.next();
        let (sign, fraction) = (any & (1 << (exp + frac)), any & ((1 << frac) - 1));
        let (bias, special) = ((1u64 << (exp - 1)) - 1, (1u64 << exp) - 1);
        let magnitude = match self.below(16) {
            0 => 0,
            1 => special << frac,
            // quiet and signalling NaNs
            2 => special << frac | fraction | 1,
            // the largest and the smallest normal numbers, one
            3 => (special << frac) - 1,
            4 => 1 << frac,
            5 => bias << frac,
            // denormals
            6 => fraction,
            7 => fraction >> (frac - 2),
            8 => any & ((special << frac) | ((1 << frac) - 1)),
            // halves, which tie
            9 => (bias + self.below(u64::from(frac))) << frac | 1 << (frac - 1),
            // few bits around one: sums that cancel, products that are exact
            10 | 11 => (bias - 3 + self.below(8)) << frac | fraction & (7 << (frac - 3)),
            _ => (bias - 3 + self.below(8)) << frac | fraction,
        };
        sign | magnitude
    }

    /// An operand of type `ty` as its registers hold it.
    pub(crate) fn operand(&mut self, ty: Ty) -> u128 {
        let mut two = |exp, frac, bits: u32| {
            u128::from(self.float(exp, frac)) | u128::from(self.float(exp, frac)) << bits
        };
        match ty {
            Ty::F16 | Ty::F16x2 => two(5, 10, 16),
            Ty::F32 => self.float(8, 23).into(),
            Ty::F64 => self.float(11, 52).into(),
            Ty::F32x2 => two(8, 23, 32),
            Ty::B16 | Ty::I16 | Ty::U16 | Ty::I16x2 | Ty::U16x2 => {
                u128::from(self.integer(16)) | u128::from(self.integer(16)) << 16
            }
            Ty::I8x4 | Ty::U8x4 => (0..4).map(|i| u128::from(self.integer(8)) << (8 * i)).sum(),
            Ty::B128 => (0..4).map(|i| u128::from(self.integer(32)) << (32 * i)).sum(),
            ty if ty.dwords() == 2 => self.integer(64).into(),
            _ => self.integer(32).into(),
        }
    }
}
