// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the system management unit.

use super::super::ip::IpVersion;
use super::message::Message;

mod v13_0_2;

pub(super) trait SmuHal: Sync {
    /// The number of a message.
    fn number(&self, message: Message) -> u32;

    /// Version of the structures in memory that driver and firmware share.
    fn interface(&self) -> u32;

    /// Address of the firmware's flags on the system management network.
    fn flags(&self) -> u32;
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn SmuHal> {
    match version {
        IpVersion(13, 0, 2) => Some(&v13_0_2::V13_0_2),
        _ => None,
    }
}
