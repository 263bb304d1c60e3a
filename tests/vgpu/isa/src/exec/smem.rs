// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalar memory.

use super::buffer::Descriptor;
use super::Halt;
use crate::inst::{Operand, Smem};
use crate::memory::{Access, MemFault, Memory};
use crate::rmw::{Denormals, Rmw};
use crate::stop::Why;
use crate::table::{smem::Kind as SmemKind, Kind, Op, Ty};
use crate::wave::Wave;

/// Most dwords that one instruction moves.
const MOST: usize = 16;

pub(super) fn execute(wave: &mut Wave, memory: &mut dyn Memory, op: &Op, s: &Smem) -> Result<(), Halt> {
    let Kind::Smem(kind) = op.kind else {
        return Err(Why::Borrowed("not a scalar memory instruction").into());
    };
    match kind {
        SmemKind::Load | SmemKind::Scratch { store: false } => {
            let place = Place::new(wave, op, s)?;
            let dwords = op.dst.dwords().min(MOST);
            let mut bytes = [0; MOST * 4];
            let inside = place.inside(dwords);
            memory_load(memory, place.va, &mut bytes[..inside * 4])?;
            for (i, dword) in bytes.chunks_exact(4).take(dwords).enumerate() {
                let value = u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]]);
                wave.set_sgpr(s.data.0 + i as u16, value)?;
            }
        }
        SmemKind::Store | SmemKind::Scratch { store: true } => {
            let place = Place::new(wave, op, s)?;
            let inside = place.inside(op.src_ty(1).dwords().min(MOST));
            let mut bytes = [0; MOST * 4];
            for (i, dword) in bytes.chunks_exact_mut(4).take(inside).enumerate() {
                dword.copy_from_slice(&wave.sgpr(s.data.0 + i as u16)?.to_le_bytes());
            }
            if inside > 0 {
                memory.store(place.va, 4, &bytes[..inside * 4])?;
            }
        }
        SmemKind::Atomic { rmw, bytes } => atomic(wave, memory, op, s, (rmw, bytes))?,
        SmemKind::Cache | SmemKind::Probe => {}
        SmemKind::Clock => wave.set_sgpr64(s.data.0, memory.clock())?,
        SmemKind::Realtime => wave.set_sgpr64(s.data.0, memory.realtime())?,
    }
    Ok(())
}

fn memory_load(memory: &mut dyn Memory, va: u64, bytes: &mut [u8]) -> Result<(), MemFault> {
    match bytes.is_empty() {
        true => Ok(()),
        false => memory.load(va, 4, bytes),
    }
}

/// Bytes per unit of the offset register in scalar scratch instructions (CDNA2 ISA "Scalar memory addressing").
const SCRATCH_UNIT: i64 = 64;

/// Where an instruction goes.
struct Place {
    /// Byte address, aligned to 4.
    va: u64,
    /// Bytes from there to the end of the buffer; plenty without buffer.
    room: u64,
}

impl Place {
    fn new(wave: &Wave, op: &Op, s: &Smem) -> Result<Self, Why> {
        let soffset = match s.soffset {
            Operand::NONE => 0,
            n => wave.sgpr(n.0)?,
        };
        let soffset = match op.kind {
            Kind::Smem(SmemKind::Scratch { .. }) => i64::from(soffset) * SCRATCH_UNIT,
            _ => i64::from(soffset),
        };
        let offset = soffset + i64::from(s.offset.unwrap_or(0));
        if op.src_ty(0) != Ty::B128 {
            let va = wave.sgpr64(s.base.0)?.wrapping_add_signed(offset) & !3;
            return Ok(Self { va, room: u64::MAX });
        }
        let v = Descriptor::read(wave, s.base)?;
        let size = v.records * v.stride.max(1);
        let offset = offset as u64 & !3;
        Ok(Self {
            va: v.base.wrapping_add(offset) & !3,
            room: size.saturating_sub(offset),
        })
    }

    /// How many of `dwords` lie inside.
    fn inside(&self, dwords: usize) -> usize {
        usize::try_from(self.room / 4).map_or(dwords, |room| room.min(dwords))
    }
}

fn atomic(
    wave: &mut Wave,
    memory: &mut dyn Memory,
    op: &Op,
    s: &Smem,
    (rmw, bytes): (Rmw, u8),
) -> Result<(), Halt> {
    let place = Place::new(wave, op, s)?;
    let data = s.data.0;
    let dwords = u16::from(bytes / 4);
    if place.va % u64::from(bytes) != 0 {
        return Err(MemFault {
            va: place.va,
            access: Access::Atomic,
        }
        .into());
    }
    if place.inside(dwords.into()) < dwords.into() {
        return Ok(());
    }
    let compare = rmw == Rmw::CmpSwap;
    if bytes == 4 {
        let new = wave.sgpr(data)?;
        let other = if compare { wave.sgpr(data + 1)? } else { 0 };
        let old = memory.atomic32(place.va, &mut |old| rmw.apply32(old, new, other, Denormals::KEEP))?;
        if s.glc {
            wave.set_sgpr(data, old)?;
        }
    } else {
        let new = wave.sgpr64(data)?;
        let other = if compare { wave.sgpr64(data + 2)? } else { 0 };
        let old = memory.atomic64(place.va, &mut |old| rmw.apply64(old, new, other, Denormals::KEEP))?;
        if s.glc {
            wave.set_sgpr64(data, old)?;
        }
    }
    Ok(())
}
