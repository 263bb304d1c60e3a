// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the register bus, the doorbells and the dispatcher share with the engine: the registers, and a mailbox.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::dispatch_request::DispatchEnd;
use super::queue::flight::Seq;
use super::queue::Token;
use super::regs::{Effect, RegFile};
use super::slot::Slot;

/// News for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// A doorbell set the write pointer of this queue.
    Doorbell(Slot),
    /// A doorbell that no mapped queue has: BAR2 dword index, value.
    Unattached(u32, u64),
    /// A register was written.
    Effect(Effect),
    /// A kernel of a queue ended.
    Ended(Slot, Token, Seq, DispatchEnd),
    /// A SDMA queue that the unmap operation of this number waits for has stopped.
    SdmaStopped(u64),
    /// Back to the power-on state.
    Reset,
    /// End the thread.
    Quit,
}

/// Registers and mailbox.
pub(crate) struct Shared {
    /// All registers. Held for moments only, never across an access to memory or to another block.
    pub(crate) regs: Mutex<RegFile>,
    inbox: Mutex<VecDeque<Message>>,
    arrived: Condvar,
    resets: Mutex<Resets>,
    reset_done: Condvar,
}

/// Resets asked for and carried out.
#[derive(Default)]
struct Resets {
    asked: u64,
    done: u64,
}

impl Shared {
    /// Power-on registers, no news.
    pub(crate) fn new() -> Self {
        Self {
            regs: Mutex::new(RegFile::new()),
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            resets: Mutex::default(),
            reset_done: Condvar::new(),
        }
    }

    /// Posts news. May be called from any thread; never blocks on the engine.
    pub(crate) fn post(&self, message: Message) {
        let mut inbox = self.inbox.lock();
        // one look at a write pointer serves any number of doorbells
        if !(matches!(message, Message::Doorbell(_)) && inbox.back() == Some(&message)) {
            inbox.push_back(message);
        }
        drop(inbox);
        self.arrived.notify_one();
    }

    /// Has the engine return to the power-on state, and waits until it has, at most `limit`; says if it has.
    pub(crate) fn reset(&self, limit: Duration) -> bool {
        let mut resets = self.resets.lock();
        resets.asked = resets.asked.wrapping_add(1);
        let mine = resets.asked;
        self.post(Message::Reset);
        let waited = self
            .reset_done
            .wait_while_for(&mut resets, |r| r.done < mine, limit);
        !waited.timed_out()
    }

    /// So many resets have been carried out.
    pub(crate) fn have_reset(&self, count: u64) {
        if count > 0 {
            let mut resets = self.resets.lock();
            resets.done = resets.done.wrapping_add(count);
            self.reset_done.notify_all();
        }
    }

    /// The next news.
    pub(crate) fn next(&self) -> Option<Message> {
        self.inbox.lock().pop_front()
    }

    /// Whether there is news.
    pub(crate) fn has_news(&self) -> bool {
        !self.inbox.lock().is_empty()
    }

    /// Whether there is news from the bus.
    pub(crate) fn is_called(&self) -> bool {
        self.inbox.lock().iter().any(|message| {
            matches!(
                message,
                Message::Doorbell(_) | Message::Unattached(..) | Message::Effect(_)
            )
        })
    }

    /// Sleeps until there is news, at most `limit`.
    pub(crate) fn sleep(&self, limit: Option<Duration>) {
        let mut inbox = self.inbox.lock();
        if !inbox.is_empty() {
            return;
        }
        match limit {
            Some(limit) => {
                self.arrived.wait_for(&mut inbox, limit);
            }
            None => self.arrived.wait(&mut inbox),
        }
    }
}
