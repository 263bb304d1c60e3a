// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packets that move or make data: they may be long, so they can be interrupted and continued.

use super::packet::{FillUnit, Window};
use super::run::{Runner, Step, Trouble};

/// Bytes moved between two looks at whether the queue shall stop.
const CHUNK: u64 = 1 << 20;
/// Bytes held on the way from source to destination.
const BOUNCE: u64 = 64 << 10;
/// Bytes zeroed at once: VRAM is given back to the host in pieces of this size.
const ZERO_PIECE: u64 = 4 << 20;

impl Runner<'_> {
    pub(super) fn copy_linear(
        &mut self,
        src: u64,
        dst: u64,
        second: Option<u64>,
        bytes: u64,
    ) -> Result<Step, Trouble> {
        self.in_chunks(bytes, |run, off, n| {
            let mut buffer = std::mem::take(&mut run.buffer);
            buffer.resize(n as usize, 0);
            let result = run
                .load(src.wrapping_add(off), &mut buffer)
                .and_then(|()| run.store(dst.wrapping_add(off), &buffer))
                .and_then(|()| second.map_or(Ok(()), |to| run.store(to.wrapping_add(off), &buffer)));
            run.buffer = buffer;
            run.ctx.report.count("sdma_copy_bytes", n);
            result
        })
    }

    /// Row by row; the progress counter counts rows here.
    pub(super) fn copy_window(
        &mut self,
        element: u32,
        src: Window,
        dst: Window,
        extent: [u32; 3],
    ) -> Result<Step, Trouble> {
        self.aligned("COPY sub-window source", src.base, 4)?;
        self.aligned("COPY sub-window destination", dst.base, 4)?;
        let [width, height, depth] = extent.map(u64::from);
        let row_bytes = width << element;
        while self.job.at.done < height * depth {
            if self.interrupted() {
                return Ok(Step::Interrupted);
            }
            let (y, z) = (self.job.at.done % height, self.job.at.done / height);
            let start = |w: &Window| {
                let [x0, y0, z0] = w.at.map(u64::from);
                let elements = x0 + (y0 + y) * w.pitch + (z0 + z) * w.slice;
                w.base.wrapping_add(elements << element)
            };
            let (from, to) = (start(&src), start(&dst));
            let mut row = std::mem::take(&mut self.buffer);
            row.resize(row_bytes as usize, 0);
            let result = self.load(from, &mut row).and_then(|()| self.store(to, &row));
            self.buffer = row;
            result?;
            self.ctx.report.count("sdma_copy_bytes", row_bytes);
            self.job.at.done += 1;
        }
        Ok(Step::Next)
    }

    pub(super) fn write_linear(&mut self, dst: u64, dwords: u64) -> Result<Step, Trouble> {
        self.aligned("WRITE", dst, 4)?;
        self.in_chunks(dwords * 4, |run, off, n| {
            let mut words = vec![0; (n / 4) as usize];
            run.payload(4 + off / 4, &mut words)?;
            let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            run.store(dst.wrapping_add(off), &bytes)
        })
    }

    pub(super) fn fill(&mut self, dst: u64, data: u32, unit: FillUnit, bytes: u64) -> Result<Step, Trouble> {
        let pattern = match unit {
            FillUnit::Dword => {
                self.aligned("CONST_FILL", dst, 4)?;
                data
            }
            FillUnit::Byte => {
                let pattern = u32::from_le_bytes([data as u8; 4]);
                if pattern != data {
                    let text = format!("byte-wise CONST_FILL with unequal bytes {data:#010x}");
                    self.ctx.report.unknown("sdma-fill-pattern", text);
                }
                pattern
            }
        };
        if pattern == 0 {
            return self.in_pieces(bytes, ZERO_PIECE, |run, off, n| {
                run.ctx.report.count("sdma_fill_bytes", n);
                run.zero(dst.wrapping_add(off), n)
            });
        }
        let block: Vec<u8> = pattern.to_le_bytes().repeat(BOUNCE as usize / 4);
        self.in_chunks(bytes, |run, off, n| {
            run.ctx.report.count("sdma_fill_bytes", n);
            run.store(dst.wrapping_add(off), block.get(..n as usize).unwrap_or_default())
        })
    }

    /// Page-table entries: `mask | value`, the value growing by `increment` (kernel sdma_v4_0_vm_set_pte_pde).
    pub(super) fn generate(
        &mut self,
        dst: u64,
        mask: u64,
        value: u64,
        step: u64,
        entries: u64,
    ) -> Result<Step, Trouble> {
        self.aligned("PTEPDE", dst, 8)?;
        self.in_chunks(entries * 8, |run, off, n| {
            let first = off / 8;
            let entry = |i: u64| mask | value.wrapping_add(step.wrapping_mul(i));
            let bytes: Vec<u8> = (first..first + n / 8)
                .flat_map(|i| entry(i).to_le_bytes())
                .collect();
            run.store(dst.wrapping_add(off), &bytes)
        })
    }

    /// Runs `f(offset, length)` over `bytes` in pieces of [`BOUNCE`], from where the packet was interrupted.
    fn in_chunks(
        &mut self,
        bytes: u64,
        f: impl FnMut(&mut Self, u64, u64) -> Result<(), Trouble>,
    ) -> Result<Step, Trouble> {
        self.in_pieces(bytes, BOUNCE, f)
    }

    fn in_pieces(
        &mut self,
        bytes: u64,
        piece: u64,
        mut f: impl FnMut(&mut Self, u64, u64) -> Result<(), Trouble>,
    ) -> Result<Step, Trouble> {
        while self.job.at.done < bytes {
            let off = self.job.at.done;
            if off % CHUNK == 0 && self.interrupted() {
                return Ok(Step::Interrupted);
            }
            let n = piece.min(bytes - off);
            f(self, off, n)?;
            self.job.at.done = off + n;
        }
        Ok(Step::Next)
    }
}
