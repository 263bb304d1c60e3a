// SPDX-License-Identifier: GPL-2.0
//! A lock that is held while the device works, for seconds if it is slow: whoever waits for it can be killed, and
//! nobody waits for ever.

use crate::glue::wait::{new_wait_queue, WaitError, WaitQueue, Wakeable};
use core::ops::{Deref, DerefMut};
use kernel::{
    new_mutex, new_spinlock,
    prelude::*,
    sync::{lock::mutex::MutexBackend, lock::Guard, Mutex, SpinLock},
    time::Delta,
};

/// The lock with what it protects.
#[pin_data]
pub(super) struct Turn<T> {
    #[pin]
    taken: SpinLock<bool>,
    #[pin]
    freed: WaitQueue,
    /// Only ever locked by who has `taken`: it makes the exclusion visible to the compiler and to lockdep.
    #[pin]
    inner: Mutex<T>,
}

/// The right to use it, until dropped. Field order: the inner lock is free before the next one is let in.
pub(super) struct Taken<'a, T> {
    inner: Guard<'a, T, MutexBackend>,
    _release: Release<'a, T>,
}

struct Release<'a, T>(&'a Turn<T>);

/// Longer than a few others may need one after the other.
const DEADLINE: Delta = Delta::from_secs(60);

impl<T> Turn<T> {
    pub(super) fn new(value: T) -> impl PinInit<Self> {
        pin_init!(Self {
            taken <- new_spinlock!(false, "scheduler turn"),
            freed <- new_wait_queue!(),
            inner <- new_mutex!(value, "scheduler"),
        })
    }

    /// Waits for the lock. `ERESTARTSYS` if a signal of the admitted kind came, `ETIMEDOUT` if the deadline is over.
    pub(super) fn take(&self, wakeable: Wakeable) -> Result<Taken<'_, T>, WaitError> {
        self.freed.wait(wakeable, DEADLINE, || {
            !core::mem::replace(&mut *self.taken.lock(), true)
        })?;
        let release = Release(self);
        Ok(Taken {
            inner: self.inner.lock(),
            _release: release,
        })
    }
}

impl<T> Drop for Release<'_, T> {
    fn drop(&mut self) {
        *self.0.taken.lock() = false;
        self.0.freed.wake_all();
    }
}

impl<T> Deref for Taken<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: Unpin> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

#[kunit_tests(amdgpu_queue_turn)]
mod tests {
    use super::*;
    use crate::glue::work::{new_later, Job};
    use core::sync::atomic::{AtomicBool, Ordering};
    use kernel::sync::Arc;

    /// A lock, and somebody else who wants it once.
    #[pin_data]
    struct Shared {
        #[pin]
        turn: Turn<u32>,
        begun: AtomicBool,
        done: AtomicBool,
        #[pin]
        changed: WaitQueue,
    }

    impl Job for Arc<Shared> {
        fn run(&self) -> Option<Delta> {
            self.begun.store(true, Ordering::Release);
            self.changed.wake_all();
            if let Ok(mut value) = self.turn.take(Wakeable::Never) {
                *value += 1;
            }
            self.done.store(true, Ordering::Release);
            self.changed.wake_all();
            None
        }
    }

    #[test]
    fn one_at_a_time() -> Result {
        let shared = pin_init!(Shared {
            turn <- Turn::new(7),
            begun: AtomicBool::new(false),
            done: AtomicBool::new(false),
            changed <- new_wait_queue!(),
        });
        let shared = Arc::pin_init(shared, GFP_KERNEL)?;
        let other = KBox::pin_init(new_later!(shared.clone()), GFP_KERNEL)?;
        let wait = |flag: &AtomicBool, timeout| {
            shared
                .changed
                .wait(Wakeable::Never, timeout, || flag.load(Ordering::Acquire))
        };

        let mine = shared.turn.take(Wakeable::Never)?;
        other.schedule(Delta::ZERO);
        assert_eq!(wait(&shared.begun, Delta::from_secs(20)), Ok(()));
        assert_eq!(
            wait(&shared.done, Delta::from_millis(50)),
            Err(WaitError::TimedOut)
        );
        assert_eq!(*mine, 7);
        drop(mine);
        assert_eq!(wait(&shared.done, Delta::from_secs(20)), Ok(()));
        let again = shared.turn.take(Wakeable::Never)?;
        assert_eq!(*again, 8);
        Ok(())
    }
}
