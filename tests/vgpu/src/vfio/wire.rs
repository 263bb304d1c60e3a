// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Message layout: a 16-byte header and a body, all little-endian.

use rustix::io::Errno;

/// Bytes of a header.
pub(crate) const HEADER: usize = 16;
/// Largest data part of a message.
pub(crate) const MAX_DATA: usize = 1 << 20;
/// Largest message: data and whatever describes it.
pub(crate) const MAX_MESSAGE: usize = HEADER + MAX_DATA + 4096;
/// File descriptors in one message.
pub(crate) const MAX_FDS: usize = 16;

/// Commands.
pub(crate) mod command {
    pub(crate) const VERSION: u16 = 1;
    pub(crate) const DMA_MAP: u16 = 2;
    pub(crate) const DMA_UNMAP: u16 = 3;
    pub(crate) const DEVICE_GET_INFO: u16 = 4;
    pub(crate) const DEVICE_GET_REGION_INFO: u16 = 5;
    pub(crate) const DEVICE_GET_IRQ_INFO: u16 = 7;
    pub(crate) const DEVICE_SET_IRQS: u16 = 8;
    pub(crate) const REGION_READ: u16 = 9;
    pub(crate) const REGION_WRITE: u16 = 10;
    pub(crate) const DMA_READ: u16 = 11;
    pub(crate) const DMA_WRITE: u16 = 12;
    pub(crate) const DEVICE_RESET: u16 = 13;
}

/// Header flags.
pub(crate) mod flag {
    pub(crate) const TYPE: u32 = 0xf;
    pub(crate) const REPLY: u32 = 1;
    pub(crate) const NO_REPLY: u32 = 1 << 4;
    pub(crate) const ERROR: u32 = 1 << 5;
}

/// A decoded header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: u16,
    pub(crate) command: u16,
    /// Bytes of the message, header included.
    pub(crate) size: u32,
    pub(crate) flags: u32,
    /// Linux errno of an error reply.
    pub(crate) error: u32,
}

impl Header {
    /// Decodes a header.
    pub(crate) fn decode(b: &[u8; HEADER]) -> Self {
        let [i0, i1, c0, c1, s0, s1, s2, s3, f0, f1, f2, f3, e0, e1, e2, e3] = *b;
        Self {
            id: u16::from_le_bytes([i0, i1]),
            command: u16::from_le_bytes([c0, c1]),
            size: u32::from_le_bytes([s0, s1, s2, s3]),
            flags: u32::from_le_bytes([f0, f1, f2, f3]),
            error: u32::from_le_bytes([e0, e1, e2, e3]),
        }
    }

    /// The bytes of the body, if the size is one that a message can have.
    pub(crate) fn body_len(&self) -> Option<usize> {
        usize::try_from(self.size)
            .ok()
            .filter(|n| *n <= MAX_MESSAGE)?
            .checked_sub(HEADER)
    }

    /// A message with this header's id and command; the size is set to fit.
    pub(crate) fn message(&self, flags: u32, error: u32, body: &[u8]) -> Vec<u8> {
        let mut m = Vec::with_capacity(HEADER + body.len());
        m.extend_from_slice(&self.id.to_le_bytes());
        m.extend_from_slice(&self.command.to_le_bytes());
        m.extend_from_slice(&((HEADER + body.len()) as u32).to_le_bytes());
        m.extend_from_slice(&flags.to_le_bytes());
        m.extend_from_slice(&error.to_le_bytes());
        m.extend_from_slice(body);
        m
    }
}

/// Takes fields off the front of a body; a body that is too short is EINVAL.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(Errno::INVAL)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Errno> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Errno> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Errno> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    /// What is left, if it is exactly `len` bytes.
    pub(crate) fn rest(self, len: usize) -> Result<&'a [u8], Errno> {
        (self.0.len() == len).then_some(self.0).ok_or(Errno::INVAL)
    }
}

/// Appends fields to a body.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u16(mut self, v: u16) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }

    pub(crate) fn u32(mut self, v: u32) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }

    pub(crate) fn u64(mut self, v: u64) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, v: &[u8]) -> Self {
        self.0.extend_from_slice(v);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_round_trip(id in any::<u16>(), command in any::<u16>(), flags in any::<u32>(), error in any::<u32>(),
                              body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let h = Header { id, command, size: 0, flags, error };
            let m = h.message(flags, error, &body);
            let back = Header::decode(m[..HEADER].try_into().unwrap());
            prop_assert_eq!(back, Header { size: m.len() as u32, ..h });
            prop_assert_eq!(back.body_len(), Some(body.len()));
        }
    }

    #[test]
    fn impossible_sizes() {
        let h = |size| {
            Header {
                id: 0,
                command: 0,
                size,
                flags: 0,
                error: 0,
            }
            .body_len()
        };
        assert_eq!(h(15), None);
        assert_eq!(h(16), Some(0));
        assert_eq!(h(MAX_MESSAGE as u32), Some(MAX_MESSAGE - HEADER));
        assert_eq!(h(MAX_MESSAGE as u32 + 1), None);
        assert_eq!(h(u32::MAX), None);
    }

    #[test]
    fn readers_do_not_overrun() {
        let mut r = Reader(&[1, 0, 2, 0, 0, 0, 9]);
        assert_eq!((r.u16(), r.u32()), (Ok(1), Ok(2)));
        assert_eq!(r.u32(), Err(Errno::INVAL));
        assert_eq!(r.rest(1), Ok(&[9][..]));
    }
}
