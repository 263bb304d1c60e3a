// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SDMA packets, decoded.
//!
//! Counts in packets are "minus one"; here they are the real numbers.

use std::fmt;

/// How a poll compares the masked value with the reference (POLL_REGMEM header bits 30:28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Passes at once.
    Always,
    /// value < reference
    Less,
    /// value <= reference
    LessEqual,
    /// value == reference
    Equal,
    /// value != reference
    NotEqual,
    /// value >= reference
    GreaterEqual,
    /// value > reference
    Greater,
}

impl Compare {
    /// Whether `value` (already masked) satisfies the comparison.
    pub fn holds(self, value: u32, reference: u32) -> bool {
        match self {
            Self::Always => true,
            Self::Less => value < reference,
            Self::LessEqual => value <= reference,
            Self::Equal => value == reference,
            Self::NotEqual => value != reference,
            Self::GreaterEqual => value >= reference,
            Self::Greater => value > reference,
        }
    }
}

/// What a poll looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollSource {
    /// A dword in memory (virtual address).
    Memory(u64),
    /// A register (BAR5 byte offset).
    Register(u32),
    /// Writes the reference to `request` first, then polls `done`: the HDP flush handshake (BAR5 byte offsets).
    HdpFlush {
        /// GPU_HDP_FLUSH_DONE.
        done: u32,
        /// GPU_HDP_FLUSH_REQ.
        request: u32,
    },
}

/// POLL_REGMEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// Where the value comes from.
    pub source: PollSource,
    /// How it is compared.
    pub compare: Compare,
    /// What with.
    pub reference: u32,
    /// Applied to the value before comparing.
    pub mask: u32,
    /// Engine clocks between tries.
    pub interval: u32,
    /// Tries before POLL_TIMEOUT; `None` (0xfff) is forever.
    pub retries: Option<u32>,
}

/// One side of a sub-window copy; positions and pitches are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Virtual address of element (0, 0, 0), dword aligned.
    pub base: u64,
    /// Position of the rectangle.
    pub at: [u32; 3],
    /// Elements per row.
    pub pitch: u64,
    /// Elements per slice.
    pub slice: u64,
}

/// Unit of a constant fill (CONST_FILL header bits 31:30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillUnit {
    /// The low byte of the data.
    Byte,
    /// The dword; length and address are dword aligned.
    Dword,
}

/// Operand width of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

/// What an atomic does (low bits of the TC opcode, kernel include/vega10_enum.h: TC_OP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Swap,
    CompareSwap,
    Add,
    Sub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
}

/// ATOMIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// The operation.
    pub op: AtomicOp,
    /// Its width.
    pub width: Width,
    /// Virtual address, aligned to the width.
    pub addr: u64,
    /// First operand.
    pub src: u64,
    /// Second operand of a compare-and-swap.
    pub cmp: u64,
    /// A compare-and-swap repeats until it succeeds.
    pub repeat: bool,
}

/// TIMESTAMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timestamp {
    /// The engine's own counter continues from this value.
    Set(u64),
    /// Writes the engine's own counter (virtual address, 8-byte aligned).
    Get(u64),
    /// Writes the card's 100 MHz counter (virtual address, 8-byte aligned).
    GetGlobal(u64),
}

/// A decoded packet. Addresses are virtual byte addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Packet {
    Nop,
    CopyLinear {
        src: u64,
        dst: u64,
        second: Option<u64>,
        bytes: u64,
    },
    CopySubWindow {
        element: u32,
        src: Window,
        dst: Window,
        extent: [u32; 3],
    },
    WriteLinear {
        dst: u64,
        dwords: u64,
    },
    Indirect {
        vmid: u8,
        base: u64,
        dwords: u32,
    },
    Fence {
        addr: u64,
        data: u32,
    },
    Trap {
        context: u32,
    },
    Poll(Poll),
    /// POLL_REGMEM with bit 63 of the address set: the microcode flushes the HDP itself (ROCr: SDMA_PKT_HDP_FLUSH).
    HdpFlush,
    RegisterToMemory {
        reg: u32,
        dst: u64,
    },
    Atomic(Atomic),
    ConstFill {
        dst: u64,
        data: u32,
        unit: FillUnit,
        bytes: u64,
    },
    PtePdeGenerate {
        dst: u64,
        mask: u64,
        value: u64,
        increment: u64,
        entries: u64,
    },
    Timestamp(Timestamp),
    SrbmWrite {
        reg: u32,
        byte_enable: u8,
        data: u32,
    },
    CondExe {
        addr: u64,
        reference: u32,
        dwords: u32,
    },
}

impl Packet {
    /// The public name of the opcode (kernel vega10_sdma_pkt_open.h), of a poll also what is polled.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Nop => "NOP",
            Self::CopyLinear { second: None, .. } => "COPY_LINEAR",
            Self::CopyLinear { .. } => "COPY_BROADCAST_LINEAR",
            Self::CopySubWindow { .. } => "COPY_LINEAR_SUBWIN",
            Self::WriteLinear { .. } => "WRITE_UNTILED",
            Self::Indirect { .. } => "INDIRECT",
            Self::Fence { .. } => "FENCE",
            Self::Trap { .. } => "TRAP",
            Self::Poll(Poll {
                source: PollSource::Memory(_),
                ..
            }) => "POLL_REGMEM memory",
            Self::Poll(Poll {
                source: PollSource::Register(_),
                ..
            }) => "POLL_REGMEM register",
            Self::Poll(_) | Self::HdpFlush => "POLL_REGMEM hdp_flush",
            Self::RegisterToMemory { .. } => "POLL_REG_WRITE_MEM",
            Self::Atomic(_) => "ATOMIC",
            Self::ConstFill { .. } => "CONSTANT_FILL",
            Self::PtePdeGenerate { .. } => "GEN_PTEPDE",
            Self::Timestamp(Timestamp::Set(_)) => "TIMESTAMP_SET",
            Self::Timestamp(Timestamp::Get(_)) => "TIMESTAMP_GET",
            Self::Timestamp(Timestamp::GetGlobal(_)) => "TIMESTAMP_GET_GLOBAL",
            Self::SrbmWrite { .. } => "SRBM_WRITE",
            Self::CondExe { .. } => "COND_EXE",
        }
    }
}

/// By name, with addresses and data behind a `~`.
impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ~ {self:x?}", self.name())
    }
}
