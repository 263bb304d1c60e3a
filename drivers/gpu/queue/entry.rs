// SPDX-License-Identifier: GPL-2.0
//! Processes and queues as the scheduler knows them.

use super::descriptors::Descriptor;
use crate::gpu::hw::gfx::descriptor;
use amdgpu_logic::kfd::queue::{QueueKind, QueueRequest, QueueUpdate};
use amdgpu_logic::mqd::{self, ComputeQueue, CuMask, EopBuffer, Format, SaveArea, SdmaQueue, ALL_CUS};
use amdgpu_logic::pm4::{Engine, MapProcess, MapQueue};
use amdgpu_logic::slots::doorbell::{Doorbell, ProcessDoorbells, Slice};
use amdgpu_logic::slots::SdmaQueueId;
use kernel::prelude::*;

/// Something that must stay as long as the device may use a queue: its ring, its pointers, its buffers.
pub(crate) trait Held: Send + Sync {}

impl<T: Send + Sync> Held for T {}

/// A process that is to have queues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessSetUp {
    /// Its number.
    pub(crate) pid: i32,
    /// Its address space.
    pub(crate) pasid: u16,
    /// Page-table base of the address space as the VM context register takes it.
    pub(crate) page_table_base: u64,
    /// Its part of the doorbell BAR.
    pub(crate) doorbells: Slice,
}

/// A queue that is to be.
pub(crate) struct QueueSetUp<'a> {
    /// What userspace asked for, checked.
    pub(crate) request: &'a QueueRequest,
    /// What the request's addresses lead to.
    pub(crate) held: KBox<dyn Held>,
}

/// SH_MEM_BASES: the LDS aperture begins at 1 << 48, the scratch aperture at 2 << 48.
const APERTURES: u32 = 1 << 16 | 2;
/// SH_MEM_CONFIG: any alignment is allowed; accesses that fault are not retried.
const ACCESS: u32 = 3 << 3 | 1 << 12;

/// A process.
pub(super) struct Process {
    set_up: ProcessSetUp,
    pub(super) doorbells: ProcessDoorbells,
    /// First-level trap handler and its memory; zero for none.
    pub(super) trap: (u64, u64),
    /// How many times its queues have been stopped and not resumed.
    pub(super) stopped: u32,
    /// Queues in the run list that was made last.
    pub(super) running: u32,
}

impl Process {
    pub(super) fn new(set_up: ProcessSetUp) -> Self {
        Self {
            set_up,
            doorbells: ProcessDoorbells::new(set_up.doorbells),
            trap: (0, 0),
            stopped: 0,
            running: 0,
        }
    }

    /// Its number.
    pub(super) fn pid(&self) -> i32 {
        self.set_up.pid
    }

    /// Its address space.
    pub(super) fn pasid(&self) -> u16 {
        self.set_up.pasid
    }

    /// The packet that puts it into a run list, with its running queues after it.
    pub(super) fn packet(&self) -> Result<MapProcess> {
        Ok(MapProcess {
            pasid: self.set_up.pasid,
            page_table_base: self.set_up.page_table_base,
            sh_mem_bases: APERTURES,
            sh_mem_config: ACCESS,
            trap_handler: self.trap.0,
            trap_memory: self.trap.1,
            gws: 0,
            queues: u16::try_from(self.running)?,
            debug_control: 0,
        })
    }
}

/// Where a queue lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In whatever slot of the MEC the scheduler chooses.
    Compute,
    /// On this SDMA queue.
    Sdma(SdmaQueueId),
}

/// A queue.
pub(super) struct Queue {
    request: QueueRequest,
    pub(super) place: Place,
    pub(super) doorbell: Doorbell,
    cu_mask: CuMask,
    trap_handler: bool,
    descriptor: Descriptor,
    /// Userspace has destroyed it, or it never came to be: it goes once it is off the hardware.
    pub(super) dead: bool,
    /// The ring, if it is not the one of the beginning.
    ring: Option<KBox<dyn Held>>,
    /// Last: what the device uses stays longer than what says so.
    _held: KBox<dyn Held>,
}

impl Queue {
    /// A queue with a fresh descriptor.
    pub(super) fn new(
        set_up: QueueSetUp<'_>,
        descriptor: Descriptor,
        place: Place,
        doorbell: Doorbell,
        trap_handler: bool,
    ) -> Result<Self> {
        let queue = Self {
            request: *set_up.request,
            place,
            doorbell,
            cu_mask: ALL_CUS,
            trap_handler,
            descriptor,
            dead: false,
            ring: None,
            _held: set_up.held,
        };
        let (memory, at) = (queue.descriptor.memory(), queue.descriptor.offset());
        match place {
            Place::Compute => descriptor::write(memory, at, queue.compute().create())?,
            Place::Sdma(id) => descriptor::write(memory, at, queue.sdma(id).create())?,
        }
        Ok(queue)
    }

    /// Whether it is to run, as far as it is concerned itself.
    pub(super) fn wants_to_run(&self) -> bool {
        !self.dead && self.request.share.runs && self.request.ring.base != 0
    }

    /// Takes over a change. The queue is off the hardware.
    ///
    /// `held` is what the ring is, if the queue was not created with it; what is held no longer comes back in it.
    pub(super) fn change(&mut self, update: &QueueUpdate, held: &mut Option<KBox<dyn Held>>) -> Result {
        match update.ring {
            Some(ring) => self.request.ring = ring,
            // without an address the queue does not run
            None => self.request.ring.base = 0,
        }
        self.request.share = update.share;
        core::mem::swap(&mut self.ring, held);
        self.update_descriptor()
    }

    /// Takes over a CU mask. The queue is off the hardware.
    pub(super) fn set_cu_mask(&mut self, mask: CuMask) -> Result {
        self.cu_mask = mask;
        self.update_descriptor()
    }

    fn update_descriptor(&self) -> Result {
        let (memory, at) = (self.descriptor.memory(), self.descriptor.offset());
        match self.place {
            Place::Compute => descriptor::update(memory, at, self.compute().update()),
            Place::Sdma(id) => descriptor::update(memory, at, self.sdma(id).create()),
        }
    }

    /// Reads its descriptor. There is room for it in `words`.
    pub(super) fn read_descriptor(&self, words: &mut KVec<u32>) -> Result {
        // an SDMA queue's is a quarter as long (kernel v9_structs.h: v9_mqd, v9_sdma_mqd)
        let bytes = match self.place {
            Place::Compute => mqd::SIZE,
            Place::Sdma(_) => mqd::SIZE / 4,
        };
        for at in (0..bytes as u64).step_by(4) {
            let word = self
                .descriptor
                .memory()
                .read32(self.descriptor.offset().wrapping_add(at))?;
            words.push_within_capacity(word).map_err(|_| ENOSPC)?;
        }
        Ok(())
    }

    /// The packet that puts it into a run list.
    pub(super) fn packet(&self) -> MapQueue {
        MapQueue {
            engine: match self.place {
                Place::Compute => Engine::Compute,
                Place::Sdma(id) => Engine::Sdma(id.engine),
            },
            doorbell: self.doorbell.dword(),
            mqd: self.descriptor.gpu_addr(),
            write_pointer: self.request.write_pointer,
            gws: false,
        }
    }

    fn compute(&self) -> ComputeQueue {
        let r = &self.request;
        let (eop, eop_bytes) = r.eop;
        ComputeQueue {
            mqd: self.descriptor.gpu_addr(),
            format: if r.kind == QueueKind::Aql {
                Format::Aql
            } else {
                Format::Pm4
            },
            ring: r.ring.base,
            ring_size: r.ring.size,
            read_pointer: r.read_pointer,
            write_pointer: r.write_pointer,
            doorbell: self.doorbell.dword(),
            eop: if eop == 0 {
                None
            } else {
                EopBuffer::new(eop, eop_bytes)
            },
            priority: r.share.priority,
            cu_mask: self.cu_mask,
            trap_handler: self.trap_handler,
            save: self.save_area(),
            gws: false,
        }
    }

    /// Where its waves could be saved. Nowhere: the driver has no trap handler that saves them.
    fn save_area(&self) -> Option<SaveArea> {
        None
    }

    fn sdma(&self, id: SdmaQueueId) -> SdmaQueue {
        SdmaQueue {
            ring: self.request.ring.base,
            ring_size: self.request.ring.size,
            read_pointer: self.request.read_pointer,
            doorbell: self.doorbell.dword(),
            engine: id.engine,
            queue: id.queue,
        }
    }
}
