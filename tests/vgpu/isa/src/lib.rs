// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoder and executor of the gfx90a instruction set.
