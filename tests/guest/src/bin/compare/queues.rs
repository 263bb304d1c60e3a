// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Creating and destroying a queue while there are others.

use crate::meter::Meter;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{destroy, Kind, Parts};

/// Queues with none, with some, and with more others than the hardware has places for.
pub(crate) fn among_others(meter: &mut Meter, gpu: &Gpu) -> Result<(), Errno> {
    // the others do nothing, so that they can have one ring and one save area
    let shared = Parts::new(gpu, Kind::Aql)?;
    let own = Parts::new(gpu, Kind::Aql)?;
    for others in [0, 16, 100] {
        let ids: Vec<_> = (0..others)
            .map(|_| shared.create().map(|made| made.queue_id))
            .collect::<Result<_, _>>()?;
        for _ in 0..meter.rounds(24) {
            let mut id = 0;
            meter.phase(&format!("create a queue, {others} others"), |times| {
                id = times.of(|| own.create())?.queue_id;
                Ok(1)
            })?;
            meter.phase(&format!("destroy a queue, {others} others"), |times| {
                times.of(|| destroy(gpu, id))?;
                Ok(1)
            })?;
        }
        for id in ids {
            destroy(gpu, id)?;
        }
    }
    Ok(())
}
