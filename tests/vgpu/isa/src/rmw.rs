// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Read-modify-write operations of LDS and memory.

use crate::valu::fp::half;

/// What an atomic instruction makes of the old value (CDNA2 ISA "FLAT instructions", "DS instructions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rmw {
    Swap,
    /// The new value if the old one equals the comparand.
    CmpSwap,
    Add,
    Sub,
    /// Data minus old.
    RSub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    /// Counts up, back to 0 after `data`.
    Inc,
    /// Counts down, back to `data` after 0.
    Dec,
    /// Clears the bits of `data`, then sets those of `data2`.
    MskOr,
    /// Subtracts `data` if that is possible, otherwise adds `data2`.
    Wrap,
    /// As [`Rmw::CmpSwap`], equal as floats.
    CmpSwapFloat,
    AddFloat,
    MinFloat,
    MaxFloat,
    /// Two half floats.
    PkAddF16,
}

/// How floats are added: which denormals count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denormals {
    /// Denormal inputs are taken as they are, otherwise as 0.
    pub input: bool,
    /// Denormal sums are kept, otherwise they become 0.
    pub output: bool,
}

impl Denormals {
    /// All denormals count.
    pub const KEEP: Self = Self {
        input: true,
        output: true,
    };
    /// None counts.
    pub const FLUSH: Self = Self {
        input: false,
        output: false,
    };
}

impl Rmw {
    /// The new dword. `data2` is the comparand of compares, otherwise the second datum.
    pub fn apply32(self, old: u32, data: u32, data2: u32, denormals: Denormals) -> u32 {
        let float = f32::from_bits;
        match self {
            Self::Swap => data,
            Self::CmpSwap => pick(old == data2, data, old),
            Self::Add => old.wrapping_add(data),
            Self::Sub => old.wrapping_sub(data),
            Self::RSub => data.wrapping_sub(old),
            Self::SMin => (old as i32).min(data as i32) as u32,
            Self::UMin => old.min(data),
            Self::SMax => (old as i32).max(data as i32) as u32,
            Self::UMax => old.max(data),
            Self::And => old & data,
            Self::Or => old | data,
            Self::Xor => old ^ data,
            Self::Inc => pick(old >= data, 0, old.wrapping_add(1)),
            Self::Dec => pick(old == 0 || old > data, data, old.wrapping_sub(1)),
            Self::MskOr => old & !data | data2,
            Self::Wrap => pick(old >= data, old.wrapping_sub(data), old.wrapping_add(data2)),
            Self::CmpSwapFloat => pick(float(old) == float(data2), data, old),
            Self::AddFloat => add32(old, data, denormals),
            Self::MinFloat => pick(less32(data, old), data, old),
            Self::MaxFloat => pick(greater32(data, old), data, old),
            Self::PkAddF16 => {
                let low = add16(old as u16, data as u16);
                let high = add16((old >> 16) as u16, (data >> 16) as u16);
                u32::from(low) | u32::from(high) << 16
            }
        }
    }

    /// The new qword.
    pub fn apply64(self, old: u64, data: u64, data2: u64, denormals: Denormals) -> u64 {
        let float = f64::from_bits;
        match self {
            Self::Swap => data,
            Self::CmpSwap => pick(old == data2, data, old),
            Self::Add => old.wrapping_add(data),
            Self::Sub => old.wrapping_sub(data),
            Self::RSub => data.wrapping_sub(old),
            Self::SMin => (old as i64).min(data as i64) as u64,
            Self::UMin => old.min(data),
            Self::SMax => (old as i64).max(data as i64) as u64,
            Self::UMax => old.max(data),
            Self::And => old & data,
            Self::Or => old | data,
            Self::Xor => old ^ data,
            Self::Inc => pick(old >= data, 0, old.wrapping_add(1)),
            Self::Dec => pick(old == 0 || old > data, data, old.wrapping_sub(1)),
            Self::MskOr => old & !data | data2,
            Self::Wrap => pick(old >= data, old.wrapping_sub(data), old.wrapping_add(data2)),
            Self::CmpSwapFloat => pick(float(old) == float(data2), data, old),
            Self::AddFloat => add64(old, data, denormals),
            Self::MinFloat => pick(less64(data, old), data, old),
            Self::MaxFloat => pick(greater64(data, old), data, old),
            Self::PkAddF16 => u64::from(self.apply32(old as u32, data as u32, data2 as u32, denormals)),
        }
    }
}

fn pick<T>(condition: bool, then: T, otherwise: T) -> T {
    if condition {
        then
    } else {
        otherwise
    }
}

/// The quiet NaN that results carry when neither input is one.
const NAN32: u32 = 0xffc0_0000;
const NAN64: u64 = 0xfff8_0000_0000_0000;

fn flush32(bits: u32, keep: bool) -> u32 {
    if !keep && f32::from_bits(bits).is_subnormal() {
        bits & 0x8000_0000
    } else {
        bits
    }
}

fn flush64(bits: u64, keep: bool) -> u64 {
    if !keep && f64::from_bits(bits).is_subnormal() {
        bits & 1 << 63
    } else {
        bits
    }
}

fn add32(a: u32, b: u32, denormals: Denormals) -> u32 {
    let [x, y] = [a, b].map(|v| f32::from_bits(flush32(v, denormals.input)));
    let sum = x + y;
    match (x.is_nan(), y.is_nan(), sum.is_nan()) {
        (true, _, _) => a | 0x0040_0000,
        (_, true, _) => b | 0x0040_0000,
        (_, _, true) => NAN32,
        _ => flush32(sum.to_bits(), denormals.output),
    }
}

fn add64(a: u64, b: u64, denormals: Denormals) -> u64 {
    let [x, y] = [a, b].map(|v| f64::from_bits(flush64(v, denormals.input)));
    let sum = x + y;
    match (x.is_nan(), y.is_nan(), sum.is_nan()) {
        (true, _, _) => a | 0x0008_0000_0000_0000,
        (_, true, _) => b | 0x0008_0000_0000_0000,
        (_, _, true) => NAN64,
        _ => flush64(sum.to_bits(), denormals.output),
    }
}

/// Whether `a` should replace `b` as the smaller one: -0 is below +0, a number beats NaN.
fn less32(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    x < y || (y.is_nan() && !x.is_nan()) || (x == y && x.is_sign_negative() && y.is_sign_positive())
}

/// See [`less32`].
fn less64(a: u64, b: u64) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    x < y || (y.is_nan() && !x.is_nan()) || (x == y && x.is_sign_negative() && y.is_sign_positive())
}

/// Whether `a` should replace `b` as the larger one.
fn greater32(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    x > y || (y.is_nan() && !x.is_nan()) || (x == y && x.is_sign_positive() && y.is_sign_negative())
}

/// See [`greater32`].
fn greater64(a: u64, b: u64) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    x > y || (y.is_nan() && !x.is_nan()) || (x == y && x.is_sign_positive() && y.is_sign_negative())
}

/// Half-precision sum, denormals kept. Single precision holds enough digits that rounding twice changes nothing.
fn add16(a: u16, b: u16) -> u16 {
    let sum = half::to_f32(a.into()) + half::to_f32(b.into());
    half::from_f32(sum) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on32(rmw: Rmw, old: u32, data: u32, data2: u32) -> u32 {
        rmw.apply32(old, data, data2, Denormals::KEEP)
    }

    fn on64(rmw: Rmw, old: u64, data: u64, data2: u64) -> u64 {
        rmw.apply64(old, data, data2, Denormals::KEEP)
    }

    #[test]
    fn integers() {
        use Rmw::*;
        let minus = u32::MAX;
        for (rmw, old, data, data2, want) in [
            (Swap, 1, 2, 3, 2),
            (CmpSwap, 1, 2, 1, 2),
            (CmpSwap, 1, 2, 3, 1),
            (Add, minus, 2, 0, 1),
            (Sub, 1, 2, 0, minus),
            (RSub, 1, 3, 0, 2),
            (SMin, 1, minus, 0, minus),
            (UMin, 1, minus, 0, 1),
            (SMax, 1, minus, 0, 1),
            (UMax, 1, minus, 0, minus),
            (And, 6, 3, 0, 2),
            (Or, 6, 3, 0, 7),
            (Xor, 6, 3, 0, 5),
            (Inc, 1, 3, 0, 2),
            (Inc, 3, 3, 0, 0),
            (Inc, 9, 3, 0, 0),
            (Dec, 0, 3, 0, 3),
            (Dec, 9, 3, 0, 3),
            (Dec, 2, 3, 0, 1),
            (MskOr, 0xff, 0xf0, 0x10, 0x1f),
            (Wrap, 5, 3, 7, 2),
            (Wrap, 2, 3, 7, 9),
        ] {
            assert_eq!(on32(rmw, old, data, data2), want, "{rmw:?} {old} {data}");
            let wide = [old, data, data2, want].map(|v| if v == minus { u64::MAX } else { v.into() });
            assert_eq!(
                on64(rmw, wide[0], wide[1], wide[2]),
                wide[3],
                "{rmw:?} {old} {data}"
            );
        }
    }

    #[test]
    fn float_sums() {
        let b = f32::to_bits;
        assert_eq!(on32(Rmw::AddFloat, b(1.5), b(2.25), 0), b(3.75));
        assert_eq!(
            on32(Rmw::AddFloat, b(f32::INFINITY), b(f32::NEG_INFINITY), 0),
            NAN32
        );
        assert_eq!(on32(Rmw::AddFloat, 0x7f80_0001, b(1.0), 0), 0x7fc0_0001);
        assert_eq!(on32(Rmw::AddFloat, b(1.0), 0xff80_0001, 0), 0xffc0_0001);
        assert_eq!(on32(Rmw::AddFloat, 3, 4, 0), 7);
        assert_eq!(Rmw::AddFloat.apply32(3, 4, 0, Denormals::FLUSH), 0);
        assert_eq!(
            Rmw::AddFloat.apply32(0x8000_0003, b(-0.0), 0, Denormals::FLUSH),
            b(-0.0)
        );
        let smallest = 0x0080_0000;
        assert_eq!(
            Rmw::AddFloat.apply32(smallest + 1, b(-f32::from_bits(smallest)), 0, Denormals::FLUSH),
            0
        );
        let b = f64::to_bits;
        assert_eq!(on64(Rmw::AddFloat, b(1.5), b(2.25), 0), b(3.75));
        assert_eq!(on64(Rmw::AddFloat, 3, 4, 0), 7);
        assert_eq!(Rmw::AddFloat.apply64(3, 4, 0, Denormals::FLUSH), 0);
        assert_eq!(
            on64(Rmw::AddFloat, b(f64::INFINITY), b(f64::NEG_INFINITY), 0),
            NAN64
        );
        // halves: 1 + 2, 65504 + 65504 overflows
        assert_eq!(on32(Rmw::PkAddF16, 0x7bff_3c00, 0x7bff_4000, 0), 0x7c00_4200);
        assert_eq!(on32(Rmw::PkAddF16, 0x0001_8001, 0x0001_8001, 0), 0x0002_8002);
    }

    #[test]
    fn float_order() {
        let b = f32::to_bits;
        let nan = NAN32;
        assert_eq!(on32(Rmw::MinFloat, b(1.0), b(-1.0), 0), b(-1.0));
        assert_eq!(on32(Rmw::MaxFloat, b(1.0), b(-1.0), 0), b(1.0));
        assert_eq!(on32(Rmw::MinFloat, b(0.0), b(-0.0), 0), b(-0.0));
        assert_eq!(on32(Rmw::MaxFloat, b(-0.0), b(0.0), 0), b(0.0));
        assert_eq!(on32(Rmw::MinFloat, nan, b(1.0), 0), b(1.0));
        assert_eq!(on32(Rmw::MaxFloat, b(1.0), nan, 0), b(1.0));
        assert_eq!(on32(Rmw::MaxFloat, nan, b(1.0), 0), b(1.0));
        let b = f64::to_bits;
        assert_eq!(on64(Rmw::MinFloat, b(1.0), b(-1.0), 0), b(-1.0));
        assert_eq!(on64(Rmw::MaxFloat, NAN64, b(-1.0), 0), b(-1.0));
        assert_eq!(on32(Rmw::CmpSwapFloat, 0, 5, 0x8000_0000), 5);
        assert_eq!(on32(Rmw::CmpSwapFloat, nan, 5, nan), nan);
        assert_eq!(on64(Rmw::CmpSwapFloat, b(1.0), 5, b(1.0)), 5);
    }
}
