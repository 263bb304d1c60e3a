// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory instructions.

use super::{immediate, operand, List};
use crate::inst::{Buffer, Ds, Flat, Inst, Operand, Segment, Smem};
use crate::table::{ds, smem, Kind, Ty};
use std::fmt::{self, Formatter};

impl Inst {
    pub(super) fn smem(&self, f: &mut Formatter<'_>, s: &Smem) -> fmt::Result {
        let op = self.op;
        let mut list = List::new();
        let data = if op.dst == Ty::No { op.src_ty(1) } else { op.dst };
        if matches!(op.kind, Kind::Smem(smem::Kind::Probe)) {
            list.item(operand::constant(Ty::B32, s.data.0.into()));
        } else if data != Ty::No {
            list.item(operand::sgpr(s.data, data.dwords()));
        }
        if s.base != Operand::NONE {
            list.item(operand::sgpr(s.base, op.src_ty(0).dwords()));
            match s.soffset {
                Operand::NONE => list.item(signed_hex(s.offset.unwrap_or(0))),
                soffset => list.item(operand::sgpr(soffset, 1)),
            }
        }
        write!(f, "{}{list}", op.name)?;
        if let (true, Some(offset)) = (s.soffset != Operand::NONE, s.offset) {
            write!(f, " offset:{}", signed_hex(offset))?;
        }
        flag(f, s.glc, "glc")
    }

    pub(super) fn ds(&self, f: &mut Formatter<'_>, d: &Ds) -> fmt::Result {
        let op = self.op;
        let mut list = List::new();
        let operands = [
            (d.dst, op.dst),
            (d.addr, op.src_ty(0)),
            (d.data[0], op.src_ty(1)),
            (d.data[1], op.src_ty(2)),
        ];
        for (operand, ty) in operands {
            if ty != Ty::No {
                list.item(operand::vector(operand, ty.dwords()));
            }
        }
        write!(f, "{}{list}", op.name)?;
        let offset = u16::from_le_bytes(d.offset);
        match op.kind {
            Kind::Ds(ds::Kind::Read2 { .. } | ds::Kind::Write2 { .. } | ds::Kind::Exchange2 { .. }) => {
                for (i, offset) in d.offset.iter().enumerate().filter(|(_, offset)| **offset != 0) {
                    write!(f, " offset{i}:{offset}")?;
                }
            }
            Kind::Ds(ds::Kind::Swizzle) if offset != 0 => {
                write!(f, " offset:{}", immediate::swizzle(offset))?
            }
            _ if offset != 0 => write!(f, " offset:{offset}")?,
            _ => {}
        }
        flag(f, matches!(op.kind, Kind::Ds(ds::Kind::Gws)), "gds")
    }

    pub(super) fn flat(&self, f: &mut Formatter<'_>, x: &Flat) -> fmt::Result {
        let mut list = List::new();
        if x.dst != Operand::NONE {
            list.item(operand::vector(x.dst, self.op.dst.dwords()));
        }
        let wide = x.segment == Segment::Flat || (x.segment == Segment::Global && x.saddr == Operand::NONE);
        match x.addr {
            Operand::NONE => list.item("off"),
            addr => list.item(operand::vector(addr, if wide { 2 } else { 1 })),
        }
        if x.data != Operand::NONE {
            list.item(operand::vector(x.data, self.op.src_ty(0).dwords()));
        }
        match (x.segment, x.saddr) {
            (Segment::Flat, _) => {}
            (_, Operand::NONE) => list.item("off"),
            (Segment::Scratch, saddr) => list.item(operand::sgpr(saddr, 1)),
            (Segment::Global, saddr) => list.item(operand::sgpr(saddr, 2)),
        }
        write!(f, "{list}")?;
        if x.offset != 0 {
            write!(f, " offset:{}", x.offset)?;
        }
        flag(f, x.glc, "glc")?;
        flag(f, x.slc, "slc")?;
        flag(f, x.scc, "scc")?;
        flag(f, x.lds, "lds")
    }

    pub(super) fn buffer(&self, f: &mut Formatter<'_>, b: &Buffer) -> fmt::Result {
        let op = self.op;
        let mut list = List::new();
        if !op.is_cache() {
            let data = if op.dst == Ty::No || op.src_ty(0) != Ty::No {
                op.src_ty(0)
            } else {
                op.dst
            };
            if b.data != Operand::NONE {
                list.item(operand::vector(b.data, data.dwords()));
            }
            match b.vaddr {
                Operand::NONE if op.stores_lds() => {}
                Operand::NONE => list.item("off"),
                vaddr => list.item(operand::vector(vaddr, if b.idxen && b.offen { 2 } else { 1 })),
            }
            list.item(operand::sgpr(b.srsrc, 4));
            list.item(operand::source(b.soffset, Ty::B32, 0));
        }
        write!(f, "{list}")?;
        if b.typed {
            f.write_str(&immediate::format(b.format))?;
        }
        flag(f, b.idxen, "idxen")?;
        flag(f, b.offen, "offen")?;
        if b.offset != 0 {
            write!(f, " offset:{}", b.offset)?;
        }
        // a part of the instruction's name, if anything
        flag(f, op.stores_lds(), "lds")?;
        flag(f, b.glc, "glc")?;
        flag(f, b.slc, "slc")?;
        flag(f, b.scc, "scc")?;
        flag(f, b.lds && !op.stores_lds(), "lds")
    }
}

fn flag(f: &mut Formatter<'_>, on: bool, name: &str) -> fmt::Result {
    match on {
        true => write!(f, " {name}"),
        false => Ok(()),
    }
}

fn signed_hex(value: i32) -> String {
    match value {
        0.. => format!("{value:#x}"),
        _ => format!("-{:#x}", value.unsigned_abs()),
    }
}
