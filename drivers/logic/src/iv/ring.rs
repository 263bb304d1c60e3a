// SPDX-License-Identifier: GPL-2.0
//! Walking the interrupt ring.
//!
//! The device appends entries and publishes its write pointer, a byte offset, with the overflow flag in bit 0; the
//! driver consumes entries and hands back its read pointer. When the ring is full the device goes on and overwrites
//! the oldest entries, sets the flag, and the driver resumes at the oldest entry that is still whole.

use super::BYTES;

/// The driver's side of an interrupt ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IhRing {
    bytes: u32,
    read: u32,
}

/// What a write pointer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Entries that wait.
    pub entries: u32,
    /// Entries were overwritten before they were read: what they told must be found out by other means, and the
    /// overflow must be acknowledged to the device.
    pub overflow: bool,
}

/// A write pointer that no correct device can publish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingError {
    /// It does not point at the beginning of an entry.
    Misaligned(u32),
}

/// Set in the write pointer when entries were lost (osssys_4_2_0_sh_mask.h: IH_RB_WPTR.RB_OVERFLOW).
const OVERFLOW: u32 = 1;

impl IhRing {
    /// An empty ring of `bytes` bytes; `None` unless that is a power of two that holds at least two entries.
    pub const fn new(bytes: u32) -> Option<Self> {
        if bytes.is_power_of_two() && bytes >= 2 * BYTES {
            Some(Self { bytes, read: 0 })
        } else {
            None
        }
    }

    /// Takes notice of a published write pointer. After an overflow the read pointer has moved past what is lost.
    pub fn published(&mut self, write: u32) -> Result<Batch, RingError> {
        let overflow = write & OVERFLOW != 0;
        let write = self.wrap(write & !OVERFLOW);
        if write % BYTES != 0 {
            return Err(RingError::Misaligned(write));
        }
        if overflow {
            self.read = self.wrap(write.wrapping_add(BYTES));
        }
        let entries = self.wrap(write.wrapping_sub(self.read)) / BYTES;
        Ok(Batch { entries, overflow })
    }

    /// Byte offset of the oldest entry not consumed, which is also the read pointer the device is to get.
    pub const fn read_pointer(&self) -> u32 {
        self.read
    }

    /// The oldest entry has been consumed.
    pub fn consume(&mut self) {
        self.read = self.wrap(self.read.wrapping_add(BYTES));
    }

    const fn wrap(&self, offset: u32) -> u32 {
        offset & self.bytes.wrapping_sub(1)
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_iv_ring))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn sizes() {
        assert!(IhRing::new(32).is_none());
        assert!(IhRing::new(96).is_none());
        assert!(IhRing::new(0x40000).is_some());
    }

    #[test]
    fn wraps() {
        let mut ring = IhRing { bytes: 128, read: 96 };
        assert_eq!(
            ring.published(32),
            Ok(Batch {
                entries: 2,
                overflow: false
            })
        );
        ring.consume();
        assert_eq!(ring.read_pointer(), 0);
        ring.consume();
        assert_eq!(
            ring.published(32),
            Ok(Batch {
                entries: 0,
                overflow: false
            })
        );
    }

    #[test]
    fn overflow_resumes_at_the_oldest_whole_entry() {
        let mut ring = IhRing { bytes: 128, read: 0 };
        assert_eq!(
            ring.published(64 | 1),
            Ok(Batch {
                entries: 3,
                overflow: true
            })
        );
        assert_eq!(ring.read_pointer(), 96);
    }

    #[test]
    fn nonsense_is_refused() {
        let mut ring = IhRing { bytes: 128, read: 0 };
        assert_eq!(ring.published(36), Err(RingError::Misaligned(36)));
        assert_eq!(ring.read_pointer(), 0);
    }

    #[cfg(test)]
    proptest! {
        /// A model device that never overflows: everything arrives once and in order.
        #[test]
        fn nothing_is_lost_without_overflow(bursts in proptest::collection::vec(0u32..7, 0..50)) {
            let mut ring = IhRing::new(8 * BYTES).unwrap();
            let mut memory = [0u32; 8];
            let (mut write, mut sent, mut seen) = (0u32, 0u32, 0u32);
            for burst in bursts {
                for _ in 0..burst {
                    memory[(write / BYTES) as usize] = sent;
                    sent += 1;
                    write = (write + BYTES) % (8 * BYTES);
                }
                let batch = ring.published(write).unwrap();
                prop_assert_eq!(batch, Batch { entries: burst, overflow: false });
                for _ in 0..batch.entries {
                    prop_assert_eq!(memory[(ring.read_pointer() / BYTES) as usize], seen);
                    seen += 1;
                    ring.consume();
                }
            }
            prop_assert_eq!(seen, sent);
        }

        #[test]
        fn never_leaves_the_ring(writes in proptest::collection::vec(any::<u32>(), 0..50)) {
            let mut ring = IhRing::new(1024).unwrap();
            for write in writes {
                if let Ok(batch) = ring.published(write) {
                    prop_assert!(batch.entries < 32);
                    for _ in 0..batch.entries {
                        ring.consume();
                    }
                }
                prop_assert!(ring.read_pointer() < 1024 && ring.read_pointer() % BYTES == 0);
            }
        }
    }
}
