// SPDX-License-Identifier: GPL-2.0
//! The texts of the VBIOS. Places: kernel atom.h OFFSET_TO_*; they are not part of a table.

use super::Bios;
use crate::bytes::{slice_at, u16_at, u8_at};

/// Number of texts, and offset of the first.
const COUNT: usize = 0x2f;
const STRINGS: usize = 0x6e;
/// The part number where there is no list of texts.
const PART_NUMBER: usize = 0x80;
/// The date, MM/DD/YY HH:MM.
const DATE: usize = 0x50;
/// The longest text (kernel atom.h: BIOS_STRING_LENGTH, STRLEN_LONG), bytes.
const LIMIT: usize = 43;
const NAME_LIMIT: usize = 63;

/// A board's part number, to be kept when the image is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartNumber {
    text: [u8; LIMIT],
    len: usize,
}

impl PartNumber {
    /// The text; empty if the board has none.
    pub fn text(&self) -> &str {
        // it was made of a whole text
        self.text
            .get(..self.len)
            .and_then(|text| core::str::from_utf8(text).ok())
            .unwrap_or_default()
    }
}

impl<'a> Bios<'a> {
    /// [`Bios::part_number`] without the image.
    pub fn keep_part_number(&self) -> PartNumber {
        let mut kept = PartNumber {
            text: [0; LIMIT],
            len: 0,
        };
        // not longer than LIMIT
        for (to, from) in kept.text.iter_mut().zip(self.part_number().bytes()) {
            *to = from;
            kept.len = kept.len.saturating_add(1);
        }
        kept
    }

    /// The board's part number, which sysfs calls the VBIOS's version; empty if there is none.
    pub fn part_number(&self) -> &'a str {
        let at = match u8_at(self.image, COUNT) {
            None | Some(0) => PART_NUMBER,
            Some(_) => u16_at(self.image, STRINGS).unwrap_or_default().into(),
        };
        text(self.image, at, LIMIT)
    }

    /// The board's name; empty if there is none.
    pub fn name(&self) -> &'a str {
        let count = u8_at(self.image, COUNT).unwrap_or_default();
        let at = usize::from(u16_at(self.image, STRINGS).unwrap_or_default());
        let Some(mut rest) = self.image.get(at..).filter(|_| count != 0) else {
            return "";
        };
        // part number, chip, bus, memory; then CR LF and the name
        for _ in 0..count {
            let Some(end) = rest.iter().position(|b| *b == 0) else {
                return "";
            };
            rest = rest.split_at(end).1.get(1..).unwrap_or_default();
        }
        text(rest, 2, NAME_LIMIT).trim_end()
    }

    /// When the VBIOS was made, MM/DD/YY HH:MM; empty if it is not printable.
    pub fn date(&self) -> &'a str {
        let date = slice_at(self.image, DATE, 14).unwrap_or_default();
        core::str::from_utf8(date)
            .ok()
            .filter(|date| date.bytes().all(printable))
            .unwrap_or_default()
    }
}

/// The printable text at an offset, which ends with anything else or after `limit` bytes.
fn text(bytes: &[u8], at: usize, limit: usize) -> &str {
    let bytes = bytes.get(at..).unwrap_or_default();
    let len = bytes.iter().take(limit).take_while(|b| printable(**b)).count();
    bytes
        .get(..len)
        .and_then(|text| core::str::from_utf8(text).ok())
        .unwrap_or_default()
}

fn printable(byte: u8) -> bool {
    (b' '..=b'z').contains(&byte)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_atom_strings))]
mod tests {
    use super::super::testing::*;
    use super::super::{AtomError, TableId};
    use super::*;

    fn sample() -> Sample {
        let mut sample = Sample::new(TableId::SmuInfo, 4, (3, 6));
        sample
            .put(COUNT, [2])
            .half(STRINGS, 0x700)
            .put(DATE, *b"11/30/26 09:15")
            .put(0x700, *b"113-X-001\0GFX\0\r\nA card  \0");
        sample
    }

    #[test]
    fn texts() -> Result<(), AtomError> {
        let sample = sample();
        let bios = Bios::parse(&sample.bytes)?;
        assert_eq!(bios.part_number(), "113-X-001");
        assert_eq!(bios.keep_part_number().text(), "113-X-001");
        assert_eq!(bios.name(), "A card");
        assert_eq!(bios.date(), "11/30/26 09:15");
        Ok(())
    }

    /// Part number, name and date are these.
    #[inline(never)]
    fn are(change: impl FnOnce(&mut Sample) -> &mut Sample, texts: [&str; 3]) -> Result<bool, AtomError> {
        let mut sample = sample();
        change(&mut sample);
        let bios = Bios::parse(&sample.bytes)?;
        Ok([bios.part_number(), bios.name(), bios.date()] == texts)
    }

    #[test]
    fn texts_that_are_not_there() -> Result<(), AtomError> {
        let date = "11/30/26 09:15";
        // no list: the part number has a place of its own
        assert!(are(
            |s| s.put(COUNT, [0]).put(PART_NUMBER, *b"113\0"),
            ["113", "", date]
        )?);
        assert!(are(|s| s.half(STRINGS, 0xffff).put(DATE, [0xff]), ["", "", ""])?);
        // more texts than the image has
        assert!(are(|s| s.put(COUNT, [255]).put(0x700, [0]), ["", "", date])?);
        // a text that does not end is cut
        let x = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
        assert_eq!(x.len(), LIMIT);
        assert!(are(|s| s.put(0x700, [b'x'; 0x100]), [x, "", date])?);
        Ok(())
    }
}
