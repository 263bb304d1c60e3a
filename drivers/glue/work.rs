// SPDX-License-Identifier: GPL-2.0
//! Work that a kernel thread does later, and that is over when its owner is dropped.
//!
//! The kernel crate's `workqueue` cannot cancel or wait for work, so that a module using it could be unloaded while
//! its work still runs.
use super::bindings as b;
use core::marker::PhantomPinned;
use kernel::{
    prelude::*,
    str::CStrExt,
    sync::LockClassKey,
    time::{msecs_to_jiffies, Delta},
    types::Opaque,
};

/// What is to be done.
pub(crate) trait Job: Send + Sync + 'static {
    /// Does it. May sleep. Never runs twice at the same time. `Some`: runs once more after that time.
    fn run(&self) -> Option<Delta>;
}

/// A job that can be scheduled. Dropping it waits for a run that has begun, hence must not happen in the run itself.
#[pin_data(PinnedDrop)]
#[repr(C)]
pub(crate) struct Later<J: Job> {
    /// First, so that the C work is also a pointer to this structure.
    #[pin]
    work: Opaque<b::delayed_work>,
    job: J,
    #[pin]
    _pin: PhantomPinned,
}

// SAFETY: work may be scheduled and cancelled from any task.
unsafe impl<J: Job> Send for Later<J> {}
// SAFETY: as above; `J` is `Sync`.
unsafe impl<J: Job> Sync for Later<J> {}

/// Initialises a [`Later`] with lock classes of its own.
macro_rules! new_later {
    ($job:expr) => {
        $crate::glue::work::Later::new($job, kernel::static_lock_class!(), kernel::static_lock_class!())
    };
}
pub(crate) use new_later;

impl<J: Job> Later<J> {
    /// See [`new_later`].
    pub(crate) fn new(
        job: J,
        work_key: Pin<&'static LockClassKey>,
        timer_key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            job,
            work <- Opaque::ffi_init(move |slot: *mut b::delayed_work| {
                let name = c"amdgpu".as_char_ptr();
                // SAFETY: `slot` is memory for a work with its timer at a final address; name and keys are static.
                unsafe {
                    b::init_work_with_key(&raw mut (*slot).work, Some(Self::run), false, name, work_key.as_ptr());
                    b::timer_init_key(
                        &raw mut (*slot).timer,
                        Some(b::delayed_work_timer_fn),
                        b::TIMER_IRQSAFE,
                        name,
                        timer_key.as_ptr(),
                    );
                }
            }),
            _pin: PhantomPinned,
        })
    }

    /// Runs the job after `delay`, unless it is scheduled already; if it is running, once more. Does not sleep.
    pub(crate) fn schedule(&self, delay: Delta) {
        let ms = delay.as_millis_ceil().clamp(0, i64::from(i32::MAX)) as u32;
        // SAFETY: initialised and pinned; the queue exists always.
        unsafe {
            b::queue_delayed_work_on(
                b::wq_misc_consts_WORK_CPU_UNBOUND as i32,
                b::system_dfl_wq,
                self.work.get(),
                msecs_to_jiffies(ms) as usize,
            )
        };
    }

    /// Waits for a run that has begun, and lets no other begin, whoever schedules it. Not to be called in the run.
    pub(crate) fn end(&self) {
        // SAFETY: initialised and pinned; called from a context that may sleep.
        unsafe { b::disable_delayed_work_sync(self.work.get()) };
    }

    /// # Safety
    ///
    /// For the workqueue, which calls it for work that is part of what `new` has made and exists until it has run.
    unsafe extern "C" fn run(work: *mut b::work_struct) {
        // SAFETY: the work is the first field of the delayed work, which is the first field of a `Self` that `drop`
        // keeps until this returns.
        let this = unsafe { &*work.cast::<Self>() };
        if let Some(delay) = this.job.run() {
            this.schedule(delay);
        }
    }
}

#[pinned_drop]
impl<J: Job> PinnedDrop for Later<J> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: initialised. Afterwards the work neither runs nor is scheduled, and nobody is left to schedule it.
        unsafe { b::cancel_delayed_work_sync(self.work.get()) };
    }
}

#[kunit_tests(amdgpu_glue_work)]
mod tests {
    use super::*;
    use crate::glue::wait::{new_wait_queue, WaitError, WaitQueue, Wakeable};
    use core::sync::atomic::{AtomicU32, Ordering};
    use kernel::{sync::Arc, time::delay::fsleep};

    const LONG: Delta = Delta::from_secs(20);
    const SHORT: Delta = Delta::from_millis(50);

    /// A job that wants to run some times, a millisecond apart.
    #[pin_data]
    struct Runs {
        wanted: u32,
        begun: AtomicU32,
        ended: AtomicU32,
        #[pin]
        changed: WaitQueue,
    }

    impl Runs {
        fn new(wanted: u32) -> Result<Arc<Self>> {
            let this = pin_init!(Self {
                wanted,
                begun: AtomicU32::new(0),
                ended: AtomicU32::new(0),
                changed <- new_wait_queue!(),
            });
            Arc::pin_init(this, GFP_KERNEL)
        }

        fn wait(&self, count: &AtomicU32, n: u32, timeout: Delta) -> Result<(), WaitError> {
            self.changed
                .wait(Wakeable::Never, timeout, || count.load(Ordering::Acquire) >= n)
        }
    }

    impl Job for Arc<Runs> {
        fn run(&self) -> Option<Delta> {
            let n = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
            self.changed.wake_all();
            fsleep(Delta::from_millis(5));
            self.ended.fetch_add(1, Ordering::AcqRel);
            self.changed.wake_all();
            (n < self.wanted).then_some(Delta::from_millis(1))
        }
    }

    fn later(runs: &Arc<Runs>) -> Result<Pin<KBox<Later<Arc<Runs>>>>> {
        KBox::pin_init(new_later!(runs.clone()), GFP_KERNEL)
    }

    #[test]
    fn a_job_runs_as_often_as_it_wants() -> Result {
        let runs = Runs::new(3)?;
        let later = later(&runs)?;
        later.schedule(Delta::ZERO);
        assert_eq!(runs.wait(&runs.ended, 3, LONG), Ok(()));
        assert_eq!(runs.wait(&runs.begun, 4, SHORT), Err(WaitError::TimedOut));
        Ok(())
    }

    #[test]
    fn scheduled_twice_is_one_run() -> Result {
        let runs = Runs::new(1)?;
        let later = later(&runs)?;
        later.schedule(Delta::from_millis(500));
        later.schedule(Delta::from_millis(500));
        assert_eq!(runs.wait(&runs.ended, 1, LONG), Ok(()));
        assert_eq!(runs.wait(&runs.begun, 2, SHORT), Err(WaitError::TimedOut));
        Ok(())
    }

    #[test]
    fn dropping_waits_for_a_run() -> Result {
        let runs = Runs::new(1)?;
        let later = later(&runs)?;
        later.schedule(Delta::ZERO);
        assert_eq!(runs.wait(&runs.begun, 1, LONG), Ok(()));
        drop(later);
        assert_eq!(runs.ended.load(Ordering::Acquire), 1);
        Ok(())
    }

    #[test]
    fn a_dropped_job_does_not_begin() -> Result {
        let runs = Runs::new(1)?;
        let later = later(&runs)?;
        later.schedule(Delta::from_millis(500));
        drop(later);
        assert_eq!(
            runs.wait(&runs.begun, 1, Delta::from_millis(600)),
            Err(WaitError::TimedOut)
        );
        Ok(())
    }

    #[test]
    fn an_ended_job_is_not_scheduled() -> Result {
        let runs = Runs::new(1)?;
        let later = later(&runs)?;
        later.end();
        later.schedule(Delta::ZERO);
        assert_eq!(runs.wait(&runs.begun, 1, SHORT), Err(WaitError::TimedOut));
        Ok(())
    }
}
