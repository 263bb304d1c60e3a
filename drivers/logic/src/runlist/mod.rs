// SPDX-License-Identifier: GPL-2.0
//! Run lists: what the hardware scheduler is to run.
//!
//! A list names each process and after it the queues of that process. If more processes or queues are wanted than
//! the hardware holds, the list ends with a RUN_LIST packet that points at the list itself, and the scheduler goes
//! round it.

use crate::pm4::{MapProcess, MapQueue, Packet, RunList};

/// Dwords of one process in the list.
const PROCESS: u32 = 21;
/// Dwords of one queue.
const QUEUE: u32 = 7;
/// Dwords of the packet that closes the circle.
const CHAIN: u32 = 4;

/// What the hardware can hold at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// VMIDs that the scheduler may give to processes.
    pub processes: u32,
    /// Hardware slots for compute queues.
    pub compute_queues: u32,
}

/// What a list is to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Processes with at least one queue to run.
    pub processes: u32,
    /// Compute queues of all processes.
    pub compute_queues: u32,
    /// SDMA queues of all processes.
    pub sdma_queues: u32,
    /// Queues with global wave sync, of which only one can run at a time.
    pub gws_queues: u32,
}

impl Demand {
    /// More is wanted than the hardware holds, so that it must be shared by time.
    pub fn exceeds(&self, capacity: &Capacity) -> bool {
        self.processes > capacity.processes
            || self.compute_queues > capacity.compute_queues
            || self.gws_queues > 1
    }

    /// Dwords of the list; `None` if it cannot be expressed (its length field has 20 bits).
    pub fn dwords(&self, capacity: &Capacity) -> Option<u32> {
        let queues = self.compute_queues.checked_add(self.sdma_queues)?;
        let chain = if self.exceeds(capacity) { CHAIN } else { 0 };
        let dwords = self
            .processes
            .checked_mul(PROCESS)?
            .checked_add(queues.checked_mul(QUEUE)?)?
            .checked_add(chain)?;
        (dwords < 1 << 20).then_some(dwords)
    }
}

/// Why a list could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError<E> {
    /// More packets came than the buffer has room for.
    Full,
    /// The buffer refused a write.
    Write(E),
}

/// Writes a list of packets into a buffer, dword by dword, by `put(index, value)`.
pub struct Builder<P> {
    put: P,
    room: u32,
    at: u32,
}

impl<E, P: FnMut(u32, u32) -> Result<(), E>> Builder<P> {
    /// A builder for a buffer of `room` dwords.
    pub fn new(room: u32, put: P) -> Self {
        Self { put, room, at: 0 }
    }

    /// Appends a process. Its [`MapProcess::queues`] queues must follow.
    pub fn process(&mut self, process: &MapProcess) -> Result<(), BuildError<E>> {
        self.packet(process)
    }

    /// Appends a queue of the process appended last.
    pub fn queue(&mut self, queue: &MapQueue) -> Result<(), BuildError<E>> {
        self.packet(queue)
    }

    /// Ends the list, which lies at `addr` of VMID 0, and yields the packet that hands it to the scheduler.
    ///
    /// With `chained` the list gets a packet of the same kind as its last.
    pub fn finish(mut self, addr: u64, processes: u8, chained: bool) -> Result<RunList, BuildError<E>> {
        let closing = if chained { CHAIN } else { 0 };
        let dwords = self.at.checked_add(closing).ok_or(BuildError::Full)?;
        let list = RunList {
            addr,
            dwords,
            processes,
            chained,
        };
        if chained {
            self.packet(&list)?;
        }
        // what reaches the HIQ starts the first round: it is not itself part of the circle
        Ok(RunList {
            chained: false,
            ..list
        })
    }

    fn packet(&mut self, packet: &impl Packet) -> Result<(), BuildError<E>> {
        for &word in packet.encode().as_ref() {
            if self.at >= self.room {
                return Err(BuildError::Full);
            }
            (self.put)(self.at, word).map_err(BuildError::Write)?;
            self.at = self.at.checked_add(1).ok_or(BuildError::Full)?;
        }
        Ok(())
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_runlist))]
mod tests {
    use super::*;
    use crate::pm4::Engine;
    #[cfg(test)]
    use proptest::prelude::*;

    const GFX90A: Capacity = Capacity {
        processes: 13,
        compute_queues: 24,
    };

    fn process(queues: u16) -> MapProcess {
        MapProcess {
            pasid: 0x8000,
            page_table_base: 1,
            sh_mem_bases: 0,
            sh_mem_config: 0,
            trap_handler: 0,
            trap_memory: 0,
            gws: 0,
            queues,
            debug_control: 0,
        }
    }

    fn queue() -> MapQueue {
        MapQueue {
            engine: Engine::Compute,
            doorbell: 0,
            mqd: 0,
            write_pointer: 0,
            gws: false,
        }
    }

    #[test]
    fn packet_lengths() {
        assert_eq!(process(0).encode().len(), PROCESS as usize);
        assert_eq!(queue().encode().len(), QUEUE as usize);
        let chain = RunList {
            addr: 0,
            dwords: 0,
            processes: 1,
            chained: true,
        };
        assert_eq!(chain.encode().len(), CHAIN as usize);
    }

    #[test]
    fn oversubscription() {
        let fits = Demand {
            processes: 13,
            compute_queues: 24,
            sdma_queues: 80,
            gws_queues: 1,
        };
        assert!(!fits.exceeds(&GFX90A));
        assert!(Demand {
            processes: 14,
            ..fits
        }
        .exceeds(&GFX90A));
        assert!(Demand {
            compute_queues: 25,
            ..fits
        }
        .exceeds(&GFX90A));
        assert!(Demand {
            gws_queues: 2,
            ..fits
        }
        .exceeds(&GFX90A));
        assert_eq!(
            Demand {
                processes: u32::MAX,
                ..fits
            }
            .dwords(&GFX90A),
            None
        );
        assert_eq!(
            Demand {
                compute_queues: 1 << 20,
                ..fits
            }
            .dwords(&GFX90A),
            None
        );
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn lists_are_as_long_as_foretold(queues in proptest::collection::vec(1u16..8, 1..20)) {
            let demand = Demand {
                processes: queues.len() as u32,
                compute_queues: queues.iter().map(|&q| u32::from(q)).sum(),
                ..Demand::default()
            };
            let chained = demand.exceeds(&GFX90A);
            let dwords = demand.dwords(&GFX90A).unwrap();
            let mut list = std::vec::Vec::new();
            let mut builder = Builder::new(dwords, |at, word| {
                assert_eq!(at as usize, list.len());
                list.push(word);
                Ok::<(), ()>(())
            });
            for &n in &queues {
                builder.process(&process(n)).unwrap();
                for _ in 0..n {
                    builder.queue(&queue()).unwrap();
                }
            }
            let head = builder.finish(0x1000, 13, chained).unwrap();
            prop_assert_eq!(head.dwords, dwords);
            prop_assert_eq!(list.len(), dwords as usize);
            if chained {
                // the last packet points at the list and covers it with itself
                let tail = &list[list.len() - 4..];
                prop_assert_eq!(tail[0], 0xc002_a500);
                prop_assert_eq!(tail[1], 0x1000);
                prop_assert_eq!(tail[3] & 0xf_ffff, dwords);
                prop_assert_eq!(tail[3] >> 20 & 1, 1);
            }
        }

        #[test]
        fn a_full_buffer_is_noticed(room in 0u32..21) {
            let mut builder = Builder::new(room, |at, _| { assert!(at < room); Ok::<(), ()>(()) });
            prop_assert_eq!(builder.process(&process(1)), Err(BuildError::Full));
        }
    }
}
