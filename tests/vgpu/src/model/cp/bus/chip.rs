// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The real card behind the [`Bus`].

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Bus, Mem, MemFault, SdmaQueue, Stopped, TlbFlush};
use crate::ctx::Ctx;
use crate::device::Gpu;
use crate::inject::event::{Event, Verdict};
use crate::model::cp::dispatch_request::{DispatchId, DispatchRequest, Dispatcher};
use crate::model::gmc::{Client, Fault, HubId};
use crate::model::grbm::VmidState;
use crate::model::ih::Iv;
use crate::model::sdma::{QueueError, QueueMap, SdmaMqd};
use crate::model::spi::Spi;
use crate::trace::Trace;

/// User queues per SDMA engine.
const SDMA_SLOTS: usize = 8;
/// Bytes of a SDMA queue descriptor (v9_structs.h: v9_sdma_mqd).
const SDMA_MQD_BYTES: usize = 512;

/// Where a scheduled SDMA queue is.
#[derive(Clone, Copy)]
struct SdmaPlace {
    queue: SdmaQueue,
    slot: usize,
}

/// The card's other blocks.
pub(crate) struct Chip {
    ctx: Ctx,
    spi: Arc<Spi>,
    sdma: Mutex<Vec<SdmaPlace>>,
}

impl Chip {
    pub(crate) fn new(ctx: Ctx, spi: Arc<Spi>) -> Self {
        Self {
            ctx,
            spi,
            sdma: Mutex::default(),
        }
    }

    fn gpu(&self) -> Option<Arc<Gpu>> {
        self.ctx.gpu.upgrade()
    }

    /// Reports a fault of the command processor in a VMID.
    fn reported<T>(&self, vmid: u8, result: Result<T, Fault>) -> Mem<T> {
        result.map_err(|f| {
            self.ctx.gmc.report_fault(client(vmid), &f);
            MemFault { va: f.va }
        })
    }
}

fn client(vmid: u8) -> Client {
    Client {
        hub: HubId::Gfx,
        vmid,
        name: "CP",
    }
}

impl Bus for Chip {
    fn read(&self, vmid: u8, va: u64, buf: &mut [u8]) -> Mem<()> {
        self.reported(vmid, self.ctx.gmc.read(client(vmid), va, buf))
    }

    fn write(&self, vmid: u8, va: u64, data: &[u8]) -> Mem<()> {
        self.reported(vmid, self.ctx.gmc.write(client(vmid), va, data))
    }

    fn rmw32(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Mem<u32> {
        self.reported(vmid, self.ctx.gmc.rmw32(client(vmid), va, f))
    }

    fn rmw64(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Mem<u64> {
        self.reported(vmid, self.ctx.gmc.rmw64(client(vmid), va, f))
    }

    fn reg_read(&self, off: u32) -> u32 {
        self.ctx.reg_read("CP", off)
    }

    fn reg_write(&self, off: u32, value: u32) {
        self.ctx.reg_write("CP", off, value);
    }

    fn interrupt(&self, iv: Iv) {
        self.ctx.ih.send(iv);
    }

    fn now(&self) -> u64 {
        self.ctx.clock.now()
    }

    fn bind_vmid(&self, vmid: u8, page_table_base: u64, pasid: u16, state: VmidState) {
        self.ctx.grbm.set_vmid_state(vmid, state);
        self.ctx.gmc.set_context(vmid, page_table_base, pasid);
    }

    fn vmid_state(&self, vmid: u8) -> VmidState {
        self.ctx.grbm.vmid_state(vmid)
    }

    fn pasid(&self, vmid: u8) -> u16 {
        self.ctx.gmc.pasid(vmid)
    }

    fn flush_tlb(&self, flush: TlbFlush) {
        if flush.all_hubs {
            self.ctx.gmc.invalidate_pasid(flush.pasid);
            return;
        }
        let mask = (1..16)
            .filter(|v| self.ctx.gmc.pasid(*v) == flush.pasid)
            .fold(0, |m, v| m | 1 << v);
        if flush.pasid != 0 && mask != 0 {
            self.ctx.gmc.invalidate(HubId::Gfx, mask);
        }
    }

    fn dispatch(&self, request: DispatchRequest) -> DispatchId {
        self.spi.submit(request)
    }

    fn kill(&self, id: DispatchId) {
        self.spi.kill(id);
    }

    fn invalidate_instructions(&self) {
        self.spi.invalidate_instructions();
    }

    fn sdma_map(&self, q: SdmaQueue) -> Result<(), String> {
        let Some(gpu) = self.gpu() else {
            return Err("the card is gone".into());
        };
        let mut bytes = [0; SDMA_MQD_BYTES];
        self.read(0, q.mqd, &mut bytes)
            .map_err(|f| format!("no descriptor at {:#x}", f.va))?;
        let mqd = SdmaMqd::from_bytes(&bytes);
        if mqd.doorbell() != Some(q.doorbell) {
            return Err(format!(
                "MAP_QUEUES says doorbell {:#x}, the descriptor {:x?}",
                q.doorbell,
                mqd.doorbell()
            ));
        }
        let mut wptr = [0; 8];
        let mm = Client {
            hub: HubId::Mm,
            vmid: q.vmid,
            name: "CP",
        };
        if let Err(f) = self.ctx.gmc.read(mm, q.wptr, &mut wptr) {
            self.ctx.gmc.report_fault(mm, &f);
            return Err(format!("no write pointer at {:#x}", f.va));
        }
        let map = QueueMap {
            mqd,
            vmid: q.vmid,
            pasid: q.pasid,
            wptr: Some(u64::from_le_bytes(wptr)),
        };
        let engine = usize::from(q.engine);
        for slot in 0..SDMA_SLOTS {
            match gpu.sdma.map_queue(engine, slot, &map) {
                Ok(()) => {
                    self.sdma.lock().push(SdmaPlace { queue: q, slot });
                    // rung since the write pointer was read: that doorbell found no queue
                    if self.ctx.gmc.read(mm, q.wptr, &mut wptr).is_ok() {
                        let wptr = u64::from_le_bytes(wptr);
                        gpu.sdma.catch_up(engine, slot, wptr).map_err(|e| e.to_string())?;
                    }
                    return Ok(());
                }
                Err(QueueError::Occupied { .. }) => {}
                Err(e) => return Err(e.to_string()),
            }
        }
        Err(format!("SDMA{engine} has no free queue"))
    }

    fn sdma_unmap(&self, engine: u8, doorbell: u32, _reset: bool, stopped: Stopped) {
        let place = {
            let mut all = self.sdma.lock();
            let at = all
                .iter()
                .position(|p| p.queue.engine == engine && p.queue.doorbell == doorbell);
            at.map(|at| all.swap_remove(at))
        };
        let (Some(place), Some(gpu)) = (place, self.gpu()) else {
            stopped();
            return;
        };
        // stopping waits for the engine, which the command processor must not
        let name = std::thread::Builder::new().name("sdma-unmap".into());
        let spawned = name.spawn(move || {
            unmap(&gpu, &place);
            stopped();
        });
        if let Err(e) = spawned {
            self.violation("model-failure", format!("no thread to unmap a SDMA queue: {e}"));
        }
    }

    fn fault(&self, event: Event) -> Verdict {
        self.ctx.inject.at(event)
    }

    fn show_queues(&self, mapped: bool) {
        self.ctx.inject.set_queues(mapped);
    }

    fn trace(&self) -> Option<&Trace> {
        Some(&*self.ctx.trace).filter(|t| t.enabled())
    }

    fn violation(&self, kind: &'static str, detail: String) {
        self.ctx.report.violation(kind, detail);
    }

    fn unknown(&self, kind: &'static str, detail: String) {
        self.ctx.report.unknown(kind, detail);
    }

    fn count(&self, name: &'static str) {
        self.ctx.report.count(name, 1);
    }
}

/// Stops a SDMA queue and writes its descriptor back.
fn unmap(gpu: &Gpu, place: &SdmaPlace) {
    let mut bytes = [0; SDMA_MQD_BYTES];
    if let Err(f) = gpu.gmc.read(client(0), place.queue.mqd, &mut bytes) {
        gpu.gmc.report_fault(client(0), &f);
    }
    let mut mqd = SdmaMqd::from_bytes(&bytes);
    if let Err(e) = gpu
        .sdma
        .unmap_queue(place.queue.engine.into(), place.slot, &mut mqd)
    {
        gpu.report.violation("hws-sdma", e.to_string());
        return;
    }
    if let Err(f) = gpu.gmc.write(client(0), place.queue.mqd, &mqd.to_bytes()) {
        gpu.gmc.report_fault(client(0), &f);
    }
}
