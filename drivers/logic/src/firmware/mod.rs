// SPDX-License-Identifier: GPL-2.0
//! Firmware files: where in a file each image is.
//!
//! A file begins with a header that all kinds have in common; a kind's own numbers follow it, then the images. Every
//! offset and size is checked against the file, so that an image is bytes of the file or an error that says what is
//! wrong. The contents are for the security processor to judge: it checks their signatures. The checksum in the header
//! is of no use: in the distribution's SOS and SMC files it is not that of the contents.
//!
//! Layouts: kernel amdgpu_ucode.h.

mod error;
mod file;
mod mec;
mod rlc;
mod sdma;
mod smc;
mod sos;
mod ta;
#[cfg(any(test, CONFIG_KUNIT = "y"))]
mod testing;

pub use error::FirmwareError;
pub use mec::Mec;
pub use rlc::Rlc;
pub use sdma::Sdma;
pub use smc::Smc;
pub use sos::{HostLink, Sos};
pub use ta::{Ta, TaKind};

/// What the security processor or an engine gets: bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// Version of the firmware, as the kernel's driver reports it.
    pub version: u32,
    /// The bytes; at least one.
    pub bytes: &'a [u8],
}
