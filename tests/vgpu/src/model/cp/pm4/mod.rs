// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PM4: the command packets of kernel rings, user PM4 queues and indirect buffers.
//!
//! [`header`] splits a stream into packets, [`opcode`] names them, [`exec`] does what they say. Packets for the
//! scheduler firmware are decoded in [`hws`](super::hws).

mod acquire;
mod atomic;
mod copy;
mod dispatch;
mod dma;
pub(crate) mod exec;
mod field;
pub(crate) mod header;
pub(crate) mod opcode;
mod release;
mod set_reg;
mod wait;
mod write_data;

pub(crate) use dispatch::{tmpring, user_sgpr_count, MAX_RUNNING};
pub(crate) use exec::{execute, Bad, Flow, IbCall, Machine};
pub(crate) use field::Body;
pub(crate) use release::{Eop, EopData};
