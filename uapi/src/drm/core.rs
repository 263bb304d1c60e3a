// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Arguments of the DRM core's own requests.

abi_struct! {
    /// [`super::request::VERSION`]. libdrm insists on major 3 and the name `amdgpu`.
    pub struct Version = "struct drm_version" {
        /// Out.
        pub version_major: i32,
        /// Out.
        pub version_minor: i32,
        /// Out.
        pub version_patchlevel: i32,
        /// Padding of the C struct.
        pub gap = "": u32,
        /// In: bytes at `name`. Out: bytes of the name.
        pub name_len: u64,
        /// In: address.
        pub name: u64,
        /// In: bytes at `date`. Out: bytes of the date.
        pub date_len: u64,
        /// In: address.
        pub date: u64,
        /// In: bytes at `desc`. Out: bytes of the description.
        pub desc_len: u64,
        /// In: address.
        pub desc: u64,
    }
}

abi_struct! {
    /// [`super::request::GEM_CLOSE`].
    pub struct GemClose = "struct drm_gem_close" {
        /// In.
        pub handle: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::PRIME_HANDLE_TO_FD`] and [`super::request::PRIME_FD_TO_HANDLE`].
    pub struct PrimeHandle = "struct drm_prime_handle" {
        /// In or out.
        pub handle: u32,
        /// In: O_CLOEXEC, O_RDWR.
        pub flags: u32,
        /// Out or in.
        pub fd: i32,
    }
}
