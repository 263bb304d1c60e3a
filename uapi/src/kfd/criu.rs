// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Checkpoint and restore of a process with GPU state: the CRIU plugin.

abi_consts! {
    /// [`Criu::op`].
    pub mod op: u32 = "KFD_CRIU_OP_" {
        /// Stops the process and tells how much there is.
        PROCESS_INFO = 0,
        /// Copies it out.
        CHECKPOINT = 1,
        /// Lets the process run on.
        UNPAUSE = 2,
        /// Copies it in.
        RESTORE = 3,
        /// Lets the restored process run.
        RESUME = 4,
    }
}

abi_struct! {
    /// [`super::request::CRIU_OP`] (since 1.7).
    pub struct Criu = "struct kfd_ioctl_criu_args" {
        /// In: address of an array of [`DeviceBucket`].
        pub devices: u64,
        /// In: address of an array of [`BoBucket`].
        pub bos: u64,
        /// In: address of the opaque data.
        pub priv_data: u64,
        /// In and out: its bytes.
        pub priv_data_size: u64,
        /// In and out: GPUs.
        pub num_devices: u32,
        /// In and out: buffers.
        pub num_bos: u32,
        /// In and out: opaque objects.
        pub num_objects: u32,
        /// In and out: the process.
        pub pid: u32,
        /// In: [`op`].
        pub op: u32,
        /// Padding of the C struct.
        pub tail = "": u32,
    }
}

abi_struct! {
    /// A GPU of the process.
    pub struct DeviceBucket = "struct kfd_criu_device_bucket" {
        /// The gpu_id the process knows.
        pub user_gpu_id: u32,
        /// The gpu_id here.
        pub actual_gpu_id: u32,
        /// Its render node.
        pub drm_fd: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// A buffer of the process.
    pub struct BoBucket = "struct kfd_criu_bo_bucket" {
        /// GPU address.
        pub addr: u64,
        /// Bytes.
        pub size: u64,
        /// mmap offset at the checkpoint.
        pub offset: u64,
        /// mmap offset after the restore.
        pub restored_offset: u64,
        /// The gpu_id the process knows.
        pub gpu_id: u32,
        /// [`super::memory::alloc_flags`].
        pub alloc_flags: u32,
        /// For copying its content.
        pub dmabuf_fd: u32,
        /// Zero.
        pub pad: u32,
    }
}
