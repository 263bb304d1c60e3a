// SPDX-License-Identifier: GPL-2.0
//! The DRM side: device nodes in `/dev/dri`, what an open file is, and the ioctls of the render node.

mod fdinfo;
mod gem;
mod info;
mod va;

use super::{
    device::Gpu,
    failure::{Complaints, Failure},
    kfd,
    mem::Bo,
    vm::Vm,
};
use crate::glue::{self, drm::Ioctl};
use amdgpu_logic::kfd::Refusal;
use amdgpu_uapi::{
    drm::{amdgpu_request, base, command},
    ioctl,
};
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{
    prelude::*,
    sync::{Arc, SetOnce},
};

pub(crate) use fdinfo::Part;

/// The driver as DRM knows it.
pub(crate) struct Amdgpu;

/// The DRM device of a GPU.
pub(crate) type Device = glue::drm::Device<Amdgpu>;
/// Proof that the GPU is bound, and access to it.
pub(crate) type Guard<'a> = glue::drm::Guard<'a, Amdgpu>;
/// An open file of the render or primary node.
pub(crate) type File = glue::drm::File<Amdgpu>;
/// A counted reference to an open file.
pub(crate) type FileRef = glue::drm::FileRef<Amdgpu>;

/// What an open file owns.
pub(crate) struct FileData {
    /// Made when first needed.
    vm: SetOnce<Arc<Vm>>,
    /// Whether a process has made it its own, by KFD's ACQUIRE_VM.
    claimed: AtomicBool,
    complaints: Pin<KBox<Complaints>>,
}

/// The address space of a file, taken by a process; given back if dropped.
pub(crate) struct Claim<'a>(&'a AtomicBool);

impl Claim<'_> {
    /// Keeps it for as long as the file is open.
    pub(crate) fn keep(self) {
        core::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl FileData {
    /// Makes the address space that of a process. `EINVAL` if it is that already.
    pub(crate) fn claim(&self) -> Result<Claim<'_>> {
        match self.claimed.swap(true, Ordering::AcqRel) {
            false => Ok(Claim(&self.claimed)),
            true => Err(EINVAL),
        }
    }

    /// The file's address space.
    pub(crate) fn vm(&self, gpu: &Guard<'_>) -> Result<Arc<Vm>> {
        if self.vm.as_ref().is_none() {
            // Another task may be faster: then this one is not needed.
            let _ = self.vm.populate(Vm::new(gpu.memory())?);
        }
        self.vm.as_ref().cloned().ok_or(ENOMEM)
    }
}

impl glue::drm::Driver for Amdgpu {
    type Gpu = Gpu;
    type File = FileData;
    type Failure = Failure;

    // libdrm refuses other names and majors; the minor is that of the kernel whose ioctls are offered (7.3: 64).
    const INFO: glue::drm::Info = glue::drm::Info {
        name: c"amdgpu",
        description: c"AMD compute (Ferrock)",
        major: 3,
        minor: 64,
        patch: 0,
    };
    // By number. What is missing is "not there" for the C driver, too (EINVAL).
    const IOCTLS: &'static [Ioctl] = &[
        Ioctl::new::<Self, gem::MakeObject>(command::GEM_CREATE as u32),
        Ioctl::new::<Self, gem::MapOffset>(command::GEM_MMAP as u32),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::new::<Self, info::Query>(command::INFO as u32),
        Ioctl::new::<Self, gem::Metadata>(command::GEM_METADATA as u32),
        Ioctl::new::<Self, gem::WaitIdle>(command::GEM_WAIT_IDLE as u32),
        Ioctl::new::<Self, va::Address>(command::GEM_VA as u32),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::new::<Self, gem::Operation>(command::GEM_OP as u32),
    ];

    fn unplugged(device: &Device) {
        kfd::withdraw(device);
    }

    fn open(_device: &Device) -> Result<KBox<FileData>> {
        let data = FileData {
            vm: SetOnce::new(),
            claimed: AtomicBool::new(false),
            complaints: KBox::pin_init(Complaints::new("drm"), GFP_KERNEL)?,
        };
        Ok(KBox::new(data, GFP_KERNEL)?)
    }

    fn failed(file: &File, name: &'static str, failure: Failure) -> Error {
        file.data().complaints.note(name, &failure);
        failure.error()
    }

    fn not_called(error: Error) -> Failure {
        let words = if error == EFAULT {
            "the argument cannot be read or written"
        } else {
            "the kernel's DRM does not let it pass"
        };
        Failure::Failed(error, words)
    }

    fn unknown(nr: u32) -> (&'static str, Failure) {
        let number = nr.saturating_add(base::BASE);
        let request = amdgpu_request::TABLE
            .iter()
            .find(|request| u32::from(ioctl::nr(request.cmd)) == number);
        let refusal = Refusal::invalid("request number", nr.into(), "that of a request for compute");
        (request.map_or("request", |request| request.name), refusal.into())
    }

    fn show(file: &File, out: &mut glue::drm::FdInfo) {
        if let Err(e) = fdinfo::show(file, out) {
            pr_debug!("drm: the memory of a file cannot be told: {e:?}\n");
        }
    }

    fn closed(file: &File, bo: &Bo) {
        let Some(vm) = file.data().vm.as_ref() else { return };
        let (unmapped, result) = vm.unmap_all_of_file(bo);
        if let Err(e) = result {
            pr_err!(
                "drm: mappings of a closed buffer stay until their file is closed: {:?}\n",
                e
            );
        }
        unmapped.release_or_keep();
    }
}
