// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Security processor and system management that do not answer, answer late or nonsense, while the card is brought up.

use crate::card::Card;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("sick: the security processor's bootloader is silent", || {
        refused("psp-silent,what=BOOT", "PSP")
    }),
    ("sick: the secure OS is silent", || {
        refused("psp-silent,what=MAILBOX", "PSP")
    }),
    ("sick: the secure OS does not work on its ring", || {
        refused("psp-silent,what=RING", "PSP")
    }),
    ("sick: the bootloader answers nonsense", || {
        refused("psp-garbage,what=BOOT", "PSP")
    }),
    ("sick: the secure OS answers nonsense", || {
        refused("psp-garbage,what=MAILBOX", "PSP")
    }),
    ("sick: the secure OS's ring answers nonsense", || {
        refused("psp-garbage,what=RING", "PSP")
    }),
    ("sick: the security processor is late", || {
        late("psp-silent,ms=60")
    }),
    ("sick: system management is silent", || {
        refused("smu-silent,at=command:5", "")
    }),
    ("sick: system management answers nonsense", || {
        refused("smu-garbage,at=command:5", "")
    }),
    ("sick: system management is late", || late("smu-silent,ms=20")),
];

/// The card is refused, with the step that fails.
fn refused(fault: &str, step: &str) {
    let mut card = Card::first();
    card.unbind();
    card.inject(fault);
    card.refused(step);
    card.heal();
    card.bind();
    card.works();
}

/// The card is taken all the same.
fn late(fault: &str) {
    let mut card = Card::first();
    card.unbind();
    card.inject(fault);
    card.bind();
    card.is_still_good();
}
