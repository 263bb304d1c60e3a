// SPDX-License-Identifier: GPL-2.0
//! What the driver and the secure OS of the security processor (PSP) pass each other through memory.
//!
//! The driver writes a command to a buffer and a frame, which leads to the buffer, to a ring. The secure OS writes its
//! response to the end of the buffer and then the frame's fence (kernel psp_gfx_if.h).

mod command;
mod frame;

pub use command::{Command, Response, Target, COMMAND_BYTES, COMMAND_WORDS, RESPONSE};
pub use frame::{Frame, Position, FRAME_WORDS};
