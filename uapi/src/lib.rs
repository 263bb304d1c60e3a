// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! The KFD and amdgpu DRM ABI of Linux 7.3.
#![no_std]
