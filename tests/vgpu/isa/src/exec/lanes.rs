// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads, stores and atomics of all lanes, each at its own address.

use crate::inst::Operand;
use crate::memory::{Access, MemFault, Memory};
use crate::rmw::{Denormals, Rmw};
use crate::stop::Why;
use crate::table::mem::Part;
use crate::wave::{Row, Wave, LANES};

/// Most bytes that one lane moves at once.
const MOST: usize = 16;

/// A byte address per lane.
pub(super) type Addresses = [u64; LANES];

/// What the lanes move: `bytes` each, one lane after the other.
pub(super) struct Data {
    bytes: usize,
    buf: [u8; LANES * MOST],
}

impl Data {
    /// `bytes` per lane (1 to 16), all 0.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            bytes: bytes.clamp(1, MOST),
            buf: [0; LANES * MOST],
        }
    }

    /// Bytes per lane.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes of `lane`.
    pub(super) fn lane(&mut self, lane: usize) -> &mut [u8] {
        let start = lane % LANES * self.bytes;
        &mut self.buf[start..start + self.bytes]
    }

    /// The bytes of `count` lanes from `first` on.
    fn lanes(&mut self, first: usize, count: usize) -> &mut [u8] {
        &mut self.buf[first * self.bytes..(first + count) * self.bytes]
    }

    /// Takes the data of a store from registers.
    pub(super) fn from_registers(wave: &Wave, data: Operand, bytes: u8, part: Part) -> Result<Self, Why> {
        let mut out = Self::new(bytes.into());
        let dwords = usize::from(bytes).div_ceil(4);
        wave.vgpr_index(data, dwords)?;
        if bytes < 4 {
            let shift = if part == Part::High { 16 } else { 0 };
            let row = wave.vgpr(data, 0)?;
            for (lane, value) in out.buf.chunks_exact_mut(bytes.into()).zip(row) {
                lane.copy_from_slice(&(value >> shift).to_le_bytes()[..usize::from(bytes)]);
            }
            return Ok(out);
        }
        for i in 0..dwords {
            let row = wave.vgpr(data, i)?;
            for (lane, value) in out.buf.chunks_exact_mut(bytes.into()).zip(row) {
                lane[i * 4..i * 4 + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(out)
    }

    /// Writes the data of a load to the active lanes of `dst`.
    pub(super) fn to_registers(
        &self,
        wave: &mut Wave,
        dst: Operand,
        signed: bool,
        part: Part,
    ) -> Result<(), Why> {
        if self.bytes < 4 {
            let value = |lane: &[u8]| match (lane, signed) {
                ([b, ..], false) if self.bytes == 1 => u32::from(*b),
                ([b, ..], true) if self.bytes == 1 => i32::from(*b as i8) as u32,
                ([a, b, ..], false) => u32::from(u16::from_le_bytes([*a, *b])),
                ([a, b, ..], true) => i32::from(i16::from_le_bytes([*a, *b])) as u32,
                _ => 0,
            };
            let old = *wave.vgpr(dst, 0)?;
            let mut row: Row = [0; LANES];
            for ((out, lane), old) in row.iter_mut().zip(self.buf.chunks_exact(self.bytes)).zip(old) {
                *out = match part {
                    Part::Dword => value(lane),
                    Part::Low => old & 0xffff_0000 | value(lane) & 0xffff,
                    Part::High => old & 0xffff | value(lane) << 16,
                };
            }
            return wave.write32(dst, &row);
        }
        wave.vgpr_index(dst, self.bytes / 4)?;
        for i in 0..self.bytes / 4 {
            let mut row: Row = [0; LANES];
            for (out, lane) in row.iter_mut().zip(self.buf.chunks_exact(self.bytes)) {
                *out = u32::from_le_bytes([lane[i * 4], lane[i * 4 + 1], lane[i * 4 + 2], lane[i * 4 + 3]]);
            }
            wave.write32_at(dst, i, &row)?;
        }
        Ok(())
    }
}

/// The unit that must not tear.
fn element(bytes: usize) -> usize {
    match bytes {
        8 | 16 => 8,
        12 => 4,
        n => n,
    }
}

/// The next run of lanes in `mask` whose addresses differ by `step`: first lane and count.
#[inline]
fn run(addr: &Addresses, mask: u64, step: u64) -> (usize, usize) {
    let first = mask.trailing_zeros() as usize;
    let most = (mask >> first).trailing_ones() as usize;
    let pairs = addr[first..first + most].windows(2);
    (
        first,
        1 + pairs.take_while(|w| w[1] == w[0].wrapping_add(step)).count(),
    )
}

/// `count` lanes from `first` on, as a mask.
#[inline]
fn lanes_mask(first: usize, count: usize) -> u64 {
    (u64::MAX >> (LANES - count)) << first
}

/// Loads the lanes in `mask`; neighbours that continue each other's addresses, or have the same, share an access.
pub(super) fn load(
    memory: &mut dyn Memory,
    addr: &Addresses,
    mask: u64,
    data: &mut Data,
) -> Result<(), MemFault> {
    let bytes = data.bytes;
    let mut left = mask;
    while left != 0 {
        let (first, count) = run(addr, left, bytes as u64);
        if count > 1 || left & left - 1 == 0 {
            memory.load(addr[first], element(bytes), data.lanes(first, count))?;
            left &= !lanes_mask(first, count);
            continue;
        }
        memory.load(addr[first], element(bytes), data.lanes(first, 1))?;
        let (_, same) = run(addr, left, 0);
        let (source, rest) = data.lanes(first, same).split_at_mut(bytes);
        rest.chunks_exact_mut(bytes)
            .for_each(|lane| lane.copy_from_slice(source));
        left &= !lanes_mask(first, same);
    }
    Ok(())
}

/// Stores the lanes in `mask`, in order: of lanes with the same address the last one wins.
pub(super) fn store(
    memory: &mut dyn Memory,
    addr: &Addresses,
    mask: u64,
    data: &mut Data,
) -> Result<(), MemFault> {
    let bytes = data.bytes;
    let mut left = mask;
    while left != 0 {
        let (first, count) = run(addr, left, bytes as u64);
        memory.store(addr[first], element(bytes), data.lanes(first, count))?;
        left &= !lanes_mask(first, count);
    }
    Ok(())
}

/// The data of an atomic instruction: one or two values of 4 or 8 bytes per lane, widened.
pub(super) struct AtomicData {
    /// Data.
    pub(super) first: [u64; LANES],
    /// Comparand or second datum.
    pub(super) second: [u64; LANES],
}

impl AtomicData {
    /// From registers: `data`, followed by the comparand in a compare-and-swap.
    pub(super) fn from_registers(wave: &Wave, data: Operand, rmw: Rmw, bytes: u8) -> Result<Self, Why> {
        let dwords = usize::from(bytes / 4);
        let first = wide(wave, data, 0, dwords)?;
        let second = match rmw {
            Rmw::CmpSwap => wide(wave, data, dwords, dwords)?,
            _ => [0; LANES],
        };
        Ok(Self { first, second })
    }
}

/// The register(s) `plus` after `op` as numbers.
pub(super) fn wide(wave: &Wave, op: Operand, plus: usize, dwords: usize) -> Result<[u64; LANES], Why> {
    let low = wave.vgpr(op, plus)?;
    if dwords < 2 {
        return Ok(low.map(u64::from));
    }
    let high = wave.vgpr(op, plus + 1)?;
    Ok(std::array::from_fn(|l| {
        u64::from(low[l]) | u64::from(high[l]) << 32
    }))
}

/// Writes numbers to the active lanes of the register(s) `dst`.
pub(super) fn write_wide(
    wave: &mut Wave,
    dst: Operand,
    values: &[u64; LANES],
    dwords: usize,
) -> Result<(), Why> {
    match dwords {
        0 | 1 => wave.write32(dst, &values.map(|v| v as u32)),
        _ => wave.write64(dst, values),
    }
}

/// Global atomics add single-precision floats without denormals, all others with them (source: LLVM SIISelLowering,
/// "fpModeMatchesGlobalFPAtomicMode").
fn denormals(bytes: u8) -> Denormals {
    match bytes {
        4 => Denormals::FLUSH,
        _ => Denormals::KEEP,
    }
}

/// Executes an atomic on the lanes in `mask`; the old values go to `old`.
pub(super) fn atomic(
    memory: &mut dyn Memory,
    addr: &Addresses,
    mask: u64,
    (rmw, bytes): (Rmw, u8),
    data: &AtomicData,
    old: &mut [u64; LANES],
) -> Result<(), MemFault> {
    let denormals = denormals(bytes);
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let (va, a, b) = (addr[lane], data.first[lane], data.second[lane]);
        if va % u64::from(bytes) != 0 {
            return Err(MemFault {
                va,
                access: Access::Atomic,
            });
        }
        old[lane] = match bytes {
            4 => {
                let new = |old| rmw.apply32(old, a as u32, b as u32, denormals);
                memory.atomic32(va, &mut { new })?.into()
            }
            _ => memory.atomic64(va, &mut |old| rmw.apply64(old, a, b, denormals))?,
        };
    }
    Ok(())
}
