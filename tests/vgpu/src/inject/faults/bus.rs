// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card on its bus: gone, or crashed. BAR0 goes on showing VRAM: it is mapped into the machine.

use super::{Fault, Kind, On};
use crate::inject::event::{Act, Point};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "gone",
        about: "the card fell off the bus: reads are all ones, writes are lost, nothing comes from it",
        kind: Kind::Events(&[
            On::new(Point::RegisterRead, "", "", Act::Garble),
            On::new(Point::RegisterWrite, "", "", Act::Lose),
            On::new(Point::Doorbell, "", "", Act::Lose),
            On::new(Point::Config, "", "", Act::Lose),
            On::new(Point::Message, "", "", Act::Lose),
            On::new(Point::Vector, "", "", Act::Lose),
            On::new(Point::Turn, "", "", Act::Hold),
            On::new(Point::Packet, "", "", Act::Hold),
            On::new(Point::Command, "", "", Act::Lose),
        ]),
    },
    Fault {
        name: "registers-ones",
        about: "registers read as all ones, writes are lost; everything else goes on",
        kind: Kind::Events(&[
            On::new(Point::RegisterRead, "", "", Act::Garble),
            On::new(Point::RegisterWrite, "", "", Act::Lose),
        ]),
    },
    Fault {
        name: "crash",
        about: "the virtual GPU ends as a crash does, at the access that `at` names",
        kind: Kind::Events(&[
            On::new(Point::RegisterRead, "", "", Act::Crash),
            On::new(Point::RegisterWrite, "", "", Act::Crash),
            On::new(Point::Doorbell, "", "", Act::Crash),
            On::new(Point::Config, "", "", Act::Crash),
        ]),
    },
];
