// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Local data share.

use super::crossbar::{fetch, swizzle};
use super::lanes::{self, lanes_of, Data};
use super::Halt;
use crate::inst::{Ds, Operand};
use crate::lds::Lds;
use crate::memory::{Access, MemFault};
use crate::rmw::{Denormals, Rmw};
use crate::stop::Why;
use crate::table::ds::Kind as DsKind;
use crate::table::{Kind, Op, Ty};
use crate::wave::{by_lane, Row, Wave, LANES};

pub(super) fn execute(wave: &mut Wave, lds: &mut Lds, op: &Op, d: &Ds) -> Result<(), Halt> {
    let Kind::Ds(kind) = op.kind else {
        return Err(Why::Borrowed("not an LDS instruction").into());
    };
    let offset = u32::from(u16::from_le_bytes(d.offset));
    match kind {
        DsKind::Nop => {}
        DsKind::Read { bytes, signed, part } => {
            let addr = addresses(wave, d, offset)?;
            if bytes == 4 {
                // most common, and the same as below
                let row = by_lane(|l| u32::from_le_bytes(lds.read(addr[l])));
                return Ok(wave.write32(d.dst, &row)?);
            }
            let mut data = Data::new(bytes.into());
            for lane in active(wave) {
                read_bytes(lds, addr[lane], data.lane(lane));
            }
            data.to_registers(wave, d.dst, signed, part)?;
        }
        DsKind::Write { bytes, part } => {
            let addr = addresses(wave, d, offset)?;
            if bytes == 4 {
                // most common, and the same as below
                let row = wave.vgpr(d.data[0], 0)?;
                for lane in active(wave) {
                    lds.write(addr[lane], row[lane].to_le_bytes());
                }
                return Ok(());
            }
            let mut data = Data::new(bytes.into());
            data.read_registers(wave, d.data[0], part)?;
            for lane in active(wave) {
                write_bytes(lds, addr[lane], data.lane(lane));
            }
        }
        DsKind::Read2 { bytes, scale } => {
            let both = pair(wave, d, scale)?;
            let dwords = usize::from(bytes / 4);
            wave.vgpr_index(d.dst, dwords * 2)?;
            let values = both.map(|addr| {
                let mut values = [0; LANES];
                for lane in active(wave) {
                    values[lane] = read(lds, addr[lane], bytes);
                }
                values
            });
            write_pair(wave, d.dst, dwords, &values)?;
        }
        DsKind::Write2 { bytes, scale } => {
            let both = pair(wave, d, scale)?;
            let dwords = usize::from(bytes / 4);
            let data = [
                lanes::wide(wave, d.data[0], 0, dwords)?,
                lanes::wide(wave, d.data[1], 0, dwords)?,
            ];
            for (addr, data) in both.iter().zip(&data) {
                for lane in active(wave) {
                    write(lds, addr[lane], bytes, data[lane]);
                }
            }
        }
        DsKind::Exchange2 { bytes, scale } => {
            let both = pair(wave, d, scale)?;
            let dwords = usize::from(bytes / 4);
            wave.vgpr_index(d.dst, dwords * 2)?;
            let data = [
                lanes::wide(wave, d.data[0], 0, dwords)?,
                lanes::wide(wave, d.data[1], 0, dwords)?,
            ];
            let mut old = [[0; LANES]; 2];
            for i in 0..2 {
                for lane in active(wave) {
                    old[i][lane] = update(wave, lds, both[i][lane], (Rmw::Swap, bytes), (data[i][lane], 0))?;
                }
            }
            write_pair(wave, d.dst, dwords, &old)?;
        }
        DsKind::Atomic { rmw, bytes } => atomic(wave, lds, op, d, (rmw, bytes))?,
        DsKind::CondExchange => {
            let addr = addresses(wave, d, offset)?;
            let data = lanes::wide(wave, d.data[0], 0, 2)?;
            wave.vgpr_index(d.dst, 2)?;
            let mut old = [0; LANES];
            for lane in active(wave) {
                old[lane] = read(lds, addr[lane], 8);
                let half = |shift: u32| {
                    let (old, data) = ((old[lane] >> shift) as u32, (data[lane] >> shift) as u32);
                    let new = if data >> 31 != 0 { data & 0x7fff_ffff } else { old };
                    u64::from(new) << shift
                };
                write(lds, addr[lane], 8, half(0) | half(32));
            }
            wave.write64(d.dst, &old)?;
        }
        DsKind::Swizzle => {
            let data = *wave.vgpr(d.addr, 0)?;
            let exec = wave.exec;
            fetch(wave, d.dst, &data, |lane| {
                Some(swizzle(offset as u16, lane)).filter(|l| exec >> l & 1 != 0)
            })?;
        }
        DsKind::BPermute => {
            let addr = addresses(wave, d, offset)?;
            let data = *wave.vgpr(d.data[0], 0)?;
            let exec = wave.exec;
            fetch(wave, d.dst, &data, |lane| {
                Some(addr[lane] as usize / 4 % LANES).filter(|l| exec >> l & 1 != 0)
            })?;
        }
        DsKind::Permute => {
            let addr = addresses(wave, d, offset)?;
            let data = *wave.vgpr(d.data[0], 0)?;
            let mut row = [0; LANES];
            for lane in active(wave) {
                row[addr[lane] as usize / 4 % LANES] = data[lane];
            }
            wave.write32(d.dst, &row)?;
        }
        DsKind::ReadAddTid => {
            let first = by_m0(wave, offset);
            let row = by_lane(|l| read(lds, first.wrapping_add(l as u32 * 4), 4) as u32);
            wave.write32(d.dst, &row)?;
        }
        DsKind::WriteAddTid => {
            let first = by_m0(wave, offset);
            let row = *wave.vgpr(d.data[0], 0)?;
            for lane in active(wave) {
                write(lds, first.wrapping_add(lane as u32 * 4), 4, row[lane].into());
            }
        }
        DsKind::Append | DsKind::Consume => {
            let count = wave.exec.count_ones();
            let at = by_m0(wave, offset);
            let old = lds.update32(at, |old| match kind {
                DsKind::Append => old.wrapping_add(count),
                _ => old.wrapping_sub(count),
            });
            wave.write32(d.dst, &[old; LANES])?;
        }
        DsKind::Gws => return Err(Why::Owned(format!("{} is not modelled", op.name)).into()),
    }
    Ok(())
}

fn active(wave: &Wave) -> impl Iterator<Item = usize> {
    lanes_of(wave.exec)
}

fn addresses(wave: &Wave, d: &Ds, offset: u32) -> Result<Row, Why> {
    let addr = wave.vgpr(d.addr, 0)?;
    Ok(by_lane(|l| addr[l].wrapping_add(offset)))
}

/// The addresses of the two elements of `read2` and its like.
fn pair(wave: &Wave, d: &Ds, scale: u16) -> Result<[Row; 2], Why> {
    let [a, b] = d.offset.map(|o| u32::from(o) * u32::from(scale));
    Ok([addresses(wave, d, a)?, addresses(wave, d, b)?])
}

fn write_pair(wave: &mut Wave, dst: Operand, dwords: usize, values: &[[u64; LANES]; 2]) -> Result<(), Why> {
    for (i, values) in values.iter().enumerate() {
        for half in 0..dwords {
            let row: Row = by_lane(|l| (values[l] >> (32 * half)) as u32);
            wave.write32_at(dst, i * dwords + half, &row)?;
        }
    }
    Ok(())
}

/// M0 15:0 plus offset.
fn by_m0(wave: &Wave, offset: u32) -> u32 {
    (wave.m0 & 0xffff).wrapping_add(offset)
}

fn read(lds: &Lds, addr: u32, bytes: u8) -> u64 {
    match bytes {
        4 => u32::from_le_bytes(lds.read(addr)).into(),
        _ => u64::from_le_bytes(lds.read(addr)),
    }
}

fn write(lds: &mut Lds, addr: u32, bytes: u8, value: u64) {
    match bytes {
        4 => lds.write(addr, (value as u32).to_le_bytes()),
        _ => lds.write(addr, value.to_le_bytes()),
    }
}

/// Reads 1, 2, 4, 8, 12 or 16 bytes; dwords outside LDS are 0.
pub(super) fn read_bytes(lds: &Lds, addr: u32, out: &mut [u8]) {
    match out.len() {
        1 => out.copy_from_slice(&lds.read::<1>(addr)),
        2 => out.copy_from_slice(&lds.read::<2>(addr)),
        _ => {
            for (i, dword) in out.chunks_exact_mut(4).enumerate() {
                dword.copy_from_slice(&lds.read::<4>(addr.wrapping_add(i as u32 * 4)));
            }
        }
    }
}

/// Writes 1, 2, 4, 8, 12 or 16 bytes; dwords outside LDS are dropped.
pub(super) fn write_bytes(lds: &mut Lds, addr: u32, data: &[u8]) {
    match data {
        [a] => lds.write(addr, [*a]),
        [a, b] => lds.write(addr, [*a, *b]),
        _ => {
            for (i, dword) in data.chunks_exact(4).enumerate() {
                lds.write(
                    addr.wrapping_add(i as u32 * 4),
                    [dword[0], dword[1], dword[2], dword[3]],
                );
            }
        }
    }
}

/// Reads, modifies and writes one element; float sums follow MODE.
pub(super) fn update(
    wave: &Wave,
    lds: &mut Lds,
    addr: u32,
    (rmw, bytes): (Rmw, u8),
    (data, data2): (u64, u64),
) -> Result<u64, MemFault> {
    if addr % u32::from(bytes) != 0 {
        let va = u64::from(wave.shared_base) << 32 | u64::from(addr);
        return Err(MemFault {
            va,
            access: Access::Atomic,
        });
    }
    let (input, output) = match bytes {
        4 => (wave.mode.denorm_in32(), wave.mode.denorm_out32()),
        _ => (wave.mode.denorm_in16_64(), wave.mode.denorm_out16_64()),
    };
    let denormals = Denormals { input, output };
    Ok(match bytes {
        4 => lds
            .update32(addr, |old| rmw.apply32(old, data as u32, data2 as u32, denormals))
            .into(),
        _ => lds.update64(addr, |old| rmw.apply64(old, data, data2, denormals)),
    })
}

fn atomic(wave: &mut Wave, lds: &mut Lds, op: &Op, d: &Ds, (rmw, bytes): (Rmw, u8)) -> Result<(), Halt> {
    let offset = u32::from(u16::from_le_bytes(d.offset));
    let addr = addresses(wave, d, offset)?;
    let dwords = usize::from(bytes / 4);
    let mut first = lanes::wide(wave, d.data[0], 0, dwords)?;
    let mut second = match d.data[1] {
        Operand::NONE => [0; LANES],
        data => lanes::wide(wave, data, 0, dwords)?,
    };
    if matches!(rmw, Rmw::CmpSwap | Rmw::CmpSwapFloat) {
        // LDS names the comparand first
        std::mem::swap(&mut first, &mut second);
    }
    if op.dst != Ty::No {
        wave.vgpr_index(d.dst, dwords)?;
    }
    let mut old = [0; LANES];
    for lane in active(wave) {
        old[lane] = update(wave, lds, addr[lane], (rmw, bytes), (first[lane], second[lane]))?;
    }
    if op.dst != Ty::No {
        lanes::write_wide(wave, d.dst, &old, dwords)?;
    }
    Ok(())
}

/// Writes what a buffer or flat instruction with the LDS bit has loaded: at M0 15:0 plus offset plus four times the lane.
pub(super) fn store_direct(wave: &Wave, lds: &mut Lds, offset: u32, data: &mut Data, signed: bool) {
    let first = by_m0(wave, offset);
    for lane in active(wave) {
        let value = match (data.lane(lane), signed) {
            ([a], false) => u32::from(*a),
            ([a], true) => i32::from(*a as i8) as u32,
            ([a, b], false) => u32::from(u16::from_le_bytes([*a, *b])),
            ([a, b], true) => i32::from(i16::from_le_bytes([*a, *b])) as u32,
            ([a, b, c, d, ..], _) => u32::from_le_bytes([*a, *b, *c, *d]),
            _ => 0,
        };
        lds.write(first.wrapping_add(lane as u32 * 4), value.to_le_bytes());
    }
}

/// The dwords that a buffer instruction stores from LDS, from the places of [`store_direct`].
pub(super) fn load_direct(wave: &Wave, lds: &Lds, offset: u32, data: &mut Data) {
    let first = by_m0(wave, offset);
    for lane in active(wave) {
        let dword: [u8; 4] = lds.read(first.wrapping_add(lane as u32 * 4));
        data.lane(lane).copy_from_slice(&dword);
    }
}
