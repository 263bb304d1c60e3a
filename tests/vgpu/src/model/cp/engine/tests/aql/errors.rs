// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of AQL queues.

use super::*;
use crate::model::cp::dispatch_request::Outcome;

#[test]
fn insufficient_scratch_waits_for_earlier_packets_then_for_the_runtime() {
    let mut a = Aql::new();
    a.submit(DISPATCH, &dispatch(0, 0));
    let mut b = dispatch(0, a.signal(0, 1));
    set(&mut b, 24, &64u32.to_le_bytes());
    a.submit(DISPATCH, &b);
    assert_eq!(
        a.error(),
        0,
        "the packet must be the oldest: the runtime finds it by the read index"
    );
    a.bus().end(0, Outcome::Done);
    a.rig.run();
    assert_eq!((a.error(), a.read_index()), (1, 1));
    a.rig.wait(5000);
    assert!(a.bus().running().is_empty());
    // the runtime provides 32 waves of 4 KiB
    let bus = a.bus();
    bus.poke32(VMID, QUEUE + 0x8c, 4 << 12 | 32);
    bus.poke64(VMID, QUEUE + 0xa0, 0x7f00_0000);
    bus.poke32(VMID, QUEUE + 0xb0, 64);
    bus.poke64(VMID, INACTIVE + 8, 0);
    a.rig.wait(5000);
    bus.kernel(1, |k| {
        assert_eq!(
            (k.scratch.base, k.scratch.waves, k.scratch.wave_bytes),
            (0x7f00_0000, 32, 4096)
        )
    });
    a.rig.no_violations();
}

#[test]
fn scratch_used_once_is_given_back() {
    let mut a = Aql::new();
    let bus = a.bus();
    bus.poke32(VMID, QUEUE + 0x8c, 4 << 12 | 32);
    bus.poke32(VMID, QUEUE + 0xb0, 64);
    bus.poke32(VMID, QUEUE + 0xb4, 1 << 4);
    let mut b = dispatch(0, 0);
    set(&mut b, 24, &64u32.to_le_bytes());
    a.submit(DISPATCH, &b);
    a.submit(DISPATCH, &dispatch(0, 0));
    bus.end(0, Outcome::Done);
    a.rig.run();
    assert_eq!(a.error(), 0x200);
    bus.poke64(VMID, INACTIVE + 8, 0);
    a.rig.wait(5000);
    assert_eq!(bus.running(), [1]);
}

#[test]
fn bad_packets_store_their_code_and_stop_the_queue() {
    let with = |f: &dyn Fn(&mut [u8; 64])| {
        let mut b = dispatch(0, 0);
        f(&mut b);
        b
    };
    for (header, body, code, exception) in [
        (DISPATCH, with(&|b| b[2] = 0), 0x2, 16),
        (DISPATCH, with(&|b| set(b, 12, &[0; 4])), 0x2, 16),
        (DISPATCH, with(&|b| set(b, 28, &65540u32.to_le_bytes())), 0x4, 17),
        (DISPATCH, with(&|b| set(b, 32, &[0; 8])), 0x8, 18),
        (
            DISPATCH,
            with(&|b| set(b, 32, &(KERNEL + 4).to_le_bytes())),
            0x8,
            18,
        ),
        (4, dispatch(0, 0), 0x20, 20),
        (0x33, dispatch(0, 0), 0x20, 20),
        (DISPATCH | 3 << 9, dispatch(0, 0), 0x20, 20),
        (DISPATCH, with(&|b| set(b, 4, &1025u16.to_le_bytes())), 0x40, 21),
        (0, with(&|b| b[2] = 9), 0x100, 23),
    ] {
        let mut a = Aql::new();
        a.submit(header, &body);
        assert_eq!(a.error(), code, "header {header:#x}");
        assert_eq!(a.bus().violations(), ["aql-packet"]);
        let iv = *a.bus().log.lock().interrupts.last().unwrap();
        assert_eq!(
            (iv.source, iv.data[0]),
            (183, DOORBELL / 2 & 0x3ff | exception << 10)
        );
        a.submit(DISPATCH, &dispatch(0, 0));
        assert!(a.bus().running().is_empty(), "the queue has stopped");
    }
}

#[test]
fn a_faulting_kernel_stops_the_queue_without_completion() {
    let mut a = Aql::new();
    let s = a.signal(0, 1);
    a.submit(DISPATCH, &dispatch(0, s));
    a.submit(DISPATCH | BARRIER, &dispatch(0, 0));
    a.bus().end(0, Outcome::MemoryFault);
    a.rig.wait(5000);
    assert_eq!((a.value(s), a.read_index(), a.bus().running().len()), (1, 0, 0));
    a.rig.no_violations();
}

#[test]
fn a_doorbell_beyond_the_write_index_is_a_violation() {
    let mut a = Aql::new();
    a.rig.doorbell(DOORBELL, 3);
    assert_eq!(a.bus().violations(), ["aql-doorbell-beyond-write-index"]);
}
