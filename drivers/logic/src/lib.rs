// SPDX-License-Identifier: GPL-2.0
//! The hardware-free part of the driver.
#![no_std]
#![forbid(unsafe_code)]
