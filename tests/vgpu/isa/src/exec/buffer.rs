// SPDX-License-Identifier: Apache-2.0 OR MIT
//! MUBUF and MTBUF: memory through a buffer descriptor (CDNA2 ISA "Buffer resource descriptor", "Buffer addressing").

use super::lanes::{self, Addresses, AtomicData, Data};
use super::scratch::{self, Swizzle};
use super::{ds, Halt};
use crate::inst::{Buffer, Operand};
use crate::lds::Lds;
use crate::memory::Memory;
use crate::stop::Why;
use crate::table::{mem, Kind, Op};
use crate::wave::{by_lane, Wave, LANES};

/// A decoded buffer descriptor (V#).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// Bits 47:0: byte address.
    pub(super) base: u64,
    /// Bits 61:48: bytes per record; 0 for a plain buffer.
    pub(super) stride: u64,
    /// Bit 63: lanes' elements alternate.
    pub(super) swizzle: bool,
    /// Bits 95:64: records, or bytes without stride.
    pub(super) records: u64,
    /// Bits 118:117: lanes that alternate: 8, 16, 32 or 64.
    pub(super) index_stride: u64,
    /// Bit 119: the lane number is added to the index.
    pub(super) add_tid: bool,
}

impl Descriptor {
    /// Reads it from four scalar registers.
    pub(super) fn read(wave: &Wave, first: Operand) -> Result<Self, Why> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| wave.sgpr(first.0 + i));
        let (a, b, c, d) = (a?, b?, c?, d?);
        Ok(Self {
            base: u64::from(a) | u64::from(b & 0xffff) << 32,
            stride: u64::from(b >> 16 & 0x3fff),
            swizzle: b >> 31 != 0,
            records: c.into(),
            index_stride: 8 << (d >> 21 & 3),
            add_tid: d >> 23 & 1 != 0,
        })
    }
}

/// Where the lanes go.
struct Places {
    /// Per lane, which record.
    index: Addresses,
    /// Per lane, the byte in the record.
    offset: Addresses,
    /// Active lanes inside the buffer.
    mask: u64,
}

pub(super) fn execute(
    wave: &mut Wave,
    lds: &mut Lds,
    memory: &mut dyn Memory,
    op: &Op,
    buffer: &Buffer,
) -> Result<(), Halt> {
    let Kind::Mem(kind) = op.kind else {
        return Err(Why::Borrowed("not a memory instruction").into());
    };
    let bytes = match kind {
        mem::Kind::Load { bytes, .. } | mem::Kind::Store { bytes, .. } | mem::Kind::Atomic { bytes, .. } => {
            bytes
        }
        mem::Kind::Cache => return Ok(()),
        mem::Kind::Format { .. } => {
            return Err(Why::Owned(format!("format conversion ({}) is not modelled", op.name)).into());
        }
    };
    let v = Descriptor::read(wave, buffer.srsrc)?;
    let soffset = u64::from(wave.scalar32(buffer.soffset, 0)?);
    let places = places(wave, buffer, v, soffset, bytes.into())?;
    let base = v.base.wrapping_add(soffset);
    let place = |lane: usize, offset: u64| address(v, base, places.index[lane], offset);
    match kind {
        mem::Kind::Load { signed, part, .. } => {
            let mut data = Data::new(bytes.into());
            if v.swizzle {
                scratch::load(memory, place, &places.offset, places.mask, &mut data)?;
            } else {
                lanes::load(memory, &linear(place, &places.offset), places.mask, &mut data)?;
            }
            if buffer.lds {
                ds::store_direct(wave, lds, buffer.offset.into(), &mut data, signed);
                return Ok(());
            }
            data.to_registers(wave, buffer.data, signed, part)?;
        }
        mem::Kind::Store { part, .. } => {
            let mut data = Data::new(bytes.into());
            data.read_registers(wave, buffer.data, part)?;
            if v.swizzle {
                scratch::store(memory, place, &places.offset, places.mask, &mut data)?;
            } else {
                lanes::store(memory, &linear(place, &places.offset), places.mask, &mut data)?;
            }
        }
        mem::Kind::Atomic { rmw, .. } => {
            let data = AtomicData::from_registers(wave, buffer.data, rmw, bytes)?;
            let addr = linear(place, &places.offset);
            let mut old = [0; LANES];
            lanes::atomic(memory, &addr, places.mask, (rmw, bytes), &data, &mut old)?;
            if buffer.glc {
                lanes::write_wide(wave, buffer.data, &old, usize::from(bytes / 4))?;
            }
        }
        mem::Kind::Format { .. } | mem::Kind::Cache => {}
    }
    Ok(())
}

fn linear(place: impl Fn(usize, u64) -> u64, offset: &Addresses) -> Addresses {
    by_lane(|l| place(l, offset[l]))
}

/// Where byte `offset` of record `index` lies.
fn address(v: Descriptor, base: u64, index: u64, offset: u64) -> u64 {
    if !v.swizzle {
        return base
            .wrapping_add(index.wrapping_mul(v.stride))
            .wrapping_add(offset);
    }
    let group = (index / v.index_stride)
        .wrapping_mul(v.stride)
        .wrapping_mul(v.index_stride);
    Swizzle {
        base: base.wrapping_add(group),
        stride: v.index_stride,
    }
    .address(index, offset)
}

fn places(wave: &Wave, buffer: &Buffer, v: Descriptor, soffset: u64, bytes: u64) -> Result<Places, Why> {
    let register = |on: bool, plus: usize| match on {
        true => lanes::wide(wave, buffer.vaddr, plus, 1),
        false => Ok([0; LANES]),
    };
    let mut index = register(buffer.idxen, 0)?;
    let mut offset = register(buffer.offen, usize::from(buffer.idxen))?;
    let mut mask = wave.exec;
    for lane in 0..LANES {
        if v.add_tid {
            index[lane] += lane as u64;
        }
        offset[lane] += u64::from(buffer.offset);
        // outside, loads give 0 and stores do nothing
        let inside = match v.stride {
            0 => offset[lane].saturating_add(bytes).saturating_add(soffset) <= v.records,
            _ => index[lane] < v.records,
        };
        if !inside {
            mask &= !(1 << lane);
        }
    }
    Ok(Places { index, offset, mask })
}
