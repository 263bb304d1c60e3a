// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs one instruction on a wave.

use crate::inst::{Operand, Vop};
use crate::mode::Mode;
use crate::stop::Why;
use crate::valu::find;
use crate::wave::{Row, Wave, LANES};

/// MODE as HIP kernels start: to nearest even, all denormals, DX10_CLAMP, IEEE.
pub(super) const HIP_MODE: Mode = Mode(0xf0 | (1 << 8) | (1 << 9));
/// Register of source `i`; four apart, so that every width fits.
pub(super) const SRC: [u8; 3] = [16, 20, 24];
/// First destination register.
pub(super) const DST: u8 = 32;
/// SGPR pair of the mask source and of the mask result.
pub(super) const MASK_IN: Operand = Operand(40);
/// See [`MASK_IN`].
pub(super) const MASK_OUT: Operand = Operand(42);

/// One instruction on its way to be run.
pub(super) struct Case {
    pub(super) wave: Wave,
    pub(super) vop: Vop,
    pub(super) name: &'static str,
}

impl Case {
    /// `name` with registers for all operands: sources in [`SRC`], result in [`DST`], mask result in [`MASK_OUT`].
    pub(super) fn new(name: &'static str) -> Self {
        let mut wave = Wave::new(0, 512, 256);
        wave.mode = HIP_MODE;
        let vop = Vop {
            dst: Operand::vgpr(DST),
            sdst: MASK_OUT,
            src: SRC.map(Operand::vgpr),
            op_sel_hi: 0b111,
            ..Vop::EMPTY
        };
        Self { wave, vop, name }
    }

    /// Sets source `i`, a dword per lane.
    pub(super) fn src(mut self, i: usize, row: Row) -> Self {
        self.wave.vgprs[usize::from(SRC[i])] = row;
        self
    }

    /// Sets source `i`, a qword per lane.
    pub(super) fn src64(mut self, i: usize, row: [u64; LANES]) -> Self {
        let at = usize::from(SRC[i]);
        self.wave.vgprs[at] = row.map(|x| x as u32);
        self.wave.vgprs[at + 1] = row.map(|x| (x >> 32) as u32);
        self
    }

    /// Changes the operands.
    pub(super) fn with(mut self, f: impl FnOnce(&mut Vop)) -> Self {
        f(&mut self.vop);
        self
    }

    /// Changes the wave.
    pub(super) fn on(mut self, f: impl FnOnce(&mut Wave)) -> Self {
        f(&mut self.wave);
        self
    }

    /// Runs it.
    pub(super) fn try_run(mut self) -> Result<Wave, Why> {
        let exec = find(self.name).unwrap_or_else(|| panic!("{} does not exist", self.name));
        exec(&mut self.wave, &self.vop)?;
        Ok(self.wave)
    }

    /// Runs it; it must work.
    pub(super) fn run(self) -> Wave {
        let name = self.name;
        self.try_run().unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    /// Runs it and gives the result register.
    pub(super) fn row(self) -> Row {
        self.run().vgprs[usize::from(DST)]
    }

    /// Runs it and gives the result register pair.
    pub(super) fn row64(self) -> [u64; LANES] {
        let wave = self.run();
        let at = usize::from(DST);
        std::array::from_fn(|l| u64::from(wave.vgprs[at][l]) | (u64::from(wave.vgprs[at + 1][l]) << 32))
    }

    /// Runs it and gives the mask result.
    pub(super) fn mask(self) -> u64 {
        self.run().sgpr64(MASK_OUT.0).unwrap()
    }
}

/// The result of `name` for dword operands, the same in all lanes.
pub(super) fn one(name: &'static str, src: &[u32]) -> u32 {
    let mut case = Case::new(name);
    for (i, x) in src.iter().enumerate() {
        case = case.src(i, [*x; LANES]);
    }
    let row = case.row();
    assert!(row.iter().all(|x| *x == row[0]), "{name}: lanes differ");
    row[0]
}

/// The result of `name` for qword operands, the same in all lanes.
pub(super) fn one64(name: &'static str, src: &[u64]) -> u64 {
    let mut case = Case::new(name);
    for (i, x) in src.iter().enumerate() {
        case = case.src64(i, [*x; LANES]);
    }
    case.row64()[0]
}

/// A small generator of test data (xorshift64*), where proptest's would be too slow.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A row of integers: any, small, or at the limits.
    pub(super) fn row(&mut self) -> Row {
        std::array::from_fn(|_| self.integer() as u32)
    }

    /// A row of qwords.
    pub(super) fn row64(&mut self) -> [u64; LANES] {
        std::array::from_fn(|_| self.integer())
    }

    /// An integer: any, small, or at the limits of a width.
    pub(super) fn integer(&mut self) -> u64 {
        let (kind, value) = (self.next() >> 60, self.next());
        match kind {
            0..=6 => value,
            7 | 8 => value >> 58,
            9 | 10 => (value >> 60).wrapping_neg(),
            11 => 0x7fff_ffff_8000_0000u64.wrapping_add(value & 3),
            12 => 0x8000_7fff_7fff_8000u64 ^ (value & 1),
            13 => 1 << (value & 63),
            14 => (1 << (value & 63)) - 1,
            _ => u64::MAX >> (value & 63),
        }
    }
}
