// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SMEM, DS, FLAT, MUBUF, MTBUF.

use super::operand::{register, scalar, sgpr};
use super::strict::{refuse, ABSENT, FIXED, IMMEDIATE, MODIFIER, UNALIGNED, UNUSED};
use super::{bit, bits, row, Decoded, Words};
use crate::inst::{Buffer, Ds, Fields, Flat, Operand, Segment, Smem};
use crate::stop::Why;
use crate::table::{ds, flags, mem, smem, Enc, Kind, Op, Ty};

/// Sign-extends the low `n` bits.
const fn sext(value: u32, n: u32) -> i32 {
    ((value << (32 - n)) as i32) >> (32 - n)
}

pub(super) fn smem(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let op = row(Enc::Smem, bits(w, 25, 18))?;
    let mut s = Smem {
        data: Operand::NONE,
        base: Operand::NONE,
        soffset: Operand::NONE,
        offset: None,
        glc: bit(w, 16),
        nv: bit(w, 15),
    };
    let data = if op.dst == Ty::No { op.src_ty(1) } else { op.dst };
    let (base, number) = (op.src_ty(0), bits(w, 12, 6));
    match op.kind {
        Kind::Smem(smem::Kind::Probe) => s.data = Operand(number as u16),
        _ if data == Ty::No && number != 0 => return Err(refuse(UNUSED, "sdata")),
        _ if data == Ty::No => {}
        _ if matches!(number, 124 | 126 | 127) => return Err(refuse(FIXED, "m0 or exec as data")),
        _ => s.data = sgpr(number, data)?,
    }
    let (imm, soffset_en) = (bit(w, 17), bit(w, 14));
    if base == Ty::No {
        if bits(w, 5, 0) != 0 || imm || soffset_en || x != 0 || bits(w, 16, 15) != 0 {
            return Err(refuse(UNUSED, "smem"));
        }
        return Ok((op, Fields::Smem(s)));
    }
    if bits(w, 13, 13) | bits(x, 24, 21) != 0 {
        return Err(refuse(UNUSED, "smem"));
    }
    s.base = sgpr(bits(w, 5, 0) << 1, base)?;
    if imm {
        s.offset = Some(sext(bits(x, 20, 0), 21));
    }
    if base == Ty::B128 && s.offset.is_some_and(|offset| offset < 0) {
        return Err(refuse(IMMEDIATE, "negative offset into a buffer"));
    }
    if s.glc && op.dst == Ty::No && data == Ty::No {
        return Err(refuse(MODIFIER, "glc"));
    }
    match (imm, soffset_en) {
        (_, true) => s.soffset = sgpr(bits(x, 31, 25), Ty::B32)?,
        // without immediate, its low bits name the register
        (false, false) => s.soffset = sgpr(bits(x, 6, 0), Ty::B32)?,
        (true, false) => {}
    }
    let unused = match (imm, soffset_en) {
        (true, true) => 0,
        (true, false) => bits(x, 31, 25),
        (false, true) => bits(x, 20, 0),
        (false, false) => bits(x, 31, 25) | bits(x, 20, 7),
    };
    if unused != 0 {
        return Err(refuse(UNUSED, "smem offset"));
    }
    Ok((op, Fields::Smem(s)))
}

pub(super) fn lds(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let op = row(Enc::Ds, bits(w, 24, 17))?;
    let acc = bit(w, 25);
    match (op.kind, bit(w, 16)) {
        (Kind::Ds(ds::Kind::Gws), true) => {}
        (Kind::Ds(ds::Kind::Gws), false) => return Err(Why::Owned(format!("{} without gds", op.name))),
        (_, false) => {}
        (Kind::Ds(ds::Kind::Nop | ds::Kind::Permute | ds::Kind::BPermute), true) => {
            return Err(Why::Owned(format!("{} with gds", op.name)));
        }
        (_, true) => return Err(refuse(ABSENT, "global data share")),
    }
    let gws = matches!(op.kind, Kind::Ds(ds::Kind::Gws));
    if gws && bit(x, 0) {
        return Err(refuse(UNALIGNED, "data of global wave sync"));
    }
    if gws && acc && op.src.is_empty() {
        return Err(Why::Owned(format!("{} with acc", op.name)));
    }
    if matches!(op.kind, Kind::Ds(ds::Kind::Nop)) && (bits(w, 15, 0) != 0 || acc) {
        return Err(Why::Borrowed("ds_nop with operands"));
    }
    let vector = |n: u32, ty: Ty, acc: bool, what| match ty {
        Ty::No if n != 0 => Err(refuse(UNUSED, what)),
        Ty::No => Ok(Operand::NONE),
        ty => register(n, ty, acc),
    };
    let fields = Ds {
        dst: vector(bits(x, 31, 24), op.dst, acc, "vdst")?,
        // of global wave sync it is the data
        addr: vector(bits(x, 7, 0), op.src_ty(0), gws && acc, "addr")?,
        data: [
            vector(bits(x, 15, 8), op.src_ty(1), acc, "data0")?,
            vector(bits(x, 23, 16), op.src_ty(2), acc, "data1")?,
        ],
        offset: [bits(w, 7, 0) as u8, bits(w, 15, 8) as u8],
    };
    Ok((op, Fields::Ds(fields)))
}

/// Floating-point atomics have no SCC bit.
fn no_scc(op: &Op, scc: bool) -> Result<(), Why> {
    match op.kind {
        Kind::Mem(mem::Kind::Atomic { .. }) if scc && op.code < 0x60 && op.code > 0x4c => {
            Err(Why::Owned(format!("{} with scc", op.name)))
        }
        _ => Ok(()),
    }
}

/// The row of a memory instruction if it exists in the encoding `form`.
fn mem_row(code: u32, form: flags::Flags, what: &str) -> Result<&'static Op, Why> {
    match row(Enc::Mem, code) {
        Ok(op) if op.has(form) => Ok(op),
        _ => Err(Why::Owned(format!("{what} has no instruction {code:#x}"))),
    }
}

pub(super) fn flat(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let (segment, form) = match bits(w, 15, 14) {
        0 => (Segment::Flat, flags::FLAT),
        1 => (Segment::Scratch, flags::SCRATCH),
        2 => (Segment::Global, flags::GLOBAL),
        _ => return Err(Why::Borrowed("flat segment 3 does not exist")),
    };
    let op = mem_row(bits(w, 24, 18), form, segment.name())?;
    let acc = bit(x, 23);
    let glc = bit(w, 16);
    let lds = bit(w, 13);
    if lds && (acc || segment == Segment::Flat || !matches!(op.code, 0x10..=0x14)) {
        return Err(Why::Owned(format!(
            "{}_{} cannot load to LDS",
            segment.name(),
            op.name
        )));
    }
    no_scc(op, bit(w, 25))?;
    let atomic = matches!(op.kind, Kind::Mem(mem::Kind::Atomic { .. }));
    let data = op.src_ty(0);
    let dst = if lds || atomic && !glc { Ty::No } else { op.dst };
    let vector = |n: u32, ty: Ty, what| match ty {
        Ty::No if n != 0 => Err(refuse(UNUSED, what)),
        Ty::No => Ok(Operand::NONE),
        ty => register(n, ty, acc),
    };
    let saddr = match (segment, bits(x, 22, 16)) {
        (Segment::Flat, 0) | (Segment::Global | Segment::Scratch, 0x7f) => Operand::NONE,
        (Segment::Flat, _) => return Err(refuse(UNUSED, "saddr")),
        (_, 124 | 126) => return Err(refuse(FIXED, "m0 or exec as address")),
        (Segment::Global, n) => sgpr(n, Ty::B64)?,
        (Segment::Scratch, n) => sgpr(n, Ty::B32)?,
    };
    let addr = match (segment, saddr) {
        (Segment::Scratch, Operand::NONE) => register(bits(x, 7, 0), Ty::B32, false)?,
        (Segment::Scratch, _) if bits(x, 7, 0) != 0 => return Err(refuse(UNUSED, "addr")),
        (Segment::Scratch, _) => Operand::NONE,
        (_, Operand::NONE) => register(bits(x, 7, 0), Ty::B64, false)?,
        _ => register(bits(x, 7, 0), Ty::B32, false)?,
    };
    let fields = Flat {
        segment,
        dst: vector(bits(x, 31, 24), dst, "vdst")?,
        addr,
        data: vector(bits(x, 15, 8), data, "data")?,
        saddr,
        // FLAT offsets are unsigned: the sign bit must be 0
        offset: match segment {
            Segment::Flat if bit(w, 12) => return Err(refuse(IMMEDIATE, "negative flat offset")),
            Segment::Flat => bits(w, 11, 0) as i32,
            _ => sext(bits(w, 12, 0), 13),
        },
        glc,
        slc: bit(w, 17),
        scc: bit(w, 25),
        lds,
    };
    Ok((op, Fields::Flat(fields)))
}

pub(super) fn mubuf(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let op = mem_row(bits(w, 24, 18), flags::MUBUF, "MUBUF")?;
    if op.is_cache() {
        // the compiler sets the coherence bits of this one, which then reaches all of memory
        let coherence = if op.name == "wbl2" {
            1 << 17 | 1 << 15 | 1 << 14
        } else {
            0
        };
        return match bits(w, 17, 0) & !coherence | x {
            0 => Ok((op, Fields::Buffer(Buffer::EMPTY))),
            _ => Err(refuse(UNUSED, "operands of a cache instruction")),
        };
    }
    let lds = bit(w, 16);
    if op.stores_lds() {
        if !lds || bits(w, 13, 12) != 0 {
            return Err(refuse(
                UNUSED,
                "an address in registers, or no lds, of buffer_store_lds_dword",
            ));
        }
    } else if lds && !matches!(op.code, 0 | 0x10..=0x14) {
        return Err(Why::Owned(format!("buffer_{} cannot load to LDS", op.name)));
    }
    no_scc(op, bit(w, 15))?;
    let mut b = buffer(op, x, bit(w, 13), bit(w, 12), lds)?;
    b.offset = bits(w, 11, 0) as u16;
    (b.scc, b.glc, b.slc) = (bit(w, 15), bit(w, 14), bit(w, 17));
    if bits(w, 25, 25) | bits(x, 22, 21) != 0 {
        return Err(refuse(UNUSED, "mubuf"));
    }
    Ok((op, Fields::Buffer(b)))
}

pub(super) fn mtbuf(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let op = mem_row(bits(w, 18, 15), flags::MTBUF, "MTBUF")?;
    let mut b = buffer(op, x, bit(w, 13), bit(w, 12), false)?;
    b.typed = true;
    b.offset = bits(w, 11, 0) as u16;
    b.format = (bits(w, 22, 19) | bits(w, 25, 23) << 4) as u8;
    (b.scc, b.glc, b.slc) = (bit(x, 21), bit(w, 14), bit(x, 22));
    Ok((op, Fields::Buffer(b)))
}

/// The second word, which MUBUF and MTBUF share.
fn buffer(op: &Op, x: u32, idxen: bool, offen: bool, lds: bool) -> Result<Buffer, Why> {
    let mut b = Buffer::EMPTY;
    (b.idxen, b.offen, b.lds) = (idxen, offen, lds);
    let data = if op.dst == Ty::No || op.src_ty(0) != Ty::No {
        op.src_ty(0)
    } else {
        op.dst
    };
    if !lds {
        b.data = register(bits(x, 15, 8), data, bit(x, 23))?;
    } else if bits(x, 15, 8) != 0 || bit(x, 23) {
        return Err(refuse(UNUSED, "vdata"));
    }
    let vaddr = match (idxen, offen) {
        (true, true) => Ty::B64,
        (false, false) => Ty::No,
        _ => Ty::B32,
    };
    b.vaddr = match (vaddr, bits(x, 7, 0)) {
        (Ty::No, 0) => Operand::NONE,
        (Ty::No, _) => return Err(refuse(UNUSED, "vaddr")),
        (ty, n) => register(n, ty, false)?,
    };
    b.srsrc = sgpr(bits(x, 20, 16) << 2, Ty::B128)?;
    b.soffset = match bits(x, 31, 24) {
        255 => return Err(Why::Borrowed("a literal is not allowed here")),
        n => scalar(n, Ty::B32, &mut Words { words: &[], used: 1 }, &mut 0)?,
    };
    Ok(b)
}
