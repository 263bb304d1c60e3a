// SPDX-License-Identifier: GPL-2.0
//! The part that all firmware files have in common. Layout: kernel amdgpu_ucode.h `struct common_firmware_header`.

use super::{FirmwareError, Image};
use crate::bytes::{slice_at, u16_at, u32_at};

/// Bytes of the common header.
pub(super) const HEADER: usize = 32;

/// A file that is as long as it says, whose header and main image are inside of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    bytes: &'a [u8],
    /// As long as the header says it is.
    header: &'a [u8],
    /// Version of the main image.
    pub(super) version: u32,
    /// Where the main image begins in the file; the images of some files are relative to it.
    pub(super) images: u32,
    /// The main image. May have no bytes.
    pub(super) payload: &'a [u8],
}

impl<'a> File<'a> {
    /// Reads the common header of a file with a layout from `wanted` on, of the same major number.
    pub(super) fn parse(bytes: &'a [u8], wanted: (u16, u16)) -> Result<Self, FirmwareError> {
        let short = FirmwareError::NoHeader {
            file: bytes.len(),
            header: HEADER,
        };
        let half = |at| u16_at(bytes, at).ok_or(short);
        let word = |at| u32_at(bytes, at).ok_or(short);
        if bytes.len() < HEADER {
            return Err(short);
        }
        let size = word(0)?;
        if usize::try_from(size) != Ok(bytes.len()) {
            return Err(FirmwareError::FileSize {
                file: bytes.len(),
                header: size,
            });
        }
        let layout = (half(8)?, half(10)?);
        if layout.0 != wanted.0 || layout.1 < wanted.1 {
            return Err(FirmwareError::Layout { got: layout, wanted });
        }
        let header_size = word(4)?;
        let header = part(bytes, "the header", 0, header_size)?;
        if header.len() < HEADER {
            return Err(FirmwareError::HeaderSize {
                header: header_size,
                needed: HEADER,
            });
        }
        let images = word(24)?;
        Ok(Self {
            bytes,
            header,
            version: word(16)?,
            images,
            payload: part(bytes, "the main image", u64::from(images), word(20)?)?,
        })
    }

    /// A number of the kind's own, at byte `at` of the header.
    pub(super) fn word(&self, at: usize) -> Result<u32, FirmwareError> {
        u32_at(self.header, at).ok_or(FirmwareError::HeaderSize {
            // not longer than the file, whose length is a u32
            header: u32::try_from(self.header.len()).unwrap_or(u32::MAX),
            needed: at.saturating_add(4),
        })
    }

    /// `size` bytes at `offset` of the file; `None` if there are none to be.
    pub(super) fn image(
        &self,
        name: &'static str,
        version: u32,
        offset: u64,
        size: u32,
    ) -> Result<Option<Image<'a>>, FirmwareError> {
        if size == 0 {
            return Ok(None);
        }
        let bytes = part(self.bytes, name, offset, size)?;
        Ok(Some(Image { version, bytes }))
    }

    /// The main image, which must have bytes.
    pub(super) fn main(&self, name: &'static str) -> Result<Image<'a>, FirmwareError> {
        if self.payload.is_empty() {
            return Err(FirmwareError::Empty { part: name });
        }
        Ok(Image {
            version: self.version,
            bytes: self.payload,
        })
    }

    /// A number behind the header, at byte `offset` of the file, of a list called `name`.
    pub(super) fn listed(&self, name: &'static str, offset: u64) -> Result<u32, FirmwareError> {
        let word = part(self.bytes, name, offset, 4)?;
        u32_at(word, 0).ok_or(FirmwareError::Empty { part: name })
    }
}

/// `size` bytes at `offset`.
fn part<'a>(bytes: &'a [u8], name: &'static str, offset: u64, size: u32) -> Result<&'a [u8], FirmwareError> {
    usize::try_from(offset)
        .ok()
        .zip(usize::try_from(size).ok())
        .and_then(|(at, size)| slice_at(bytes, at, size))
        .ok_or(FirmwareError::Outside {
            part: name,
            offset,
            size,
            file: bytes.len(),
        })
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_firmware_file)
)]
mod tests {
    use super::super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    /// What is wrong with a file that must have layout 1.1 or a later one.
    fn error(bytes: &[u8]) -> Option<FirmwareError> {
        File::parse(bytes, (1, 1)).err()
    }

    fn sample() -> Sample {
        Sample::new((1, 2), 0x40)
    }

    #[test]
    fn a_good_file() -> Result<(), FirmwareError> {
        let mut sample = sample();
        sample.word(0x3c, 9);
        let file = File::parse(&sample.bytes, (1, 1))?;
        assert_eq!(file.version, 7);
        assert_eq!(file.payload, &sample.bytes[0x100..0x200]);
        assert_eq!(file.word(0x3c)?, 9);
        let image = file.image("x", 3, 0x2f0, 0x10)?;
        assert_eq!(
            image.map(|i| (i.version, i.bytes)),
            Some((3, &sample.bytes[0x2f0..]))
        );
        assert!(file.image("x", 3, u64::MAX, 0)?.is_none());
        Ok(())
    }

    #[test]
    fn a_file_as_long_as_it_says() {
        let sample = sample();
        let size = |file| FirmwareError::FileSize {
            file,
            header: SIZE as u32,
        };
        assert_eq!(error(&sample.bytes[..SIZE - 1]), Some(size(SIZE - 1)));
        assert_eq!(error(&sample.bytes[..HEADER]), Some(size(HEADER)));
        let mut longer = [0; SIZE + 1];
        longer[..SIZE].copy_from_slice(&sample.bytes);
        assert_eq!(error(&longer), Some(size(SIZE + 1)));
        for file in [0, 1, HEADER - 1] {
            let header = HEADER;
            let none = FirmwareError::NoHeader { file, header };
            assert_eq!(error(&sample.bytes[..file]), Some(none));
        }
    }

    #[test]
    fn a_layout_of_the_kind() {
        for got in [(1, 0), (0, 1), (2, 1), (u16::MAX, u16::MAX)] {
            let wanted = (1, 1);
            let wrong = FirmwareError::Layout { got, wanted };
            assert_eq!(error(&Sample::new(got, 0x40).bytes), Some(wrong));
        }
        assert_eq!(error(&Sample::new((1, 1), 0x40).bytes), None);
        assert_eq!(error(&Sample::new((1, u16::MAX), 0x40).bytes), None);
    }

    #[test]
    fn headers_and_images_are_inside() -> Result<(), FirmwareError> {
        let outside = |part, offset, size| FirmwareError::Outside {
            part,
            offset,
            size,
            file: SIZE,
        };
        let header = 0x301;
        assert_eq!(
            error(&sample().word(4, header).bytes),
            Some(outside("the header", 0, header))
        );
        assert_eq!(
            error(&sample().word(4, 31).bytes),
            Some(FirmwareError::HeaderSize {
                header: 31,
                needed: 32
            })
        );
        let main = "the main image";
        for (offset, size) in [(0x100, 0x201), (0x301, 0), (u32::MAX, 1), (1, u32::MAX)] {
            assert_eq!(
                error(&sample().word(24, offset).word(20, size).bytes),
                Some(outside(main, offset.into(), size))
            );
        }
        let sample = sample();
        let file = File::parse(&sample.bytes, (1, 1))?;
        assert_eq!(file.image("x", 0, 0x2f1, 0x10), Err(outside("x", 0x2f1, 0x10)));
        assert_eq!(file.image("x", 0, u64::MAX, 1), Err(outside("x", u64::MAX, 1)));
        assert_eq!(
            file.word(0x3d),
            Err(FirmwareError::HeaderSize {
                header: 0x40,
                needed: 0x41
            })
        );
        assert!(file.word(usize::MAX).is_err());
        Ok(())
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn any_bytes(bytes: std::vec::Vec<u8>) {
            prop_assert!(File::parse(&bytes, (1, 0)).is_err());
        }

        #[test]
        fn damaged_files(bytes in damaged(sample()), at in 0usize..0x100, offset: u64, size: u32) {
            if let Ok(file) = File::parse(&bytes, (1, 1)) {
                assert_inside(&bytes, file.payload);
                let _ = file.word(at);
                if let Ok(Some(image)) = file.image("x", 0, offset % 0x400, size % 0x400) {
                    assert_inside(&bytes, image.bytes);
                }
                let _ = file.image("x", 0, offset, size);
                let _ = file.listed("x", offset);
            }
        }
    }
}
