// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The MODE register: how a wave computes.

/// Rounding of one floating-point width (MODE.FP_ROUND).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To nearest, ties to even.
    NearestEven,
    /// Towards +infinity.
    Up,
    /// Towards -infinity.
    Down,
    /// Towards 0.
    Zero,
}

/// The MODE register (source: LLVM AMDGPUUsage "amdgpu-amdhsa-compute_pgm_rsrc1", CDNA2 ISA "MODE register"):
/// FP_ROUND 3:0, FP_DENORM 7:4, DX10_CLAMP 8, IEEE 9, LOD_CLAMPED 10, DEBUG 11, EXCP_EN 18:12, FP16_OVFL 23, POPS_PACKER0 24,
/// POPS_PACKER1 25, DISABLE_PERF 26, GPR_IDX_EN 27, VSKIP 28, CSP 31:29.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode(pub u32);

impl Mode {
    /// Bit GPR_IDX_EN.
    pub const GPR_IDX_EN: u32 = 1 << 27;
    /// Bit VSKIP: vector instructions are skipped.
    pub const VSKIP: u32 = 1 << 28;

    /// Highest value of CSP.
    pub const CSP_MAX: u32 = 7;

    /// MODE as the dispatcher starts a wave, from COMPUTE_PGM_RSRC1: FLOAT_MODE 19:12 goes to 7:0, DX10_CLAMP 21 to 8,
    /// IEEE_MODE 23 to 9, FP16_OVFL 26 to 23.
    pub fn from_rsrc1(rsrc1: u32) -> Self {
        let float_mode = (rsrc1 >> 12) & 0xff;
        let dx10_clamp = (rsrc1 >> 21) & 1;
        let ieee = (rsrc1 >> 23) & 1;
        let fp16_ovfl = (rsrc1 >> 26) & 1;
        Self(float_mode | (dx10_clamp << 8) | (ieee << 9) | (fp16_ovfl << 23))
    }

    fn round(self, shift: u32) -> Round {
        match (self.0 >> shift) & 3 {
            0 => Round::NearestEven,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// Rounding of single precision.
    pub fn round32(self) -> Round {
        self.round(0)
    }

    /// Rounding of half and double precision.
    pub fn round16_64(self) -> Round {
        self.round(2)
    }

    /// Whether single precision takes denormal inputs as they are (otherwise as 0).
    pub fn denorm_in32(self) -> bool {
        (self.0 >> 4) & 1 != 0
    }

    /// Whether single precision keeps denormal results (otherwise they become 0).
    pub fn denorm_out32(self) -> bool {
        (self.0 >> 5) & 1 != 0
    }

    /// Whether half and double precision take denormal inputs as they are.
    pub fn denorm_in16_64(self) -> bool {
        (self.0 >> 6) & 1 != 0
    }

    /// Whether half and double precision keep denormal results.
    pub fn denorm_out16_64(self) -> bool {
        (self.0 >> 7) & 1 != 0
    }

    /// Whether the clamp modifier turns NaN into 0 (otherwise NaN passes).
    pub fn dx10_clamp(self) -> bool {
        (self.0 >> 8) & 1 != 0
    }

    /// IEEE mode: min and max quieten signalling NaNs.
    pub fn ieee(self) -> bool {
        (self.0 >> 9) & 1 != 0
    }

    /// Whether half-precision overflow gives the largest finite value instead of infinity.
    pub fn fp16_ovfl(self) -> bool {
        (self.0 >> 23) & 1 != 0
    }

    /// Entries on the stack of forks (CSP).
    pub fn csp(self) -> u32 {
        self.0 >> 29
    }

    /// Sets CSP to the low three bits of `entries`.
    pub fn set_csp(&mut self, entries: u32) {
        self.0 = self.0 & (u32::MAX >> 3) | entries << 29;
    }

    /// Whether relative VGPR addressing through M0 is on (`s_set_gpr_idx_on`).
    pub fn gpr_idx_en(self) -> bool {
        self.0 & Self::GPR_IDX_EN != 0
    }
}
