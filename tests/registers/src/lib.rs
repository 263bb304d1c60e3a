// SPDX-License-Identifier: Apache-2.0 OR MIT
//! AMD's register headers, as the kernel source has them, to compare register declarations with.
//!
//! `tests/driver` compares those of the driver, `tests/vgpu` those of the virtual GPU.

mod block;
mod headers;
mod name;
mod source;

pub use block::{Block, Headers};
pub use headers::{Defines, Mask};
pub use name::{member, same_family};
pub use source::{rust_files, without_comments};

use std::path::PathBuf;

/// The kernel source, named by the environment variable FERROCK_LINUX.
pub fn linux() -> PathBuf {
    let Some(path) = std::env::var_os("FERROCK_LINUX") else {
        panic!(
            "FERROCK_LINUX is not set: set it to a Linux 7.3 source folder, e.g. FERROCK_LINUX=$(scripts/kernel source)"
        );
    };
    path.into()
}

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Fails with all of `errors` at once.
#[track_caller]
pub fn report(errors: Vec<String>) {
    assert!(
        errors.is_empty(),
        "{} errors:\n{}",
        errors.len(),
        errors.join("\n")
    );
}
