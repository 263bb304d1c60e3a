// SPDX-License-Identifier: GPL-2.0
//! Sleeping until a condition holds, with a deadline, and without outliving a SIGKILL.
//!
//! The kernel crate has `CondVar`, without a killable wait and tied to a lock, and `Completion`, without a deadline.
use super::{
    bindings::{self as b, shim},
    inject,
};
use core::mem::MaybeUninit;
use kernel::{
    prelude::*,
    str::CStrExt,
    sync::LockClassKey,
    time::{msecs_to_jiffies, Delta},
    types::Opaque,
};

/// Why a wait ended although its condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitError {
    /// The deadline is over.
    TimedOut,
    /// A signal of the kind that the wait admits is pending.
    Signal,
}

impl From<WaitError> for Error {
    fn from(why: WaitError) -> Self {
        match why {
            WaitError::TimedOut => ETIMEDOUT,
            WaitError::Signal => ERESTARTSYS,
        }
    }
}

/// Which signals end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakeable {
    /// Any signal: for waits whose length the user chose.
    BySignal,
    /// SIGKILL alone: for waits that cannot be restarted half-way.
    ByKill,
    /// None: for kernel threads and teardown.
    Never,
}

impl Wakeable {
    const fn state(self) -> i32 {
        match self {
            Self::BySignal => b::TASK_INTERRUPTIBLE as i32,
            Self::ByKill => (b::TASK_WAKEKILL | b::TASK_UNINTERRUPTIBLE) as i32,
            Self::Never => b::TASK_UNINTERRUPTIBLE as i32,
        }
    }
}

/// Tasks that wait for something to change. Whoever changes it calls [`WaitQueue::wake_all`] afterwards.
#[pin_data]
pub(crate) struct WaitQueue {
    #[pin]
    head: Opaque<b::wait_queue_head>,
}

// SAFETY: a wait queue may be used from any task.
unsafe impl Send for WaitQueue {}
// SAFETY: a wait queue has its own lock.
unsafe impl Sync for WaitQueue {}

/// Initialises a [`WaitQueue`] with a lock class of its own.
macro_rules! new_wait_queue {
    () => {
        $crate::glue::wait::WaitQueue::new(kernel::optional_name!(), kernel::static_lock_class!())
    };
}
pub(crate) use new_wait_queue;

impl WaitQueue {
    /// See [`new_wait_queue`].
    pub(crate) fn new(name: &'static CStr, key: Pin<&'static LockClassKey>) -> impl PinInit<Self> {
        pin_init!(Self {
            head <- Opaque::ffi_init(|slot: *mut b::wait_queue_head| {
                // SAFETY: `slot` is memory for a wait queue head; name and key are static.
                unsafe { shim::init_waitqueue_head(slot, name.as_char_ptr(), key.as_ptr()) }
            }),
        })
    }

    /// Wakes every waiter, which then looks at its condition again. Callable from any context.
    pub(crate) fn wake_all(&self) {
        // SAFETY: the head is initialised and pinned.
        unsafe { shim::wake_up_all(self.head.get()) }
    }

    /// Sleeps until `done()` returns true, at most `timeout` (rounded up to jiffies).
    ///
    /// `done` is called with the task state already set: it must not sleep (atomics and spin locks only).
    pub(crate) fn wait(
        &self,
        wakeable: Wakeable,
        timeout: Delta,
        mut done: impl FnMut() -> bool,
    ) -> Result<(), WaitError> {
        if wakeable != Wakeable::Never && inject::point(ERESTARTSYS).is_err() {
            return Err(WaitError::Signal);
        }
        let mut left = jiffies(timeout);
        let mut entry = MaybeUninit::<b::wait_queue_entry>::uninit();
        // SAFETY: `entry` is memory for a wait queue entry; it stays in place until `finish_wait`.
        unsafe { b::init_wait_entry(entry.as_mut_ptr(), 0) };
        let result = loop {
            // SAFETY: head and entry are initialised.
            let signal =
                unsafe { b::prepare_to_wait_event(self.head.get(), entry.as_mut_ptr(), wakeable.state()) };
            if done() {
                break Ok(());
            }
            if signal != 0 {
                break Err(WaitError::Signal);
            }
            if left == 0 {
                break Err(WaitError::TimedOut);
            }
            // SAFETY: the task state is set, and the context may sleep.
            left = unsafe { b::schedule_timeout(left) };
        };
        // SAFETY: as above; this takes `entry` out of the queue if it still is in there.
        unsafe { b::finish_wait(self.head.get(), entry.as_mut_ptr()) };
        result
    }
}

/// Whether the current task is about to die of a signal.
pub(crate) fn killed() -> bool {
    // SAFETY: a plain call.
    unsafe { shim::fatal_signal_pending_current() }
}

/// Whether any signal is pending for the current task.
pub(crate) fn signal_pending() -> bool {
    // SAFETY: a plain call.
    unsafe { shim::signal_pending_current() }
}

/// Jiffies for a time, rounded up, none for a negative time, at most about 24 days.
fn jiffies(time: Delta) -> isize {
    let ms = time.as_millis_ceil().clamp(0, i64::from(i32::MAX)) as u32;
    msecs_to_jiffies(ms).min(isize::MAX as usize) as isize
}

#[kunit_tests(amdgpu_glue_wait)]
mod tests {
    use super::*;

    fn queue() -> Result<Pin<KBox<WaitQueue>>> {
        KBox::pin_init(new_wait_queue!(), GFP_KERNEL)
    }

    #[test]
    fn a_condition_that_holds_is_not_waited_for() -> Result {
        let result = queue()?.wait(Wakeable::Never, Delta::from_secs(100), || true);
        assert_eq!(result, Ok(()));
        Ok(())
    }

    #[test]
    fn a_wait_ends_at_its_deadline() -> Result {
        let mut looks = 0;
        let result = queue()?.wait(Wakeable::ByKill, Delta::from_millis(20), || {
            looks += 1;
            false
        });
        assert_eq!(result, Err(WaitError::TimedOut));
        assert!(looks >= 2);
        Ok(())
    }

    #[test]
    fn no_time_means_one_look() -> Result {
        assert_eq!(
            queue()?.wait(Wakeable::BySignal, Delta::from_millis(-5), || false),
            Err(WaitError::TimedOut)
        );
        Ok(())
    }
}
