// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events: the page, limits, waiting.

use amdgpu_uapi::kfd::event::{event_type, wait_result, EventData, WaitEvents, EVENT_PAGE_SIZE};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::{free, Buffer};
use guest_tests::errno::Errno;
use guest_tests::event::{create, destroy, reset, set, wait, wanted, Events};
use guest_tests::gpu::Gpu;
use guest_tests::record;
use guest_tests::refused;
use guest_tests::runner::Case;
use std::time::{Duration, Instant};

pub(crate) const CASES: &[Case] = &[
    ("event: 4095 signal events and no more", limit),
    ("event: other types need no page", other_types),
    ("event: bad pages are refused", bad_page),
    ("event: the page cannot be freed", page_is_held),
    ("event: unknown ids are refused", unknown_ids),
    ("event: only signal events can be set", set_other_types),
    ("event: wait with timeout", timeouts),
    ("event: wait for any and for all", any_and_all),
    ("event: auto-reset", auto_reset),
    ("event: ages", ages),
    ("event: bad waits are refused", bad_waits),
    ("event: destroyed while waiting", destroyed_while_waiting),
    ("event: set while waiting", set_while_waiting),
];

const COMPLETE: u32 = wait_result::COMPLETE;
const TIMEOUT: u32 = wait_result::TIMEOUT;

fn limit() {
    let gpu = Gpu::acquire().unwrap();
    let (events, first) = Events::new(&gpu).unwrap();
    let mut ids = vec![first];
    ids.extend((1..4095).map(|_| events.create(event_type::SIGNAL, false).unwrap()));
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(1..4096), "numbers are the slots");
    refused!(
        events.create(event_type::SIGNAL, false),
        ENOSPC,
        "as many events as it may"
    );
    refused!(
        events.create(event_type::DEBUG_EVENT, false),
        ENOSPC,
        "as many events as it may"
    );
    // others have no slots
    assert!(events.create(event_type::MEMORY, false).unwrap() > 4095);
    destroy(&gpu, 77).unwrap();
    assert_eq!(events.create(event_type::SIGNAL, false), Ok(77));
}

fn other_types() {
    let gpu = Gpu::acquire().unwrap();
    for kind in [
        event_type::HW_EXCEPTION,
        event_type::MEMORY,
        event_type::NODECHANGE,
    ] {
        let made = create(&gpu, 0, kind, false).unwrap();
        assert_eq!(made.event_page_offset, 0);
        assert!(made.event_id > i32::MAX as u32 / 2);
    }
}

fn bad_page() {
    let gpu = Gpu::acquire().unwrap();
    let small = Buffer::gtt(&gpu, EVENT_PAGE_SIZE as usize - 4096).unwrap();
    let with = |page| create(&gpu, page, event_type::SIGNAL, false);
    refused!(with(1), EINVAL, "event_page_offset is 0x1");
    refused!(with(u64::MAX), EINVAL, "event_page_offset is 0xffffffffffffffff");
    refused!(
        with(u64::from(gpu.id()) << 32 | 0xffff),
        EINVAL,
        "event_page_offset is"
    );
    refused!(with(small.handle()), EINVAL, "size of the event page is");
    let (events, _) = Events::new(&gpu).unwrap();
    refused!(with(events.page().handle()), EINVAL, "event_page_offset is");
    let other = Buffer::gtt(&gpu, EVENT_PAGE_SIZE as usize).unwrap();
    refused!(with(other.handle()), EINVAL, "event_page_offset is");
    with(0).unwrap();
}

fn page_is_held() {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    refused!(free(&gpu, events.page().handle()), EPERM, "handle is");
}

fn unknown_ids() {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    for id in [0, id + 1, 4096, i32::MAX as u32 / 2 + 1, u32::MAX] {
        refused!(set(&gpu, id), EINVAL, "event_id is");
        refused!(reset(&gpu, id), EINVAL, "event_id is");
        refused!(destroy(&gpu, id), EINVAL, "event_id is");
    }
    destroy(&gpu, id).unwrap();
    refused!(destroy(&gpu, id), EINVAL, "event_id is");
}

fn set_other_types() {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    for kind in [
        event_type::MEMORY,
        event_type::HW_EXCEPTION,
        event_type::DEBUG_EVENT,
    ] {
        let id = events.create(kind, false).unwrap();
        refused!(set(&gpu, id), EINVAL, "event_id is");
        refused!(reset(&gpu, id), EINVAL, "event_id is");
    }
}

fn timeouts() {
    let gpu = Gpu::acquire().unwrap();
    let (events, id) = Events::new(&gpu).unwrap();
    assert_eq!(events.wait_one(id, 0), Ok(TIMEOUT));
    let start = Instant::now();
    assert_eq!(events.wait_one(id, 100), Ok(TIMEOUT));
    // a driver that goes by ticks alone may be early where a busy host delivers some late
    let early = start.elapsed() < Duration::from_millis(95);
    assert!(!early || record::recording(), "{:?}", start.elapsed());
    set(&gpu, id).unwrap();
    assert_eq!(events.wait_one(id, 0), Ok(COMPLETE));
    // without auto-reset it stays signalled
    assert_eq!(events.wait_one(id, u32::MAX), Ok(COMPLETE));
    reset(&gpu, id).unwrap();
    assert_eq!(events.wait_one(id, 0), Ok(TIMEOUT));
}

fn any_and_all() {
    let gpu = Gpu::acquire().unwrap();
    let (events, a) = Events::new(&gpu).unwrap();
    let b = events.create(event_type::SIGNAL, false).unwrap();
    let both = |all| wait(&gpu, &mut [wanted(a, 0), wanted(b, 0)], all, 20);
    assert_eq!(both(false), Ok(TIMEOUT));
    set(&gpu, b).unwrap();
    assert_eq!(both(false), Ok(COMPLETE));
    assert_eq!(both(true), Ok(TIMEOUT));
    set(&gpu, a).unwrap();
    assert_eq!(both(true), Ok(COMPLETE));
}

fn auto_reset() {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let id = events.create(event_type::SIGNAL, true).unwrap();
    set(&gpu, id).unwrap();
    set(&gpu, id).unwrap();
    assert_eq!(events.wait_one(id, 0), Ok(COMPLETE));
    assert_eq!(events.wait_one(id, 0), Ok(TIMEOUT));
}

fn ages() {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    let age = |seen| {
        let mut data = [wanted(id, seen)];
        let result = wait(&gpu, &mut data, false, 0);
        (result, data[0].payload.signal_event_data().last_event_age)
    };
    // an event starts at age 1
    assert_eq!(age(1), (Ok(TIMEOUT), 1));
    set(&gpu, id).unwrap();
    assert_eq!(age(1), (Ok(COMPLETE), 2));
    reset(&gpu, id).unwrap();
    // a signal that was missed is seen by its age
    assert_eq!(age(1), (Ok(COMPLETE), 2));
    assert_eq!(age(2), (Ok(TIMEOUT), 2));
    // 0 switches ages off
    assert_eq!(age(0), (Ok(TIMEOUT), 0));
}

fn bad_waits() {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    refused!(
        wait(&gpu, &mut [wanted(id + 1, 0)], false, 0),
        EINVAL,
        "event_id is"
    );
    refused!(
        wait(&gpu, &mut [wanted(id, 0), wanted(u32::MAX, 0)], true, 0),
        EINVAL,
        "event_id is 0xffffffff"
    );
    for events_ptr in [0, 4096, u64::MAX - 7] {
        let mut args = WaitEvents {
            events_ptr,
            num_events: 1,
            ..Default::default()
        };
        refused!(
            gpu.kfd.call(request::WAIT_EVENTS, &mut args),
            EFAULT,
            "events_ptr cannot be read"
        );
        assert_eq!(args.wait_result, wait_result::FAIL);
    }
    let mut args = WaitEvents {
        events_ptr: 4096,
        num_events: u32::MAX,
        ..Default::default()
    };
    refused!(
        gpu.kfd.call(request::WAIT_EVENTS, &mut args),
        ENOMEM,
        "num_events is 0xffffffff"
    );
}

/// Runs `act` on an event that another thread waits for; yields what the wait came to.
fn while_waiting(gpu: &Gpu, id: u32, act: fn(&Gpu, u32)) -> Result<u32, Errno> {
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let mut data: [EventData; 1] = [wanted(id, 0)];
            wait(gpu, &mut data, false, 20_000)
        });
        std::thread::sleep(Duration::from_millis(200));
        act(gpu, id);
        waiter.join().unwrap()
    })
}

fn destroyed_while_waiting() {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    let woken = while_waiting(&gpu, id, |gpu, id| destroy(gpu, id).unwrap());
    assert_eq!(woken, Err(Errno(libc::EIO)));
}

fn set_while_waiting() {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    let woken = while_waiting(&gpu, id, |gpu, id| set(gpu, id).unwrap());
    assert_eq!(woken, Ok(COMPLETE));
}
