// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupt vectors: the 32-byte entries of the interrupt ring.

use std::fmt;

/// Interrupt client ids of gfx90a (kernel include/soc15_ih_clientid.h, device-contract 4.4).
pub mod client {
    /// The interrupt handler itself: source 0 says that ring 1 or 2 has entries.
    pub const IH: u8 = 0x00;
    /// Bus interface.
    pub const BIF: u8 = 0x03;
    /// SDMA engines 0 to 4.
    pub const SDMA: [u8; 5] = [0x08, 0x09, 0x01, 0x04, 0x05];
    /// Shader engines 0 to 3 (SQ messages).
    pub const SE_SH: [u8; 4] = [0x0a, 0x0b, 0x0c, 0x0d];
    /// Memory hub VM faults.
    pub const VMC: u8 = 0x12;
    /// Command processor, through GRBM.
    pub const GRBM_CP: u8 = 0x14;
    /// Graphics hub VM faults.
    pub const UTCL2: u8 = 0x1b;
}

/// An interrupt as its source raises it; the handler adds the time stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iv {
    /// Who raised it, one of [`client`].
    pub client: u8,
    /// What happened, a number of the client.
    pub source: u8,
    /// Client-specific; for the command processor `queue[6:4] me[3:2] pipe[1:0]`.
    pub ring_id: u8,
    /// The VMID it happened in.
    pub vmid: u8,
    /// The hub the VMID belongs to: 0 graphics, 1 memory.
    pub vmid_src: u8,
    /// The address space's PASID.
    pub pasid: u16,
    /// Client-specific payload, "context id 0..3" for the driver.
    pub data: [u32; 4],
}

/// The vector by names (kernel ivsrcid/gfx/irqsrcs_gfx_9_0.h, ivsrcid/sdma0/irqsrcs_sdma0_4_0.h).
impl fmt::Display for Iv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = |f: &mut fmt::Formatter<'_>, name: &str| match name {
            "" => write!(f, " source{}", self.source),
            name => write!(f, " {name}"),
        };
        match self.client {
            client::IH => write!(f, "IH ring{}", self.ring_id)?,
            client::VMC => write!(f, "VMC page_fault")?,
            client::UTCL2 => write!(f, "UTCL2 page_fault")?,
            client::GRBM_CP => {
                write!(f, "CP")?;
                source(
                    f,
                    match self.source {
                        178 => "GENERIC2",
                        181 => "EOP",
                        183 => "BAD_OPCODE",
                        184 => "PRIV_REG",
                        185 => "PRIV_INSTR",
                        _ => "",
                    },
                )?;
            }
            client if client::SDMA.contains(&client) => {
                let engine = client::SDMA.iter().position(|c| *c == client);
                write!(f, "SDMA{}", engine.unwrap_or(0))?;
                source(
                    f,
                    match self.source {
                        224 => "TRAP",
                        226 => "POLL_TIMEOUT",
                        247 => "SRBM_WRITE",
                        _ => "",
                    },
                )?;
            }
            client if client::SE_SH.contains(&client) => write!(f, "SQ message")?,
            client => write!(f, "client{client:#x} source{}", self.source)?,
        }
        let Self {
            ring_id,
            vmid,
            pasid,
            data: [d0, d1, d2, d3],
            ..
        } = self;
        write!(
            f,
            " ~ ring_id={ring_id:#x} vmid={vmid} pasid={pasid:#x} data={d0:#x},{d1:#x},{d2:#x},{d3:#x}"
        )
    }
}

/// Size of an entry in a ring.
pub const IV_BYTES: u32 = 32;

impl Iv {
    /// Words that mean nothing.
    pub(crate) const GARBAGE: Self = Self {
        client: 0xa5,
        source: 0x5a,
        ring_id: 0xff,
        vmid: 0xf,
        vmid_src: 1,
        pasid: 0xffff,
        data: [0xdead_beef, u32::MAX, 0x5555_5555, 0xaaaa_aaaa],
    };

    /// The ring entry (device-contract 4.4), with a 48-bit time stamp of the 100 MHz clock.
    pub fn encode(&self, timestamp: u64) -> [u8; IV_BYTES as usize] {
        let head = u32::from(self.client)
            | u32::from(self.source) << 8
            | u32::from(self.ring_id) << 16
            | (u32::from(self.vmid) & 0xf) << 24
            | (u32::from(self.vmid_src) & 1) << 31;
        let [d0, d1, d2, d3] = self.data;
        let words = [
            head,
            timestamp as u32,
            (timestamp >> 32) as u32 & 0xffff,
            u32::from(self.pasid),
            d0,
            d1,
            d2,
            d3,
        ];
        let mut out = [0; IV_BYTES as usize];
        for (bytes, w) in out.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&w.to_le_bytes());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout() {
        let iv = Iv {
            client: 0x14,
            source: 181,
            ring_id: 0x48,
            vmid: 9,
            vmid_src: 1,
            pasid: 0x8001,
            data: [0x11, 0x22, 0x33, 0x44],
        };
        let w: Vec<u32> = iv
            .encode(0x1_2345_6789_abcd)
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!(
            w,
            [0x8948_b514, 0x6789_abcd, 0x2345, 0x8001, 0x11, 0x22, 0x33, 0x44]
        );
    }
}
