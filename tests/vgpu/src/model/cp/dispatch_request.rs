// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the CP hands to the dispatcher (SPI) to run one kernel, whether it came from an AQL packet or from PM4 registers.
//!
//! The CP has already decoded the packet and checked what the CP firmware checks. The dispatcher turns the request into
//! waves, and calls [`DispatchRequest::completion`] once when the last wave is gone.

use std::fmt;

/// The compute queue a dispatch belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QueueIdent {
    /// Micro engine, 1 or 2.
    pub me: u8,
    /// Pipe of the micro engine, 0..=3.
    pub pipe: u8,
    /// Queue of the pipe, 0..=7.
    pub queue: u8,
    /// Doorbell of the queue: BAR2 dword index (what `s_sendmsg MSG_GET_DOORBELL` names).
    pub doorbell: u32,
}

/// The AQL packet a dispatch came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AqlOrigin {
    /// Address of the packet in the ring, in the queue's VMID.
    pub packet_va: u64,
    /// 64-bit index of the packet in the queue (read_dispatch_id when it was parsed).
    pub packet_index: u64,
}

/// Scratch memory of a dispatch (COMPUTE_TMPRING_SIZE and its base).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Start of the backing memory in the queue's VMID; 0 if the queue has none.
    pub base: u64,
    /// Bytes per wave, a multiple of 1 KiB (COMPUTE_TMPRING_SIZE.WAVESIZE, in KiB there).
    pub wave_bytes: u32,
    /// Number of wave slots in the backing memory (COMPUTE_TMPRING_SIZE.WAVES).
    pub waves: u32,
}

/// The per-VMID shader memory setup that decides what FLAT addresses mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShMem {
    /// SH_MEM_CONFIG.
    pub config: u32,
    /// SH_MEM_BASES: private aperture in bits 15:0, LDS aperture in 31:16, each address bits 63:48.
    pub bases: u32,
}

/// First-level trap handler of the VMID; zero addresses mean there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrapHandler {
    /// Byte address of the handler's code (SQ_SHADER_TBA).
    pub tba: u64,
    /// Byte address of the handler's data (SQ_SHADER_TMA).
    pub tma: u64,
}

/// How a dispatch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every wave reached `s_endpgm`.
    Done,
    /// A wave was stopped by a memory fault; the dispatcher has reported it already.
    MemoryFault,
    /// A wave met an instruction that does not exist.
    IllegalInstruction,
    /// The waves were removed by [`Dispatcher::kill`] or a reset.
    Killed,
}

/// The end of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchEnd {
    /// What became of the waves.
    pub outcome: Outcome,
    /// Reference clock when the first wave was launched, in 10 ns ticks.
    pub started: u64,
    /// Reference clock when the last wave ended, in 10 ns ticks.
    pub ended: u64,
}

/// Called exactly once, from any thread, with no dispatcher lock held; it only posts a message and never blocks.
pub type Completion = Box<dyn FnOnce(DispatchEnd) + Send + Sync>;

/// One kernel launch.
pub struct DispatchRequest {
    /// Where it came from, for logs, ttmp registers and messages.
    pub queue: QueueIdent,
    /// VMID all memory accesses of the waves use, through the GFXHUB.
    pub vmid: u8,
    /// PASID bound to the VMID.
    pub pasid: u16,
    /// The AQL packet, or `None` for a PM4 dispatch.
    pub aql: Option<AqlOrigin>,
    /// Byte address of the first instruction.
    pub code: u64,
    /// COMPUTE_PGM_RSRC1: VGPR and SGPR granules, float mode, priority, and so on.
    pub pgm_rsrc1: u32,
    /// COMPUTE_PGM_RSRC2: user SGPR count, system SGPR enables, work-item id count. LDS_SIZE is to be ignored in favour
    /// of [`lds_bytes`](Self::lds_bytes).
    pub pgm_rsrc2: u32,
    /// COMPUTE_PGM_RSRC3 of gfx90a: accum_offset [5:0], tg_split [16].
    pub pgm_rsrc3: u32,
    /// Work-items per workgroup in x, y, z; none is zero, the product is at most 1024.
    pub workgroup: [u32; 3],
    /// Id of the first workgroup in x, y, z (COMPUTE_START_*); zero for AQL.
    pub first_group: [u32; 3],
    /// One past the id of the last workgroup in x, y, z. A dimension with `end <= first` has no workgroups: the
    /// dispatch completes at once.
    pub end_group: [u32; 3],
    /// Work-items in the last workgroup of each dimension, 1..=workgroup (less where the grid is not a multiple).
    pub last_workgroup: [u32; 3],
    /// The user SGPRs s0.., exactly as many as COMPUTE_PGM_RSRC2.USER_SGPR says (at most 16).
    pub user_sgprs: Vec<u32>,
    /// Scratch backing memory.
    pub scratch: Scratch,
    /// LDS bytes per workgroup, a multiple of 512, at most 65536.
    pub lds_bytes: u32,
    /// FLAT apertures of the VMID.
    pub sh_mem: ShMem,
    /// Trap handler of the VMID.
    pub trap: TrapHandler,
    /// Allowed CUs, one mask per shader engine (COMPUTE_STATIC_THREAD_MGMT_SE0..7); CU n is bit n.
    pub cu_mask: [u32; 8],
    /// Grid size in work-items of the AQL packet (0 for PM4), for logs.
    pub grid: [u32; 3],
    /// Receives the end of the dispatch.
    pub completion: Completion,
}

impl DispatchRequest {
    /// Number of workgroups, saturating at `u64::MAX`.
    pub fn workgroups(&self) -> u64 {
        (0..3).fold(1u64, |n, d| {
            let (first, end) = (self.first_group.get(d), self.end_group.get(d));
            let count = end
                .copied()
                .unwrap_or(0)
                .saturating_sub(first.copied().unwrap_or(0));
            n.saturating_mul(u64::from(count))
        })
    }
}

impl fmt::Debug for DispatchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatchRequest")
            .field("queue", &self.queue)
            .field("vmid", &self.vmid)
            .field("pasid", &self.pasid)
            .field("aql", &self.aql)
            .field("code", &format_args!("{:#x}", self.code))
            .field(
                "rsrc",
                &format_args!(
                    "{:#x} {:#x} {:#x}",
                    self.pgm_rsrc1, self.pgm_rsrc2, self.pgm_rsrc3
                ),
            )
            .field("workgroup", &self.workgroup)
            .field(
                "groups",
                &format_args!("{:?}..{:?}", self.first_group, self.end_group),
            )
            .field("scratch", &self.scratch)
            .field("lds_bytes", &self.lds_bytes)
            .finish_non_exhaustive()
    }
}

/// Names a submitted dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DispatchId(pub u64);

/// The dispatcher as the CP sees it.
pub trait Dispatcher: Send + Sync {
    /// Takes a dispatch; returns at once. Dispatches of several queues make progress together, whatever order they
    /// came in, so that a kernel waiting for another queue's kernel does not block it.
    fn submit(&self, request: DispatchRequest) -> DispatchId;

    /// Removes the waves of a dispatch (queue reset); its completion is still called, with [`Outcome::Killed`]. Unknown
    /// or finished ids are ignored.
    fn kill(&self, id: DispatchId);

    /// Drops cached instructions of all VMIDs (ACQUIRE_MEM with SH_ICACHE_ACTION_ENA).
    fn invalidate_instructions(&self);
}
