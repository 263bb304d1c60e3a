// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Shared virtual memory: attributes of ordinary CPU addresses that GPUs may use.

abi_consts! {
    /// Value of the attributes SET_FLAGS and CLR_FLAGS.
    pub mod flags: u32 = "KFD_IOCTL_SVM_FLAG_" {
        /// The host can always reach it.
        HOST_ACCESS = 1 << 0,
        /// Fine-grained coherence between all agents with access.
        COHERENT = 1 << 1,
        /// Any GPU of the preferred one's hive will do.
        HIVE_LOCAL = 1 << 2,
        /// GPUs only read.
        GPU_RO = 1 << 3,
        /// GPUs may fetch instructions.
        GPU_EXEC = 1 << 4,
        /// GPUs mostly read; writes fault.
        GPU_READ_MOSTLY = 1 << 5,
        /// Mapped at all times, also with XNACK.
        GPU_ALWAYS_MAPPED = 1 << 6,
        /// As COHERENT, also for device-scope atomics.
        EXT_COHERENT = 1 << 7,
    }
}

abi_consts! {
    /// [`Svm::op`].
    pub mod op: u32 = "KFD_IOCTL_SVM_OP_" {
        /// Changes the attributes given.
        SET_ATTR = 0,
        /// Asks for the attributes given.
        GET_ATTR = 1,
    }
}

abi_consts! {
    /// Locations that are no gpu_id.
    pub mod location: u32 = "KFD_IOCTL_SVM_LOCATION_" {
        /// System memory.
        SYSMEM = 0,
        /// None, or different ones.
        UNDEFINED = 0xffff_ffff,
    }
}

abi_consts! {
    /// [`Attribute::ty`].
    pub mod attr: u32 = "KFD_IOCTL_SVM_ATTR_" {
        /// Where it should live: [`super::location`] or gpu_id.
        PREFERRED_LOC = 0,
        /// Where to move it now: [`super::location`] or gpu_id.
        PREFETCH_LOC = 1,
        /// The gpu_id may use it, wherever it is best.
        ACCESS = 2,
        /// The gpu_id may use it where it is.
        ACCESS_IN_PLACE = 3,
        /// The gpu_id may not use it.
        NO_ACCESS = 4,
        /// [`super::flags`] to set.
        SET_FLAGS = 5,
        /// [`super::flags`] to clear.
        CLR_FLAGS = 6,
        /// How much moves at once: log2 of pages.
        GRANULARITY = 7,
    }
}

abi_struct! {
    /// One attribute.
    pub struct Attribute = "struct kfd_ioctl_svm_attribute" {
        /// [`attr`].
        pub ty = "type": u32,
        /// By type.
        pub value: u32,
    }
}

abi_struct! {
    /// [`super::request::SVM`] (since 1.5), with `nattr` [`Attribute`]s right behind it; the size in the request
    /// number counts them.
    pub struct Svm = "struct kfd_ioctl_svm_args" {
        /// In: page aligned.
        pub start_addr: u64,
        /// In: bytes, a multiple of the page size.
        pub size: u64,
        /// In: [`op`].
        pub op: u32,
        /// In: attributes that follow.
        pub nattr: u32,
    }
}

/// Request number of [`super::request::SVM`] with `nattr` attributes (at most 2000).
pub const fn request(nattr: usize) -> u32 {
    super::request::SVM.wrapping_add((size_of::<Attribute>().wrapping_mul(nattr) << 16) as u32)
}
