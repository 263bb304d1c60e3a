// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the vector ALU against independent models: LLVM's APFloat for arithmetic, wide integers for the rest, plain matrix
//! products for the matrix cores.

// Tables of an operation, its name and its model are what these tests are; and a lane is a number, also of its row.
#![allow(clippy::type_complexity, clippy::needless_range_loop)]

mod bench;
mod convert;
mod divide;
mod extended;
mod harness;
mod host;
mod integer;
mod matrix;
mod modifiers;
mod names;
mod number;
mod predicates;
mod robust;
mod soft;
mod special;
mod trans;
