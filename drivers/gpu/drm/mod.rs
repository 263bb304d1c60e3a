// SPDX-License-Identifier: GPL-2.0
//! The DRM side: device nodes in `/dev/dri`, what an open file is, and the ioctls of the render node.

mod info;

use super::device::Gpu;
use crate::glue::{self, drm::Ioctl};
use amdgpu_uapi::drm::command;
use kernel::prelude::*;

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
pub(crate) struct FileData {}

impl glue::drm::Driver for Amdgpu {
    type Gpu = Gpu;
    type File = FileData;

    // libdrm refuses other names and majors; the minor is that of the kernel whose ioctls are offered (7.3: 64).
    const INFO: glue::drm::Info = glue::drm::Info {
        name: c"amdgpu",
        description: c"AMD compute (Ferrock)",
        major: 3,
        minor: 64,
        patch: 0,
    };
    const IOCTLS: &'static [Ioctl] = &[
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::none(),
        Ioctl::new::<Self, info::Query>(command::INFO as u32, c"AMDGPU_INFO"),
    ];

    fn open(_device: &Device) -> Result<KBox<FileData>> {
        Ok(KBox::new(FileData {}, GFP_KERNEL)?)
    }
}
