// SPDX-License-Identifier: GPL-2.0
//! Memory of a process that a device uses: found by HMM, watched by an interval notifier.
//!
//! The kernel crate has `mm_struct` and areas, but neither notifiers nor HMM. The pages are not pinned: when the
//! process unmaps them, or the kernel wants to move them, the device is stopped first (see [`Stop`]).
use super::{
    bindings::{self as b, shim},
    dma::{Mappings, PageList},
    inject, wait, Table,
};
use kernel::{
    error::to_result,
    mm::{Mm, MmWithUser},
    new_mutex,
    page::{PAGE_SHIFT, PAGE_SIZE},
    prelude::*,
    sync::{aref::ARef, Arc, Mutex},
    time::{Delta, Instant, Monotonic},
    types::Opaque,
};

/// Who can keep the device from using a process's memory.
pub(crate) trait Stop: Send + Sync {
    /// When this returns `Ok`, the device does not access the process's memory, until all of it was looked up again.
    ///
    /// Called while memory may be in short supply: neither this nor the holder of a lock it takes may allocate.
    /// Unless `may_block`, it may fail instead of sleeping.
    fn stop(&self, may_block: bool) -> Result;
}

/// A range of a process's memory.
#[pin_data(PinnedDrop)]
#[repr(C)]
pub(crate) struct UserPages {
    /// First, so that the C notifier is also a pointer to this structure.
    #[pin]
    notifier: Opaque<b::mmu_interval_notifier>,
    mm: ARef<Mm>,
    start: usize,
    len: usize,
    writable: bool,
    owner: Arc<dyn Stop>,
    /// The pages, as long as they are where the process has them. Held while the device is being stopped: nobody
    /// allocates under this lock.
    #[pin]
    pages: Mutex<Option<Arc<PageList>>>,
}

// SAFETY: a notifier may be used from any task.
unsafe impl Send for UserPages {}
// SAFETY: it has its own locks.
unsafe impl Sync for UserPages {}

/// How long the process may keep changing a range while it is looked up (kernel include/linux/hmm.h:
/// `HMM_RANGE_DEFAULT_TIMEOUT`).
const DEADLINE: Delta = Delta::from_millis(1000);

impl UserPages {
    /// Watches `len` bytes at `start` of the current process, both whole pages, for a device that writes there if
    /// `writable`. `EINVAL` for another range, `ESRCH` for a kernel thread.
    pub(crate) fn new(start: u64, len: u64, writable: bool, owner: Arc<dyn Stop>) -> Result<Arc<Self>> {
        let (start, len) = (usize::try_from(start)?, usize::try_from(len)?);
        if start % PAGE_SIZE != 0 || len % PAGE_SIZE != 0 || len == 0 || start.checked_add(len).is_none() {
            return Err(EINVAL);
        }
        let mm: ARef<Mm> = ARef::from(&**kernel::current!().mm().ok_or(ESRCH)?);
        let raw = mm.as_raw();
        let insert = move |slot: *mut b::mmu_interval_notifier| {
            inject::point(ENOMEM)?;
            // SAFETY: `slot` is memory for a notifier at its final address. The callback uses only fields that are
            // initialised before this runs. The current process's mm is alive.
            to_result(unsafe { b::mmu_interval_notifier_insert(slot, raw, start, len, &OPS.0) })
        };
        let this = try_pin_init!(Self {
            mm,
            start,
            len,
            writable,
            owner,
            pages <- new_mutex!(None),
            notifier <- Opaque::try_ffi_init(insert),
        });
        Arc::pin_init(this, GFP_KERNEL)
    }

    /// Bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len as u64
    }

    /// Whether `pages` are still where the process has them.
    pub(crate) fn is_current(&self, pages: &Arc<PageList>) -> bool {
        self.pages
            .lock()
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, pages))
    }

    /// The pages as the device of `mappings` sees them, which is bound, looked up (and faulted in) if they have changed.
    ///
    /// `EFAULT` if the process has no such memory (or not writable), `ESRCH` if it is gone, `EBUSY` if it keeps
    /// changing the range, `ENOMEM`, `EINTR` if the caller is killed.
    pub(crate) fn look_up(&self, mappings: &Arc<Mappings>) -> Result<Arc<PageList>> {
        if let Some(pages) = &*self.pages.lock() {
            return Ok(pages.clone());
        }
        // The process may end meanwhile. Its memory must not go away here, since whoever is told of that may wait for
        // the caller, or for a lock that it holds.
        let mm = MmWithUser::into_mmput_async(self.mm.mmget_not_zero().ok_or(ESRCH)?);
        let begin = Instant::<Monotonic>::now();
        let mut found = KVVec::from_elem(0usize, self.len >> PAGE_SHIFT, GFP_KERNEL)?;
        while begin.elapsed() < DEADLINE {
            if wait::killed() {
                return Err(EINTR);
            }
            // SAFETY: the notifier is registered.
            let seq = unsafe { b::mmu_interval_read_begin(self.notifier.get()) };
            match self.fault(&mm, seq, &mut found) {
                Err(e) if e == EBUSY => continue,
                other => other?,
            }
            let pages = Arc::new(self.map(mappings, &found)?, GFP_KERNEL)?;
            let mut current = self.pages.lock();
            // SAFETY: the notifier is registered, and the lock that `invalidate` takes is held.
            if !unsafe { shim::mmu_interval_read_retry(self.notifier.get(), seq) } {
                *current = Some(pages.clone());
                return Ok(pages);
            }
            // Dropped outside the lock: `pages` must not be taken from the device twice.
            drop(current);
        }
        Err(EBUSY)
    }

    /// Fills in `found`, one HMM entry per page; `EBUSY` if the range changed meanwhile.
    fn fault(&self, mm: &MmWithUser, seq: usize, found: &mut [usize]) -> Result {
        let write = if self.writable {
            b::hmm_pfn_flags_HMM_PFN_REQ_WRITE
        } else {
            0
        };
        let mut range = b::hmm_range {
            notifier: self.notifier.get(),
            notifier_seq: seq,
            start: self.start,
            end: self.start.saturating_add(self.len),
            hmm_pfns: found.as_mut_ptr(),
            default_flags: b::hmm_pfn_flags_HMM_PFN_REQ_FAULT | write,
            ..pin_init::zeroed()
        };
        let raw = mm.as_raw();
        inject::point(EINTR)?;
        inject::point(EBUSY)?;
        // SAFETY: the mm has users; the range has an entry per page and lives during the call; the lock is held.
        unsafe {
            to_result(shim::mmap_read_lock_killable(raw))?;
            let result = to_result(b::hmm_range_fault(&mut range));
            shim::mmap_read_unlock(raw);
            result
        }
    }

    fn map(&self, mappings: &Arc<Mappings>, found: &[usize]) -> Result<PageList> {
        // SAFETY: a successful walk has found a page for each entry.
        let pages = found.iter().map(|entry| unsafe { shim::hmm_pfn_to_page(*entry) });
        // SAFETY: these pages stay until `invalidate` is called, which either unmaps the list (once it is current) or
        // makes the caller of this drop it.
        unsafe { PageList::new(mappings, pages) }
    }
}

#[pinned_drop]
impl PinnedDrop for UserPages {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: registered by `new`; waits for running callbacks.
        unsafe { b::mmu_interval_notifier_remove(self.notifier.get()) }
    }
}

static OPS: Table<b::mmu_interval_notifier_ops> = Table(b::mmu_interval_notifier_ops {
    invalidate: Some(invalidate),
    ..pin_init::zeroed()
});

/// `mmu_interval_notifier_ops.invalidate`: the pages of a part of the range are about to change. Returns whether the
/// device has let go of them.
///
/// # Safety
///
/// For the memory manager, which calls it for a registered notifier that is part of what `new` has made.
unsafe extern "C" fn invalidate(
    notifier: *mut b::mmu_interval_notifier,
    range: *const b::mmu_notifier_range,
    seq: usize,
) -> bool {
    // SAFETY: called for a registered notifier, the first field of a `UserPages`.
    let (this, may_block) = unsafe {
        (
            &*notifier.cast::<UserPages>(),
            shim::mmu_notifier_range_blockable(range),
        )
    };
    let mut pages = match may_block {
        true => this.pages.lock(),
        false => match this.pages.try_lock() {
            Some(pages) => pages,
            None => return false,
        },
    };
    // SAFETY: under the lock that `look_up` takes when it checks the sequence.
    unsafe { shim::mmu_interval_set_seq(notifier, seq) };
    let Some(list) = &*pages else { return true };
    if let Err(e) = this.owner.stop(may_block) {
        if may_block {
            pr_err!(
                "the GPU does not stop and may use memory at {:#x} that its process loses: {:?}\n",
                this.start,
                e
            );
        }
        // A caller that may block is not to be refused: the list stays mapped for the device.
        return may_block;
    }
    if list.unmap(may_block).is_err() {
        return false;
    }
    *pages = None;
    true
}

const _: () = assert!(core::mem::offset_of!(UserPages, notifier) == 0);

#[kunit_tests(amdgpu_glue_mm)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};
    use kernel::device::Bound;

    const PAGE: u64 = PAGE_SIZE as u64;
    /// include/uapi/asm-generic/mman-common.h: `PROT_READ | PROT_WRITE`
    const READ_WRITE: usize = 3;
    /// `MAP_PRIVATE | MAP_ANONYMOUS`
    const ANONYMOUS: usize = 0x22;

    /// A device that can be stopped, and counts how often it is.
    struct Stops(AtomicU32);

    impl Stop for Stops {
        fn stop(&self, _: bool) -> Result {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    fn stops() -> Result<Arc<Stops>> {
        Ok(Arc::new(Stops(AtomicU32::new(0)), GFP_KERNEL)?)
    }

    /// Makes the thread of this case a process with `len` bytes of memory, which go when it ends.
    fn memory(len: usize) -> Result<u64> {
        // SAFETY: a plain call, from a kernel thread that belongs to the case.
        to_result(unsafe { b::kunit_attach_mm() })?;
        // SAFETY: no file; any place will do.
        let at = unsafe { b::vm_mmap(core::ptr::null_mut(), 0, len, READ_WRITE, ANONYMOUS, 0) };
        to_result(i32::try_from(at as isize).unwrap_or(0).min(0))?;
        Ok(at as u64)
    }

    #[test]
    fn only_whole_pages_of_a_process_are_watched() -> Result {
        let watch = |start, len| UserPages::new(start, len, true, stops()?).map(|pages| pages.len());
        assert_eq!(watch(PAGE, PAGE), Err(ESRCH));
        let at = memory(PAGE_SIZE)?;
        assert_eq!(watch(at, PAGE), Ok(PAGE));
        for (start, len) in [
            (at + 1, PAGE),
            (at, PAGE + 1),
            (at, 0),
            (0u64.wrapping_sub(PAGE), PAGE),
        ] {
            assert_eq!(watch(start, len), Err(EINVAL));
        }
        Ok(())
    }

    #[test]
    fn the_device_is_stopped_before_memory_goes() -> Result {
        let at = memory(3 * PAGE_SIZE)?;
        let device = kernel::faux::Registration::new(c"amdgpu-kunit", None)?;
        let device: &kernel::faux::Device<Bound> = device.as_ref();
        let stops = stops()?;
        let watched = UserPages::new(at, 2 * PAGE, true, stops.clone())?;
        let unmap = |page: u64| {
            // SAFETY: memory of this case, which has no pointer to it.
            to_result(unsafe { b::vm_munmap((at + page * PAGE) as usize, PAGE_SIZE) })
        };
        // a list without pages: they would need a device with DMA
        let mappings = Mappings::new(device.as_ref())?;
        // SAFETY: no page at all.
        let list = Arc::new(
            unsafe { PageList::new(&mappings, core::iter::empty()) }?,
            GFP_KERNEL,
        )?;
        *watched.pages.lock() = Some(list.clone());

        unmap(2)?;
        assert!(watched.is_current(&list) && stops.0.load(Ordering::Relaxed) == 0);
        unmap(1)?;
        assert!(!watched.is_current(&list) && stops.0.load(Ordering::Relaxed) == 1);
        // it has no pages any more
        unmap(0)?;
        assert_eq!(stops.0.load(Ordering::Relaxed), 1);
        Ok(())
    }
}
