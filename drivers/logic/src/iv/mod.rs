// SPDX-License-Identifier: GPL-2.0
//! Interrupt vectors: the 32-byte entries that the interrupt handler block (IH) writes into its ring, and how the
//! ring is read.
//!
//! Sources: kernel `amdgpu/amdgpu_ih.c` (layout), `include/soc15_ih_clientid.h` (clients),
//! `amdkfd/kfd_int_process_v9.c` (meaning of the context words).

mod cause;
mod fault;
mod ring;

pub use cause::{Cause, SqMessage};
pub use fault::{Access, Fault, FaultStatus, Hub, UnitWords};
pub use ring::{Batch, IhRing, RingError};

use crate::bits::extract;

/// Dwords of an entry.
pub const DWORDS: usize = 8;

/// Bytes of an entry.
pub const BYTES: u32 = 32;

/// The block that raised an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client(pub u8);

impl Client {
    /// The interrupt handler itself: something arrived in another of its rings.
    pub const IH: Client = Client(0x00);
    /// VM of the MMHUB: page faults of SDMA.
    pub const VMC: Client = Client(0x12);
    /// Command processor.
    pub const GRBM_CP: Client = Client(0x14);
    /// VM of the GFXHUB: page faults of shaders and command processor.
    pub const UTCL2: Client = Client(0x1b);

    /// The SDMA engine with this client id. Ids were handed out one by one as engines were added.
    pub const fn sdma_engine(self) -> Option<u8> {
        match self.0 {
            0x08 => Some(0),
            0x09 => Some(1),
            0x01 => Some(2),
            0x04 => Some(3),
            0x05 => Some(4),
            _ => None,
        }
    }

    /// A shader engine (of those that have a client id) speaks for its sequencers.
    pub const fn is_shader_engine(self) -> bool {
        matches!(self.0, 0x0a..=0x0d)
    }

    /// The client's name as logs show it.
    pub const fn name(self) -> &'static str {
        match self.0 {
            0x00 => "IH",
            0x01 => "SDMA2",
            0x03 => "BIF",
            0x04 => "SDMA3",
            0x05 => "SDMA4",
            0x08 => "SDMA0",
            0x09 => "SDMA1",
            0x0a => "SE0SH",
            0x0b => "SE1SH",
            0x0c => "SE2SH",
            0x0d => "SE3SH",
            0x0f => "THM",
            0x12 => "VMC",
            0x14 => "GRBM_CP",
            0x17 => "DF",
            0x1b => "UTCL2",
            0x1f => "MP1",
            _ => "?",
        }
    }
}

/// A decoded entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iv {
    /// Who.
    pub client: Client,
    /// What, in the client's numbering.
    pub source: u8,
    /// The client's ring or queue.
    pub ring_id: u8,
    /// Address space slot at the time.
    pub vmid: u8,
    /// Hub that the VMID belongs to.
    pub hub: Hub,
    /// GPU clock (100 MHz) when it was raised, 48 bits.
    pub timestamp: u64,
    /// Process address space, 0 for the kernel's.
    pub pasid: u16,
    /// Die of a multi-die device.
    pub node: u8,
    /// The client's words.
    pub data: [u32; 4],
}

impl Iv {
    /// The entry in these dwords. Every bit pattern is an entry.
    pub fn decode(words: &[u32; DWORDS]) -> Self {
        let [w0, w1, w2, w3, d0, d1, d2, d3] = *words;
        Self {
            client: Client(byte::<7, 0>(w0)),
            source: byte::<15, 8>(w0),
            ring_id: byte::<23, 16>(w0),
            vmid: byte::<27, 24>(w0),
            hub: if extract::<31, 31>(w0) == 0 {
                Hub::Gfx
            } else {
                Hub::Mm
            },
            timestamp: crate::bits::join(w1, extract::<15, 0>(w2)),
            pasid: (w3 & 0xffff) as u16,
            node: byte::<23, 16>(w3),
            data: [d0, d1, d2, d3],
        }
    }

    /// What happened.
    pub fn cause(&self) -> Cause {
        Cause::of(self)
    }
}

/// A field of at most eight bits.
fn byte<const HIGH: u32, const LOW: u32>(word: u32) -> u8 {
    const { assert!(HIGH - LOW < 8) };
    extract::<HIGH, LOW>(word) as u8
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_iv))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn fields() {
        let iv = Iv::decode(&[0x8305_b514, 0x1122_3344, 0x8000_5566, 0x0007_8001, 1, 2, 3, 4]);
        assert_eq!(
            iv,
            Iv {
                client: Client::GRBM_CP,
                source: 181,
                ring_id: 5,
                vmid: 3,
                hub: Hub::Mm,
                timestamp: 0x5566_1122_3344,
                pasid: 0x8001,
                node: 7,
                data: [1, 2, 3, 4],
            }
        );
        assert_eq!(iv.client.name(), "GRBM_CP");
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn anything_decodes(words: [u32; DWORDS]) {
            let iv = Iv::decode(&words);
            let _ = iv.cause();
            prop_assert!(iv.vmid < 16);
        }
    }
}
