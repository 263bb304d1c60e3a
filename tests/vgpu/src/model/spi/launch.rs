// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The initial state of a workgroup's waves (source: LLVM AMDGPUUsage "Initial Kernel Execution State", device-contract 5.5,
//! ROCr trap_handler.s for the trap temporaries).

use vgpu_isa::wave::status;
use vgpu_isa::{Mode, Wave, LANES};

use crate::model::cp::dispatch_request::DispatchRequest;

/// Where a workgroup runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Shader engine.
    pub(super) se: u32,
    /// Compute unit in it.
    pub(super) cu: u32,
    /// Number of the workgroup on its compute unit.
    pub(super) tg: u32,
}

/// What COMPUTE_PGM_RSRC1 to 3 say about a wave (gc_9_4_2_sh_mask.h, LLVM AMDGPUUsage).
#[derive(Clone, Copy, Debug)]
pub(super) struct Resources {
    rsrc1: u32,
    rsrc2: u32,
    rsrc3: u32,
}

impl Resources {
    /// Of a dispatch.
    pub(super) fn of(r: &DispatchRequest) -> Self {
        Self {
            rsrc1: r.pgm_rsrc1,
            rsrc2: r.pgm_rsrc2,
            rsrc3: r.pgm_rsrc3,
        }
    }

    /// Vector registers of a wave, accumulators included: granules of 8.
    pub(super) fn vgprs(self) -> usize {
        ((self.rsrc1 & 0x3f) as usize + 1) * 8
    }

    /// Index of the first accumulator.
    fn accum_offset(self) -> usize {
        ((self.rsrc3 & 0x3f) as usize + 1) * 4
    }

    /// SCRATCH_EN: the wave has scratch memory.
    pub(super) fn scratch(self) -> bool {
        self.rsrc2 & 1 != 0
    }

    /// TRAP_PRESENT.
    fn trap(self) -> bool {
        self.rsrc2 >> 6 & 1 != 0
    }

    /// TGID_X_EN, TGID_Y_EN, TGID_Z_EN.
    fn group_id(self, dim: usize) -> bool {
        self.rsrc2 >> (7 + dim) & 1 != 0
    }

    /// TG_SIZE_EN.
    fn group_info(self) -> bool {
        self.rsrc2 >> 10 & 1 != 0
    }

    /// TIDIG_COMP_CNT: the number of work-item id components behind x.
    fn id_components(self) -> u32 {
        self.rsrc2 >> 11 & 3
    }

    /// FLOAT_MODE and so on, with EXCP_EN in MODE 18:12.
    fn mode(self) -> Mode {
        Mode(Mode::from_rsrc1(self.rsrc1).0 | (self.rsrc2 >> 24 & 0x7f) << 12)
    }
}

/// Work-items of workgroup `id` in x, y, z: fewer where the grid ends.
pub(super) fn group_size(r: &DispatchRequest, id: [u32; 3]) -> [u32; 3] {
    let mut size = r.workgroup;
    for (d, s) in size.iter_mut().enumerate() {
        let (at, end, last) = (id.get(d), r.end_group.get(d), r.last_workgroup.get(d));
        if at.and_then(|at| at.checked_add(1)) == end.copied() {
            *s = last.copied().unwrap_or(1).clamp(1, (*s).max(1));
        }
    }
    size
}

/// Waves of a workgroup of that size, at most 16.
pub(super) fn wave_count(size: [u32; 3]) -> usize {
    let items = size.iter().fold(1u64, |n, s| n.saturating_mul(u64::from(*s)));
    usize::try_from(items.div_ceil(LANES as u64))
        .unwrap_or(16)
        .min(16)
}

/// The waves of workgroup `id`, ready to run. `slots` are their scratch slots, none if they have no scratch.
pub(super) fn waves(r: &DispatchRequest, id: [u32; 3], place: Place, slots: &[u32]) -> Vec<Wave> {
    let size = group_size(r, id);
    let count = wave_count(size);
    (0..count)
        .map(|index| wave(r, id, size, place, index, count, slots.get(index).copied()))
        .collect()
}

#[allow(clippy::too_many_arguments)]
fn wave(
    r: &DispatchRequest,
    id: [u32; 3],
    size: [u32; 3],
    place: Place,
    index: usize,
    count: usize,
    slot: Option<u32>,
) -> Wave {
    let res = Resources::of(r);
    let mut w = Wave::new(r.code, res.vgprs(), res.accum_offset());
    let [x, y, _] = size;
    let items = size.iter().map(|s| *s as usize).product::<usize>();
    let first = index * LANES;
    let lanes = items.saturating_sub(first).min(LANES);
    w.exec = if lanes == LANES {
        u64::MAX
    } else {
        (1 << lanes) - 1
    };
    w.mode = res.mode();
    if let Some(v0) = w.vgprs.first_mut() {
        fill_ids(v0.iter_mut().take(lanes), first as u32, x, y, res.id_components());
    }
    let system = system_sgprs(r, id, index, count, slot);
    for (sgpr, value) in w.sgprs.iter_mut().zip(r.user_sgprs.iter().copied().chain(system)) {
        *sgpr = value;
    }
    let trap = r.trap.tba != 0 && (res.trap() || r.aql.is_some());
    w.tba = if trap { r.trap.tba } else { 0 };
    w.tma = r.trap.tma;
    for (bit, on) in [(status::TRAP_EN, trap), (status::IN_TG, count > 1)] {
        if on {
            w.status_bits |= bit;
        }
    }
    w.shared_base = r.sh_mem.bases >> 16 << 16;
    w.private_base = r.sh_mem.bases << 16;
    w.lds_alloc = r.lds_bytes.div_ceil(512) << 12;
    w.hw_id = index as u32 >> 2 & 0xf
        | (index as u32 & 3) << 4
        | u32::from(r.queue.pipe & 3) << 6
        | (place.cu & 0xf) << 8
        | (place.se & 7) << 13
        | (place.tg & 0xf) << 16
        | u32::from(r.vmid & 0xf) << 20
        | u32::from(r.queue.queue & 7) << 24
        | u32::from(r.queue.me & 3) << 30;
    let packet = r.aql.map_or(0, |a| a.packet_index as u32 & 0x1ff_ffff);
    let no_scratch = u32::from(slot.is_none()) << 6;
    for (ttmp, value) in [
        (6, packet),
        (8, id[0]),
        (9, id[1]),
        (10, id[2]),
        (11, no_scratch | index as u32 & 0x3f),
    ] {
        if let Some(t) = w.ttmps.get_mut(ttmp) {
            *t = value;
        }
    }
    w
}

/// gfx90a packs the ids of a work-item into v0: x 9:0, y 19:10, z 29:20, as many as the kernel asks for. Work-items of a smaller
/// workgroup at the end of the grid are numbered without gaps.
fn fill_ids<'a>(lanes: impl Iterator<Item = &'a mut u32>, first: u32, x: u32, y: u32, components: u32) {
    let (x, y) = (x.max(1), y.max(1));
    let (mut ix, mut iy, mut iz) = (first % x, first / x % y, first / x / y);
    let (y_mask, z_mask) = (
        if components >= 1 { 0x3ff } else { 0 },
        if components >= 2 { 0x3ff } else { 0 },
    );
    for id in lanes {
        *id = ix & 0x3ff | (iy & y_mask) << 10 | (iz & z_mask) << 20;
        ix += 1;
        if ix == x {
            (ix, iy) = (0, iy + 1);
            if iy == y {
                (iy, iz) = (0, iz + 1);
            }
        }
    }
}

/// Workgroup ids, workgroup info and scratch offset, as far as enabled, in this order.
fn system_sgprs(
    r: &DispatchRequest,
    id: [u32; 3],
    index: usize,
    count: usize,
    slot: Option<u32>,
) -> impl Iterator<Item = u32> {
    let res = Resources::of(r);
    let ids = (0..3).map(move |d| res.group_id(d).then(|| id.get(d).copied().unwrap_or(0)));
    let info = res
        .group_info()
        .then(|| u32::from(index == 0) << 31 | count as u32 & 0x3f);
    let offset = res
        .scratch()
        .then(|| slot.unwrap_or(0).wrapping_mul(r.scratch.wave_bytes));
    ids.chain([info, offset]).flatten()
}
