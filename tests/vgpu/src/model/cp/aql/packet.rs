// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The 64-byte AQL packet formats.

/// Bytes of a packet.
pub(crate) const PACKET_BYTES: usize = 64;
/// Header of a slot that holds no packet (type INVALID, no bits).
pub(crate) const INVALID_HEADER: u16 = kind::INVALID as u16;

/// Packet types, header bits 7:0.
mod kind {
    pub(super) const VENDOR: u8 = 0;
    pub(super) const INVALID: u8 = 1;
    pub(super) const KERNEL_DISPATCH: u8 = 2;
    pub(super) const BARRIER_AND: u8 = 3;
    pub(super) const AGENT_DISPATCH: u8 = 4;
    pub(super) const BARRIER_OR: u8 = 5;
}

/// AMD vendor formats, the 16 bits after the header.
mod vendor {
    pub(super) const PM4_IB: u16 = 1;
    pub(super) const BARRIER_VALUE: u16 = 2;
}

/// Memory scope of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// No fence.
    None,
    /// This card.
    Agent,
    /// Everybody.
    System,
}

impl Scope {
    fn decode(bits: u16) -> Option<Self> {
        match bits & 3 {
            0 => Some(Self::None),
            1 => Some(Self::Agent),
            2 => Some(Self::System),
            _ => None,
        }
    }
}

/// The first 16 bits of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Start only when all earlier packets of the queue have completed.
    pub(crate) barrier: bool,
    /// Fence before the packet.
    pub(crate) acquire: Scope,
    /// Fence after the packet.
    pub(crate) release: Scope,
}

/// KERNEL_DISPATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelDispatch {
    /// Number of dimensions, 1..=3 if valid.
    pub(crate) dimensions: u16,
    /// Work-items per workgroup.
    pub(crate) workgroup: [u16; 3],
    /// Work-items in all.
    pub(crate) grid: [u32; 3],
    /// Scratch bytes per work-item.
    pub(crate) private_bytes: u32,
    /// LDS bytes per workgroup.
    pub(crate) group_bytes: u32,
    /// Address of the kernel descriptor.
    pub(crate) kernel_object: u64,
    /// Address of the kernel arguments.
    pub(crate) kernarg: u64,
}

/// How BARRIER_VALUE compares (signal value & mask) with the reference (hsa_ext_amd.h: hsa_signal_condition32_t).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than, signed.
    Lt,
    /// Greater or equal, signed.
    Ge,
}

/// What a packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Run a kernel.
    Kernel(KernelDispatch),
    /// Wait for all signals (handles, 0 ignored) to become 0.
    BarrierAnd([u64; 5]),
    /// Wait for one of the signals (handles, 0 ignored) to become 0.
    BarrierOr([u64; 5]),
    /// Execute a PM4 buffer.
    Pm4Ib {
        /// Address.
        base: u64,
        /// Dwords.
        dwords: u32,
    },
    /// Wait for a signal's masked value.
    BarrierValue {
        /// Signal handle, 0 ignored.
        signal: u64,
        /// Reference value.
        value: i64,
        /// Bits compared.
        mask: i64,
        /// The comparison.
        condition: Condition,
    },
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Ordering and fences.
    pub(crate) header: Header,
    /// What it asks for.
    pub(crate) body: Body,
    /// Signal to complete; 0 if none.
    pub(crate) completion: u64,
}

/// What is in a slot of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotContent {
    /// No packet yet.
    Invalid,
    /// A packet.
    Packet(Packet),
    /// A packet this processor refuses.
    Unsupported(Unsupported),
}

/// Why a packet is refused before it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsupported {
    /// A type that does not exist, or one that is not for card queues.
    Kind(u8),
    /// A reserved fence scope.
    Scope(u16),
    /// A vendor format, or a malformed one.
    Vendor(u16),
}

impl SlotContent {
    /// Decodes the 64 bytes of a slot.
    pub(crate) fn decode(b: &[u8; PACKET_BYTES]) -> Self {
        let raw = u16_at(b, 0);
        let kind = raw as u8;
        if kind == kind::INVALID {
            return Self::Invalid;
        }
        let (Some(acquire), Some(release)) = (Scope::decode(raw >> 9), Scope::decode(raw >> 11)) else {
            return Self::Unsupported(Unsupported::Scope(raw));
        };
        let header = Header {
            barrier: raw & 1 << 8 != 0,
            acquire,
            release,
        };
        let signals = [8, 16, 24, 32, 40].map(|at| u64_at(b, at));
        let body = match kind {
            kind::KERNEL_DISPATCH => Body::Kernel(KernelDispatch {
                dimensions: u16_at(b, 2) & 3,
                workgroup: [u16_at(b, 4), u16_at(b, 6), u16_at(b, 8)],
                grid: [u32_at(b, 12), u32_at(b, 16), u32_at(b, 20)],
                private_bytes: u32_at(b, 24),
                group_bytes: u32_at(b, 28),
                kernel_object: u64_at(b, 32),
                kernarg: u64_at(b, 40),
            }),
            kind::BARRIER_AND => Body::BarrierAnd(signals),
            kind::BARRIER_OR => Body::BarrierOr(signals),
            kind::VENDOR => match vendor_body(b) {
                Some(body) => body,
                None => return Self::Unsupported(Unsupported::Vendor(u16_at(b, 2))),
            },
            kind::AGENT_DISPATCH | 6.. | kind::INVALID => return Self::Unsupported(Unsupported::Kind(kind)),
        };
        Self::Packet(Packet {
            header,
            body,
            completion: u64_at(b, 56),
        })
    }
}

fn vendor_body(b: &[u8; PACKET_BYTES]) -> Option<Body> {
    match u16_at(b, 2) {
        // amd_aql_pm4_ib: an INDIRECT_BUFFER packet at 4, dwords behind it at 20
        vendor::PM4_IB => {
            let (header, control) = (u32_at(b, 4), u32_at(b, 16));
            let is_ib = header & 0xffff_ff00 == 0xc002_3f00 && control & 1 << 23 != 0;
            let base = u64::from(u32_at(b, 12) & 0xffff) << 32 | u64::from(u32_at(b, 8) & !3);
            is_ib.then_some(Body::Pm4Ib {
                base,
                dwords: control & 0xf_ffff,
            })
        }
        // hsa_amd_barrier_value_packet: signal at 8, value at 16, mask at 24, condition at 32
        vendor::BARRIER_VALUE => Some(Body::BarrierValue {
            signal: u64_at(b, 8),
            value: u64_at(b, 16) as i64,
            mask: u64_at(b, 24) as i64,
            condition: match u32_at(b, 32) {
                0 => Condition::Eq,
                1 => Condition::Ne,
                2 => Condition::Lt,
                3 => Condition::Ge,
                _ => return None,
            },
        }),
        _ => None,
    }
}

fn bytes<const N: usize>(b: &[u8], at: usize) -> [u8; N] {
    b.get(at..)
        .and_then(|b| b.first_chunk::<N>())
        .copied()
        .unwrap_or([0; N])
}

pub(super) fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes(b, at))
}

pub(super) fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes(b, at))
}

pub(super) fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes(b, at))
}

#[cfg(test)]
mod tests;
