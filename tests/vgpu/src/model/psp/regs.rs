// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mailbox registers of MP0 (mp_13_0_2_offset.h, MP0 base 0x58000).

crate::registers! {
    /// Mailbox ready.
    MP0_SMN_C2PMSG_33 = 0x58184;
    /// Bootloader command; bit 31 alone: ready.
    MP0_SMN_C2PMSG_35 = 0x5818c;
    /// Bootloader: address of the image, in MiB.
    MP0_SMN_C2PMSG_36 = 0x58190;
    /// Version of the secure OS.
    MP0_SMN_C2PMSG_58 = 0x581e8;
    /// Ring command and response.
    MP0_SMN_C2PMSG_64 = 0x58200;
    /// Ring write pointer, in dwords.
    MP0_SMN_C2PMSG_67 = 0x5820c;
    /// Ring address, low.
    MP0_SMN_C2PMSG_69 = 0x58214;
    /// Ring address, high.
    MP0_SMN_C2PMSG_70 = 0x58218;
    /// Ring size in bytes.
    MP0_SMN_C2PMSG_71 = 0x5821c;
    /// Flash update.
    MP0_SMN_C2PMSG_73 = 0x58224;
    /// Not 0: the secure OS is alive.
    MP0_SMN_C2PMSG_81 = 0x58244;
    /// Boot status.
    MP0_SMN_C2PMSG_92 = 0x58270;
    /// Ring command of a virtual function.
    MP0_SMN_C2PMSG_101 = 0x58294;
    /// Ring address of a virtual function, low.
    MP0_SMN_C2PMSG_102 = 0x58298;
    /// Ring address of a virtual function, high.
    MP0_SMN_C2PMSG_103 = 0x5829c;
    /// Flash image address.
    MP0_SMN_C2PMSG_115 = 0x582cc;
    /// Flash image address.
    MP0_SMN_C2PMSG_116 = 0x582d0;
    /// RAS capability.
    MP0_SMN_C2PMSG_127 = 0x582fc;
    /// Clock gating.
    MP0_MISC_CGTT_CTRL0 = 0x586e4;
    /// Light sleep.
    MP0_MISC_LIGHT_SLEEP_CTRL = 0x586e8;
}
