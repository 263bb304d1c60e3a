// SPDX-License-Identifier: Apache-2.0 OR MIT
//! FLAT, GLOBAL and SCRATCH.

use super::lanes::{self, lanes_of, Addresses, AtomicData, Data};
use super::scratch::{self, Swizzle};
use super::{ds, Halt};
use crate::inst::{Flat, Operand, Segment};
use crate::lds::Lds;
use crate::memory::{Access, MemFault, Memory};
use crate::stop::Why;
use crate::table::{mem, Kind, Op};
use crate::wave::{by_lane, Wave, LANES};

/// Where the active lanes go: each to one of the three.
struct Places {
    addr: Addresses,
    global: u64,
    scratch: u64,
    lds: u64,
}

pub(super) fn execute(
    wave: &mut Wave,
    lds: &mut Lds,
    memory: &mut dyn Memory,
    op: &Op,
    flat: &Flat,
) -> Result<(), Halt> {
    let places = places(wave, flat)?;
    let Kind::Mem(kind) = op.kind else {
        return Err(Why::Borrowed("not a memory instruction").into());
    };
    let swizzle = Swizzle {
        base: wave.flat_scratch,
        stride: LANES as u64,
    };
    let place = |lane: usize, offset: u64| swizzle.address(lane as u64, offset);
    match kind {
        mem::Kind::Load { bytes, signed, part } => {
            let mut data = Data::new(bytes.into());
            lanes::load(memory, &places.addr, places.global, &mut data)?;
            if places.scratch != 0 {
                scratch::load(memory, place, &low(&places.addr), places.scratch, &mut data)?;
            }
            for lane in lanes_of(places.lds) {
                ds::read_bytes(lds, places.addr[lane] as u32, data.lane(lane));
            }
            if flat.lds {
                ds::store_direct(wave, lds, flat.offset as u32, &mut data, signed);
                return Ok(());
            }
            data.to_registers(wave, flat.dst, signed, part)?;
        }
        mem::Kind::Store { bytes, part } => {
            let mut data = Data::new(bytes.into());
            data.read_registers(wave, flat.data, part)?;
            lanes::store(memory, &places.addr, places.global, &mut data)?;
            if places.scratch != 0 {
                scratch::store(memory, place, &low(&places.addr), places.scratch, &mut data)?;
            }
            for lane in lanes_of(places.lds) {
                ds::write_bytes(lds, places.addr[lane] as u32, data.lane(lane));
            }
        }
        mem::Kind::Atomic { rmw, bytes } => {
            let data = AtomicData::from_registers(wave, flat.data, rmw, bytes)?;
            let dwords = usize::from(bytes / 4);
            if flat.glc {
                wave.vgpr_index(flat.dst, dwords)?;
            }
            if let Some(lane) = lanes_of(places.scratch).next() {
                // the private memory of a lane has no atomics
                return Err(MemFault {
                    va: places.addr[lane],
                    access: Access::Atomic,
                }
                .into());
            }
            let mut old = [0; LANES];
            lanes::atomic(memory, &places.addr, places.global, (rmw, bytes), &data, &mut old)?;
            for lane in lanes_of(places.lds) {
                let values = (data.first[lane], data.second[lane]);
                old[lane] = ds::update(wave, lds, places.addr[lane] as u32, (rmw, bytes), values)?;
            }
            if flat.glc {
                lanes::write_wide(wave, flat.dst, &old, dwords)?;
            }
        }
        mem::Kind::Format { .. } | mem::Kind::StoreLds | mem::Kind::Cache => {
            return Err(Why::Borrowed("not a flat instruction").into());
        }
    }
    Ok(())
}

/// Scratch offsets are 32 bits wide.
fn low(addr: &Addresses) -> Addresses {
    by_lane(|l| addr[l] & 0xffff_ffff)
}

fn places(wave: &Wave, flat: &Flat) -> Result<Places, Why> {
    let offset = i64::from(flat.offset) as u64;
    let exec = wave.exec;
    let mut places = Places {
        addr: [0; LANES],
        global: 0,
        scratch: 0,
        lds: 0,
    };
    let base = match (flat.segment, flat.saddr) {
        (_, Operand::NONE) => 0,
        (Segment::Scratch, saddr) => wave.sgpr(saddr.0)?.into(),
        (_, saddr) => wave.sgpr64(saddr.0)?,
    };
    let base = base.wrapping_add(offset);
    let wide = flat.segment != Segment::Scratch && flat.saddr == Operand::NONE;
    places.addr = match flat.addr {
        Operand::NONE => [0; LANES],
        addr => lanes::wide(wave, addr, 0, if wide { 2 } else { 1 })?,
    };
    for addr in &mut places.addr {
        *addr = addr.wrapping_add(base);
    }
    match flat.segment {
        Segment::Global => places.global = exec,
        Segment::Scratch => places.scratch = exec,
        Segment::Flat => {
            for (lane, addr) in places.addr.iter().enumerate() {
                let aperture = (addr >> 32) as u32;
                places.lds |= u64::from(aperture == wave.shared_base) << lane;
                places.scratch |= u64::from(aperture == wave.private_base) << lane;
            }
            places.lds &= exec;
            places.scratch &= exec & !places.lds;
            places.global = exec & !places.lds & !places.scratch;
        }
    }
    Ok(places)
}
