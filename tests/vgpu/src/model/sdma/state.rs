// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an engine's lock protects: registers, queues, and whose turn it is.

use std::time::Instant;

use super::queue::Queue;
use super::regs::{self, global, queue as q, GFX, QUEUES, RLC0};
use super::QueueError;

/// Engine-wide registers.
const GLOBALS: usize = 0x80;

/// Registers and queues of one engine.
pub(super) struct State {
    global: [u32; GLOBALS],
    pub(super) queues: [Queue; QUEUES],
    /// The queue that a slice is running on.
    pub(super) running: Option<usize>,
    /// The queue that ran last; the next one has its turn first.
    pub(super) last: usize,
    /// What the engine's own clock is ahead of the card's (TIMESTAMP SET).
    pub(super) clock_offset: u64,
    /// The thread shall end.
    pub(super) quit: bool,
}

/// What the thread does next.
pub(super) enum Choice {
    /// Run a slice of this queue.
    Run(usize),
    /// Nothing before this time: only polls wait.
    WaitUntil(Instant),
    /// Nothing before something changes.
    Wait,
}

impl State {
    /// The power-on state: halted, all queues disabled.
    pub(super) fn power_on() -> Self {
        let mut global = [0; GLOBALS];
        for (reg, value) in regs::GLOBAL_DEFAULTS {
            if let Some(r) = global.get_mut(*reg as usize) {
                *r = *value;
            }
        }
        Self {
            global,
            queues: std::array::from_fn(|_| Queue::new()),
            running: None,
            last: GFX,
            clock_offset: 0,
            quit: false,
        }
    }

    /// An engine-wide register.
    pub(super) fn get_global(&self, reg: u32) -> u32 {
        self.global.get(reg as usize).copied().unwrap_or(0)
    }

    /// Stores an engine-wide register without side effects.
    pub(super) fn set_global(&mut self, reg: u32, value: u32) {
        if let Some(r) = self.global.get_mut(reg as usize) {
            *r = value;
        }
    }

    /// User queue `slot`, 0..=7.
    pub(super) fn rlc(&mut self, slot: usize) -> Result<&mut Queue, QueueError> {
        let index = slot.checked_add(RLC0).ok_or(QueueError::NoSuchQueue { slot })?;
        self.queues.get_mut(index).ok_or(QueueError::NoSuchQueue { slot })
    }

    fn halted(&self) -> bool {
        self.get_global(global::F32_CNTL) & global::HALT != 0
            || self.get_global(global::FREEZE) & global::FREEZE_REQ != 0
    }

    /// Whether STATUS_REG.IDLE is 0.
    pub(super) fn busy(&self) -> bool {
        self.running.is_some() || self.queues.iter().any(Queue::has_work)
    }

    /// CONTEXT_STATUS of a queue.
    pub(super) fn context_status(&self, index: usize) -> u32 {
        let Some(queue) = self.queues.get(index) else {
            return 0;
        };
        let running = self.running == Some(index);
        let mut status = 0;
        if running {
            status |= q::SELECTED;
        }
        if !running && !queue.has_work() {
            status |= q::IDLE;
        }
        if queue.exception {
            status |= q::EXCEPTION;
        }
        status
    }

    /// The next queue with work whose poll may be tried again, in turn.
    pub(super) fn choose(&self, now: Instant) -> Choice {
        if self.halted() {
            return Choice::Wait;
        }
        let mut earliest: Option<Instant> = None;
        for step in 1..=QUEUES {
            let index = (self.last + step) % QUEUES;
            let Some(queue) = self.queues.get(index).filter(|queue| queue.has_work()) else {
                continue;
            };
            match queue.retry_at {
                Some(then) if then > now => earliest = Some(earliest.map_or(then, |e| e.min(then))),
                _ => return Choice::Run(index),
            }
        }
        earliest.map_or(Choice::Wait, Choice::WaitUntil)
    }
}
