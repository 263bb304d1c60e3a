// SPDX-License-Identifier: GPL-2.0
//! The hardware-free part of the driver.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod bits;
pub mod epoch;
pub mod iv;
pub mod kfd;
pub mod mqd;
pub mod pagetable;
pub mod pm4;
pub mod rate;
pub mod runlist;
pub mod sdma_packet;
pub mod slots;
