// SPDX-License-Identifier: Apache-2.0 OR MIT
//! HSA signals in memory (amd_hsa_signal.h: amd_signal_t; a handle is the structure's address).

use super::super::bus::{Bus, Mem};

/// Byte offsets of fields.
mod at {
    pub(super) const VALUE: u64 = 0x08;
    pub(super) const MAILBOX: u64 = 0x10;
    pub(super) const EVENT_ID: u64 = 0x18;
    pub(super) const START: u64 = 0x20;
    pub(super) const END: u64 = 0x28;
}

/// The value of a signal.
pub(crate) fn value(bus: &dyn Bus, vmid: u8, handle: u64) -> Mem<i64> {
    Ok(bus.read64(vmid, handle.wrapping_add(at::VALUE))? as i64)
}

/// Completes a packet: time stamps, then the value goes down by one, then the event, if the signal has one. Returns the
/// event id to interrupt with.
pub(crate) fn complete(bus: &dyn Bus, vmid: u8, handle: u64, start: u64, end: u64) -> Mem<Option<u32>> {
    bus.write64(vmid, handle.wrapping_add(at::START), start)?;
    bus.write64(vmid, handle.wrapping_add(at::END), end)?;
    bus.rmw64(vmid, handle.wrapping_add(at::VALUE), &mut |v| v.wrapping_sub(1))?;
    notify(bus, vmid, handle)
}

/// Stores a value, then the event as for [`complete`].
pub(crate) fn store(bus: &dyn Bus, vmid: u8, handle: u64, value: u64) -> Mem<Option<u32>> {
    bus.rmw64(vmid, handle.wrapping_add(at::VALUE), &mut |_| value)?;
    notify(bus, vmid, handle)
}

fn notify(bus: &dyn Bus, vmid: u8, handle: u64) -> Mem<Option<u32>> {
    let mailbox = bus.read64(vmid, handle.wrapping_add(at::MAILBOX))?;
    if mailbox == 0 {
        return Ok(None);
    }
    let event = bus.read32(vmid, handle.wrapping_add(at::EVENT_ID))?;
    bus.write64(vmid, mailbox, event.into())?;
    Ok(Some(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cp::testing::FakeBus;

    #[test]
    fn completion_stamps_decrements_and_notifies() {
        let bus = FakeBus::new();
        bus.poke64(3, 0x1008, 1);
        assert_eq!(complete(&*bus, 3, 0x1000, 10, 20), Ok(None));
        assert_eq!(value(&*bus, 3, 0x1000), Ok(0));
        assert_eq!((bus.peek64(3, 0x1020), bus.peek64(3, 0x1028)), (10, 20));
        bus.map(3, 0x2000, 8);
        bus.poke64(3, 0x1010, 0x2000);
        bus.poke32(3, 0x1018, 77);
        assert_eq!(complete(&*bus, 3, 0x1000, 0, 0), Ok(Some(77)));
        assert_eq!(value(&*bus, 3, 0x1000), Ok(-1));
        assert_eq!(bus.peek64(3, 0x2000), 77);
        assert_eq!(store(&*bus, 3, 0x1000, 0x100), Ok(Some(77)));
        assert_eq!(value(&*bus, 3, 0x1000), Ok(0x100));
    }
}
