// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the signal of an event to the return of a thread that waits for it.

use crate::meter::Meter;
use amdgpu_uapi::kfd::event::{event_type, EventData};
use guest_tests::errno::Errno;
use guest_tests::event::{set, wait, wanted, Events};
use guest_tests::gpu::Gpu;
use guest_tests::queue::{pm4, Kind, Queue};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// All signal events that a process may have but one, which a limit of 4096 leaves.
const MOST: usize = 4095;

/// With few and with many events that the process has, or waits for: signalled by a call, and by the device.
pub(crate) fn wake_up(meter: &mut Meter, gpu: &Gpu) -> Result<(), Errno> {
    let (events, first) = Events::new(gpu)?;
    let queue = Queue::new(gpu, Kind::Pm4)?;
    let mut ids = vec![first];
    for count in [1, 64, 1024, MOST] {
        while ids.len() < count {
            ids.push(events.create(event_type::SIGNAL, true)?);
        }
        // the last is the worst to find; the first has no auto-reset
        let id = match ids.as_slice() {
            [_] => events
                .create(event_type::SIGNAL, true)
                .inspect(|id| ids.push(*id))?,
            [.., last] => *last,
            [] => return Err(Errno(libc::ENOENT)),
        };
        let by_call = || set(gpu, id);
        let by_device = || {
            queue.submit(&pm4::release(events.slot(id), id));
            Ok(())
        };
        let one = [id];
        latency(
            meter,
            gpu,
            &format!("SET_EVENT to wake-up, {count} events"),
            &one,
            by_call,
        )?;
        latency(
            meter,
            gpu,
            &format!("interrupt to wake-up, {count} events"),
            &one,
            by_device,
        )?;
        if count > 1 {
            latency(
                meter,
                gpu,
                &format!("SET_EVENT to wake-up, waiting for {count}"),
                &ids[1..],
                by_call,
            )?;
        }
    }
    Ok(())
}

/// Signals again and again while another thread waits for any of `ids`.
fn latency(
    meter: &mut Meter,
    gpu: &Gpu,
    operation: &str,
    ids: &[u32],
    signal: impl Fn() -> Result<(), Errno>,
) -> Result<(), Errno> {
    let rounds = meter.rounds(40);
    meter.phase(operation, |times| {
        std::thread::scope(|scope| {
            let (woken, wakes) = mpsc::channel();
            scope.spawn(move || {
                let wanted: Vec<EventData> = ids.iter().map(|id| wanted(*id, 0)).collect();
                for _ in 0..rounds {
                    let mut data = wanted.clone();
                    let result = wait(gpu, &mut data, false, 20_000);
                    if woken.send(result.map(|_| Instant::now())).is_err() {
                        break;
                    }
                }
            });
            for _ in 0..rounds {
                // so that the other thread sleeps
                std::thread::sleep(Duration::from_millis(5));
                let start = Instant::now();
                signal()?;
                let end = wakes.recv().map_err(|_| Errno(libc::EPIPE))??;
                times.push(end.saturating_duration_since(start));
            }
            Ok(rounds)
        })
    })
}
