// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Boots a virtual machine with virtual GPUs, runs a command in it, and judges what happened.
//!
//! [`machine`] is the QEMU command line, [`initramfs`] what the guest starts from, [`gpu`] the virtual GPU
//! processes, [`console`] the channels between guest and host, [`verdict`] what counts as a failure.
//! [`run::run`] ties them together. [`abi_diff`] compares what two drivers answered,
//! [`measure`] what they cost. [`count`] reads the results of test programs of every kind, [`ktap`] those of KUnit; [`figures`] adds up what they tried.

pub mod abi_diff;
pub mod accel;
pub mod console;
pub mod count;
pub mod cpio;
pub mod figures;
pub mod gpu;
pub mod initramfs;
pub mod ktap;
pub mod machine;
pub mod measure;
pub mod run;
pub mod stage;
pub mod verdict;
