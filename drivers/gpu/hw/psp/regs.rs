// SPDX-License-Identifier: GPL-2.0
//! Mailbox registers of the security processor (AMD's header: mp_13_0_2; base 0x58000).

use kernel::io::register;

register! {
    /// Command for the bootloader. When it has been carried out: bit 31, and an error in the low bits.
    pub(super) MP0_SMN_C2PMSG_35(u32) @ 0x0005818c {
        31:0 content;
    }

    /// What the bootloader gets: an address in VMID 0, in units of 1 MiB.
    pub(super) MP0_SMN_C2PMSG_36(u32) @ 0x00058190 {
        31:0 content;
    }

    /// Version of the secure OS.
    pub(super) MP0_SMN_C2PMSG_58(u32) @ 0x000581e8 {
        31:0 content;
    }

    /// Command about rings. When it has been carried out: bit 31, and a status in bits 15:0.
    pub(super) MP0_SMN_C2PMSG_64(u32) @ 0x00058200 {
        31:0 content;
    }

    /// How far the driver has written to the ring, in dwords.
    pub(super) MP0_SMN_C2PMSG_67(u32) @ 0x0005820c {
        31:0 content;
    }

    /// Address of the ring, bits 31:0.
    pub(super) MP0_SMN_C2PMSG_69(u32) @ 0x00058214 {
        31:0 content;
    }

    /// Address of the ring, bits 63:32.
    pub(super) MP0_SMN_C2PMSG_70(u32) @ 0x00058218 {
        31:0 content;
    }

    /// Bytes of the ring.
    pub(super) MP0_SMN_C2PMSG_71(u32) @ 0x0005821c {
        31:0 content;
    }

    /// Sign of life of the secure OS: not 0 once it runs.
    pub(super) MP0_SMN_C2PMSG_81(u32) @ 0x00058244 {
        31:0 content;
    }
}
