// SPDX-License-Identifier: GPL-2.0
//! The driver itself, one room per part of the hardware or of the interface.
//!
//! | room | for |
//! |---|---|
//! | `driver` | from the PCI device to a running GPU and back |
//! | `device` | who owns what, and in which order it goes down |
//! | `bring_up` | in which order it comes up |
//! | `parts` | what is switched on and off with an owner |
//! | `cards` | what no block says: widths of cards, from their data sheets |
//! | `hw` | the hardware, one folder per block |
//! | `mem` | memory of the GPU: buffers, GART, what there is |
//! | `vm` | address spaces of processes and their page tables |
//! | `queue` | queues of users on the hardware |
//! | `drm` | the nodes in `/dev/dri` and their ioctls |
//! | `kfd` | `/dev/kfd`, its ioctls, and the topology in sysfs |
//! | `sysfs` | files and sensors for management programs |
//! | `failure` | why an ioctl fails, and the line in the log |

mod bring_up;
pub(crate) mod cards;
pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod drm;
pub(crate) mod failure;
pub(crate) mod hw;
pub(crate) mod kfd;
pub(crate) mod mem;
mod parts;
pub(crate) mod queue;
mod sysfs;
pub(crate) mod vm;
