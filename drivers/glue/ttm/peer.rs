// SPDX-License-Identifier: GPL-2.0
//! Buffer objects in system memory that another card uses.
use super::{super::dma::PageList, pinned::Pinned};
use kernel::{
    device::{Bound, Device},
    prelude::*,
};

/// A pinned object in GTT as a card reaches it that is not its own.
///
/// TTM gives up even pinned pages when the object's own card is unbound, so that this must be gone by then: see
/// [`super::super::drm::Driver::unplugged`].
pub(crate) struct PeerPages {
    /// Goes before the pages do.
    list: PageList,
    _pinned: Pinned,
}

impl PeerPages {
    /// The bus address of each page.
    pub(crate) fn bus(&self) -> &[u64] {
        self.list.bus()
    }
}

impl Pinned {
    /// Lets `device` reach the object. `EINVAL` if it is not in system memory, `ENOMEM`.
    pub(crate) fn for_peer(self, device: &Device<Bound>) -> Result<PeerPages> {
        let pages = self.pages().ok_or(EINVAL)?;
        let mut list = PageList::with_capacity(device, pages.len())?;
        for page in pages {
            // SAFETY: a page of a populated object, which stays pinned longer than the list lives. The device is
            // bound.
            unsafe { list.push(*page) }?;
        }
        Ok(PeerPages { list, _pinned: self })
    }
}
