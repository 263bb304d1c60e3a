// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads, stores and atomics of all lanes, each at its own address.

use crate::inst::Operand;
use crate::memory::{Access, MemFault, Memory};
use crate::rmw::{Denormals, Rmw};
use crate::stop::Why;
use crate::table::mem::Part;
use crate::wave::{by_lane, Row, Wave, LANES};

/// Most bytes that one lane moves at once.
const MOST: usize = 16;

/// A byte address per lane.
pub(super) type Addresses = [u64; LANES];

/// The lanes in `mask`, in order.
pub(super) fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

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
    pub(super) fn read_registers(&mut self, wave: &Wave, data: Operand, part: Part) -> Result<(), Why> {
        let bytes = self.bytes;
        let dwords = bytes.div_ceil(4);
        wave.vgpr_index(data, dwords)?;
        if bytes < 4 {
            let shift = if part == Part::High { 16 } else { 0 };
            let row = wave.vgpr(data, 0)?;
            for (lane, value) in self.buf.chunks_exact_mut(bytes).zip(row) {
                lane.copy_from_slice(&(value >> shift).to_le_bytes()[..bytes]);
            }
            return Ok(());
        }
        for i in 0..dwords {
            let row = wave.vgpr(data, i)?;
            match dwords {
                1 => scatter::<4>(&mut self.buf, row, i),
                2 => scatter::<8>(&mut self.buf, row, i),
                3 => scatter::<12>(&mut self.buf, row, i),
                _ => scatter::<16>(&mut self.buf, row, i),
            }
        }
        Ok(())
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
        let dwords = self.bytes / 4;
        wave.vgpr_index(dst, dwords)?;
        for i in 0..dwords {
            let row = match dwords {
                1 => gather::<4>(&self.buf, i),
                2 => gather::<8>(&self.buf, i),
                3 => gather::<12>(&self.buf, i),
                _ => gather::<16>(&self.buf, i),
            };
            wave.write32_at(dst, i, &row)?;
        }
        Ok(())
    }
}

/// Dword `i` of each lane, lanes being `BYTES` apart.
fn gather<const BYTES: usize>(buf: &[u8; LANES * MOST], i: usize) -> Row {
    let mut row: Row = [0; LANES];
    for (out, lane) in row.iter_mut().zip(buf.chunks_exact(BYTES)) {
        let dword = lane.get(i * 4..i * 4 + 4).and_then(|b| b.try_into().ok());
        *out = u32::from_le_bytes(dword.unwrap_or_default());
    }
    row
}

/// Sets dword `i` of each lane, lanes being `BYTES` apart.
fn scatter<const BYTES: usize>(buf: &mut [u8; LANES * MOST], row: &Row, i: usize) {
    for (lane, value) in buf.chunks_exact_mut(BYTES).zip(row) {
        if let Some(dword) = lane.get_mut(i * 4..i * 4 + 4) {
            dword.copy_from_slice(&value.to_le_bytes());
        }
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

/// Whether every lane is active and its address `step` past that of the lane before.
#[inline]
fn contiguous(addr: &Addresses, mask: u64, step: u64) -> bool {
    let mut expected = addr[0];
    let mut wrong = !mask;
    for a in addr {
        wrong |= a ^ expected;
        expected = expected.wrapping_add(step);
    }
    wrong == 0
}

/// How many lanes from `first` on are in `mask` and have addresses `step` apart.
#[inline]
fn run(addr: &Addresses, mask: u64, first: usize, step: u64) -> usize {
    let mut end = first + 1;
    while end < LANES && mask >> end & 1 != 0 && addr[end] == addr[end - 1].wrapping_add(step) {
        end += 1;
    }
    end - first
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
    if contiguous(addr, mask, bytes as u64) {
        return memory.load(addr[0], element(bytes), data.lanes(0, LANES));
    }
    let mut left = mask;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let mut count = run(addr, left, first, bytes as u64);
        memory.load(addr[first], element(bytes), data.lanes(first, count))?;
        if count == 1 {
            count = run(addr, left, first, 0);
            let (source, rest) = data.lanes(first, count).split_at_mut(bytes);
            rest.chunks_exact_mut(bytes)
                .for_each(|lane| lane.copy_from_slice(source));
        }
        left &= !lanes_mask(first, count);
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
    if contiguous(addr, mask, bytes as u64) {
        return memory.store(addr[0], element(bytes), data.lanes(0, LANES));
    }
    let mut left = mask;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let count = run(addr, left, first, bytes as u64);
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
        return Ok(by_lane(|l| low[l].into()));
    }
    let high = wave.vgpr(op, plus + 1)?;
    Ok(by_lane(|l| u64::from(low[l]) | (u64::from(high[l]) << 32)))
}

/// Writes numbers to the active lanes of the register(s) `dst`.
pub(super) fn write_wide(
    wave: &mut Wave,
    dst: Operand,
    values: &[u64; LANES],
    dwords: usize,
) -> Result<(), Why> {
    match dwords {
        0 | 1 => wave.write32(dst, &by_lane(|l| values[l] as u32)),
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
    for lane in lanes_of(mask) {
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
