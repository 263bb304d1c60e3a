// SPDX-License-Identifier: GPL-2.0
//! Queues of users, and how they come onto the hardware.
//!
//! A process fills its queues by itself and rings its own doorbells; the driver is not in that path. What the driver
//! does is to say which queues there are: it writes a descriptor for each, puts all of them into a run list, and
//! hands that to the scheduler in the MEC firmware, which gives processes VMIDs and queues hardware slots, and
//! shares both out by time if there are too few.
//!
//! | part | for |
//! |---|---|
//! | [`Scheduler`] | all queues of a GPU: add, change, remove, stop and resume |
//! | `state` | what the scheduler knows and what is on the hardware, behind its lock |
//! | `entry` | a process and a queue as the scheduler knows them |
//! | `descriptors` | memory for queue descriptors |
//! | `dump` | what the device was like when it failed, for userspace |
//! | `turn` | the lock, whose waiters SIGKILL can end |
//!
//! # Whose memory it is
//!
//! While a queue may be on the hardware, its descriptor and everything that it was created with belong to the
//! device. They come back only after the device has confirmed that the queue is off. If it does not confirm, they
//! are kept.
//!
//! # Locking
//!
//! The scheduler's lock comes after all locks of processes and address spaces, and before those of the KIQ and of
//! memory that is mapped already. It is taken when memory of a process goes away (MMU notifiers), so that nothing
//! is allocated under it.

mod descriptors;
mod dump;
mod entry;
mod scheduler;
mod state;
mod turn;

pub(crate) use dump::Witnesses;
pub(crate) use entry::{Held, ProcessSetUp, QueueSetUp};
pub(crate) use scheduler::{ProcessKey, QueueKey, Scheduler};
