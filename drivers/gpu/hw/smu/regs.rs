// SPDX-License-Identifier: GPL-2.0
//! Mailbox registers of the system management unit (AMD's header: mp_13_0_2; base 0x58000).

use kernel::io::register;

register! {
    /// Message. Writing it starts the exchange.
    pub(super) MP1_SMN_C2PMSG_66(u32) @ 0x00058a08 {
        31:0 content;
    }

    /// Argument, and then the answer.
    pub(super) MP1_SMN_C2PMSG_82(u32) @ 0x00058a48 {
        31:0 content;
    }

    /// Response: 0 until the message has been carried out.
    pub(super) MP1_SMN_C2PMSG_90(u32) @ 0x00058a68 {
        31:0 content;
    }
}
