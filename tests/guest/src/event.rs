// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events of a process.

use crate::buffer::Buffer;
use crate::errno::Errno;
use crate::gpu::Gpu;
use crate::record;
use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::kfd::event::{
    event_type, CreateEvent, DestroyEvent, EventData, ResetEvent, SetEvent, SignalEventData, WaitEvents,
    EVENT_PAGE_SIZE,
};
use amdgpu_uapi::kfd::request;

/// The event page of a process, and calls on its events.
pub struct Events<'a> {
    gpu: &'a Gpu,
    page: Buffer<'a>,
}

impl<'a> Events<'a> {
    /// Makes the event page and a first signal event, which names it.
    pub fn new(gpu: &'a Gpu) -> Result<(Self, u32), Errno> {
        let page = Buffer::gtt(gpu, EVENT_PAGE_SIZE as usize)?;
        let first = create(gpu, page.handle(), event_type::SIGNAL, false)?;
        Ok((Self { gpu, page }, first.event_id))
    }

    /// A further event.
    pub fn create(&self, kind: u32, auto_reset: bool) -> Result<u32, Errno> {
        create(self.gpu, 0, kind, auto_reset).map(|made| made.event_id)
    }

    /// The event page.
    pub fn page(&self) -> &Buffer<'a> {
        &self.page
    }

    /// Address of an event's slot.
    pub fn slot(&self, id: u32) -> u64 {
        self.page.address() + u64::from(id) * 8
    }

    /// Waits until one event is signalled; yields the `wait_result`.
    pub fn wait_one(&self, id: u32, timeout: u32) -> Result<u32, Errno> {
        wait(self.gpu, &mut [wanted(id, 0)], false, timeout)
    }
}

/// CREATE_EVENT with the handle of an event page, or 0.
pub fn create(gpu: &Gpu, page: u64, event_type: u32, auto_reset: bool) -> Result<CreateEvent, Errno> {
    let mut args = CreateEvent {
        event_page_offset: page,
        event_type,
        auto_reset: auto_reset.into(),
        ..Default::default()
    };
    gpu.kfd.call(request::CREATE_EVENT, &mut args).map(|()| args)
}

/// SET_EVENT.
pub fn set(gpu: &Gpu, event_id: u32) -> Result<(), Errno> {
    gpu.kfd
        .call(request::SET_EVENT, &mut SetEvent { event_id, pad: 0 })
}

/// RESET_EVENT.
pub fn reset(gpu: &Gpu, event_id: u32) -> Result<(), Errno> {
    gpu.kfd
        .call(request::RESET_EVENT, &mut ResetEvent { event_id, pad: 0 })
}

/// DESTROY_EVENT.
pub fn destroy(gpu: &Gpu, event_id: u32) -> Result<(), Errno> {
    gpu.kfd
        .call(request::DESTROY_EVENT, &mut DestroyEvent { event_id, pad: 0 })
}

/// An element for [`wait`]: an event, and the age that the caller has seen (0 for none).
pub fn wanted(event_id: u32, last_event_age: u64) -> EventData {
    let mut data = EventData::zeroed();
    data.event_id = event_id;
    data.payload
        .set_signal_event_data(SignalEventData { last_event_age });
    data
}

/// WAIT_EVENTS with a timeout in ms; yields the `wait_result`.
pub fn wait(gpu: &Gpu, events: &mut [EventData], all: bool, timeout: u32) -> Result<u32, Errno> {
    let mut args = WaitEvents {
        events_ptr: events.as_mut_ptr() as u64,
        num_events: events.len() as u32,
        wait_for_all: all.into(),
        timeout,
        wait_result: u32::MAX,
    };
    let result = gpu.kfd.call(request::WAIT_EVENTS, &mut args);
    if record::recording() {
        events
            .iter()
            .for_each(|event| record::answer("event waited for", event.as_bytes()));
    }
    result.map(|()| args.wait_result)
}
