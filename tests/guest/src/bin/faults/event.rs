// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events: their page, making, setting, waiting, ending.

use crate::{shot::Shot, Operation};
use amdgpu_uapi::kfd::event::{event_type, wait_result, EVENT_PAGE_SIZE};
use guest_tests::buffer::Buffer;
use guest_tests::errno::ERESTARTSYS;
use guest_tests::event::{self, wait, wanted, Events};
use guest_tests::gpu::Gpu;
use libc::{EFAULT, EINTR, EINVAL, ENOMEM};

pub(crate) const OPERATIONS: &[Operation] = &[
    ("CREATE_EVENT: the first, with the page", first),
    ("CREATE_EVENT", create),
    ("SET_EVENT", set),
    ("WAIT_EVENTS: two that have happened", wait_for_signaled),
    ("WAIT_EVENTS: with the age of an event", wait_with_age),
    ("WAIT_EVENTS: until the time is over", wait_for_nothing),
    ("DESTROY_EVENT", end),
];

fn first(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let page = Buffer::gtt(&gpu, EVENT_PAGE_SIZE as usize).unwrap();
    let make = |page| event::create(&gpu, page, event_type::SIGNAL, false);
    let made = shot.take(&[ENOMEM, EFAULT, EINTR, ERESTARTSYS], || make(page.handle()));
    if let Err(errno) = made {
        // the failure may have come after the page was taken
        let again = make(page.handle());
        let again = again.or_else(|_| make(0));
        again
            .map_err(|second| format!("after {errno} it fails again, with {second}"))
            .unwrap();
    }
    event::set(&gpu, make(0).unwrap().event_id).unwrap();
}

fn create(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let id = shot.again(&[ENOMEM, EFAULT], || events.create(event_type::SIGNAL, true));
    event::set(&gpu, id).unwrap();
    assert_eq!(events.wait_one(id, 0), Ok(wait_result::COMPLETE));
}

fn set(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (events, id) = Events::new(&gpu).unwrap();
    shot.again(&[EFAULT], || event::set(&gpu, id));
    assert_eq!(events.wait_one(id, 0), Ok(wait_result::COMPLETE));
}

/// Two that reset themselves and that a wait is for together: whatever fails before the wait has found them, they are there
/// the next time.
fn wait_for_signaled(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let ids = [0; 2].map(|_| events.create(event_type::SIGNAL, true).unwrap());
    for id in ids {
        event::set(&gpu, id).unwrap();
    }
    let look = || wait(&gpu, &mut ids.map(|id| wanted(id, 0)), true, 0);
    let found = shot.take(&[ENOMEM, EFAULT, ERESTARTSYS], look);
    match found {
        Ok(found) => assert_eq!(found, wait_result::COMPLETE),
        // that they were found could not be told: then they are reset
        Err(errno) if errno.0 == EFAULT => {}
        Err(_) => assert_eq!(look(), Ok(wait_result::COMPLETE)),
    }
    for id in ids {
        event::set(&gpu, id).unwrap();
    }
    assert_eq!(look(), Ok(wait_result::COMPLETE));
    assert_eq!(look(), Ok(wait_result::TIMEOUT));
}

fn wait_with_age(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    event::set(&gpu, id).unwrap();
    let [event] = shot.again(&[ENOMEM, EFAULT, ERESTARTSYS], || {
        let mut events = [wanted(id, 1)];
        wait(&gpu, &mut events, false, 0).map(|_| events)
    });
    assert!(event.payload.signal_event_data().last_event_age > 1);
}

fn wait_for_nothing(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (events, id) = Events::new(&gpu).unwrap();
    let result = shot.again(&[ENOMEM, EFAULT, ERESTARTSYS], || events.wait_one(id, 2));
    assert_eq!(result, wait_result::TIMEOUT);
}

fn end(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let (_events, id) = Events::new(&gpu).unwrap();
    shot.end(&[EFAULT], EINVAL, || event::destroy(&gpu, id));
}
