// SPDX-License-Identifier: GPL-2.0
//! A page fault of a process: what is known about it, and telling the process.

use super::{
    counters,
    node::Node,
    process::{Process, ProcessDevice},
};
use crate::gpu::vm::Vm;
use amdgpu_logic::{
    fault::{Allocation, Owner, PageFault, Queues},
    kfd::event::{Kind, Report},
};
use amdgpu_uapi::kfd::event::{memory_error, MemoryExceptionData, MemoryExceptionFailure};
use kernel::sync::Arc;

/// A page fault of a process that is to be reported.
pub(super) struct Faulted {
    pub(super) process: Arc<Process>,
    pub(super) device: Arc<ProcessDevice>,
    pub(super) fault: PageFault,
}

impl Faulted {
    /// Reports it, and tells the process when the report can be read. Waits while the process's memory is mapped.
    pub(super) fn report(&self, vm: Option<&Vm>) {
        let node = self.device.node();
        node.faults().record(&self.fault, Some(self.owner(vm)));
        tell(&self.process, node, &self.fault);
    }

    fn owner(&self, vm: Option<&Vm>) -> Owner {
        let Self {
            process,
            device,
            fault,
        } = self;
        let addr = fault.fault.addr;
        let around = vm.map(|vm| vm.around(addr));
        let gone = around.and_then(|around| around.gone);
        let mut queues = Queues::default();
        process
            .queues
            .lock()
            .on(device)
            .for_each(|(id, queue)| queues.add(id, queue.what));
        Owner {
            gpu_id: device.node().gpu_id(),
            pid: process.pid(),
            name: process.name(),
            mapped: around.and_then(|around| around.mapped),
            nearest: Allocation::nearer(
                around.and_then(|around| around.nearest),
                process.nearest(addr),
                addr,
            ),
            gone,
            gone_is_allocated: gone.is_some_and(|gone| process.has(gone.allocation.range)),
            queues,
        }
    }
}

/// The process's events say so.
pub(super) fn tell(process: &Process, node: &Node, fault: &PageFault) {
    counters::PAGE_FAULTS.again();
    let fault = &fault.fault;
    let failure = MemoryExceptionFailure {
        not_present: fault.not_present.into(),
        read_only: fault.read_only.into(),
        no_execute: 0,
        imprecise: 0,
    };
    let data = MemoryExceptionData {
        failure,
        va: fault.addr,
        gpu_id: node.gpu_id(),
        error_type: memory_error::NO_RAS,
    };
    process.events.report(Kind::Memory, Report::Memory(data));
}
