// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors that the card tells of, and a reset that nobody asked for.

use super::{Fault, Kind};
use crate::device::Gpu;
use crate::model::ih::{client, Iv};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "ecc-cp",
        about: "the command processor reports an ECC error",
        kind: Kind::Action(|gpu| raise(gpu, client::GRBM_CP, CP_ECC_ERROR)),
    },
    Fault {
        name: "ecc-sdma",
        about: "SDMA engine 0 reports an ECC error",
        kind: Kind::Action(|gpu| raise(gpu, client::SDMA[0], SDMA_ECC)),
    },
    Fault {
        name: "reset",
        about: "the card resets itself",
        kind: Kind::Action(|gpu| gpu.reset_off_the_bus()),
    },
];

/// irqsrcs_gfx_9_0.h: GFX_9_0__SRCID__CP_ECC_ERROR.
const CP_ECC_ERROR: u8 = 197;
/// irqsrcs_sdma0_4_0.h: SDMA0_4_0__SRCID__SDMA_ECC.
const SDMA_ECC: u8 = 220;

fn raise(gpu: &Gpu, client: u8, source: u8) {
    gpu.ih.send(Iv {
        client,
        source,
        ..Iv::default()
    });
}
