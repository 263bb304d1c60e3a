// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoder and executor of the gfx90a instruction set.
//!
//! The crate knows waves, registers and instructions, nothing of PCI, queues or page tables. A dispatcher fills a
//! [`Wave`] with the initial state that the kernel descriptor asks for, gives it a [`Lds`] and something that
//! implements [`Memory`], and calls [`run`] until the wave ends:
//!
//! ```text
//! loop {
//!     match run(&mut wave, &mut lds, &mut memory, 100_000) {
//!         Stop::EndPgm => break,
//!         Stop::Barrier => /* run the other waves of the workgroup first */,
//!         Stop::Yield => /* the budget is used up: let other waves run */,
//!         ...
//!     }
//! }
//! ```
//!
//! Rooms:
//! - [`wave`], [`mode`], [`lds`], [`memory`], [`stop`]: the state and the world around it.
//! - [`inst`]: the decoded instruction; [`decode`]: words to [`Inst`]; [`code`]: pages of decoded code; [`table`]: one row
//!   per instruction; [`print`]: [`Inst`] to LLVM's assembler syntax.
//! - [`operand`]: how instructions read their sources and write their results.
//! - [`exec`]: the loop and memory instructions, with [`rmw`] for atomics; [`salu`]: scalar instructions; [`valu`]: vector
//!   arithmetic.
//!
//! A table row names an instruction, its number and the types of its operands. What a vector instruction does is
//! found by that name in the lists of [`valu`]; a test compares both sides. Guest code never panics the crate:
//! whatever cannot be executed ends in [`Stop::Illegal`] with the reason in words.
//!
//! Tests count what is covered and print it: `cargo test -p vgpu-isa --test llvm coverage -- --nocapture` the opcodes that
//! LLVM knows, `cargo test -p vgpu-isa --test values inventory -- --nocapture` the instructions whose values are compared.

pub mod code;
pub mod decode;
pub mod exec;
pub mod inst;
pub mod lds;
pub mod memory;
pub mod mode;
pub mod operand;
pub mod print;
pub mod rmw;
pub mod salu;
pub mod stop;
pub mod table;
pub mod valu;
pub mod wave;

pub use code::{CodeCache, CodePage};
pub use exec::run;
pub use inst::Inst;
pub use lds::Lds;
pub use memory::{Access, MemFault, Memory};
pub use mode::Mode;
pub use stop::{Illegal, Stop};
pub use wave::{Row, Wave, LANES};
