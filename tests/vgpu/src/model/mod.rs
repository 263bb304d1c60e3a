// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's hardware blocks, by their public names.

pub mod athub;
pub mod cp;
pub mod fixed;
pub mod gmc;
pub mod grbm;
pub mod hdp;
pub mod ih;
pub mod nbio;
pub mod psp;
pub mod rlc;
pub mod sdma;
pub mod smu;
pub mod smuio;
pub mod spi;
