// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Invalidations that are never acknowledged, and page tables that are not what was written.

use super::{Fault, Kind, On};
use crate::inject::event::{Act, Point};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "flush-silent",
        about: "a hub never acknowledges an invalidation asked for by register",
        kind: Kind::Events(&[On::new(Point::Acknowledge, "", "", Act::Hold)]),
    },
    Fault {
        name: "flush-packet-silent",
        about: "the kernel interface queue hangs at an invalidation",
        kind: Kind::Events(&[On::new(Point::Packet, "KIQ", "INVALIDATE_TLBS", Act::Hold)]),
    },
    Fault {
        name: "walk-invalid",
        about: "the walker finds an entry that is not valid",
        kind: Kind::Events(&[On::new(Point::Walk, "", "", Act::Lose)]),
    },
    Fault {
        name: "walk-garbage",
        about: "the walker finds an entry that is none",
        kind: Kind::Events(&[On::new(Point::Walk, "", "", Act::Garble)]),
    },
];
