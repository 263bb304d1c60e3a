// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of one wavefront.

use crate::mode::Mode;

/// Lanes of a wave.
pub const LANES: usize = 64;

/// One VGPR: a dword per lane.
pub type Row = [u32; LANES];

/// A value per lane. A plain loop, which the compiler vectorises; [`std::array::from_fn`] and `map` it unrolls 64 times.
#[inline(always)]
pub fn by_lane<T: Copy + Default>(mut value: impl FnMut(usize) -> T) -> [T; LANES] {
    let mut out = [T::default(); LANES];
    for (lane, out) in out.iter_mut().enumerate() {
        *out = value(lane);
    }
    out
}

/// Bits of the STATUS register (CDNA2 ISA "STATUS").
pub mod status {
    /// Scalar condition code.
    pub const SCC: u32 = 1 << 0;
    /// Running the trap handler, with its privileges.
    pub const PRIV: u32 = 1 << 5;
    /// A trap handler is there.
    pub const TRAP_EN: u32 = 1 << 6;
    /// EXEC is 0.
    pub const EXECZ: u32 = 1 << 9;
    /// VCC is 0.
    pub const VCCZ: u32 = 1 << 10;
    /// The wave belongs to a workgroup of several waves.
    pub const IN_TG: u32 = 1 << 11;
    /// The wave waits at a barrier.
    pub const IN_BARRIER: u32 = 1 << 12;
    /// Halted.
    pub const HALT: u32 = 1 << 13;
    /// Trap at the end of the kernel.
    pub const TTRACE_EN: u32 = 1 << 15;
    /// The wave is valid.
    pub const VALID: u32 = 1 << 16;
    /// ECC error seen.
    pub const ECC_ERR: u32 = 1 << 17;
    /// Skip exports.
    pub const SKIP_EXPORT: u32 = 1 << 18;
    /// Conditional debug, user and system.
    pub const COND_DBG_USER: u32 = 1 << 20;
    /// See COND_DBG_USER.
    pub const COND_DBG_SYS: u32 = 1 << 21;
}

/// Everything a wave can see of itself.
///
/// SCC, EXECZ and VCCZ are kept apart from `status` (see [`Wave::status`]); VCC, EXEC, M0, FLAT_SCRATCH and XNACK_MASK apart
/// from the SGPRs (see [`Wave::sgpr`]).
#[derive(Clone, Debug)]
pub struct Wave {
    /// Address of the next instruction.
    pub pc: u64,
    /// Active lanes.
    pub exec: u64,
    /// Vector condition code.
    pub vcc: u64,
    /// Scalar condition code.
    pub scc: bool,
    /// Memory descriptor register: LDS clamp (unused), message argument, relative index.
    pub m0: u32,
    /// Arithmetic mode.
    pub mode: Mode,
    /// STATUS without SCC, EXECZ and VCCZ; bits of [`status`].
    pub status_bits: u32,
    /// Trap status: EXCP 8:0, SAVECTX 10, ILLEGAL_INST 11, EXCP_HI 14:12, EXCP_CYCLE 21:16, XNACK_ERROR 28, DP_RATE 31:29.
    pub trapsts: u32,
    /// Base of this wave's scratch for flat instructions, as the kernel set it (FLAT_SCRATCH_LO/HI).
    pub flat_scratch: u64,
    /// Lanes whose access must be replayed; only storage here, since memory never asks for a replay.
    pub xnack_mask: u64,
    /// s0 to s101.
    pub sgprs: [u32; 102],
    /// ttmp0 to ttmp15.
    pub ttmps: [u32; 16],
    /// The unified VGPR file: v0.. at 0, a0.. at `accum_offset`. Its length is the wave's allocation (at most 512).
    pub vgprs: Vec<Row>,
    /// Index of a0 in `vgprs` (COMPUTE_PGM_RSRC3.ACCUM_OFFSET * 4 + 4).
    pub accum_offset: usize,
    /// What HW_REG_HW_ID reads: WAVE_ID 3:0, SIMD_ID 5:4, PIPE_ID 7:6, CU_ID 11:8, SH_ID 12, SE_ID 15:13, TG_ID 19:16, VM_ID
    /// 23:20, QUEUE_ID 26:24, STATE_ID 29:27, ME_ID 31:30.
    pub hw_id: u32,
    /// What HW_REG_LDS_ALLOC reads: LDS_BASE 7:0, LDS_SIZE 20:12 in units of 128 dwords.
    pub lds_alloc: u32,
    /// What HW_REG_IB_STS reads: counters, all idle here.
    pub ib_sts: u32,
    /// Upper 32 bits of flat addresses that mean LDS (SH_MEM_BASES.SHARED_BASE << 16).
    pub shared_base: u32,
    /// Upper 32 bits of flat addresses that mean scratch (SH_MEM_BASES.PRIVATE_BASE << 16).
    pub private_base: u32,
    /// Trap handler: entry address, 0 for none.
    pub tba: u64,
    /// Trap handler: its memory.
    pub tma: u64,
    /// Instructions executed so far.
    pub executed: u64,
}

impl Wave {
    /// A wave at `pc` with all lanes active, `vgprs` vector registers of which those from `accum_offset` on are
    /// accumulators, everything else 0. Apertures are those of KFD: LDS 1 << 48, scratch 2 << 48.
    pub fn new(pc: u64, vgprs: usize, accum_offset: usize) -> Self {
        Self {
            pc,
            exec: u64::MAX,
            vcc: 0,
            scc: false,
            m0: 0,
            mode: Mode::default(),
            status_bits: status::VALID,
            trapsts: 0,
            flat_scratch: 0,
            xnack_mask: 0,
            sgprs: [0; 102],
            ttmps: [0; 16],
            vgprs: vec![[0; LANES]; vgprs.min(512)],
            accum_offset,
            hw_id: 0,
            lds_alloc: 0,
            ib_sts: 0,
            shared_base: 1 << 16,
            private_base: 2 << 16,
            tba: 0,
            tma: 0,
            executed: 0,
        }
    }

    /// STATUS as `s_getreg_b32` and the trap handler see it.
    pub fn status(&self) -> u32 {
        let mut bits = self.status_bits;
        for (on, bit) in [
            (self.scc, status::SCC),
            (self.exec == 0, status::EXECZ),
            (self.vcc == 0, status::VCCZ),
        ] {
            if on {
                bits |= bit;
            }
        }
        bits
    }

    /// Whether all lanes are active: the fast path of most vector instructions.
    #[inline]
    pub fn all_lanes(&self) -> bool {
        self.exec == u64::MAX
    }

    /// Whether `lane` is active.
    #[inline]
    pub fn lane_on(&self, lane: usize) -> bool {
        (self.exec >> (lane & 63)) & 1 != 0
    }
}
