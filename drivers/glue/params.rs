// SPDX-License-Identifier: GPL-2.0
//! Module parameters that userspace can read in `/sys/module/amdgpu/parameters`.
//!
//! The `params` of the kernel crate's `module!` have permission 0: they do not appear in sysfs, where ROCm's tools
//! and kfdtest look for them.
use super::bindings as b;
use core::sync::atomic::{AtomicI32, Ordering};

/// A parameter of C type `int`, set at load time and constant afterwards.
pub(crate) struct Parameter(AtomicI32);

impl Parameter {
    const fn new(default: i32) -> Self {
        Self(AtomicI32::new(default))
    }

    /// What the user set, or the default.
    pub(crate) fn get(&self) -> i32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts down to 0, where it stays; whether it has just got there.
    #[cfg(CONFIG_KUNIT = "y")]
    pub(super) fn count_down(&self) -> bool {
        let next = |n: i32| (n > 0).then(|| n.wrapping_sub(1));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) == Ok(1)
    }

    /// Where the kernel's parser stores the value (an `AtomicI32` has the layout of an `int`).
    const fn storage(&self) -> *mut kernel::ffi::c_void {
        core::ptr::from_ref(self).cast_mut().cast()
    }
}

/// An entry of the module's `__param` section.
#[repr(transparent)]
struct Entry(b::kernel_param);

// SAFETY: the kernel reads the entry while it loads the module, and under the module's parameter lock afterwards.
unsafe impl Sync for Entry {}

/// Puts `text`, which includes its terminating zero, into `.modinfo`.
macro_rules! modinfo {
    ($name:ident, $text:expr) => {
        #[link_section = ".modinfo"]
        #[used(compiler)]
        static $name: [u8; $text.len()] = match $text.as_bytes().first_chunk() {
            Some(text) => *text,
            None => [0; $text.len()],
        };
    };
}

/// Declares parameters: `NAME = "name": default, permissions, "description";`
macro_rules! parameters {
    ($($(#[$attribute:meta])* $static:ident = $name:literal: $default:literal, $perm:literal, $description:literal;)*) => {$(
        $(#[$attribute])*
        pub(crate) static $static: Parameter = Parameter::new($default);

        const _: () = {
            modinfo!(TYPE, concat!("parmtype=", $name, ":int\0"));
            modinfo!(TEXT, concat!("parm=", $name, ":", $description, "\0"));

            #[link_section = "__param"]
            #[used(compiler)]
            static ENTRY: Entry = Entry(b::kernel_param {
                name: concat!($name, "\0").as_ptr(),
                mod_: core::ptr::addr_of!(b::__this_module).cast_mut(),
                ops: core::ptr::addr_of!(b::param_ops_int),
                perm: $perm,
                level: -1,
                flags: 0,
                __bindgen_anon_1: b::kernel_param__bindgen_ty_1 { arg: $static.storage() },
            });
        };
    )*};
}

parameters! {
    // Read-only: the driver looks at it when it is loaded, a later change would have no effect.
    /// Whether waves of a preempted queue are saved and restored (CWSR). kfdtest skips its CWSR tests at 0.
    CWSR_ENABLE = "cwsr_enable": 0, 0o444, "save and restore waves at preemption (0 = off, the only choice so far)";
}

#[cfg(CONFIG_KUNIT = "y")]
parameters! {
    /// See [`super::inject`].
    FAIL_NTH = "fail_nth": 0, 0o644, "for tests: the n-th thing that may fail from now on fails (0 = none)";
    /// See [`super::inject`].
    FAIL_TASK = "fail_task": 0, 0o644, "for tests: fail_nth is about what this thread does (0 = any thread)";
}
