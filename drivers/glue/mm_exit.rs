// SPDX-License-Identifier: GPL-2.0
//! Learning that a process gives up its memory: it exits, is killed, or executes another program.
//!
//! The kernel crate has no mmu notifiers. That all files of a process are closed is no substitute: a forked child
//! may go on holding them.
use super::{bindings as b, inject};
use core::marker::PhantomPinned;
use kernel::{error::to_result, mm::MmWithUser, prelude::*, types::Opaque};

/// Who wants to know.
pub(crate) trait OnExit: Send + Sync + 'static {
    /// The memory goes away when this returns. No task runs in it any more. May sleep.
    ///
    /// Also called when the [`Watch`] is dropped while the process lives on.
    fn mm_exits(&self);
}

/// Watches the memory of a process. Dropping it waits for a call that has begun.
#[pin_data(PinnedDrop)]
#[repr(C)]
pub(crate) struct Watch<T: OnExit> {
    /// First, so that the C notifier is also a pointer to this structure.
    #[pin]
    notifier: Opaque<b::mmu_notifier>,
    who: T,
    #[pin]
    _pin: PhantomPinned,
}

// SAFETY: a notifier may be unregistered from any task.
unsafe impl<T: OnExit> Send for Watch<T> {}
// SAFETY: nothing can be done with a shared reference but call `T`, which is `Sync`.
unsafe impl<T: OnExit> Sync for Watch<T> {}

impl<T: OnExit> Watch<T> {
    const OPS: &'static super::Table<b::mmu_notifier_ops> = &super::Table(b::mmu_notifier_ops {
        release: Some(Self::release),
        ..pin_init::zeroed()
    });

    /// Watches `mm`. Takes its mmap lock for writing; `EINTR` if the caller is killed meanwhile.
    pub(crate) fn new(mm: &MmWithUser, who: T) -> impl PinInit<Self, Error> + '_ {
        try_pin_init!(Self {
            who,
            notifier <- Opaque::try_ffi_init(move |slot: *mut b::mmu_notifier| {
                inject::point(ENOMEM)?;
                // SAFETY: `slot` is memory for a notifier at its final address, after which only the initialised
                // `who` is used by the callback; the reference proves that the memory has users. The notifier keeps
                // the mm structure until it is unregistered.
                to_result(unsafe {
                    slot.write(b::mmu_notifier { ops: &Self::OPS.0, ..pin_init::zeroed() });
                    b::mmu_notifier_register(slot, mm.as_raw())
                })
            }),
            _pin: PhantomPinned,
        })
    }

    /// # Safety
    ///
    /// For the memory manager, which calls it for a registered notifier that is part of what `new` has made.
    unsafe extern "C" fn release(notifier: *mut b::mmu_notifier, _: *mut b::mm_struct) {
        // SAFETY: the notifier is the first field of a `Self` that `drop` keeps until this returns.
        unsafe { &*notifier.cast::<Self>() }.who.mm_exits();
    }
}

#[pinned_drop]
impl<T: OnExit> PinnedDrop for Watch<T> {
    fn drop(self: Pin<&mut Self>) {
        let notifier = self.notifier.get();
        // SAFETY: registered by `new`, with an mm structure that the registration keeps. After this the callback
        // neither runs nor will be called.
        unsafe { b::mmu_notifier_unregister(notifier, (*notifier).mm) };
    }
}

#[kunit_tests(amdgpu_glue_mm_exit)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};
    use kernel::sync::Arc;

    /// How often it was told.
    struct Told(AtomicU32);

    impl OnExit for Arc<Told> {
        fn mm_exits(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_end_of_the_watch_is_told_once() -> Result {
        // SAFETY: a plain call, from a kernel thread that belongs to the case.
        to_result(unsafe { b::kunit_attach_mm() })?;
        let told = Arc::new(Told(AtomicU32::new(0)), GFP_KERNEL)?;
        let current = kernel::current!();
        let watch = KBox::pin_init(Watch::new(current.mm().ok_or(ESRCH)?, told.clone()), GFP_KERNEL)?;
        assert_eq!(told.0.load(Ordering::Relaxed), 0);
        drop(watch);
        assert_eq!(told.0.load(Ordering::Relaxed), 1);
        Ok(())
    }
}
