// SPDX-License-Identifier: GPL-2.0
//! The hardware-free part of the driver.
#![no_std]
// except what KUnit's macro adds to the tests
#![cfg_attr(not(CONFIG_KUNIT = "y"), forbid(unsafe_code))]

#[cfg(test)]
extern crate std;

pub mod atom;
pub mod bits;
pub mod bytes;
pub mod discovery;
pub mod epoch;
pub mod fault;
pub mod firmware;
pub mod iv;
pub mod kfd;
pub mod mqd;
pub mod pagetable;
pub mod pm4;
pub mod psp;
pub mod rate;
pub mod runlist;
pub mod sdma_packet;
pub mod slots;
pub mod smu;
#[cfg(any(test, CONFIG_KUNIT = "y"))]
mod testing;
