// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of guest memory mapped for DMA. Maps and unmaps need not match: unmapping goes by range.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mapping::Mapping;

/// Guest memory the platform gave no file descriptor for is reached by messages (vfio-user DMA_READ and DMA_WRITE).
pub trait MessageDma: Send + Sync {
    /// Reads guest memory at a bus address; a Linux errno if the platform refuses.
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), i32>;
    /// Writes guest memory at a bus address; a Linux errno if the platform refuses.
    fn write(&self, addr: u64, data: &[u8]) -> Result<(), i32>;
    /// Fails all requests under way.
    fn cancel(&self);
}

/// What stands behind a range of bus addresses.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Bytes.
    pub(crate) len: u64,
    /// The mapping and where the range starts in it; `None` if only messages reach it.
    pub(crate) backing: Option<(Arc<Mapping>, u64)>,
    /// Whether the card may write it.
    pub(crate) writable: bool,
}

/// Why a range cannot be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapError {
    /// Empty, or wraps around the address space.
    BadRange,
    /// Overlaps a range that is mapped.
    Overlap,
}

/// Ranges of bus addresses by their start; they never overlap.
#[derive(Debug, Default)]
pub(crate) struct DmaTable {
    segments: BTreeMap<u64, Segment>,
}

impl DmaTable {
    /// Adds a range.
    pub(crate) fn map(&mut self, addr: u64, segment: Segment) -> Result<(), MapError> {
        let last = last(addr, segment.len).ok_or(MapError::BadRange)?;
        if let Some((start, s)) = self.segments.range(..=last).next_back() {
            if start.saturating_add(s.len - 1) >= addr {
                return Err(MapError::Overlap);
            }
        }
        self.segments.insert(addr, segment);
        Ok(())
    }

    /// Removes all of a range that is mapped, cutting ranges that reach over its ends; says if anything was there.
    pub(crate) fn unmap(&mut self, addr: u64, len: u64) -> Result<bool, MapError> {
        let last = last(addr, len).ok_or(MapError::BadRange)?;
        let mut hit = false;
        while let Some((start, s)) = self
            .segments
            .range(..=last)
            .next_back()
            .map(|(a, s)| (*a, s.clone()))
        {
            let end = start.saturating_add(s.len - 1);
            if end < addr {
                break;
            }
            hit = true;
            self.segments.remove(&start);
            if start < addr {
                self.segments.insert(start, part(&s, 0, addr - start));
            }
            if end > last {
                let skip = last - start + 1;
                self.segments.insert(last + 1, part(&s, skip, s.len - skip));
            }
        }
        Ok(hit)
    }

    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        self.segments.clear();
    }

    /// Number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The range that holds `addr`: how far into it `addr` is, and the range.
    pub(crate) fn find(&self, addr: u64) -> Option<(u64, &Segment)> {
        let (start, s) = self.segments.range(..=addr).next_back()?;
        let into = addr - start;
        (into < s.len).then_some((into, s))
    }
}

/// The last address of a range.
fn last(addr: u64, len: u64) -> Option<u64> {
    addr.checked_add(len.checked_sub(1)?)
}

fn part(s: &Segment, skip: u64, len: u64) -> Segment {
    let backing = s.backing.as_ref().map(|(m, at)| (m.clone(), at + skip));
    Segment {
        len,
        backing,
        writable: s.writable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seg(len: u64) -> Segment {
        Segment {
            len,
            backing: None,
            writable: true,
        }
    }

    #[test]
    fn overlap_and_wrap_are_refused() {
        let mut t = DmaTable::default();
        t.map(0x1000, seg(0x1000)).unwrap();
        for (a, l) in [(0x1000, 1), (0x1fff, 1), (0, 0x1001), (0, u64::MAX)] {
            assert_eq!(t.map(a, seg(l)), Err(MapError::Overlap), "{a:#x}+{l:#x}");
        }
        assert_eq!(t.map(u64::MAX, seg(2)), Err(MapError::BadRange));
        assert_eq!(t.map(0, seg(0)), Err(MapError::BadRange));
        t.map(u64::MAX, seg(1)).unwrap();
        assert_eq!(t.find(u64::MAX).map(|f| f.0), Some(0));
    }

    proptest! {
        /// Any sequence of maps and unmaps leaves exactly the bytes mapped that a plain bitmap says.
        #[test]
        fn behaves_like_a_bitmap(ops in proptest::collection::vec((any::<bool>(), 0u64..64, 1u64..32), 1..60)) {
            let mut t = DmaTable::default();
            let mut bits = [false; 128];
            for (map, a, l) in ops {
                let r = a as usize..(a + l) as usize;
                if map {
                    let free = bits[r.clone()].iter().all(|b| !b);
                    prop_assert_eq!(t.map(a, seg(l)).is_ok(), free);
                    if free { bits[r].fill(true); }
                } else {
                    let any = bits[r.clone()].iter().any(|b| *b);
                    prop_assert_eq!(t.unmap(a, l), Ok(any));
                    bits[r].fill(false);
                }
                for (i, b) in bits.iter().enumerate() {
                    prop_assert_eq!(t.find(i as u64).is_some(), *b, "address {}", i);
                }
            }
        }
    }
}
