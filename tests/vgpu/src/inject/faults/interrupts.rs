// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts that are lost, come twice, mean nothing, or come in masses.

use super::{Fault, Kind, On};
use crate::device::Gpu;
use crate::inject::event::{Act, Point};
use crate::model::ih::{client, Iv};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "msi-lost",
        about: "the message for vectors in the ring is lost",
        kind: Kind::Events(&[On::new(Point::Message, "", "", Act::Lose)]),
    },
    Fault {
        name: "msi-twice",
        about: "the message comes twice",
        kind: Kind::Events(&[On::new(Point::Message, "", "", Act::Repeat)]),
    },
    Fault {
        name: "msi-spurious",
        about: "a message comes without a vector",
        kind: Kind::Action(|gpu| gpu.ih.message()),
    },
    Fault {
        name: "vector-lost",
        about: "a block's vector does not reach the ring",
        kind: Kind::Events(&[On::new(Point::Vector, "", "", Act::Lose)]),
    },
    Fault {
        name: "vector-twice",
        about: "a vector is written twice",
        kind: Kind::Events(&[On::new(Point::Vector, "", "", Act::Repeat)]),
    },
    Fault {
        name: "vector-garbage",
        about: "a vector's words are garbage",
        kind: Kind::Events(&[On::new(Point::Vector, "", "", Act::Garble)]),
    },
    Fault {
        name: "vector-storm",
        about: "256 end-of-pipe vectors of no queue come at once",
        kind: Kind::Action(|gpu| storm(gpu, 256)),
    },
    Fault {
        name: "ih-overflow",
        about: "more vectors come at once than the ring holds",
        kind: Kind::Action(|gpu| storm(gpu, 3 * gpu.ih.ring_entries())),
    },
];

/// End-of-pipe events of the command processor (irqsrcs_gfx_9_0.h: CP_EOP_INTERRUPT).
const END_OF_PIPE: u8 = 181;

fn storm(gpu: &Gpu, vectors: u32) {
    let iv = Iv {
        client: client::GRBM_CP,
        source: END_OF_PIPE,
        ..Iv::default()
    };
    gpu.ih.send_many(iv, vectors);
}
