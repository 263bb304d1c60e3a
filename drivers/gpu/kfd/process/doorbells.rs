// SPDX-License-Identifier: GPL-2.0
//! A process's part of a GPU's doorbell BAR.

use crate::{
    glue::ttm::{Bo, Create, Domain, Pinned, Span},
    gpu::{
        drm,
        kfd::counters::{self, Alive},
    },
};
use amdgpu_logic::slots::doorbell::{Slice, SLICE_BYTES};
use kernel::{prelude::*, sync::Arc};

/// A slice of doorbells, the process's alone.
pub(crate) struct Doorbells {
    slice: Slice,
    /// CPU address of the first page.
    phys: u64,
    pinned: Pinned,
    _alive: Alive,
}

impl Doorbells {
    /// Takes a free slice. `ENOMEM` if all are taken.
    pub(super) fn new(device: &drm::Device) -> Result<Arc<Self>> {
        let bytes = u64::from(SLICE_BYTES);
        let how = Create {
            size: bytes,
            domain: Domain::Doorbell,
            align: 0,
            contiguous: true,
            user: false,
        };
        let pinned = Bo::new(device, how)?.pin()?;
        let slice = Slice::at(pinned.start()?).ok_or(EIO)?;
        let mut phys = None;
        pinned.spans(0, bytes, |span| {
            if let (Span::Bar { at, .. }, None) = (span, phys) {
                phys = Some(at);
            }
            Ok(())
        })?;
        Ok(Arc::new(
            Self {
                slice,
                phys: phys.ok_or(EIO)?,
                pinned,
                _alive: counters::DOORBELLS.one(),
            },
            GFP_KERNEL,
        )?)
    }

    /// Where it is, for the scheduler.
    pub(crate) fn slice(&self) -> Slice {
        self.slice
    }

    /// Where it is, for mapping it into the process.
    pub(crate) fn phys(&self) -> u64 {
        self.phys
    }

    /// The pages, for mapping them on the GPU.
    pub(crate) fn bo(&self) -> &Bo {
        &self.pinned
    }
}
