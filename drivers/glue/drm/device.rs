// SPDX-License-Identifier: GPL-2.0
//! The DRM device, its registration, and the guard that keeps the card bound.
use super::{
    super::{bindings as b, chardev, dma::Mappings, raw_device, ttm, Table},
    fdinfo, file, ioctl, Driver,
};
use core::{
    marker::PhantomData,
    mem::{offset_of, size_of},
    ops::Deref,
    ptr::{null_mut, NonNull},
    sync::atomic::{AtomicPtr, Ordering},
};
use kernel::{
    device::Bound,
    error::{from_err_ptr, to_result},
    pci,
    prelude::*,
    sync::{
        aref::{ARef, AlwaysRefCounted},
        Arc,
    },
    types::{NotThreadSafe, Opaque},
};

/// A reference-counted DRM device of any driver: what buffer objects need to know of theirs.
#[repr(transparent)]
pub(crate) struct AnyDevice(Opaque<b::drm_device>);

// SAFETY: a `drm_device` may be used from any task.
unsafe impl Send for AnyDevice {}
// SAFETY: as above.
unsafe impl Sync for AnyDevice {}

// SAFETY: `drm_dev_get` and `drm_dev_put` count references of an initialised device.
unsafe impl AlwaysRefCounted for AnyDevice {
    fn inc_ref(&self) {
        // SAFETY: a shared reference proves a non-zero count.
        unsafe { b::drm_dev_get(self.0.get()) }
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: the caller gives up one reference.
        unsafe { b::drm_dev_put(obj.cast().as_ptr()) }
    }
}

impl AnyDevice {
    pub(in super::super) fn as_raw(&self) -> *mut b::drm_device {
        self.0.get()
    }
}

/// The DRM device of driver `D`. Lives as long as anyone refers to it, also after unbind.
#[repr(C)]
pub(crate) struct Device<D: Driver> {
    base: AnyDevice,
    /// The managers of the card's memory, and what buffer objects are made of.
    memory: ttm::Device,
    /// What else the card reaches over the bus.
    mappings: Arc<Mappings>,
    /// The GPU while registered and not unplugged. Owned by the [`Registration`].
    gpu: AtomicPtr<D::Gpu>,
}

// SAFETY: all fields are `Sync`, and the device is freed from any task by its last reference.
unsafe impl<D: Driver> Send for Device<D> {}
// SAFETY: as above; `gpu` is only read under a guard.
unsafe impl<D: Driver> Sync for Device<D> {}

// SAFETY: `base` is the first field and counts the references of the whole allocation.
unsafe impl<D: Driver> AlwaysRefCounted for Device<D> {
    fn inc_ref(&self) {
        self.base.inc_ref();
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: as the caller promises; `base` is the first field.
        unsafe { AnyDevice::dec_ref(obj.cast()) }
    }
}

impl<D: Driver> Device<D> {
    /// Creates the device for `pdev`, not yet visible to userspace, with managers for the memory that `layout`
    /// describes.
    pub(crate) fn new(pdev: &pci::Device<Bound>, layout: ttm::Layout) -> Result<ARef<Self>> {
        // SAFETY: the driver table is static, the parent is bound, and the offset is that of the `drm_device`.
        let this: *mut Self = from_err_ptr(unsafe {
            b::__drm_dev_alloc(
                raw_device(pdev.as_ref()),
                &Tables::<D>::WITHOUT_RELEASE.0,
                size_of::<Self>(),
                offset_of!(Self, base),
            )
        })?
        .cast();
        // SAFETY: a fresh allocation, whose reference passes to the result; if the managers cannot be created,
        // dropping it frees the device without running `release`.
        let device = unsafe { ARef::from_raw(NonNull::new(this).ok_or(ENOMEM)?) };
        let mappings = Mappings::new(pdev.as_ref())?;
        // SAFETY: `mappings`, `memory` and `gpu` are uninitialised memory at a final address, seen by nobody else;
        // the `drm_device` next to them is initialised and outlives them.
        unsafe {
            (&raw mut (*this).gpu).write(AtomicPtr::new(null_mut()));
            let memory = ttm::Device::new(pdev, this.cast(), layout);
            pin_init::raw_try_init(&raw mut (*this).memory, memory)?;
            (&raw mut (*this).mappings).write(mappings);
            (*this.cast::<b::drm_device>()).driver = &Tables::<D>::DRIVER.0;
        }
        Ok(device)
    }

    /// Number of the render node (`/dev/dri/renderD128` is 128).
    pub(crate) fn render_minor(&self) -> u32 {
        // SAFETY: a driver with DRIVER_RENDER has a render minor from its allocation on, and its number never changes.
        unsafe { (*(*self.base.as_raw()).render).index as u32 }
    }

    /// The memory managers.
    pub(crate) fn memory(&self) -> &ttm::Device {
        &self.memory
    }

    /// The device without its type, for buffer objects.
    pub(crate) fn base(&self) -> &AnyDevice {
        &self.base
    }

    /// Keeps the card bound and its [`Driver::Gpu`] alive for as long as the guard lives: `ENODEV` before
    /// registration and from unplug on. The guard must not be held while waiting for userspace.
    pub(crate) fn enter(&self) -> Result<Guard<'_, D>> {
        let mut index = 0;
        // SAFETY: the device is initialised.
        if !unsafe { b::drm_dev_enter(self.base.as_raw(), &mut index) } {
            return Err(ENODEV);
        }
        let Some(gpu) = NonNull::new(self.gpu.load(Ordering::Acquire)) else {
            // SAFETY: entered above.
            unsafe { b::drm_dev_exit(index) };
            return Err(ENODEV);
        };
        Ok(Guard {
            device: self,
            gpu,
            index,
            _task: NotThreadSafe,
        })
    }

    /// # Safety
    ///
    /// `raw` must be the `drm_device` of a live `Device<D>`, which outlives the result.
    pub(super) unsafe fn from_raw<'a>(raw: *mut b::drm_device) -> &'a Self {
        // SAFETY: by the requirement; `base` is the first field.
        unsafe { &*raw.cast() }
    }
}

/// Proof that the card is bound; gives access to the GPU. Sleeping is allowed.
pub(crate) struct Guard<'a, D: Driver> {
    device: &'a Device<D>,
    gpu: NonNull<D::Gpu>,
    index: i32,
    /// SRCU read sections end on the task that began them.
    _task: NotThreadSafe,
}

impl<D: Driver> Guard<'_, D> {
    /// The DRM device.
    pub(crate) fn device(&self) -> &Device<D> {
        self.device
    }

    /// Where to map what the card, which is bound as long as this lives, is to reach over the bus.
    pub(crate) fn mappings(&self) -> &Arc<Mappings> {
        &self.device.mappings
    }
}

impl<D: Driver> Deref for Guard<'_, D> {
    type Target = D::Gpu;

    fn deref(&self) -> &D::Gpu {
        // SAFETY: the pointer is set from registration until `drm_dev_unplug()` has waited for this guard, and the
        // GPU is dropped after that.
        unsafe { self.gpu.as_ref() }
    }
}

impl<D: Driver> Drop for Guard<'_, D> {
    fn drop(&mut self) {
        // SAFETY: ends what `enter` began, on the same task.
        unsafe { b::drm_dev_exit(self.index) }
    }
}

/// A device that userspace can see, and owner of its GPU. Dropped at unbind.
///
/// `drop` unplugs the device, then drops the GPU, which stops the card, then ends DMA.
pub(crate) struct Registration<D: Driver> {
    /// Always there, until `drop`.
    gpu: Option<Pin<KBox<D::Gpu>>>,
    device: ARef<Device<D>>,
}

impl<D: Driver> Registration<D> {
    /// Makes `gpu` reachable through `device.enter()` and creates the nodes in `/dev/dri`.
    pub(crate) fn new(device: ARef<Device<D>>, gpu: Pin<KBox<D::Gpu>>) -> Result<Self> {
        device
            .gpu
            .store(core::ptr::from_ref(&*gpu).cast_mut(), Ordering::Release);
        // From here on dropping `this` unplugs the device, which is harmless if registering it fails.
        let this = Self {
            gpu: Some(gpu),
            device,
        };
        // SAFETY: the device is initialised and has not been registered.
        to_result(unsafe { b::drm_dev_register(this.device.base.as_raw(), 0) })?;
        Ok(this)
    }

    /// The registered device.
    pub(crate) fn device(&self) -> &ARef<Device<D>> {
        &self.device
    }
}

impl<D: Driver> Drop for Registration<D> {
    fn drop(&mut self) {
        // SAFETY: the device is initialised; this waits for all guards and forbids new ones.
        unsafe { b::drm_dev_unplug(self.device.base.as_raw()) };
        D::unplugged(&self.device);
        self.device.gpu.store(null_mut(), Ordering::Release);
        self.gpu = None;
        self.device.mappings.end();
        self.device.memory.unplug();
    }
}

/// The C tables of a driver.
pub(super) struct Tables<D>(PhantomData<D>);

impl<D: Driver> Tables<D> {
    const DRIVER: &'static Table<b::drm_driver> = &Table(Self::driver(Some(Self::release)));
    /// For a device whose fields are not initialised yet.
    const WITHOUT_RELEASE: &'static Table<b::drm_driver> = &Table(Self::driver(None));

    const fn driver(release: Option<unsafe extern "C" fn(*mut b::drm_device)>) -> b::drm_driver {
        b::drm_driver {
            open: Some(file::open::<D>),
            postclose: Some(file::postclose::<D>),
            show_fdinfo: Some(fdinfo::show::<D>),
            release,
            major: D::INFO.major,
            minor: D::INFO.minor,
            patchlevel: D::INFO.patch,
            name: kernel::str::as_char_ptr_in_const_context(D::INFO.name).cast_mut(),
            desc: kernel::str::as_char_ptr_in_const_context(D::INFO.description).cast_mut(),
            driver_features: b::drm_driver_feature_DRIVER_GEM | b::drm_driver_feature_DRIVER_RENDER,
            ioctls: D::IOCTLS.as_ptr().cast(),
            num_ioctls: D::IOCTLS.len() as i32,
            fops: &Self::FOPS.0,
            ..pin_init::zeroed()
        }
    }

    pub(super) const FOPS: &'static Table<b::file_operations> = &Table(b::file_operations {
        owner: chardev::owner(),
        open: Some(b::drm_open),
        release: Some(b::drm_release),
        unlocked_ioctl: Some(ioctl::native::<D>),
        #[cfg(CONFIG_COMPAT)]
        compat_ioctl: Some(ioctl::compat::<D>),
        poll: Some(b::drm_poll),
        read: Some(b::drm_read),
        llseek: Some(b::noop_llseek),
        mmap: Some(b::drm_gem_mmap),
        show_fdinfo: Some(b::drm_show_fdinfo),
        fop_flags: b::FOP_UNSIGNED_OFFSET,
        ..pin_init::zeroed()
    });

    /// `drm_driver.release`: the last reference is gone.
    ///
    /// # Safety
    ///
    /// For DRM, which calls it once for a device made by `new`, after its last reference.
    unsafe extern "C" fn release(drm: *mut b::drm_device) {
        let this = drm.cast::<Device<D>>();
        // SAFETY: both are initialised (else this is not called), and nobody refers to the device any more.
        unsafe {
            core::ptr::drop_in_place(&raw mut (*this).mappings);
            core::ptr::drop_in_place(&raw mut (*this).memory);
        }
    }
}

/// The address space through which mappings of the device's buffer objects can be found and undone.
///
/// # Safety
///
/// `drm` must be an initialised device.
pub(in super::super) unsafe fn mapping(drm: *mut b::drm_device) -> *mut b::address_space {
    // SAFETY: by the requirement.
    unsafe { (*(*drm).anon_inode).i_mapping }
}
