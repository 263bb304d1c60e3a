// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions in LLVM's assembler syntax.
