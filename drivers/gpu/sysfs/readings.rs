// SPDX-License-Identifier: GPL-2.0
//! Measurements for many files. A program reads dozens of files at once: they share what is not older than a
//! millisecond, as in the C driver (kernel smu_cmn.c: smu_cmn_get_metrics_table).

use crate::{glue::machine::raw_ns, gpu::hw::smu::Smu};
use amdgpu_logic::smu::Metrics;
use kernel::{
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};

/// How long measurements stay good, ns.
const FRESH: u64 = 1_000_000;

/// What the card measures.
#[pin_data]
pub(super) struct Readings {
    smu: Arc<Smu>,
    /// The last measurements, and when they came.
    #[pin]
    last: Mutex<Option<(u64, Metrics)>>,
}

impl Readings {
    /// None yet.
    pub(super) fn new(smu: Arc<Smu>) -> Result<Arc<Self>> {
        let new = pin_init!(Self {
            smu,
            last <- new_mutex!(None, "readings"),
        });
        Arc::pin_init(new, GFP_KERNEL)
    }

    /// What the card measures now. May sleep.
    pub(super) fn now(&self) -> Result<Metrics> {
        if let Some((when, metrics)) = *self.last.lock() {
            if raw_ns().saturating_sub(when) < FRESH {
                return Ok(metrics);
            }
        }
        let metrics = self.smu.metrics()?;
        *self.last.lock() = Some((raw_ns(), metrics));
        Ok(metrics)
    }

    /// Who measures.
    pub(super) fn smu(&self) -> &Smu {
        &self.smu
    }
}
