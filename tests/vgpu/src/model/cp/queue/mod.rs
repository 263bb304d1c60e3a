// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue on a hardware slot: where it reads, what it has started, what it waits for.

pub(crate) mod aql;
pub(crate) mod flight;
pub(crate) mod ring;

use self::aql::Aql;
use self::flight::Flight;
use self::ring::Ring;
use super::dispatch_request::QueueIdent;
use super::mqd::{Mqd, SavedIb};
use super::pm4::Eop;
use super::slot::Slot;

/// Distinguishes queues that were on the same slot one after the other.
pub(crate) type Token = u64;

/// How long a queue that polls waits before the second look, and at most (ticks of 10 ns).
const POLL_FIRST: u64 = 50 * 100;
const POLL_LAST: u64 = 1000 * 100;

/// What a queue may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Kernel interface queue: maps kernel queues.
    Kiq,
    /// Scheduler queue: takes run lists.
    Hiq,
    /// Mapped by KIQ packet or by registers.
    Direct,
    /// Mapped from a run list.
    Scheduled {
        /// Survives the unmapping of non-static queues.
        is_static: bool,
    },
}

/// What a queue is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// There may be a packet to execute.
    Ready,
    /// No packet; a doorbell wakes it.
    Idle,
    /// A packet waits for memory or a register; looks again at this time.
    Poll(u64),
    /// A packet waits for kernels of this queue to end.
    Blocked,
    /// A packet waits for the scheduler firmware.
    Scheduler,
    /// An error stopped it for good; it can only be taken off its slot.
    Halted,
}

/// How a queue is being taken off its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Fetches no more packets; running waves end by themselves.
    Drain,
    /// Running waves are removed.
    Reset,
}

/// A descriptor a queue was loaded from.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// Its address in VMID 0.
    pub(crate) at: u64,
    /// What it said then; `None` if the queue was set up by registers.
    pub(crate) image: Option<Mqd>,
}

/// An indirect buffer being executed.
pub(crate) type Ib = SavedIb;

/// A queue on its slot.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) slot: Slot,
    pub(crate) token: Token,
    pub(crate) ident: QueueIdent,
    pub(crate) role: Role,
    pub(crate) vmid: u8,
    pub(crate) pasid: u16,
    pub(crate) privileged: bool,
    /// Ring of dwords (PM4) or packets (AQL).
    pub(crate) ring: Ring,
    /// AQL bookkeeping, if the ring holds AQL packets.
    pub(crate) aql: Option<Aql>,
    /// Indirect buffer being executed.
    pub(crate) ib: Option<Ib>,
    /// How far the current packet got.
    pub(crate) progress: u64,
    pub(crate) atomic_return: u64,
    pub(crate) flight: Flight<Eop>,
    pub(crate) state: State,
    pub(crate) stop: Option<Stop>,
    /// Where the wrapped read pointer is reported; AQL: where the read index lives.
    pub(crate) rptr_report: u64,
    /// Whether a PM4 ring's read pointer is reported at all.
    pub(crate) reports_rptr: bool,
    /// Where the write pointer is in memory; 0 if nowhere.
    pub(crate) wptr_poll: u64,
    pub(crate) loaded: Option<Loaded>,
    /// Packets executed, for the scheduler's idea of being busy.
    pub(crate) packets: u64,
    /// The number in `packets` of the packet that is in the trace already.
    pub(crate) recorded: Option<u64>,
    poll_after: u64,
}

/// What is needed to put a queue together.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) slot: Slot,
    pub(crate) token: Token,
    pub(crate) ident: QueueIdent,
    pub(crate) role: Role,
    pub(crate) vmid: u8,
    pub(crate) pasid: u16,
    pub(crate) privileged: bool,
    pub(crate) ring: Ring,
    pub(crate) aql: Option<Aql>,
    pub(crate) ib: Option<Ib>,
    pub(crate) rptr_report: u64,
    pub(crate) reports_rptr: bool,
    pub(crate) wptr_poll: u64,
    pub(crate) loaded: Option<Loaded>,
}

impl Queue {
    /// A queue that has just been put on its slot.
    pub(crate) fn new(s: Setup) -> Self {
        Self {
            slot: s.slot,
            token: s.token,
            ident: s.ident,
            role: s.role,
            vmid: s.vmid,
            pasid: s.pasid,
            privileged: s.privileged,
            ring: s.ring,
            aql: s.aql,
            ib: s.ib,
            progress: 0,
            atomic_return: 0,
            flight: Flight::default(),
            state: State::Ready,
            stop: None,
            rptr_report: s.rptr_report,
            reports_rptr: s.reports_rptr,
            wptr_poll: s.wptr_poll,
            loaded: s.loaded,
            packets: 0,
            recorded: None,
            poll_after: POLL_FIRST,
        }
    }

    /// The packet did not get through; look again later, each time a little later.
    pub(crate) fn poll(&mut self, now: u64) {
        self.state = State::Poll(now.saturating_add(self.poll_after));
        self.poll_after = self.poll_after.saturating_mul(2).min(POLL_LAST);
    }

    /// Something happened that may let the queue go on.
    pub(crate) fn wake(&mut self) {
        if matches!(self.state, State::Idle | State::Blocked | State::Poll(_)) {
            self.state = State::Ready;
        }
    }

    /// A packet got through.
    pub(crate) fn packet_done(&mut self) {
        self.progress = 0;
        self.poll_after = POLL_FIRST;
        self.packets = self.packets.wrapping_add(1);
    }

    /// Whether it may execute packets at this time.
    pub(crate) fn runnable(&self, now: u64) -> bool {
        self.stop.is_none()
            && match self.state {
                State::Ready => true,
                State::Poll(at) => at <= now,
                _ => false,
            }
    }

    /// Whether it has been taken off as far as its own work goes: being stopped, and nothing runs any more.
    pub(crate) fn stopped(&self) -> bool {
        match self.stop {
            None => false,
            Some(Stop::Drain) => {
                self.flight.idle() || self.state == State::Halted && self.flight.running() == 0
            }
            Some(Stop::Reset) => self.flight.running() == 0,
        }
    }
}
