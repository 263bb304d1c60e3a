// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the encodings of an instruction allow.

/// A set of the constants of this module.
pub type Flags = u32;

/// Nothing special.
pub const NONE: Flags = 0;
/// VOP: the result can be clamped.
pub const CLAMP: Flags = 1 << 0;
/// VOP: the result can be multiplied or divided.
pub const OMOD: Flags = 1 << 1;
/// VOP3: sources and destination can be high halves.
pub const OPSEL: Flags = 1 << 2;
/// VOP1, VOP2, VOPC: there is a sub-dword form.
pub const SDWA: Flags = 1 << 3;
/// VOP1, VOP2: there is a data-parallel form.
pub const DPP: Flags = 1 << 4;
/// VOP1, VOP2: there is no VOP3 form.
pub const NO_E64: Flags = 1 << 5;
/// VOP2: the destination is also the third source.
pub const TIED: Flags = 1 << 6;
/// VOP2: a literal is the second of three sources.
pub const MK: Flags = 1 << 7;
/// VOP2: a literal is the third source.
pub const AK: Flags = 1 << 8;
/// VOP3P: packed operands with op_sel, op_sel_hi, neg_lo, neg_hi.
pub const PACKED: Flags = 1 << 9;
/// VOP3P: operands are single or half precision, by op_sel_hi; abs and neg.
pub const MIX: Flags = 1 << 10;
/// VOP3P: matrix cores and accumulators: cbsz, abid, blgp.
pub const MAI: Flags = 1 << 11;
/// SOPK: the immediate is unsigned.
pub const UNSIGNED: Flags = 1 << 12;
/// Memory: has a FLAT form.
pub const FLAT: Flags = 1 << 13;
/// Memory: has a GLOBAL form.
pub const GLOBAL: Flags = 1 << 14;
/// Memory: has a SCRATCH form.
pub const SCRATCH: Flags = 1 << 15;
/// Memory: has a MUBUF form.
pub const MUBUF: Flags = 1 << 16;
/// Memory: has an MTBUF form.
pub const MTBUF: Flags = 1 << 17;
