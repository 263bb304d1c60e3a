// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! The KFD and amdgpu DRM ABI of Linux 7.3: what ROCm says to the kernel, and what it hears back.
//!
//! The same crate serves the driver and userspace programs. It needs neither `std` nor another crate.
//!
//! | room | for |
//! |---|---|
//! | [`abi`] | plain data that crosses the border, and its description |
//! | [`ioctl`] | how a request number is composed |
//! | [`kfd`] | `/dev/kfd`: requests by topic, mmap offsets, the topology in sysfs |
//! | [`drm`] | the render node: requests of the DRM core and of amdgpu that ROCm uses |
//!
//! Names are those of the C headers without prefix; each type, field and constant knows its C name, and
//! `tests/layout.rs` compares all of them with the headers of a kernel source.
#![no_std]

#[macro_use]
pub mod abi;
#[macro_use]
pub mod ioctl;
pub mod drm;
pub mod kfd;
