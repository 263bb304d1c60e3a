// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handing kernels to the dispatcher.

use super::super::super::aql::amd_queue::AmdQueue;
use super::super::super::aql::descriptor::{Descriptor, DESCRIPTOR_BYTES};
use super::super::super::aql::fault::QueueError;
use super::super::super::aql::launch::{self, UserValues};
use super::super::super::aql::packet::KernelDispatch;
use super::super::super::dispatch_request::{AqlOrigin, DispatchRequest, ShMem, TrapHandler};
use super::super::super::pm4::MAX_RUNNING;
use super::super::super::queue::aql::Aql;
use super::super::super::queue::flight::Seq;
use super::super::super::queue::Queue;
use super::super::super::regs::Reg;
use super::super::pm4::completions;
use super::super::Engine;
use super::Halt;

crate::fields! {
    /// The process has a trap handler.
    TRAP_PRESENT = COMPUTE_PGM_RSRC2.TRAP_PRESENT[6:6];
}

impl Engine {
    /// Hands a kernel to the dispatcher; its number, and whether its scratch is to be given back afterwards.
    pub(super) fn launch(
        &mut self,
        q: &mut Queue,
        index: u64,
        k: &KernelDispatch,
    ) -> Result<(Seq, bool), Halt> {
        if q.flight.running() >= MAX_RUNNING {
            return Err(Halt::Earlier);
        }
        let bus = &*self.bus;
        let amd = AmdQueue::read(bus, q.vmid, q.rptr_report)?;
        let error = |e| Halt::Error(e, amd);
        let shape = launch::shape(k).map_err(error)?;
        if k.kernel_object == 0 || k.kernel_object % DESCRIPTOR_BYTES as u64 != 0 {
            return Err(error(QueueError::InvalidCodeObject));
        }
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bus.read(q.vmid, k.kernel_object, &mut bytes)?;
        let d = Descriptor::decode(&bytes, k.kernel_object);
        let lds_bytes = launch::lds_bytes(k, &d).map_err(error)?;
        launch::registers_fit(&shape, &d).map_err(error)?;
        let all_complete = q.aql.as_ref().is_some_and(Aql::all_complete);
        let lacks_scratch = launch::lacks_scratch(k, &amd);
        let reclaim = amd.use_once && k.private_bytes > 0;
        if (lacks_scratch || reclaim) && !all_complete {
            // nobody may use the scratch memory while it is exchanged
            return Err(Halt::Earlier);
        }
        if lacks_scratch {
            return Err(error(QueueError::InsufficientScratch));
        }
        let preload_at = k.kernarg.wrapping_add(u64::from(d.preload_offset) * 4);
        let preload = bus.read_dwords(q.vmid, preload_at, d.preload_dwords as usize)?;
        let values = UserValues {
            queue: &amd,
            packet_va: q.ring.address(index),
            packet_index: index,
            kernarg: k.kernarg,
            private_bytes: k.private_bytes,
            preload: &preload,
        };
        let user_sgprs = launch::user_sgprs(&d, &values).map_err(error)?;
        let state = bus.vmid_state(q.vmid);
        let (cu_mask, trap_present) = {
            let regs = self.shared.regs.lock();
            let compute = &regs.bank(q.slot).compute;
            (compute.cu_mask(), compute.get(Reg::PgmRsrc2) & TRAP_PRESENT)
        };
        let [rsrc1, rsrc2, rsrc3] = d.rsrc;
        let completion = completions(&self.shared, q);
        let seq = q.flight.launch();
        let id = bus.dispatch(DispatchRequest {
            queue: q.ident,
            vmid: q.vmid,
            pasid: q.pasid,
            aql: Some(AqlOrigin {
                packet_va: values.packet_va,
                packet_index: index,
            }),
            code: d.entry,
            pgm_rsrc1: rsrc1,
            pgm_rsrc2: rsrc2 | trap_present,
            pgm_rsrc3: rsrc3,
            workgroup: shape.workgroup,
            first_group: [0; 3],
            end_group: shape.groups,
            last_workgroup: shape.last,
            user_sgprs,
            scratch: amd.scratch,
            lds_bytes,
            sh_mem: ShMem {
                config: state.sh_mem_config,
                bases: state.sh_mem_bases,
            },
            trap: TrapHandler {
                tba: state.tba,
                tma: state.tma,
            },
            cu_mask,
            grid: k.grid,
            completion: completion(seq),
        });
        q.flight.launched(seq, id);
        self.bus.count("cp_aql_dispatch");
        Ok((seq, reclaim))
    }
}
