// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where matrix elements live (source: CDNA2 ISA "Matrix Arithmetic Instructions", AMD Matrix Instruction Calculator).
//!
//! `A[block][k][i]`, `B[block][k][j]` and `C[block][i][j]` are kept flat, in this order. All matrices C are square.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::source;
use crate::wave::{Row, Wave, LANES};

/// The size of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and C, columns of B and C: 4, 16 or 32.
    pub size: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// Independent products.
    pub blocks: usize,
}

impl Shape {
    /// `blocks` products of `size * k` by `k * size`.
    pub const fn new(size: usize, k: usize, blocks: usize) -> Self {
        Self { size, k, blocks }
    }

    /// Elements of C in a lane.
    pub const fn c_per_lane(self) -> usize {
        self.size * self.size * self.blocks / LANES
    }

    /// Elements of A or B in a lane: consecutive in k.
    pub const fn k_per_lane(self) -> usize {
        self.size * self.k * self.blocks / LANES
    }

    /// Lane and position in it of row (of B: column) `i`, step `k` of block `block`.
    fn input(self, block: usize, i: usize, k: usize) -> (usize, usize) {
        let per_lane = self.k_per_lane();
        let lane = i + self.size * (block + self.blocks * (k / per_lane));
        (lane % LANES, k % per_lane)
    }

    /// Lane and position in it of `C[block][i][j]`; `tall` consecutive rows share a lane: 4 of dwords, 1 of qwords.
    fn output(self, tall: usize, block: usize, i: usize, j: usize) -> (usize, usize) {
        // how many groups of `tall` rows one register holds, and of how many blocks
        let groups = LANES / self.size;
        let side = (LANES * tall).div_ceil(self.size * self.size);
        let position = block * (self.size * self.size / LANES) + i / (tall * groups) * tall + i % tall;
        let lane = (block % side) * self.size + (i / tall % groups) * side * self.size + j;
        (lane % LANES, position)
    }
}

/// The block of A that stands in for `block` (CBSZ, ABID).
fn broadcast(vop: &Vop, shape: Shape, block: usize) -> Result<usize, Why> {
    let group = 1 << (vop.cbsz & 7);
    let from = block / group * group + usize::from(vop.abid);
    if group > shape.blocks || usize::from(vop.abid) >= group {
        return Err(Why::Owned(format!(
            "cbsz {} and abid {} do not fit {} blocks",
            vop.cbsz, vop.abid, shape.blocks
        )));
    }
    Ok(from)
}

/// The lane of B that stands in for `lane` (BLGP).
fn permuted(blgp: u8, lane: usize) -> usize {
    match blgp & 7 {
        0 => lane,
        // one half, the lanes rotated by 16, one quarter
        1 => lane % 32,
        2 => lane % 32 + 32,
        3 => (lane + 16) % LANES,
        n => lane % 16 + 16 * usize::from(n - 4),
    }
}

/// Up to two dwords of an operand, per lane.
fn qwords(wave: &Wave, vop: &Vop, source: usize, dwords: usize) -> Result<[u64; LANES], Why> {
    let mut out = source::dword(wave, vop, source, 0)?.map(u64::from);
    if dwords == 2 {
        let high = source::dword(wave, vop, source, 1)?;
        for (out, high) in out.iter_mut().zip(high) {
            *out |= u64::from(high) << 32;
        }
    }
    Ok(out)
}

/// A and B, flat. `element` gets what a lane holds and the position in it.
pub fn inputs<T>(
    wave: &Wave,
    vop: &Vop,
    shape: Shape,
    dwords: usize,
    element: impl Fn(u64, usize) -> T,
) -> Result<(Vec<T>, Vec<T>), Why> {
    let (a_lanes, b_lanes) = (qwords(wave, vop, 0, dwords)?, qwords(wave, vop, 1, dwords)?);
    let b_lanes: [u64; LANES] = std::array::from_fn(|lane| b_lanes[permuted(vop.blgp, lane)]);
    let count = shape.blocks * shape.size * shape.k;
    let (mut a, mut b) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for block in 0..shape.blocks {
        let from = broadcast(vop, shape, block)?;
        for k in 0..shape.k {
            // a step of all rows (columns) is in consecutive lanes
            let (lane, position) = shape.input(from, 0, k);
            a.extend(
                a_lanes[lane..lane + shape.size]
                    .iter()
                    .map(|x| element(*x, position)),
            );
            let (lane, position) = shape.input(block, 0, k);
            b.extend(
                b_lanes[lane..lane + shape.size]
                    .iter()
                    .map(|x| element(*x, position)),
            );
        }
    }
    Ok((a, b))
}

/// Runs `f` on C of dwords and writes it as D.
pub fn with_dwords<T: Copy>(
    wave: &mut Wave,
    vop: &Vop,
    shape: Shape,
    from: impl Fn(u32) -> T,
    to: impl Fn(T) -> u32,
    f: impl FnOnce(&mut [T]),
) -> Result<(), Why> {
    let op = vop.src[2];
    let mut rows = vec![[0; LANES]; shape.c_per_lane()];
    for (r, row) in rows.iter_mut().enumerate() {
        *row = if op.is_vector() {
            *wave.vgpr(op, r)?
        } else {
            // a constant fills the matrix
            [wave.scalar32(op, vop.literal)?; LANES]
        };
    }
    let mut c = Vec::with_capacity(LANES * rows.len());
    for (lane, r) in places(shape, 4) {
        c.extend(rows[r][lane..lane + shape.size].iter().map(|x| from(*x)));
    }
    f(&mut c);
    for ((lane, r), c) in places(shape, 4).zip(c.chunks_exact(shape.size)) {
        for (out, x) in rows[r][lane..lane + shape.size].iter_mut().zip(c) {
            *out = to(*x);
        }
    }
    put(wave, vop, &rows)
}

/// Runs `f` on C of qwords and writes it as D.
pub fn with_qwords(wave: &mut Wave, vop: &Vop, shape: Shape, f: impl FnOnce(&mut [u64])) -> Result<(), Why> {
    let op = vop.src[2];
    let mut rows = vec![[0; LANES]; 2 * shape.c_per_lane()];
    for (r, row) in rows.iter_mut().enumerate() {
        *row = if op.is_vector() {
            *wave.vgpr(op, r)?
        } else {
            let x = wave.scalar64(op, vop.literal)?;
            [(x >> (32 * (r & 1))) as u32; LANES]
        };
    }
    let mut c = Vec::with_capacity(LANES * shape.c_per_lane());
    for (first, r) in places(shape, 1) {
        let whole = |l: usize| u64::from(rows[2 * r][l]) | (u64::from(rows[2 * r + 1][l]) << 32);
        c.extend((first..first + shape.size).map(whole));
    }
    f(&mut c);
    for ((first, r), c) in places(shape, 1).zip(c.chunks_exact(shape.size)) {
        for (l, x) in (first..).zip(c) {
            rows[2 * r][l] = *x as u32;
            rows[2 * r + 1][l] = (*x >> 32) as u32;
        }
    }
    put(wave, vop, &rows)
}

/// First lane and position of each row of C; its columns are in consecutive lanes.
fn places(shape: Shape, tall: usize) -> impl Iterator<Item = (usize, usize)> {
    let rows = (0..shape.blocks).flat_map(move |block| (0..shape.size).map(move |i| (block, i)));
    rows.map(move |(block, i)| shape.output(tall, block, i, 0))
}

/// Writes all lanes of consecutive registers, whatever EXEC says.
fn put(wave: &mut Wave, vop: &Vop, rows: &[Row]) -> Result<(), Why> {
    wave.vgpr_index(vop.dst, rows.len())?;
    for (r, row) in rows.iter().enumerate() {
        *wave.vgpr_mut(vop.dst, r)? = *row;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every place is used exactly once, whatever the shape.
    #[test]
    fn layouts_are_bijections() {
        let shapes = [
            (32, 1, 2),
            (16, 1, 4),
            (4, 1, 16),
            (32, 2, 1),
            (16, 4, 1),
            (32, 4, 2),
            (16, 4, 4),
        ];
        let more = [
            (4, 4, 16),
            (32, 8, 1),
            (16, 16, 1),
            (32, 2, 2),
            (16, 2, 4),
            (4, 2, 16),
            (16, 8, 1),
        ];
        for (size, k, blocks) in shapes.into_iter().chain(more) {
            check(Shape::new(size, k, blocks), 4);
        }
        check(Shape::new(16, 4, 1), 1);
        check(Shape::new(4, 4, 4), 1);
    }

    fn check(shape: Shape, tall: usize) {
        let mut inputs = HashSet::new();
        let mut outputs = HashSet::new();
        for block in 0..shape.blocks {
            for i in 0..shape.size {
                for k in 0..shape.k {
                    let (lane, position) = shape.input(block, i, k);
                    assert!(position < shape.k_per_lane());
                    assert!(inputs.insert((lane, position)), "{shape:?}");
                }
                for j in 0..shape.size {
                    let (lane, position) = shape.output(tall, block, i, j);
                    assert!(position < shape.c_per_lane(), "{shape:?}");
                    assert!(outputs.insert((lane, position)), "{shape:?}");
                }
            }
        }
        assert_eq!(inputs.len(), LANES * shape.k_per_lane());
        assert_eq!(outputs.len(), LANES * shape.c_per_lane());
    }
}
