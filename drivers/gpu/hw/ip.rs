// SPDX-License-Identifier: GPL-2.0
//! Which generation of each block a GPU has.

use kernel::fmt;

/// Version of a hardware block, as AMD's IP discovery has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IpVersion(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl fmt::Display for IpVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The blocks of a GPU.
#[derive(Clone, Copy)]
pub(crate) struct IpVersions {
    /// Graphics and compute, with the GFXHUB.
    pub(crate) gc: IpVersion,
    /// North bridge I/O.
    pub(crate) nbio: IpVersion,
    /// Host data path.
    pub(crate) hdp: IpVersion,
    /// Interrupt handler.
    pub(crate) osssys: IpVersion,
    /// System DMA.
    pub(crate) sdma: IpVersion,
    /// Security processor.
    pub(crate) mp0: IpVersion,
    /// System management.
    pub(crate) mp1: IpVersion,
}

macro_rules! define_gpus {
    ($($(#[$doc:meta])* $name:ident [$($id:literal),+] { $($block:ident ($a:literal, $b:literal, $c:literal)),+ $(,)? })+) => {
        $(
            $(#[$doc])*
            const $name: IpVersions = IpVersions { $($block: IpVersion($a, $b, $c)),+ };
        )+

        /// PCI device ids (of vendor 0x1002) that the driver knows.
        pub(crate) const DEVICE_IDS: [u32; [$($($id as u32),+),+].len()] = [$($($id),+),+];

        impl IpVersions {
            /// The blocks of the GPU with PCI device id `device`, where they are not to be read from the device.
            pub(crate) const fn of_device(device: u16) -> Option<Self> {
                match device as u32 {
                    $($($id)|+ => Some($name),)+
                    _ => None,
                }
            }
        }
    };
}

define_gpus! {
    /// gfx90a: MI210, MI250, MI250X (kernel `amdgpu_discovery.c`: CHIP_ALDEBARAN).
    ALDEBARAN [0x7408, 0x740c, 0x740f, 0x7410] {
        gc (9, 4, 2), nbio (7, 4, 4), hdp (4, 4, 0), osssys (4, 4, 0), sdma (4, 4, 0),
        mp0 (13, 0, 2), mp1 (13, 0, 2),
    }
}
