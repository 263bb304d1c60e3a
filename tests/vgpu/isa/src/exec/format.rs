// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements of typed buffers: from memory to registers and back (CDNA2 ISA "Buffer data formats").
//!
//! Formats that the hardware's tables lack (scaled or normalised dwords, floats of a byte) are refused by name, and so are
//! stores of fewer components than the format has: what the others become is not documented.

use super::lanes::Data;
use crate::inst::Operand;
use crate::stop::Why;
use crate::table::mem::Part;
use crate::valu::fp::half;
use crate::wave::{Row, Wave, LANES};

/// Most components of an element.
const MOST: usize = 4;

/// Bits of the components of each data format, the lowest first.
const WIDTHS: [&[u32]; 16] = [
    &[],
    &[8],
    &[16],
    &[8, 8],
    &[32],
    &[16, 16],
    &[11, 11, 10],
    &[10, 11, 11],
    &[2, 10, 10, 10],
    &[10, 10, 10, 2],
    &[8, 8, 8, 8],
    &[32, 32],
    &[16, 16, 16, 16],
    &[32, 32, 32],
    &[32, 32, 32, 32],
    &[],
];

/// Number formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
}

/// How an element lies in memory and in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    widths: &'static [u32],
    number: Number,
    /// Per register: 0, 1, or 4 plus the component.
    select: [u8; MOST],
}

impl Format {
    /// Registers are components.
    pub(super) const IDENTITY: [u8; MOST] = [4, 5, 6, 7];

    /// From data format (3:0) and number format (6:4).
    pub(super) fn new(code: u8, select: [u8; MOST]) -> Result<Self, Why> {
        let refuse = || {
            Why::Owned(format!(
                "buffer format {}:{} is not modelled",
                code & 15,
                code >> 4
            ))
        };
        let widths = WIDTHS[usize::from(code & 15)];
        let number = match code >> 4 {
            0 => Number::Unorm,
            1 => Number::Snorm,
            2 => Number::Uscaled,
            3 => Number::Sscaled,
            4 => Number::Uint,
            5 => Number::Sint,
            7 => Number::Float,
            _ => return Err(refuse()),
        };
        let exists = widths.iter().all(|width| match width {
            32 => matches!(number, Number::Uint | Number::Sint | Number::Float),
            2 | 8 => number != Number::Float,
            // the formats that mix 10 bits with 2 have no floats
            10 => number != Number::Float || widths.len() == 3,
            _ => true,
        });
        match exists && !widths.is_empty() {
            true => Ok(Self {
                widths,
                number,
                select,
            }),
            false => Err(refuse()),
        }
    }

    /// Bytes of an element.
    pub(super) fn bytes(&self) -> usize {
        self.widths.iter().sum::<u32>() as usize / 8
    }

    /// Whether registers hold floats.
    fn is_float(&self) -> bool {
        !matches!(self.number, Number::Uint | Number::Sint)
    }

    /// The components of an element as dwords; those that are missing are 0, the fourth is 1.
    fn unpack(&self, element: &[u8]) -> [u32; MOST] {
        let mut out = [0, 0, 0, self.one()];
        let mut bytes = [0; 16];
        bytes[..element.len().min(16)].copy_from_slice(&element[..element.len().min(16)]);
        let mut left = u128::from_le_bytes(bytes);
        for (out, width) in out.iter_mut().zip(self.widths) {
            let mask = u32::MAX >> (32 - width);
            *out = decode(self.number, left as u32 & mask, *width);
            left >>= width;
        }
        out
    }

    /// The dword 1.
    fn one(&self) -> u32 {
        if self.is_float() {
            1f32.to_bits()
        } else {
            1
        }
    }

    /// What the first register would hold, for loads to LDS.
    pub(super) fn first(&self, data: &mut Data) -> Data {
        let mut out = Data::new(4);
        for lane in 0..LANES {
            let element = self.unpack(data.lane(lane));
            out.lane(lane)
                .copy_from_slice(&self.select(&element, self.select[0]).to_le_bytes());
        }
        out
    }

    /// What a register holds that selects so.
    fn select(&self, element: &[u32; MOST], select: u8) -> u32 {
        match select {
            1 => self.one(),
            4..=7 => element[usize::from(select) - 4],
            _ => 0,
        }
    }

    /// Writes the elements in `data` to `count` components of `dst`, of `part` size.
    pub(super) fn load(
        &self,
        wave: &mut Wave,
        dst: Operand,
        count: u8,
        part: Part,
        data: &mut Data,
    ) -> Result<(), Why> {
        let count = usize::from(count).min(MOST);
        let mut rows: [Row; MOST] = [[0; LANES]; MOST];
        for lane in 0..LANES {
            let element = self.unpack(data.lane(lane));
            for (row, select) in rows.iter_mut().zip(self.select) {
                row[lane] = self.select(&element, select);
                if part != Part::Dword && self.is_float() {
                    row[lane] = half::from_f32(f32::from_bits(row[lane]));
                }
            }
        }
        if part == Part::Dword {
            wave.vgpr_index(dst, count)?;
            for (i, row) in rows.iter().enumerate().take(count) {
                wave.write32_at(dst, i, row)?;
            }
            return Ok(());
        }
        wave.vgpr_index(dst, count.div_ceil(2))?;
        for (i, pair) in rows[..count].chunks(2).enumerate() {
            let mut row = *wave.vgpr(dst, i)?;
            for (lane, out) in row.iter_mut().enumerate() {
                *out = match (part, pair) {
                    (Part::High, [high, ..]) => *out & 0xffff | high[lane] << 16,
                    (_, [low, high]) => low[lane] & 0xffff | high[lane] << 16,
                    (_, [low, ..]) => *out & 0xffff_0000 | low[lane] & 0xffff,
                    _ => *out,
                };
            }
            wave.write32_at(dst, i, &row)?;
        }
        Ok(())
    }

    /// Takes elements from `count` components of `src`, of `part` size.
    pub(super) fn store(
        &self,
        wave: &Wave,
        src: Operand,
        count: u8,
        part: Part,
        data: &mut Data,
    ) -> Result<(), Why> {
        let count = usize::from(count).min(MOST);
        // which register each component comes from
        let mut from = [None; MOST];
        for (i, select) in self.select.iter().enumerate().take(count).rev() {
            if let 4..=7 = select {
                from[usize::from(*select) - 4] = Some(i);
            }
        }
        let from: Option<Vec<usize>> = from[..self.widths.len()].iter().copied().collect();
        let Some(from) = from else {
            return Err(Why::Borrowed("a store of a part of an element is not modelled"));
        };
        if matches!(self.number, Number::Uscaled | Number::Sscaled)
            || self.number == Number::Float && self.widths.contains(&11)
        {
            return Err(Why::Owned(format!(
                "a store as {:?} is not modelled",
                self.number
            )));
        }
        for lane in 0..LANES {
            let (mut element, mut at) = (0u128, 0);
            for (i, width) in from.iter().zip(self.widths) {
                let value = match part {
                    Part::Dword => wave.vgpr(src, *i)?[lane],
                    Part::High => self.widen(wave.vgpr(src, 0)?[lane] >> 16),
                    Part::Low => self.widen(wave.vgpr(src, i / 2)?[lane] >> (i % 2 * 16) & 0xffff),
                };
                element |= u128::from(encode(self.number, value, *width)) << at;
                at += width;
            }
            let bytes = element.to_le_bytes();
            let out = data.lane(lane);
            out.copy_from_slice(&bytes[..out.len()]);
        }
        Ok(())
    }

    /// 16 bits of a register as a dword.
    fn widen(&self, value: u32) -> u32 {
        match self.number {
            Number::Uint => value,
            Number::Sint => i32::from(value as i16) as u32,
            _ => half::to_f32(value).to_bits(),
        }
    }
}

/// The largest integer of a normalised component.
fn scale(width: u32, signed: bool) -> u32 {
    u32::MAX >> (32 - width + u32::from(signed))
}

/// A component of `width` bits, extended.
fn signed(raw: u32, width: u32) -> i32 {
    ((raw << (32 - width)) as i32) >> (32 - width)
}

/// A component as a dword.
fn decode(number: Number, raw: u32, width: u32) -> u32 {
    let float = |x: f64| (x as f32).to_bits();
    match number {
        Number::Unorm => float(f64::from(raw) / f64::from(scale(width, false))),
        Number::Snorm => {
            // the most negative integer is -1 as well
            float((f64::from(signed(raw, width)) / f64::from(scale(width, true))).max(-1.0))
        }
        Number::Uscaled => float(raw.into()),
        Number::Sscaled => float(signed(raw, width).into()),
        Number::Uint => raw,
        Number::Sint => signed(raw, width) as u32,
        // floats of 10 and 11 bits are positive halves without their last bits
        Number::Float => match width {
            32 => raw,
            16 => half::to_f32(raw).to_bits(),
            _ => half::to_f32(raw << (15 - width)).to_bits(),
        },
    }
}

/// A dword as a component: numbers beyond its limits become the limits, NaN becomes 0 (Direct3D 11.3 functional
/// specification, 3.2.3), and what lies between two numbers goes to the nearest, ties to even.
fn encode(number: Number, value: u32, width: u32) -> u32 {
    let mask = u32::MAX >> (32 - width);
    let x = f64::from(f32::from_bits(value));
    let normalised = |low: f64, scale: u32| {
        let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
        (x * f64::from(scale)).round_ties_even() as i32 as u32 & mask
    };
    match number {
        Number::Unorm => normalised(0.0, scale(width, false)),
        Number::Snorm => normalised(-1.0, scale(width, true)),
        Number::Uint => value.min(mask),
        Number::Sint => {
            let most = scale(width, true) as i32;
            (value as i32).clamp(-most - 1, most) as u32 & mask
        }
        Number::Float if width == 16 => half::from_f32(f32::from_bits(value)),
        _ => value & mask,
    }
}
