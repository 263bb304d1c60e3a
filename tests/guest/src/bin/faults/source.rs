// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What makes a call of this thread fail at its n-th chance.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// The module's parameters (drivers/glue/inject.rs).
const PARAMETERS: &str = "/sys/module/amdgpu/parameters";
/// The kernel's counter of this thread (Documentation/fault-injection).
const FAIL_NTH: &str = "/proc/thread-self/fail-nth";
/// The kinds of failures that the kernel injects.
const KINDS: [&str; 3] = ["failslab", "fail_page_alloc", "fail_usercopy"];

/// Who makes it fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The driver's wrappers of kernel services.
    Driver,
    /// The kernel: memory for the driver, and copies from and to this process.
    Kernel,
}

/// A thread that is about to meet its failure.
pub(crate) enum Armed {
    Driver,
    Kernel(File),
}

impl Source {
    /// Those of the running kernel; the second one is set up to hit what the driver asks for.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Driver];
        if fs::exists(FAIL_NTH).unwrap_or(false) {
            let module = module().expect("/proc/modules");
            for kind in KINDS {
                let set = |file: &str, value: &str| {
                    let file = format!("/sys/kernel/debug/{kind}/{file}");
                    // not every kind has every file
                    let _ = fs::write(file, value);
                };
                set("ignore-gfp-wait", "N");
                set("min-order", "0");
                set("verbose", "0");
                set("require-start", &format!("{:#x}", module.0));
                set("require-end", &format!("{:#x}", module.1));
            }
            all.push(Self::Kernel);
        }
        all
    }

    /// Makes the `nth` thing fail that this thread does from now on; none for 0.
    pub(crate) fn arm(self, nth: u32) -> Armed {
        match self {
            Self::Driver => {
                // SAFETY: a plain call.
                parameter("fail_task", unsafe { libc::gettid() });
                parameter("fail_nth", nth as i32);
                Armed::Driver
            }
            Self::Kernel => {
                let file = File::options()
                    .read(true)
                    .write(true)
                    .open(FAIL_NTH)
                    .expect(FAIL_NTH);
                file.write_all_at(nth.to_string().as_bytes(), 0).expect(FAIL_NTH);
                Armed::Kernel(file)
            }
        }
    }
}

impl Armed {
    /// Nothing fails any more. Whether the failure has come.
    pub(crate) fn disarm(self) -> bool {
        let mut text = [0; 16];
        match self {
            Self::Driver => {
                let left = fs::read_to_string(format!("{PARAMETERS}/fail_nth")).expect("fail_nth");
                parameter("fail_nth", 0);
                parameter("fail_task", 0);
                left.trim() == "0"
            }
            Self::Kernel(file) => {
                // reading copies to this process, and may be what fails
                let come = file.read_at(&mut text, 0).is_ok_and(|_| text.starts_with(b"0"));
                while file.write_at(b"0", 0).is_err() {}
                come
            }
        }
    }
}

fn parameter(name: &str, value: i32) {
    fs::write(format!("{PARAMETERS}/{name}"), value.to_string()).expect(name);
}

/// Where the driver's code is: begin and end.
fn module() -> Option<(u64, u64)> {
    let modules = fs::read_to_string("/proc/modules").ok()?;
    let mut words = modules
        .lines()
        .find(|line| line.starts_with("amdgpu "))?
        .split(' ');
    let len: u64 = words.nth(1)?.parse().ok()?;
    let start = words.nth(3)?.trim_start_matches("0x");
    let start = u64::from_str_radix(start, 16).ok().filter(|start| *start != 0)?;
    Some((start, start + len))
}
