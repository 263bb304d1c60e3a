// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command processor on the whole card, driven through registers, doorbells and memory as a driver does it: KIQ,
//! HIQ, a run list, then an AQL queue and a SDMA queue of a process.

mod process;

use std::time::{Duration, Instant};

use super::mqd::{MQD_DWORDS, MQD_HEADER};
use super::pm4::opcode::*;
use super::regs::Hqd;
use crate::mem::PhysAddr;
use crate::model::gmc;
use crate::testing::{TestCard, GART, RWX};

/// GRBM_GFX_CNTL.
const GFX_CNTL: u32 = 0x8088;
/// Bus addresses of kernel structures; the card sees them from GART on.
const KIQ_RING: u64 = 0x1_0000;
const HIQ_RING: u64 = 0x1_2000;
const KIQ_RPTR: u64 = 0x1_4000;
const HIQ_RPTR: u64 = 0x1_4100;
const HIQ_WPTR: u64 = 0x1_4108;
const HIQ_MQD: u64 = 0x1_5000;
const FENCE: u64 = 0x1_6000;
const LIST: u64 = 0x1_7000;
const AQL_MQD: u64 = 0x1_8000;
const SDMA_MQD: u64 = 0x1_9000;
const IH_RING: u64 = 0x2_0000;
/// The process's memory: in its address space, and on the bus.
const USER: u64 = 0x7f00_0000_0000;
const USER_BUS: u64 = 0x40_0000;
const USER_LEN: u64 = 0x10_0000;
/// Parts of it.
const RING: u64 = 0;
const QUEUE: u64 = 0x1_0000;
const SIGNALS: u64 = 0x2_0000;
const KERNEL: u64 = 0x3_0000;
const KERNARG: u64 = 0x4_0000;
const DATA: u64 = 0x5_0000;
const SDMA_RING: u64 = 0x6_0000;
const SDMA_POINTERS: u64 = 0x6_8000;

const PASID: u16 = 0x8001;
const KIQ_DOORBELL: u32 = 0;
const HIQ_DOORBELL: u32 = 2;
const AQL_DOORBELL: u32 = 0x1000;
/// Queue 0 of engine 1 in the doorbell page of a process (device-contract 5.6).
const SDMA_DOORBELL: u32 = 0x1000 + 0x200 + 20;

/// Each work-item stores 42 to the array that the first kernel argument points to.
const CODE: [u32; 8] = [
    0xc006_0080,
    0x0000_0000, // s_load_dwordx2 s[2:3], s[0:1], 0x0
    0x2402_0082, // v_lshlrev_b32_e32 v1, 2, v0
    0x7e04_02aa, // v_mov_b32_e32 v2, 42
    0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
    0xdc70_8000,
    0x0002_0201, // global_store_dword v1, v2, s[2:3]
    0xbf81_0000, // s_endpgm
];

struct Driver {
    card: TestCard,
    kiq: u64,
    hiq: u64,
    aql: u64,
    page_table: u64,
}

fn packet(op: u8, body: &[u32]) -> Vec<u32> {
    let mut p = vec![3 << 30 | (body.len() as u32 - 1) << 16 | u32::from(op) << 8];
    p.extend(body);
    p
}

fn lo(v: u64) -> u32 {
    v as u32
}

fn hi(v: u64) -> u32 {
    (v >> 32) as u32
}

impl Driver {
    /// A card with doorbells and interrupts, both schedulers and the resources handed out.
    fn new() -> Self {
        let mut card = TestCard::new();
        // VMID 15 only serves to make the page tables
        card.map(15, USER, PhysAddr::system(USER_BUS), USER_LEN, RWX);
        let base = gmc::GFXHUB + 0x2ac + 8 * 15;
        let page_table = u64::from(card.read(base + 4)) << 32 | u64::from(card.read(base));
        card.write(0x3780, 1);
        for engine in 0..5 {
            let reg = [0x3bc0, 0x3bc4, 0x3bd8, 0x3bdc, 0x3be4][engine];
            card.write(reg, (0x200 + 20 * engine as u32) << 2 | 20 << 16);
        }
        card.write(0x48b4, 1 << 4);
        card.write(0x4484, (IH_RING >> 8) as u32);
        card.write(0x4480, 1 | 9 << 1 | 1 << 17 | 1 << 28);
        let mut d = Self {
            card,
            kiq: 0,
            hiq: 0,
            aql: 0,
            page_table,
        };
        d.start_kiq();
        d.start_hiq();
        d
    }

    fn start_kiq(&mut self) {
        let card = &self.card;
        card.write(0x3b2a8, 2 << 5 | 1 << 3 | 0x80);
        card.write(GFX_CNTL, 2 << 2 | 1);
        for (reg, v) in [
            (Hqd::PqBaseLo, lo((GART + KIQ_RING) >> 8)),
            (Hqd::PqBaseHi, hi((GART + KIQ_RING) >> 8)),
            (Hqd::PqControl, 9 | 3 << 30),
            (Hqd::RptrReportLo, lo(GART + KIQ_RPTR)),
            (Hqd::RptrReportHi, hi(GART + KIQ_RPTR)),
            (Hqd::DoorbellControl, KIQ_DOORBELL << 2 | 1 << 30),
            (Hqd::Active, 1),
        ] {
            card.write(reg.offset(), v);
        }
        card.write(GFX_CNTL, 0);
        card.write(0xc2e0, 2);
        for pipe in 0..4 {
            // CP_ME1_PIPEn_INT_CNTL
            card.write(0xc214 + 4 * pipe, 1 << 26 | 1 << 24);
        }
        card.write(0x8234, 0);
    }

    fn start_hiq(&mut self) {
        let mut mqd = vec![0; MQD_DWORDS];
        mqd[0] = MQD_HEADER;
        (mqd[136], mqd[137]) = (lo((GART + HIQ_RING) >> 8), hi((GART + HIQ_RING) >> 8));
        (mqd[139], mqd[140]) = (lo(GART + HIQ_RPTR), hi(GART + HIQ_RPTR));
        mqd[143] = HIQ_DOORBELL << 2;
        mqd[145] = 9 | 3 << 30;
        self.card.put_words(PhysAddr::system(HIQ_MQD), &mqd);
        let (at, wptr) = (GART + HIQ_MQD, GART + HIQ_WPTR);
        let map = [
            1 << 29 | 1 << 26 | 1 << 18,
            HIQ_DOORBELL << 2,
            lo(at),
            hi(at),
            lo(wptr),
            hi(wptr),
        ];
        self.kiq(&packet(MAP_QUEUES, &map));
        self.until("the HIQ is mapped", |d| d.kiq_idle());
        self.hiq(&packet(
            SET_RESOURCES,
            &[0xfff8 | 40 << 16 | 1 << 29, 0xffff_ff00, 0, 0, 0, 0, 0],
        ));
    }

    fn kiq_idle(&self) -> bool {
        u64::from(self.card.get_words(PhysAddr::system(KIQ_RPTR), 1)[0]) == self.kiq % 1024
    }

    fn kiq(&mut self, dwords: &[u32]) {
        self.card
            .put_words(PhysAddr::system(KIQ_RING + self.kiq * 4), dwords);
        self.kiq += dwords.len() as u64;
        self.ring(KIQ_DOORBELL, self.kiq);
    }

    fn hiq(&mut self, dwords: &[u32]) {
        self.card
            .put_words(PhysAddr::system(HIQ_RING + self.hiq * 4), dwords);
        self.hiq += dwords.len() as u64;
        self.card.put(PhysAddr::system(HIQ_WPTR), self.hiq);
        self.ring(HIQ_DOORBELL, self.hiq);
    }

    fn ring(&self, doorbell: u32, value: u64) {
        self.card.gpu.bar2_write(doorbell * 4, &value.to_le_bytes());
    }

    fn until(&self, what: &str, f: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !f(self) {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{what}: {:#?}",
                self.card.gpu.report.status()
            );
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    fn user(&self, at: u64) -> PhysAddr {
        PhysAddr::system(USER_BUS + at)
    }

    /// Makes an AQL queue of 64 packets and a SDMA queue on engine 1, and runs the process.
    fn start_process(&mut self) {
        let card = &self.card;
        let mut mqd = vec![0; MQD_DWORDS];
        mqd[0] = MQD_HEADER;
        mqd[23..27].fill(u32::MAX);
        mqd[39..43].fill(u32::MAX);
        (mqd[136], mqd[137]) = (lo((USER + RING) >> 8), hi((USER + RING) >> 8));
        (mqd[139], mqd[140]) = (lo(USER + QUEUE + 0x80), hi(USER + QUEUE + 0x80));
        mqd[143] = AQL_DOORBELL << 2 | 2;
        mqd[145] = 9 | 1 << 27;
        mqd[181] = 1;
        card.put_words(PhysAddr::system(AQL_MQD), &mqd);
        for n in 0..64 {
            card.put_words(self.user(RING + n * 64), &[1]);
        }
        card.put_words(self.user(QUEUE + 0x88), &[0x80]);

        let mut sdma = vec![0; 128];
        sdma[0] = 10 << 1 | 1 << 12;
        (sdma[1], sdma[2]) = (lo((USER + SDMA_RING) >> 8), hi((USER + SDMA_RING) >> 8));
        (sdma[8], sdma[9]) = (hi(USER + SDMA_POINTERS), lo(USER + SDMA_POINTERS));
        sdma[22] = SDMA_DOORBELL << 2;
        card.put_words(PhysAddr::system(SDMA_MQD), &sdma);
        // engine 1 runs
        card.write(0x6180 + 0x2a * 4, 0);

        let mut process = [0; 20];
        process[0] = u32::from(PASID) | 10 << 25;
        (process[1], process[2]) = (lo(self.page_table), hi(self.page_table));
        process[3] = 0x0001_0002;
        process[12] = 1 << 7 | 2 << 22;
        let queue = |engine: u32, doorbell: u32, mqd: u64, wptr: u64| {
            let mqd = GART + mqd;
            packet(
                MAP_QUEUES,
                &[
                    1 << 29 | 1 << 4 | engine << 26,
                    doorbell << 2,
                    lo(mqd),
                    hi(mqd),
                    lo(wptr),
                    hi(wptr),
                ],
            )
        };
        let list = [
            packet(MAP_PROCESS, &process),
            queue(0, AQL_DOORBELL, AQL_MQD, USER + QUEUE + 0x38),
            queue(3, SDMA_DOORBELL, SDMA_MQD, USER + SDMA_POINTERS + 8),
        ]
        .concat();
        card.put_words(PhysAddr::system(LIST), &list);
        let at = GART + LIST;
        self.hiq(&packet(
            RUN_LIST,
            &[lo(at), hi(at), list.len() as u32 | 1 << 23 | 1 << 24],
        ));
    }

    /// Makes the kernel: a descriptor with two user SGPRs for the arguments, its code behind it.
    fn load_kernel(&self) {
        let card = &self.card;
        card.put(self.user(KERNEL + 16), 0x100);
        // granulated registers, float mode; 2 user SGPRs, workgroup id x
        card.put_words(
            self.user(KERNEL + 44),
            &[3, 3 | 0xf0 << 12, 2 << 1 | 1 << 7, 1 << 3],
        );
        card.put_words(self.user(KERNEL + 0x100), &CODE);
        card.put(self.user(KERNARG), USER + DATA);
    }

    /// A signal with value 1 and an event.
    fn signal(&self, n: u64) -> u64 {
        let at = SIGNALS + n * 64;
        self.card.put(self.user(at + 8), 1);
        self.card.put(self.user(at + 0x10), USER + SIGNALS + 0xf00);
        self.card.put(self.user(at + 0x18), 0x30 + n);
        USER + at
    }

    fn signal_value(&self, n: u64) -> u64 {
        self.card.get(self.user(SIGNALS + n * 64 + 8))
    }

    fn dispatch(&mut self, signal: u64) {
        let at = RING + self.aql % 64 * 64;
        let (object, args) = (USER + KERNEL, USER + KERNARG);
        let body = [
            64 | 1 << 16,
            1,
            64,
            1,
            1,
            0,
            0,
            lo(object),
            hi(object),
            lo(args),
            hi(args),
            0,
            0,
            lo(signal),
            hi(signal),
        ];
        self.card.put_words(self.user(at + 4), &body);
        self.card.put(self.user(QUEUE + 0x38), self.aql + 1);
        self.card
            .put_words(self.user(at), &[2 | 1 << 8 | 2 << 9 | 2 << 11 | 1 << 16]);
        self.ring(AQL_DOORBELL, self.aql);
        self.aql += 1;
    }

    fn unmap(&mut self) {
        self.card.put(PhysAddr::system(FENCE), 0);
        let fence = GART + FENCE;
        let unmap = packet(UNMAP_QUEUES, &[3 << 4, 0, 0, 0, 0]);
        let query = packet(QUERY_STATUS, &[2 << 30, 0, lo(fence), hi(fence), 100, 0]);
        self.hiq(&[unmap, query].concat());
        self.until("queues are unmapped", |d| {
            d.card.get(PhysAddr::system(FENCE)) == 100
        });
    }

    /// Interrupt vectors so far: client, source, PASID, first payload word.
    fn interrupts(&self) -> Vec<(u32, u32, u32, u32)> {
        let count = self.card.read(0x4490) as usize / 32;
        let words = self.card.get_words(PhysAddr::system(IH_RING), count * 8);
        words
            .chunks(8)
            .map(|w| (w[0] & 0xff, w[0] >> 8 & 0xff, w[3] & 0xffff, w[4]))
            .collect()
    }
}
