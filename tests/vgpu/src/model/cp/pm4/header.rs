// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packet headers (soc15d.h: PACKET3): type in 31:30, payload dwords minus one in 29:16, opcode in 15:8.

use super::opcode;

/// What a packet header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// One dword of padding: a type 2 packet, or NOP with the count 0x3fff.
    Filler,
    /// An operation with payload.
    Packet {
        /// IT opcode.
        opcode: u8,
        /// Payload dwords after the header, 1..=0x3fff.
        payload: u32,
    },
    /// Not a packet of a compute engine: types 0 and 1, predication, reserved bits.
    Bad,
}

impl Header {
    /// Decodes a header. Bit 1 (shader type) is a leftover of earlier chips that tools still set; it means nothing.
    pub(crate) fn decode(dword: u32) -> Self {
        let opcode = (dword >> 8 & 0xff) as u8;
        let count = dword >> 16 & 0x3fff;
        match dword >> 30 {
            2 => Self::Filler,
            3 if dword & 0xfd != 0 => Self::Bad,
            3 if opcode == opcode::NOP && count == 0x3fff => Self::Filler,
            3 => Self::Packet {
                opcode,
                payload: count + 1,
            },
            _ => Self::Bad,
        }
    }

    /// Dwords of the whole packet.
    pub(crate) fn dwords(self) -> u32 {
        match self {
            Self::Packet { payload, .. } => payload + 1,
            Self::Filler | Self::Bad => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_types_and_counts() {
        let nop = Header::decode(0xc000_1000);
        assert_eq!(
            nop,
            Header::Packet {
                opcode: opcode::NOP,
                payload: 1
            }
        );
        assert_eq!(nop.dwords(), 2);
        assert_eq!(Header::decode(0xffff_1000), Header::Filler);
        assert_eq!(Header::decode(0x8000_0000), Header::Filler);
        let write = Header::decode(3 << 30 | 3 << 16 | 0x37 << 8 | 2);
        assert_eq!(
            write,
            Header::Packet {
                opcode: opcode::WRITE_DATA,
                payload: 4
            }
        );
        for bad in [0, 1 << 30, 0xc000_1001, 0xc000_1080] {
            assert_eq!(Header::decode(bad), Header::Bad, "{bad:#x}");
        }
    }
}
