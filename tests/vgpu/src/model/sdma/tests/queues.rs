// SPDX-License-Identifier: Apache-2.0 OR MIT
//! User queues: mapping, doorbells, turns, preemption.

use super::*;

const VMID: u8 = 8;
const PASID: u16 = 0x8008;
/// Virtual address of the user's ring (4 KiB), then its read pointer, then data.
const USER: u64 = 0x7f12_0000_0000;
/// Where that is on the bus.
const USER_BUS: u64 = 0x40_0000;
const USER_RPTR: u64 = USER + 0x1000;
const USER_DATA: u64 = USER + 0x2000;
const USER_DOORBELL: u32 = 0x1000;

/// A user queue in slot `slot` of engine 1; its memory starts `slot` * 1 MiB behind [`USER`].
struct UserQueue {
    slot: usize,
    wptr: u64,
}

impl UserQueue {
    fn shift(&self) -> u64 {
        (self.slot as u64) << 20
    }

    fn mqd(&self) -> SdmaMqd {
        let mut m = SdmaMqd([0; 128]);
        let (ring, rptr) = (USER + self.shift(), USER_RPTR + self.shift());
        m.0[0] = 10 << 1 | 1 << 12 | 6 << 16;
        m.0[1] = (ring >> 8) as u32;
        m.0[2] = (ring >> 40) as u32;
        m.0[8] = hi(rptr);
        m.0[9] = lo(rptr);
        m.0[10] = 1 << 8;
        m.0[22] = (USER_DOORBELL + 2 * self.slot as u32) << 2;
        m
    }

    fn map(slot: usize, b: &mut Bench) -> Self {
        let queue = Self { slot, wptr: 0 };
        let shift = queue.shift();
        b.card.map(
            VMID,
            USER + shift,
            PhysAddr::system(USER_BUS + shift),
            0x10000,
            RWX,
        );
        let map = QueueMap {
            mqd: queue.mqd(),
            vmid: VMID,
            pasid: PASID,
            wptr: None,
        };
        b.card.gpu.sdma.map_queue(ENGINE, slot, &map).unwrap();
        queue
    }

    fn submit(&mut self, b: &Bench, words: &[u32]) {
        for w in words {
            let at = PhysAddr::system(USER_BUS + self.shift() + self.wptr % 4096);
            b.card.put_words(at, &[*w]);
            self.wptr += 4;
        }
        b.card
            .gpu
            .sdma
            .doorbell(ENGINE, USER_DOORBELL + 2 * self.slot as u32, self.wptr);
    }

    fn data(&self, b: &Bench, off: u64) -> u32 {
        b.card
            .get_words(PhysAddr::system(USER_BUS + self.shift() + 0x2000 + off), 1)[0]
    }

    fn rptr(&self, b: &Bench) -> u64 {
        b.card.get(PhysAddr::system(USER_BUS + self.shift() + 0x1000))
    }
}

#[test]
fn a_mapped_queue_works_in_its_address_space() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(2, &mut b);
    let data = USER_DATA + user.shift();
    let mut words = write_linear(data, &[5]);
    words.extend([6, 77]);
    user.submit(&b, &words);
    wait("read pointer", || user.rptr(&b) == 28);
    assert_eq!(user.data(&b, 0), 5);
    let iv = b.interrupt(0);
    assert_eq!(
        iv[0],
        9 | 224 << 8 | (RLC0 as u32 + 2) << 16 | u32::from(VMID) << 24 | 1 << 31
    );
    assert_eq!((iv[3], iv[4]), (u32::from(PASID), 77));
    b.card.assert_clean();
}

#[test]
fn a_queue_that_polls_lets_others_run() {
    let mut b = Bench::new();
    let mut first = UserQueue::map(0, &mut b);
    let mut second = UserQueue::map(1, &mut b);
    let (d0, d1) = (USER_DATA + first.shift(), USER_DATA + second.shift());
    let mut words = vec![8 | 3 << 28 | 1 << 31, lo(d0), hi(d0), 1, !0, 0xfff << 16];
    words.extend(fence(d0 + 4, 2));
    first.submit(&b, &words);
    // what the first one waits for comes from the second one
    let mut words = fence(d1, 3);
    words.extend(fence(d0, 1));
    second.submit(&b, &words);
    wait("fence", || first.data(&b, 4) == 2);
    assert_eq!(second.data(&b, 0), 3);
    b.card.assert_clean();
}

#[test]
fn a_preempted_queue_continues_where_it_was() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(3, &mut b);
    let data = USER_DATA + user.shift();
    let mut words = fence(data, 1);
    words.extend([8 | 3 << 28 | 1 << 31, lo(data + 4), hi(data), 1, !0, 0xfff << 16]);
    words.extend(fence(data + 8, 2));
    user.submit(&b, &words);
    wait("first fence", || user.data(&b, 0) == 1);
    let mut mqd = user.mqd();
    b.card.gpu.sdma.unmap_queue(ENGINE, 3, &mut mqd).unwrap();
    assert_eq!((mqd.0[3], mqd.0[5]), (16, 56));
    assert_eq!(mqd.0[0] & 1, 0);
    assert_eq!(user.rptr(&b), 16);
    // rung while unmapped: legal, the scheduler passes the write pointer on when it maps the queue again
    user.submit(&b, &fence(data + 12, 3));
    let map = QueueMap {
        mqd,
        vmid: VMID,
        pasid: PASID,
        wptr: Some(user.wptr),
    };
    b.card.gpu.sdma.map_queue(ENGINE, 6, &map).unwrap();
    b.card
        .put_words(PhysAddr::system(USER_BUS + user.shift() + 0x2004), &[1]);
    wait("last fence", || user.data(&b, 12) == 3);
    assert_eq!(user.data(&b, 8), 2);
    b.card.assert_clean();
}

#[test]
fn a_write_pointer_read_again_only_goes_forward() {
    let mut b = Bench::new();
    let user = UserQueue::map(0, &mut b);
    let words = fence(USER_DATA, 1);
    b.card.put_words(PhysAddr::system(USER_BUS), &words);
    let sdma = &b.card.gpu.sdma;
    sdma.catch_up(ENGINE, 0, 16).unwrap();
    wait("fence", || user.data(&b, 0) == 1);
    sdma.catch_up(ENGINE, 0, 0).unwrap();
    assert_eq!(b.card.read(qreg(ENGINE, RLC0, q::RB_WPTR)), 16);
    b.card.assert_clean();
}

#[test]
fn a_long_copy_is_interrupted_and_continued() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(0, &mut b);
    // 1 GiB of the same 64 KiB, seen through 16384 mappings of 16 pages would be slow to set up: use VRAM twice 24 MiB
    let (src, dst) = (0x7f20_0000_0000, 0x7f30_0000_0000);
    let len = 24 << 20;
    b.card.map(VMID, src, PhysAddr::vram(0), len, RWX);
    b.card.map(VMID, dst, PhysAddr::vram(len), len, RWX);
    for page in 0..len / 4096 {
        b.card.put(PhysAddr::vram(page * 4096), page + 1);
    }
    let mut words = copy(src, dst, len as u32);
    words.extend(fence(USER_DATA, 1));
    user.submit(&b, &words);
    let mut mqd = user.mqd();
    let mut maps = 0;
    while user.data(&b, 0) == 0 {
        b.card.gpu.sdma.unmap_queue(ENGINE, 0, &mut mqd).unwrap();
        let map = QueueMap {
            mqd: mqd.clone(),
            vmid: VMID,
            pasid: PASID,
            wptr: None,
        };
        b.card.gpu.sdma.map_queue(ENGINE, 0, &map).unwrap();
        maps += 1;
        assert!(maps < 100_000);
        std::thread::sleep(Duration::from_micros(300));
    }
    for page in 0..len / 4096 {
        assert_eq!(b.card.get(PhysAddr::vram(len + page * 4096)), page + 1);
    }
    b.card.assert_clean();
}

#[test]
fn a_fault_stops_the_queue_and_tells_the_driver() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(0, &mut b);
    let bad = 0x6666_0000_1000;
    let mut words = fence(bad, 1);
    words.extend(fence(USER_DATA, 1));
    user.submit(&b, &words);
    let status = qreg(ENGINE, RLC0, q::CONTEXT_STATUS);
    wait("exception", || b.card.read(status) & q::EXCEPTION != 0);
    assert_eq!(user.data(&b, 0), 0);
    wait("interrupt", || b.interrupt(0)[0] != 0);
    let iv = b.interrupt(0);
    assert_eq!(iv[0] & 0xffff, 0x12);
    assert_eq!((iv[0] >> 24 & 0xf, iv[3]), (u32::from(VMID), u32::from(PASID)));
    assert_eq!(
        (iv[4], iv[5] & 0xf, iv[5] >> 5 & 1),
        ((bad >> 12) as u32, (bad >> 44) as u32, 1)
    );
    // the kernel's ring goes on
    b.run(&fence(DATA_VA, 9));
    assert_eq!(b.data(0, 1), [9]);
    let mut mqd = user.mqd();
    b.card.gpu.sdma.unmap_queue(ENGINE, 0, &mut mqd).unwrap();
    assert_eq!(mqd.0[3], 0);
    b.card.assert_clean();
}

#[test]
fn user_queues_do_not_write_registers() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(0, &mut b);
    let scratch = reg(2, 0x51);
    user.submit(&b, &[14 | 0xf << 28, scratch >> 2, 1]);
    wait("read pointer", || user.rptr(&b) == 12);
    assert_eq!(b.card.read(scratch), 0);
    assert_eq!(b.interrupt(0)[0] >> 8 & 0xff, 247);
    b.card.assert_clean();
}

#[test]
fn slots_are_checked() {
    let mut b = Bench::new();
    let user = UserQueue::map(7, &mut b);
    let map = QueueMap {
        mqd: user.mqd(),
        vmid: VMID,
        pasid: PASID,
        wptr: None,
    };
    let sdma = &b.card.gpu.sdma;
    assert!(sdma.map_queue(ENGINE, 7, &map).is_err());
    assert!(sdma.map_queue(ENGINE, 8, &map).is_err());
    assert!(sdma.map_queue(5, 0, &map).is_err());
    assert!(sdma.map_queue(ENGINE, usize::MAX, &map).is_err());
    assert!(sdma.unmap_queue(ENGINE, 6, &mut user.mqd()).is_err());
}

#[test]
#[ignore = "a measurement"]
fn copy_rate() {
    let mut b = Bench::new();
    let mut user = UserQueue::map(0, &mut b);
    let (src, dst) = (0x7f20_0000_0000, 0x7f30_0000_0000);
    let len = 8 << 20;
    b.card.map(VMID, src, PhysAddr::vram(0), len, RWX);
    b.card.map(VMID, dst, PhysAddr::system(0x80_0000), len, RWX);
    let mut words = Vec::new();
    for _ in 0..64 {
        words.extend(copy(src, dst, len as u32));
    }
    words.extend(fence(USER_DATA, 1));
    let start = Instant::now();
    user.submit(&b, &words);
    wait("fence", || user.data(&b, 0) == 1);
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.0} MB/s", 64.0 * len as f64 / seconds / 1e6);
}
