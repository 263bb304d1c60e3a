// SPDX-License-Identifier: Apache-2.0 OR MIT
//! AQL: the packets of HSA user queues (HSA Platform System Architecture 2.9; device-contract 5.4, 5.5).
//!
//! [`packet`] decodes the 64-byte packets, [`descriptor`] the kernel descriptor a dispatch points to, [`launch`] makes
//! a dispatch of both, [`signal`] completes it, [`amd_queue`] is the queue structure shared with the runtime, [`fault`]
//! the errors stored in it.

pub(crate) mod amd_queue;
pub(crate) mod descriptor;
pub(crate) mod fault;
pub(crate) mod launch;
pub(crate) mod packet;
pub(crate) mod signal;
