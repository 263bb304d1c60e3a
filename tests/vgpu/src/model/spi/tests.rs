// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole dispatches: kernels assembled by LLVM, run by the dispatcher on a card without a driver.

mod assembler;
mod faults;
mod hip;
mod kernels;
mod rates;
mod scheduling;

use std::sync::mpsc;
use std::time::Duration;

use crate::mem::PhysAddr;
use crate::model::cp::dispatch_request::{
    AqlOrigin, DispatchEnd, DispatchId, DispatchRequest, Dispatcher, Outcome, QueueIdent, Scratch, ShMem,
    TrapHandler,
};
use crate::model::gmc::HubId;
use crate::testing::{TestCard, RWX};

const VMID: u8 = 8;
const PASID: u16 = 0x8008;
/// Where code lies, in the VMID and in VRAM: 1 MiB.
const CODE: u64 = 0x1_0000_0000;
const CODE_VRAM: u64 = 0x10_0000;
const CODE_LEN: u64 = 1 << 20;
/// Where data lies, in the VMID and on the bus: 8 MiB.
const DATA: u64 = 0x7f00_0000_0000;
const DATA_BUS: u64 = 0x40_0000;
const DATA_LEN: u64 = 8 << 20;
/// Where scratch memory lies, in the VMID and in VRAM: 8 MiB.
const SCRATCH: u64 = 0x2_0000_0000;
const SCRATCH_VRAM: u64 = 0x100_0000;
/// Bus address of the interrupt ring.
const IH_RING: u64 = 0x3_0000;

/// TGID_X_EN, TGID_Y_EN, TGID_Z_EN, all work-item id components.
const ALL_IDS: u32 = 7 << 7 | 2 << 11;

/// A card with code and data mapped for one VMID.
struct Lab {
    card: TestCard,
    code: u64,
}

impl Lab {
    fn new() -> Self {
        let mut card = TestCard::new();
        card.map(VMID, CODE, PhysAddr::vram(CODE_VRAM), CODE_LEN, 0x31);
        card.map(VMID, DATA, PhysAddr::system(DATA_BUS), DATA_LEN, RWX);
        card.map(VMID, SCRATCH, PhysAddr::vram(SCRATCH_VRAM), 8 << 20, 0x61);
        card.write(0x48b4, 1 << 4);
        card.write(0x4484, (IH_RING >> 8) as u32);
        card.write(0x4480, 1 | 9 << 1 | 1 << 17 | 1 << 28);
        Self { card, code: 0 }
    }

    /// Puts a kernel into code memory, 256-byte aligned, and drops cached instructions; returns its address.
    fn load(&mut self, source: &str) -> u64 {
        let code = self.overwrite(source);
        self.card.gpu.spi.invalidate_instructions();
        code
    }

    /// Puts a kernel into code memory.
    fn overwrite(&mut self, source: &str) -> u64 {
        let words = assembler::assemble(source);
        let at = self.code;
        self.card.put_words(PhysAddr::vram(CODE_VRAM + at), &words);
        self.code += (words.len() as u64 * 4).next_multiple_of(256);
        CODE + at
    }

    /// A dispatch of `groups` workgroups of `size` work-items; user SGPRs s[0:1] point to data.
    fn request(
        &self,
        code: u64,
        size: [u32; 3],
        groups: [u32; 3],
    ) -> (DispatchRequest, mpsc::Receiver<DispatchEnd>) {
        let (send, receive) = mpsc::channel();
        let request = DispatchRequest {
            queue: QueueIdent {
                me: 1,
                pipe: 2,
                queue: 3,
                doorbell: 0x1804,
            },
            vmid: VMID,
            pasid: PASID,
            aql: Some(AqlOrigin {
                packet_va: 0,
                packet_index: 0x55,
            }),
            code,
            // 32 VGPRs, denormals on
            pgm_rsrc1: 3 | 0xf0 << 12,
            pgm_rsrc2: 2 << 1 | ALL_IDS,
            pgm_rsrc3: 3,
            workgroup: size,
            first_group: [0; 3],
            end_group: groups,
            last_workgroup: size,
            user_sgprs: vec![DATA as u32, (DATA >> 32) as u32],
            scratch: Scratch::default(),
            lds_bytes: 0,
            sh_mem: ShMem {
                config: 0,
                bases: 0x0001_0002,
            },
            trap: TrapHandler::default(),
            cu_mask: [u32::MAX; 8],
            grid: [0; 3],
            completion: Box::new(move |end| send.send(end).unwrap_or(())),
        };
        (request, receive)
    }

    fn submit(&self, request: DispatchRequest) -> DispatchId {
        self.card.gpu.spi.submit(request)
    }

    /// Runs a request to its end.
    fn run(&self, (request, end): (DispatchRequest, mpsc::Receiver<DispatchEnd>)) -> DispatchEnd {
        self.submit(request);
        finished(&end)
    }

    fn word(&self, index: u64) -> u32 {
        self.card.get_words(PhysAddr::system(DATA_BUS + index * 4), 1)[0]
    }

    fn words(&self, count: usize) -> Vec<u32> {
        self.card.get_words(PhysAddr::system(DATA_BUS), count)
    }

    fn set(&self, index: u64, words: &[u32]) {
        self.card.put_words(PhysAddr::system(DATA_BUS + index * 4), words);
    }

    /// Dwords of the interrupt ring's entry `n`.
    fn interrupt(&self, n: u64) -> Vec<u32> {
        self.card.get_words(PhysAddr::system(IH_RING + n * 32), 8)
    }

    fn violations(&self, kind: &str) -> u64 {
        self.card.gpu.report.violations_of(kind)
    }
}

fn finished(end: &mpsc::Receiver<DispatchEnd>) -> DispatchEnd {
    end.recv_timeout(Duration::from_secs(20))
        .expect("the dispatch ends within 20 s")
}
