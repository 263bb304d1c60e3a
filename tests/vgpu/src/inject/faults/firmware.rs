// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The processors that are told by mailbox: security (PSP: commands BOOT, MAILBOX, RING) and system management (SMU).

use super::{Fault, Kind, On};
use crate::inject::event::{Act, Point};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "psp-silent",
        about: "the security processor does not answer, or late",
        kind: Kind::Events(&[On::new(Point::Command, "PSP", "", Act::Hold)]),
    },
    Fault {
        name: "psp-garbage",
        about: "the security processor answers nonsense",
        kind: Kind::Events(&[On::new(Point::Command, "PSP", "", Act::Garble)]),
    },
    Fault {
        name: "smu-silent",
        about: "system management does not answer, or late",
        kind: Kind::Events(&[On::new(Point::Command, "SMU", "", Act::Hold)]),
    },
    Fault {
        name: "smu-garbage",
        about: "system management answers nonsense",
        kind: Kind::Events(&[On::new(Point::Command, "SMU", "", Act::Garble)]),
    },
];
