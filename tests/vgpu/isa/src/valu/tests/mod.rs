// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the vector ALU against independent models: LLVM's APFloat for arithmetic, wide integers for the rest, plain matrix
//! products for the matrix cores.

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
