// SPDX-License-Identifier: GPL-2.0
//! The topology in sysfs: `/sys/devices/virtual/kfd/kfd/topology`.
//!
//! | part | for |
//! |---|---|
//! | [`Tree`] | the directories |
//! | `files` | what is in them |
//! | [`Description`] | what a GPU is, gathered from its blocks |
//!
//! Runtimes read it before anything else, all files of all nodes, and start again if `generation_id` has changed
//! meanwhile. A GPU's node is made aside and moved in place when it is complete.

mod description;
mod files;
mod tree;

pub(super) use description::{Description, NAME};
pub(super) use tree::Tree;
