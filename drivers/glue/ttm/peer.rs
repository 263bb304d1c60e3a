// SPDX-License-Identifier: GPL-2.0
//! Buffer objects in system memory that another card uses.
use super::{
    super::dma::{Mappings, PageList, Run},
    pinned::Pinned,
};
use kernel::{prelude::*, sync::Arc};

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
    /// The runs that its pages are.
    pub(crate) fn runs(&self) -> &[Run] {
        self.list.runs()
    }
}

impl Pinned {
    /// Lets the device of `mappings`, which is bound, reach the object. `EINVAL` if it is not in system memory, `ENOMEM`,
    /// `ENODEV` if the device is being unbound.
    pub(crate) fn for_peer(self, mappings: &Arc<Mappings>) -> Result<PeerPages> {
        let pages = self.pages().ok_or(EINVAL)?;
        // SAFETY: the pages of a populated object, which stays pinned longer than the list lives.
        let list = unsafe { PageList::new(mappings, pages.iter().copied()) }?;
        Ok(PeerPages { list, _pinned: self })
    }
}
