// SPDX-License-Identifier: GPL-2.0
//! Waiting for events.

use super::{waiter::Waiter, Events};
use crate::{
    glue::wait::{self, WaitError},
    gpu::kfd::failure::Failure,
};
use amdgpu_logic::kfd::{
    event::{Kind, Report},
    Refusal,
};
use amdgpu_uapi::kfd::event::TIMEOUT_INFINITE;
use kernel::{
    prelude::*,
    sync::Arc,
    time::{Delta, Instant, Monotonic},
};

/// An event that is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Its number.
    pub(crate) id: u32,
    /// The age that the caller has seen; 0 if ages do not count.
    pub(crate) age: u64,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As it should.
    Complete,
    /// The time is over.
    TimedOut,
    /// An event was destroyed.
    Destroyed,
    /// A signal came; so many ms are left.
    Interrupted(u32),
    /// The caller is being killed.
    Killed,
}

/// What a wait has found.
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// What there is to tell, with the place of the event among those waited for.
    pub(crate) news: KVVec<(usize, News)>,
}

/// What there is to tell about an event that happened.
#[derive(Clone, Copy)]
pub(crate) enum News {
    /// What came with it.
    Report(Report),
    /// How old it is now.
    Age(u64),
}

/// How long a sleep lasts at most before it looks at what is left of the time.
const LONGEST_SLEEP_MS: u32 = i32::MAX as u32;

impl Events {
    /// Waits for all or any of `wanted`, at most `timeout` ms. `EINVAL` if there is no such event, `ENOMEM`.
    pub(crate) fn wait(&self, wanted: &[Wanted], all: bool, timeout: u32) -> Result<Outcome, Failure> {
        let waiter = Waiter::new(wanted.len(), all)?;
        // before anything is taken from an event, which would be lost for want of memory
        let mut news = KVVec::with_capacity(wanted.len(), GFP_KERNEL)?;
        let begun = self.begin(wanted, &waiter);
        let verdict = begun.map(|()| sleep(&waiter, timeout));
        let repeated = !matches!(
            verdict,
            Ok(Verdict::Complete | Verdict::TimedOut | Verdict::Destroyed)
        );
        let complete = matches!(verdict, Ok(Verdict::Complete));
        self.end(wanted, &waiter, repeated, complete, &mut news);
        Ok(Outcome {
            verdict: verdict?,
            news,
        })
    }

    fn begin(&self, wanted: &[Wanted], waiter: &Arc<Waiter>) -> Result<(), Failure> {
        let mut inner = self.inner.lock();
        for (place, wanted) in wanted.iter().enumerate() {
            let unknown = Refusal::invalid("event_id", wanted.id.into(), "an event of the process");
            let entry = inner.entries.get_mut(&wanted.id).ok_or(unknown)?;
            entry.waiters.push((waiter.clone(), place), GFP_KERNEL)?;
            if entry.event.begin_wait(wanted.age).activated {
                // which does not sleep yet
                let _ = waiter.activate(place);
            }
        }
        Ok(())
    }

    /// Leaves the lists of waiters. `repeated`: the wait will be done again, and must find then what it found now.
    /// `news`, which has room for all, gets what there is to tell if the wait is `complete`.
    fn end(
        &self,
        wanted: &[Wanted],
        waiter: &Arc<Waiter>,
        repeated: bool,
        complete: bool,
        news: &mut KVVec<(usize, News)>,
    ) {
        let mut inner = self.inner.lock();
        for (place, wanted) in wanted.iter().enumerate() {
            let Some(entry) = inner.entries.get_mut(&wanted.id) else {
                continue;
            };
            let is_ours = |(other, at): &(Arc<Waiter>, usize)| Arc::ptr_eq(other, waiter) && *at == place;
            if !entry.waiters.iter().any(is_ours) {
                // another event, with the number of the one that was waited for
                continue;
            }
            entry.waiters.retain(|w| !is_ours(w));
            if !waiter.is_activated(place) {
                continue;
            }
            if repeated {
                entry.event.give_back(!entry.waiters.is_empty());
            }
            if complete {
                let report = entry.event.report().copied().map(News::Report);
                let wants_age = wanted.age != 0 && entry.event.kind() == Kind::Signal;
                let age = wants_age.then(|| News::Age(entry.event.age()));
                if let Some(told) = report.or(age) {
                    // there is room for all
                    let _ = news.push_within_capacity((place, told));
                }
            }
        }
    }
}

/// Sleeps, in pieces.
fn sleep(waiter: &Waiter, timeout: u32) -> Verdict {
    let begin = Instant::<Monotonic>::now();
    let left = || match timeout {
        TIMEOUT_INFINITE => LONGEST_SLEEP_MS,
        ms => ms.saturating_sub(u32::try_from(begin.elapsed().as_millis()).unwrap_or(u32::MAX)),
    };
    loop {
        let ms = left();
        let result = waiter.sleep(Delta::from_millis(ms.min(LONGEST_SLEEP_MS).into()));
        match result {
            Ok(()) if waiter.is_destroyed() => return Verdict::Destroyed,
            Ok(()) => return Verdict::Complete,
            Err(WaitError::TimedOut) if timeout != TIMEOUT_INFINITE && left() == 0 => {
                return Verdict::TimedOut
            }
            Err(WaitError::TimedOut) => {}
            Err(WaitError::Signal) if wait::killed() => return Verdict::Killed,
            Err(WaitError::Signal) if timeout == TIMEOUT_INFINITE => return Verdict::Interrupted(timeout),
            Err(WaitError::Signal) => return Verdict::Interrupted(left()),
        }
    }
}
