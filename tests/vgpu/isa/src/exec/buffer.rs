// SPDX-License-Identifier: Apache-2.0 OR MIT
//! MUBUF and MTBUF: memory through a buffer descriptor (CDNA2 ISA "Buffer resource descriptor", "Buffer addressing").

use super::format::Format;
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
    /// Bits 107:96: what the registers of a typed access hold: 0, 1, or 4 plus the component.
    pub(super) select: [u8; 4],
    /// Bits 114:108: data format (3:0) and number format (6:4) of typed accesses.
    pub(super) format: u8,
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
            select: [0, 3, 6, 9].map(|shift| (d >> shift & 7) as u8),
            format: (d >> 15 & 15 | (d >> 12 & 7) << 4) as u8,
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
    if kind == mem::Kind::Cache {
        return Ok(());
    }
    let mut v = Descriptor::read(wave, buffer.srsrc)?;
    if v.add_tid {
        // the data format is more of the stride then (source: Mesa ac_descriptors.c, "ADD_TID_ENABLE")
        v.stride |= u64::from(v.format & 15) << 14;
    }
    let format = match (kind, buffer.typed) {
        (mem::Kind::Format { .. }, true) => Some(Format::new(buffer.format, Format::IDENTITY)?),
        (mem::Kind::Format { .. }, false) => Some(Format::new(v.format, v.select)?),
        _ => None,
    };
    let bytes = match (kind, &format) {
        (
            mem::Kind::Load { bytes, .. } | mem::Kind::Store { bytes, .. } | mem::Kind::Atomic { bytes, .. },
            _,
        ) => bytes.into(),
        (_, Some(format)) => format.bytes(),
        _ => 4,
    };
    let soffset = u64::from(wave.scalar32(buffer.soffset, 0)?);
    let places = places(wave, buffer, v, soffset, bytes as u64)?;
    let base = v.base.wrapping_add(soffset);
    let place = |lane: usize, offset: u64| address(v, base, places.index[lane], offset);
    let mut data = Data::new(bytes);
    let load = |memory: &mut dyn Memory, data: &mut Data| match v.swizzle {
        true => scratch::load(memory, place, &places.offset, places.mask, data),
        false => lanes::load(memory, &linear(place, &places.offset), places.mask, data),
    };
    match (kind, format) {
        (mem::Kind::Load { signed, part, .. }, _) => {
            load(memory, &mut data)?;
            if buffer.lds {
                ds::store_direct(wave, lds, buffer.offset.into(), &mut data, signed);
                return Ok(());
            }
            data.to_registers(wave, buffer.data, signed, part)?;
            return Ok(());
        }
        (
            mem::Kind::Format {
                store: false,
                count,
                part,
            },
            Some(format),
        ) => {
            load(memory, &mut data)?;
            if buffer.lds {
                let mut dwords = format.first(&mut data);
                ds::store_direct(wave, lds, buffer.offset.into(), &mut dwords, false);
                return Ok(());
            }
            format.load(wave, buffer.data, count, part, &mut data)?;
            return Ok(());
        }
        (mem::Kind::Atomic { rmw, bytes }, _) => {
            let data = AtomicData::from_registers(wave, buffer.data, rmw, bytes)?;
            let addr = linear(place, &places.offset);
            let mut old = [0; LANES];
            lanes::atomic(memory, &addr, places.mask, (rmw, bytes), &data, &mut old)?;
            if buffer.glc {
                lanes::write_wide(wave, buffer.data, &old, usize::from(bytes / 4))?;
            }
            return Ok(());
        }
        (mem::Kind::Store { part, .. }, _) => data.read_registers(wave, buffer.data, part)?,
        (mem::Kind::Format { count, part, .. }, Some(format)) => {
            format.store(wave, buffer.data, count, part, &mut data)?;
        }
        (mem::Kind::StoreLds, _) => ds::load_direct(wave, lds, buffer.offset.into(), &mut data),
        (mem::Kind::Format { .. } | mem::Kind::Cache, _) => return Ok(()),
    }
    match v.swizzle {
        true => scratch::store(memory, place, &places.offset, places.mask, &mut data)?,
        false => lanes::store(memory, &linear(place, &places.offset), places.mask, &mut data)?,
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
        // Outside, loads give 0 and stores do nothing. Records count where the instruction has an index, bytes otherwise
        // (source: Mesa si_state.c, "NUM_RECORDS", GFX9).
        let inside = if v.stride == 0 || !buffer.idxen {
            let linear = if v.swizzle {
                0
            } else {
                index[lane].saturating_mul(v.stride)
            };
            let end = linear.saturating_add(offset[lane]).saturating_add(bytes);
            end.saturating_add(soffset) <= v.records
        } else {
            index[lane] < v.records
        };
        if !inside {
            mask &= !(1 << lane);
        }
    }
    Ok(Places { index, offset, mask })
}
