// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Engines that stop, and fences and acknowledgements that do not come.

use super::{Fault, Kind, On};
use crate::inject::event::{Act, Point};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "kiq-dead",
        about: "the kernel interface queue executes nothing",
        kind: Kind::Events(&[On::new(Point::Turn, "KIQ", "", Act::Hold)]),
    },
    Fault {
        name: "hiq-dead",
        about: "the scheduler's queue executes nothing",
        kind: Kind::Events(&[On::new(Point::Turn, "HIQ", "", Act::Hold)]),
    },
    Fault {
        name: "unmap-silent",
        about: "the scheduler does not take queues off, and so never says that they are",
        kind: Kind::Events(&[On::new(Point::Packet, "HIQ", "UNMAP_QUEUES", Act::Hold)]),
    },
    Fault {
        name: "sdma-dead",
        about: "an SDMA engine executes nothing",
        kind: Kind::Events(&[On::new(Point::Packet, "SDMA", "", Act::Hold)]),
    },
    Fault {
        name: "sdma-fence-lost",
        about: "a fence of an SDMA engine is not written",
        kind: Kind::Events(&[On::new(Point::Packet, "SDMA", "FENCE", Act::Lose)]),
    },
    Fault {
        name: "sdma-fence-silent",
        about: "an SDMA engine hangs at a fence",
        kind: Kind::Events(&[On::new(Point::Packet, "SDMA", "FENCE", Act::Hold)]),
    },
];
