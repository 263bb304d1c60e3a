// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scheduler firmware (HWS): which queues of which processes are on hardware slots.
//!
//! [`packets`] decodes what the driver sends, [`list`] reads run lists, [`vmids`] hands out address spaces, [`plan`]
//! decides what fits. Moving queues on and off slots is the engine's work.

pub(crate) mod list;
pub(crate) mod packets;
pub(crate) mod plan;
pub(crate) mod vmids;
