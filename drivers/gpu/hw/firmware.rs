// SPDX-License-Identifier: GPL-2.0
//! The firmware files of a GPU. The distribution has them (Debian: package firmware-amd-graphics); the root of the
//! module lists their names for tools that build initial file systems.

use super::{ip::IpVersion, Words};
use crate::glue::inject;
use amdgpu_logic::firmware::{FirmwareError, HostLink, Mec, Rlc, Sdma, Smc, Sos};
use amdgpu_logic::psp::Target;
use kernel::{dev_err, device::Device, firmware::Firmware, prelude::*};

/// The files. They are needed until all firmware is loaded.
pub(crate) struct Files {
    names: &'static Names,
    sos: File,
    smc: File,
    sdma: File,
    mec: File,
    rlc: File,
}

/// The images in the files.
pub(crate) struct Images<'a> {
    names: &'static Names,
    /// The security processor.
    pub(crate) sos: Sos<'a>,
    /// System management.
    pub(crate) smc: Smc<'a>,
    /// SDMA engines.
    pub(crate) sdma: Sdma<'a>,
    /// Compute micro engines.
    pub(crate) mec: Mec<'a>,
    /// Run list controller.
    pub(crate) rlc: Rlc<'a>,
}

/// Versions that userspace asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirmwareVersions {
    /// Compute micro engines.
    pub(crate) mec: u32,
    /// SDMA engines.
    pub(crate) sdma: u32,
    /// Run list controller.
    pub(crate) rlc: u32,
    /// Its save and restore lists: control, GPM, SRM.
    pub(crate) rlc_lists: [u32; 3],
    /// System management.
    pub(crate) smc: u32,
    /// Operating system of the security processor.
    pub(crate) sos: u32,
}

/// Names of the files by kind.
struct Names {
    sos: &'static CStr,
    smc: &'static CStr,
    sdma: &'static CStr,
    mec: &'static CStr,
    rlc: &'static CStr,
}

/// What the files of a GPU with that graphics block are called.
fn names(gc: IpVersion) -> Option<&'static Names> {
    match gc {
        IpVersion(9, 4, 2) => Some(&Names {
            sos: c"amdgpu/aldebaran_sos.bin",
            smc: c"amdgpu/aldebaran_smc.bin",
            sdma: c"amdgpu/aldebaran_sdma.bin",
            mec: c"amdgpu/aldebaran_mec.bin",
            rlc: c"amdgpu/aldebaran_rlc.bin",
        }),
        _ => None,
    }
}

impl Files {
    /// Reads the files of a GPU with that graphics block. `ENOENT` if one is not there; the log says which. May sleep for
    /// long.
    pub(crate) fn new(dev: &Device, gc: IpVersion) -> Result<Self> {
        let names = names(gc).ok_or(ENODEV)?;
        Ok(Self {
            names,
            sos: File::new(dev, names.sos)?,
            smc: File::new(dev, names.smc)?,
            sdma: File::new(dev, names.sdma)?,
            mec: File::new(dev, names.mec)?,
            rlc: File::new(dev, names.rlc)?,
        })
    }

    /// The images in them, checked. `EINVAL` if a file is damaged; the log says which, and what is wrong.
    pub(crate) fn images(&self, dev: &Device) -> Result<Images<'_>> {
        Ok(Images {
            names: self.names,
            // all GPUs that the driver knows are cards in slots
            sos: self.sos.parse(dev, |bytes| Sos::parse(bytes, HostLink::Pcie))?,
            smc: self.smc.parse(dev, Smc::parse)?,
            sdma: self.sdma.parse(dev, Sdma::parse)?,
            mec: self.mec.parse(dev, Mec::parse)?,
            rlc: self.rlc.parse(dev, Rlc::parse)?,
        })
    }
}

impl Images<'_> {
    /// Says that the security processor did not take an image: that of an engine, or one of its own (`None`). Its
    /// signature may be wrong, which only that processor can tell.
    pub(crate) fn not_taken(&self, dev: &Device, target: Option<Target>) {
        let name = match target {
            None | Some(Target::RegisterList) => self.names.sos,
            Some(Target::Smu) => self.names.smc,
            Some(Target::Sdma0 | Target::Sdma1 | Target::Sdma2 | Target::Sdma3 | Target::Sdma4) => {
                self.names.sdma
            }
            Some(Target::Mec | Target::MecJumpTable) => self.names.mec,
            Some(Target::Rlc | Target::RlcRestoreGpm | Target::RlcRestoreSrm | Target::RlcRestoreCntl) => {
                self.names.rlc
            }
        };
        dev_err!(
            dev,
            "firmware {}: the security processor does not take it; is the package firmware-amd-graphics whole?\n",
            name.to_str().unwrap_or_default()
        );
    }

    /// Their versions.
    pub(crate) fn versions(&self) -> FirmwareVersions {
        FirmwareVersions {
            mec: self.mec.code.version,
            sdma: self.sdma.code.version,
            rlc: self.rlc.code.version,
            rlc_lists: [
                self.rlc.restore_cntl.version,
                self.rlc.restore_gpm.version,
                self.rlc.restore_srm.version,
            ],
            smc: self.smc.code.version,
            sos: self.sos.secure_os.version,
        }
    }
}

/// A file.
struct File {
    name: &'static CStr,
    firmware: Firmware,
}

impl File {
    fn new(dev: &Device, name: &'static CStr) -> Result<Self> {
        inject::device()?;
        // without the loader's own message, which says less
        let firmware = Firmware::request_nowarn(name, dev).inspect_err(|e| {
            dev_err!(
                dev,
                "firmware {}: not to be had ({:?}); Debian has it in the package firmware-amd-graphics\n",
                name.to_str().unwrap_or_default(),
                e
            );
        })?;
        Ok(Self { name, firmware })
    }

    fn parse<'a, T>(
        &'a self,
        dev: &Device,
        parse: impl FnOnce(&'a [u8]) -> Result<T, FirmwareError>,
    ) -> Result<T> {
        parse(self.firmware.data()).map_err(|why| {
            dev_err!(
                dev,
                "firmware {}: damaged: {}; is the package firmware-amd-graphics whole?\n",
                self.name.to_str().unwrap_or_default(),
                Words(why)
            );
            EINVAL
        })
    }
}
