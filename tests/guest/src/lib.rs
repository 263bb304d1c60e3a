// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ABI tests that run in the guest against the real device nodes.
//!
//! [`node`] calls `/dev/kfd` and the render node with any argument, also wrong ones; [`gpu`] is a process that has
//! adopted an address space; [`buffer`], [`queue`] and [`event`] are what such a process owns; [`counters`] is what must be
//! back at its baseline afterwards; [`refusal`] checks calls that must fail, with their line in the [`log`]; [`runner`]
//! runs each case in a process of its own, and [`child`] what a case wants in another. [`mod@record`] writes down what calls
//! come to, as [`show`] prints it. By a [`port`] a test reaches what the machine is made of.

pub mod buffer;
pub mod child;
pub mod counters;
pub mod errno;
pub mod event;
pub mod gpu;
pub mod log;
pub mod memory;
pub mod node;
pub mod port;
pub mod queue;
pub mod random;
pub mod record;
pub mod refusal;
pub mod runner;
mod show;
