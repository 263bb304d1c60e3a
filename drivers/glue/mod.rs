// SPDX-License-Identifier: GPL-2.0
//! Safe wrappers.
pub(crate) mod bindings;
