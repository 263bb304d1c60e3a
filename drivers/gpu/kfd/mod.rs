// SPDX-License-Identifier: GPL-2.0
//! KFD: `/dev/kfd` and the topology in sysfs, by which ROCm finds GPUs, and processes get memory, queues and events.
//!
//! | room | for |
//! |---|---|
//! | `service` | what there is one of: the device node, the processes, the GPUs |
//! | `node` | a GPU as KFD knows it |
//! | `topology` | nodes, memory banks, caches and links in sysfs |
//! | `process` | what a process has, and how it comes and goes |
//! | `memory` | buffers and where they are mapped |
//! | `queues` | queues of a process |
//! | `events` | events, and who waits for them |
//! | `requests` | the ioctls: one file per topic |
//! | `counters` | what debugfs shows |
//! | `fault` | page faults of a process |
//! | `dumps` | queue descriptors, registers and run lists in debugfs |
//! | `failure` | failures that several requests know |
//!
//! # Words
//!
//! A *node* is a GPU (or, in the topology, a set of CPUs). A process has a *process device* for each GPU that was
//! there when it opened `/dev/kfd`; it is *bound* once ACQUIRE_VM has given it an address space.
//!
//! # Locks, outer first
//!
//! | lock | protects |
//! |---|---|
//! | `Kfd::processes` | which processes there are |
//! | a buffer's `state` | whether it is mapped |
//! | a process device's `binding`, `buffers`, `doorbells`; a process's `queues` | tables, for a look-up |
//! | the scheduler's and those of memory and address spaces | see there |
//! | `Kfd::nodes`, a node's `contexts` | which GPUs there are, whose PASID is whose |
//! | `Events` | events |
//!
//! None but a buffer's is held while waiting for the GPU or touching memory of userspace.

mod counters;
mod dumps;
mod events;
mod failure;
mod fault;
mod memory;
mod node;
mod process;
mod queues;
mod requests;
mod service;
mod topology;

pub(crate) use node::{Published, ShownPages};
pub(crate) use service::{memory_of, withdraw, Service};
