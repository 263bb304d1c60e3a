// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header of a signed image. What it says about its own size is public in every firmware file; the signature is
//! AMD's and is not checked.

use std::fmt;

/// Why something is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The image is none. That may be its file's fault: it is no violation.
    Image(String),
    /// The driver did what it must not.
    Protocol(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Protocol(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Self {
        Self::Protocol(why.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Image(why) | Self::Protocol(why)) = self;
        f.write_str(why)
    }
}

/// Bytes of the header that are looked at.
pub(super) const HEADER: usize = 0x70;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Version of the firmware.
    pub(super) version: u32,
    /// Bytes of the whole image: header, body and signature.
    pub(super) size: u32,
}

impl Header {
    /// Reads a header; why it is none otherwise. `size` is what the driver says the image has, if it says so.
    pub(super) fn parse(b: &[u8; HEADER], size: Option<u32>) -> Result<Self, Refusal> {
        if b[0x10..0x14] != *b"$PS1" {
            return Err(Refusal::Image("no $PS1 at its byte 16".into()));
        }
        let word = |at: usize| {
            let bytes = b.get(at..at + 4).unwrap_or_default();
            bytes.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))
        };
        let header = Self {
            version: word(0x60),
            size: word(0x6c),
        };
        let body = word(0x14);
        if body >= header.size {
            let why = format!("{body:#x} signed bytes in an image of {:#x}", header.size);
            return Err(Refusal::Image(why));
        }
        match size {
            Some(size) if size != header.size => {
                let why = format!("its header says {:#x} bytes, the driver {size:#x}", header.size);
                Err(Refusal::Protocol(why))
            }
            _ => Ok(header),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A well-formed image of so many bytes.
    pub(crate) fn image(size: usize, version: u32) -> Vec<u8> {
        let mut b = vec![0; size.max(HEADER)];
        b[0x10..0x14].copy_from_slice(b"$PS1");
        b[0x14..0x18].copy_from_slice(&(size as u32 - 0x100).to_le_bytes());
        b[0x60..0x64].copy_from_slice(&version.to_le_bytes());
        b[0x6c..0x70].copy_from_slice(&(size as u32).to_le_bytes());
        b
    }

    #[test]
    fn sizes_must_agree() {
        let good: [u8; HEADER] = image(0x400, 7)[..HEADER].try_into().unwrap();
        let header = Header {
            version: 7,
            size: 0x400,
        };
        assert_eq!(Header::parse(&good, None), Ok(header));
        assert_eq!(Header::parse(&good, Some(0x400)), Ok(header));
        assert!(matches!(
            Header::parse(&good, Some(0x3ff)),
            Err(Refusal::Protocol(_))
        ));
        assert!(matches!(
            Header::parse(&[0; HEADER], None),
            Err(Refusal::Image(_))
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(b in proptest::array::uniform32(any::<u8>()), at in 0usize..0x50, size in any::<Option<u32>>()) {
            let mut header: [u8; HEADER] = image(0x400, 7)[..HEADER].try_into().unwrap();
            header[at..at + 32].copy_from_slice(&b);
            let _ = Header::parse(&header, size);
        }
    }
}
