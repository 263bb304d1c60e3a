// SPDX-License-Identifier: GPL-2.0
//! The file for the security processor itself (PSP): what its boot loader gets, one after another.
//! Layout: kernel amdgpu_ucode.h `struct psp_firmware_header_v1_3`.

use super::file::{File, HEADER};
use super::{FirmwareError, Image};

/// How the card is connected to the host, which decides between two builds of driver and operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLink {
    /// A card in a slot; the file calls its builds auxiliary (kernel amdgpu_psp.c: psp_init_sos_base_fw).
    Pcie,
    /// Memory coherent with the processor.
    Xgmi,
}

/// The images of the file. An absent one is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sos<'a> {
    /// KDB: keys that the signatures of the others are checked with.
    pub key_database: Option<Image<'a>>,
    /// SPL: the versions below which firmware is refused.
    pub spl: Option<Image<'a>>,
    /// TOC: where images are in the trusted memory region.
    pub toc: Option<Image<'a>>,
    /// SYSDRV: the driver below the operating system.
    pub system_driver: Image<'a>,
    /// SOS: the operating system.
    pub secure_os: Image<'a>,
    /// RL: which registers engines may access. It is sent with the engines' firmware, not to the boot loader.
    pub register_list: Option<Image<'a>>,
}

/// Byte offsets of the images' entries: version, offset from the first image, size.
mod at {
    use super::HEADER;
    pub(super) const SOS: usize = HEADER;
    pub(super) const TOC: usize = HEADER + 12;
    pub(super) const KDB: usize = HEADER + 24;
    pub(super) const SPL: usize = HEADER + 36;
    pub(super) const RL: usize = HEADER + 48;
    pub(super) const SYSDRV_AUX: usize = HEADER + 60;
    pub(super) const SOS_AUX: usize = HEADER + 72;
}

impl<'a> Sos<'a> {
    /// Reads the file (aldebaran_sos.bin) for a card with this connection.
    pub fn parse(bytes: &'a [u8], link: HostLink) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (1, 3))?;
        let (system_driver, secure_os) = match link {
            HostLink::Pcie => (
                entry(&file, "the auxiliary SYSDRV", at::SYSDRV_AUX)?,
                entry(&file, "the auxiliary SOS", at::SOS_AUX)?,
            ),
            HostLink::Xgmi => coherent(&file)?,
        };
        Ok(Self {
            key_database: entry(&file, "KDB", at::KDB)?,
            spl: entry(&file, "SPL", at::SPL)?,
            toc: entry(&file, "TOC", at::TOC)?,
            system_driver: system_driver.ok_or(FirmwareError::Empty { part: "SYSDRV" })?,
            secure_os: secure_os.ok_or(FirmwareError::Empty { part: "SOS" })?,
            register_list: entry(&file, "RL", at::RL)?,
        })
    }
}

/// The image of an entry of the header.
fn entry<'a>(file: &File<'a>, name: &'static str, at: usize) -> Result<Option<Image<'a>>, FirmwareError> {
    let offset = from_images(file, file.word(at.saturating_add(4))?);
    let size = file.word(at.saturating_add(8))?;
    file.image(name, file.word(at)?, offset, size)
}

/// SYSDRV and SOS for XGMI: the driver fills the space before the operating system, and has the file's version.
fn coherent<'a>(file: &File<'a>) -> Result<(Option<Image<'a>>, Option<Image<'a>>), FirmwareError> {
    let offset = file.word(at::SOS.saturating_add(4))?;
    let size = file.word(at::SOS.saturating_add(8))?;
    Ok((
        file.image("SYSDRV", file.version, from_images(file, 0), offset)?,
        file.image("SOS", file.version, from_images(file, offset), size)?,
    ))
}

/// An offset from the first image as one from the begin of the file.
fn from_images(file: &File<'_>, offset: u32) -> u64 {
    // two u32 cannot exceed a u64
    u64::from(file.images).saturating_add(u64::from(offset))
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_firmware_sos))]
mod tests {
    use super::super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    fn sample() -> Sample {
        let mut sample = Sample::new((1, 3), 0x74);
        sample
            // the operating system for XGMI, behind 0x20 bytes of driver
            .words(0x20, [5, 0x20, 0x10])
            // no TOC
            .words(0x38, [21, 0x30, 0x10])
            // no SPL
            .words(0x50, [23, 0x40, 0x10])
            .words(0x5c, [24, 0x50, 0x10])
            .words(0x68, [25, 0x1f0, 0x10]);
        sample
    }

    #[test]
    fn every_image_has_its_place() -> Result<(), FirmwareError> {
        let sample = sample();
        let image = |version, at: usize| Image {
            version,
            bytes: &sample.bytes[at..at + 0x10],
        };
        let pcie = Sos::parse(&sample.bytes, HostLink::Pcie)?;
        assert_eq!(pcie.key_database, Some(image(21, 0x130)));
        assert_eq!(pcie.register_list, Some(image(23, 0x140)));
        assert_eq!(pcie.system_driver, image(24, 0x150));
        assert_eq!(pcie.secure_os, image(25, 0x2f0));
        assert!(pcie.toc.is_none() && pcie.spl.is_none());
        let xgmi = Sos::parse(&sample.bytes, HostLink::Xgmi)?;
        assert_eq!(xgmi.system_driver.bytes, &sample.bytes[0x100..0x120]);
        assert_eq!(xgmi.secure_os, image(7, 0x120));
        Ok(())
    }

    #[test]
    fn what_is_needed_is_there() {
        let error = |at, size, link| Sos::parse(&sample().word(at, size).bytes, link).err();
        let missing = |part| Some(FirmwareError::Empty { part });
        assert_eq!(error(0x64, 0, HostLink::Pcie), missing("SYSDRV"));
        assert_eq!(error(0x70, 0, HostLink::Pcie), missing("SOS"));
        assert_eq!(error(0x64, 0, HostLink::Xgmi), None);
        assert_eq!(error(0x28, 0, HostLink::Xgmi), missing("SOS"));
        let outside = FirmwareError::Outside {
            part: "RL",
            offset: 0x1_0000_00ff,
            size: 0x10,
            file: SIZE,
        };
        assert_eq!(error(0x54, u32::MAX, HostLink::Pcie), Some(outside));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn damaged_files(bytes in damaged(sample()), xgmi: bool) {
            let link = if xgmi { HostLink::Xgmi } else { HostLink::Pcie };
            if let Ok(sos) = Sos::parse(&bytes, link) {
                let optional = [sos.key_database, sos.spl, sos.toc, sos.register_list];
                for image in optional.into_iter().flatten().chain([sos.system_driver, sos.secure_os]) {
                    assert_inside(&bytes, image.bytes);
                    prop_assert!(!image.bytes.is_empty());
                }
            }
        }
    }
}
