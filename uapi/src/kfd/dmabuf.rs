// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Buffers shared as dma-buf files: IPC, graphics interoperation, ROCr's virtual memory API.

abi_struct! {
    /// [`super::request::GET_DMABUF_INFO`].
    pub struct GetDmabufInfo = "struct kfd_ioctl_get_dmabuf_info_args" {
        /// Out: bytes.
        pub size: u64,
        /// In: where the metadata is copied to, 0 for none.
        pub metadata_ptr: u64,
        /// In: bytes at `metadata_ptr`. Out: bytes of metadata.
        pub metadata_size: u32,
        /// Out: where the buffer lives.
        pub gpu_id: u32,
        /// Out: [`super::memory::alloc_flags`].
        pub flags: u32,
        /// In.
        pub dmabuf_fd: u32,
    }
}

abi_struct! {
    /// [`super::request::IMPORT_DMABUF`].
    pub struct ImportDmabuf = "struct kfd_ioctl_import_dmabuf_args" {
        /// In: GPU address for later mappings, 0 for none.
        pub va_addr: u64,
        /// Out: names the buffer inside the process.
        pub handle: u64,
        /// In: the GPU that maps it.
        pub gpu_id: u32,
        /// In.
        pub dmabuf_fd: u32,
    }
}

abi_struct! {
    /// [`super::request::EXPORT_DMABUF`] (since 1.12).
    pub struct ExportDmabuf = "struct kfd_ioctl_export_dmabuf_args" {
        /// In.
        pub handle: u64,
        /// In: open flags (O_CLOEXEC, O_ACCMODE).
        pub flags: u32,
        /// Out.
        pub dmabuf_fd: u32,
    }
}
