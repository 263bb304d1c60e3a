// SPDX-License-Identifier: GPL-2.0
//! Events.

use super::{element_of, read_array, Call, Outcome};
use crate::glue::user;
use crate::gpu::kfd::{
    events::{EventPage, News, Verdict, Wanted},
    failure::{Explain, Failure},
};
use amdgpu_logic::kfd::{
    event::{Kind, Report},
    Errno, Expected, Refusal,
};
use amdgpu_uapi::{
    abi::Abi,
    kfd::{
        event::{
            limit, wait_result, CreateEvent, DestroyEvent, EventData, ResetEvent, SetEvent, SignalEventData,
            WaitEvents, EVENT_PAGE_SIZE,
        },
        mmap,
    },
};
use kernel::prelude::*;

/// CREATE_EVENT.
pub(super) fn create(call: &Call<'_>, args: &mut CreateEvent) -> Outcome {
    if args.event_page_offset != 0 {
        set_page(call, args.event_page_offset)?;
    }
    args.event_page_offset = 0;
    let kind = Kind::from_abi(args.event_type);
    let id = call
        .process
        .events
        .create(kind, args.auto_reset != 0)
        .explain_by(&[
            (ENOMEM, "event_page_offset: there is no event page yet"),
            (ENOSPC, "the process has as many events as it may"),
        ])?;
    args.event_id = id;
    args.event_trigger_data = id;
    if kind.has_slot() {
        args.event_page_offset = mmap::kind::EVENTS;
        args.event_slot_index = id;
    }
    Ok(())
}

/// The buffer `handle` becomes the event page.
fn set_page(call: &Call<'_>, handle: u64) -> Outcome {
    let refused = |expected| Refusal::invalid("event_page_offset", handle, expected);
    let mut event_page = call.process.event_page.lock();
    if event_page.is_some() {
        return Err(refused("0: there is an event page").into());
    }
    call.bound(handle)?;
    let (device, _, buffer) = call.buffer("event_page_offset", handle, Errno::Inval)?;
    // unbind frees what is pinned and mapped only once this is done
    let _guard = device.node().device().enter().explain("the GPU is gone")?;
    if buffer.size() < EVENT_PAGE_SIZE {
        let least = Expected::AtLeast(EVENT_PAGE_SIZE);
        return Err(Refusal::range("size of the event page", buffer.size(), least).into());
    }
    let bo = buffer.bo().filter(|_| buffer.kind().shows_on_render_node());
    let bo = bo.ok_or(refused("a buffer in GTT"))?;
    let page = EventPage::new(bo).explain("the event page cannot be mapped")?;
    call.process.events.set_page(page)?;
    *event_page = Some(handle);
    Ok(())
}

/// SET_EVENT and RESET_EVENT are for events that the CPU may signal.
fn not_settable(id: u32) -> Refusal {
    Refusal::invalid("event_id", id.into(), "a signal event of the process")
}

/// DESTROY_EVENT.
pub(super) fn destroy(call: &Call<'_>, args: &mut DestroyEvent) -> Outcome {
    Ok(call
        .process
        .events
        .destroy(args.event_id)
        .map_err(|_| Refusal::invalid("event_id", args.event_id.into(), "an event of the process"))?)
}

/// SET_EVENT.
pub(super) fn set(call: &Call<'_>, args: &mut SetEvent) -> Outcome {
    Ok(call
        .process
        .events
        .set(args.event_id)
        .map_err(|_| not_settable(args.event_id))?)
}

/// RESET_EVENT.
pub(super) fn reset(call: &Call<'_>, args: &mut ResetEvent) -> Outcome {
    Ok(call
        .process
        .events
        .reset(args.event_id)
        .map_err(|_| not_settable(args.event_id))?)
}

/// WAIT_EVENTS.
pub(super) fn wait(call: &Call<'_>, args: &mut WaitEvents) -> Outcome {
    args.wait_result = wait_result::FAIL;
    if args.num_events > limit::SIGNAL_EVENT_LIMIT {
        let most = Expected::AtMost(limit::SIGNAL_EVENT_LIMIT.into());
        let refusal = Refusal::range("num_events", args.num_events.into(), most);
        return Err(refusal.with(Errno::NoMem).into());
    }
    let mut events = read_array::<EventData>(args.events_ptr, args.num_events as usize)
        .explain("events_ptr cannot be read")?;
    let mut wanted = KVVec::with_capacity(events.len(), GFP_KERNEL)?;
    for event in &events {
        let age = event.payload.signal_event_data().last_event_age;
        wanted.push(
            Wanted {
                id: event.event_id,
                age,
            },
            GFP_KERNEL,
        )?;
    }
    let outcome = call
        .process
        .events
        .wait(&wanted, args.wait_for_all != 0, args.timeout);
    let outcome = outcome?;
    args.wait_result = match outcome.verdict {
        Verdict::Complete => wait_result::COMPLETE,
        Verdict::TimedOut => wait_result::TIMEOUT,
        Verdict::Destroyed => return Err(Failure::Failed(EIO, "an event was destroyed")),
        Verdict::Killed => return Err(EINTR.into()),
        Verdict::Interrupted(left) => {
            args.timeout = left;
            return Err(ERESTARTSYS.into());
        }
    };
    for (place, news) in &outcome.news {
        let Some(event) = events.get_mut(*place) else {
            continue;
        };
        tell(args.events_ptr, *place, event, news).inspect_err(|_| args.wait_result = wait_result::FAIL)?;
    }
    Ok(())
}

/// Writes what there is to tell about the event at `place`.
fn tell(events_ptr: u64, place: usize, event: &mut EventData, news: &News) -> Result<(), Failure> {
    let len = match news {
        News::Age(last_event_age) => {
            event.payload.set_signal_event_data(SignalEventData {
                last_event_age: *last_event_age,
            });
            size_of::<SignalEventData>()
        }
        News::Report(Report::Memory(data)) => {
            event.payload.set_memory_exception_data(*data);
            size_of_val(data)
        }
        News::Report(Report::HwException(data)) => {
            event.payload.set_hw_exception_data(*data);
            size_of_val(data)
        }
    };
    let at = element_of::<EventData>(events_ptr, place)?;
    let bytes = event.payload.as_bytes().get(..len).ok_or(EINVAL)?;
    user::write(at, bytes).explain("events_ptr cannot be written")
}
