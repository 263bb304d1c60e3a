// SPDX-License-Identifier: GPL-2.0
//! All that is mapped for a device, so that it can be taken from it when it is unbound: afterwards its bus may translate
//! addresses for another driver, or not at all, while processes still have buffers.
use super::Extent;
use kernel::{
    device::{Bound, Device},
    new_mutex, new_spinlock,
    prelude::*,
    rbtree::{RBTree, RBTreeNode},
    sync::{aref::ARef, Arc, Mutex, SpinLock, UniqueArc},
};

/// The mappings of a device.
#[pin_data]
pub(crate) struct Mappings {
    device: ARef<Device>,
    /// By address; `None` once the device is unbound. A spin lock, so that nobody allocates under it: mappings go when
    /// memory is in short supply, too.
    #[pin]
    live: SpinLock<Option<RBTree<usize, Arc<Mapping>>>>,
}

/// One mapping.
#[pin_data]
struct Mapping {
    extent: Extent,
    /// Whether it is. Held while it is being unmapped.
    #[pin]
    mapped: Mutex<bool>,
}

impl Mapping {
    /// # Safety
    ///
    /// The mapping is one for `device`, which does not access it any more.
    unsafe fn unmap(&self, device: &Device, may_block: bool) -> Result {
        let mut mapped = match self.mapped.try_lock() {
            Some(mapped) => mapped,
            None if may_block => self.mapped.lock(),
            None => return Err(EAGAIN),
        };
        if core::mem::replace(&mut *mapped, false) {
            // SAFETY: by the requirement; it is mapped, and others see that it was only when this is done.
            unsafe { self.extent.unmap(device) }
        }
        Ok(())
    }
}

impl Mappings {
    /// None for now.
    pub(crate) fn new(device: &Device<Bound>) -> Result<Arc<Self>> {
        let this = pin_init!(Self {
            device: device.into(),
            live <- new_spinlock!(Some(RBTree::new()), "dma mappings"),
        });
        Arc::pin_init(this, GFP_KERNEL)
    }

    /// The device.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// The device is about to be unbound and accesses nothing any more: unmaps everything, and refuses more.
    pub(in super::super) fn end(&self) {
        let Some(mut live) = self.live.lock().take() else {
            return;
        };
        while let Some(first) = live.cursor_front_mut() {
            let (_, node) = first.remove_current();
            let (_, mapping) = node.to_key_value();
            // SAFETY: a mapping for this device, which has been stopped. Waiting is allowed here, so that this does not
            // fail.
            let _ = unsafe { mapping.unmap(&self.device, true) };
        }
    }
}

/// A mapping that goes with its owner, or with the device's driver.
pub(super) struct Registered {
    mappings: Arc<Mappings>,
    mapping: Arc<Mapping>,
}

impl Registered {
    /// Takes charge of what is mapped, also if it fails: then it is unmapped. `ENOMEM`, `ENODEV` if the device is being
    /// unbound.
    ///
    /// # Safety
    ///
    /// `extent` must be mapped for the device of `mappings`, and not be accessed by it when the result is dropped or
    /// [`Mappings::end`] is called.
    pub(super) unsafe fn new(mappings: &Arc<Mappings>, extent: Extent) -> Result<Self> {
        let room = UniqueArc::<Mapping>::new_uninit(GFP_KERNEL).inspect_err(|_| {
            // SAFETY: by the requirement: nobody has been told of it.
            unsafe { extent.unmap(&mappings.device) }
        })?;
        let Ok(mapping) = room.pin_init_with(pin_init!(Mapping {
            extent,
            mapped <- new_mutex!(true, "dma mapping"),
        }));
        let mapping = Arc::from(mapping);
        // From here on dropping it unmaps.
        let this = Self {
            mappings: mappings.clone(),
            mapping,
        };
        let node = RBTreeNode::new(this.key(), this.mapping.clone(), GFP_KERNEL)?;
        // The node goes outside the lock if it is not needed.
        let refused = match &mut *mappings.live.lock() {
            Some(live) => live.insert(node),
            None => Some(node),
        };
        match refused {
            None => Ok(this),
            Some(_) => Err(ENODEV),
        }
    }

    fn key(&self) -> usize {
        core::ptr::from_ref(&*self.mapping) as usize
    }

    pub(super) fn extent(&self) -> &Extent {
        &self.mapping.extent
    }

    /// Unmaps it early; nothing happens the second time. Unless `may_block`, it may fail instead of sleeping: `EAGAIN`.
    pub(super) fn unmap(&self, may_block: bool) -> Result {
        // SAFETY: as the maker of this has promised.
        unsafe { self.mapping.unmap(&self.mappings.device, may_block) }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // Waits, if at all, for `Mappings::end`, which does not wait for anybody.
        let _ = self.unmap(true);
        let node = match &mut *self.mappings.live.lock() {
            Some(live) => live.remove_node(&self.key()),
            None => None,
        };
        drop(node);
    }
}

#[kunit_tests(amdgpu_glue_dma)]
mod tests {
    use super::*;

    /// Pages of a device that has none: with some it would need DMA.
    fn no_pages(mappings: &Arc<Mappings>) -> Result<Registered> {
        // SAFETY: there is nothing that could be unmapped.
        unsafe { Registered::new(mappings, Extent::Pages(KVVec::new())) }
    }

    fn count(mappings: &Mappings) -> Option<usize> {
        mappings.live.lock().as_ref().map(|live| live.iter().count())
    }

    #[test]
    fn mappings_are_known_until_they_go() -> Result {
        let device = kernel::faux::Registration::new(c"amdgpu-kunit", None)?;
        let device: &kernel::faux::Device<Bound> = device.as_ref();
        let mappings = Mappings::new(device.as_ref())?;
        let (first, second) = (no_pages(&mappings)?, no_pages(&mappings)?);
        assert_eq!(count(&mappings), Some(2));
        drop(first);
        assert_eq!(count(&mappings), Some(1));
        // unmapped early, it is known all the same
        second.unmap(false)?;
        assert!(!*second.mapping.mapped.lock());
        assert_eq!(count(&mappings), Some(1));
        Ok(())
    }

    #[test]
    fn a_device_that_is_unbound_has_none() -> Result {
        let device = kernel::faux::Registration::new(c"amdgpu-kunit", None)?;
        let device: &kernel::faux::Device<Bound> = device.as_ref();
        let mappings = Mappings::new(device.as_ref())?;
        let kept = no_pages(&mappings)?;
        mappings.end();
        assert!(!*kept.mapping.mapped.lock());
        assert_eq!(no_pages(&mappings).map(|_| ()), Err(ENODEV));
        kept.unmap(true)?;
        drop(kept);
        mappings.end();
        assert_eq!(count(&mappings), None);
        Ok(())
    }

    #[test]
    fn nobody_waits_who_may_not() -> Result {
        let device = kernel::faux::Registration::new(c"amdgpu-kunit", None)?;
        let device: &kernel::faux::Device<Bound> = device.as_ref();
        let mappings = Mappings::new(device.as_ref())?;
        let one = no_pages(&mappings)?;
        let busy = one.mapping.mapped.lock();
        assert_eq!(one.unmap(false), Err(EAGAIN));
        drop(busy);
        one.unmap(false)
    }
}
