// SPDX-License-Identifier: GPL-2.0
//! PSP, the security processor: it checks all other firmware and hands it to the engines.
//!
//! Powered on, only its bootloader runs. It takes what the secure OS needs and the secure OS itself, one component after
//! the other. The secure OS then takes commands from a ring: it gets a part of VRAM that only it can reach (TMR), and
//! each engine's firmware. Where firmware already runs, only a reset of the card leads back to the bootloader (see
//! [`super::reset`]).

mod hal;
mod mailbox;
mod regs;
mod ring;

use super::{firmware::Images, ip::IpVersion, Bars};
use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::firmware::Image;
use amdgpu_logic::psp::{Command, Target};
use hal::PspHal;
use kernel::{dev_err, dev_info, dev_warn, prelude::*, sync::Arc};
use mailbox::Component;
use ring::Ring;

/// The secure OS at work. Dropping it takes back what it was given; engines whose firmware it protects must not run
/// any more.
pub(crate) struct Psp {
    bars: Arc<Bars>,
    ring: Ring,
    /// After the ring: nobody uses it any more.
    tmr: Option<KernelBo>,
}

/// Bytes of the buffer that images are handed over in, and its alignment: the bootloader knows addresses in units of
/// 1 MiB.
const BUFFER: u64 = 1 << 20;

impl Psp {
    /// Starts the secure OS, and lets it load the firmware of all engines. `ENODEV` if the driver does not know that
    /// version.
    ///
    /// Translation is on, and no engine runs.
    pub(crate) fn new(
        bars: &Arc<Bars>,
        memory: &Memory,
        version: IpVersion,
        images: &Images<'_>,
    ) -> Result<Self> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "PSP {}: version not supported\n", version);
        })?;
        let buffer = Buffer {
            bars,
            memory,
            bo: KernelBo::new(memory, BUFFER, BUFFER, Domain::Vram)?,
        };
        // one that was left without firmware serves as well, see `super::reset`
        if mailbox::is_alive(bars) {
            mailbox::destroy_rings(bars)?;
        } else {
            start_secure_os(bars, &buffer, images)?;
        }
        let mut psp = Self {
            bars: bars.clone(),
            ring: Ring::new(bars, memory)?,
            tmr: None,
        };
        // the SMU's firmware manages the memory fabric that the TMR is reached by (kernel amdgpu_psp.c: psp_hw_start)
        psp.load(&buffer, images, Target::Smu, &images.smc.code)?;
        psp.set_up_tmr(memory, hal)?;
        psp.load_engines(&buffer, hal, images)?;
        dev_info!(
            bars.dev,
            "PSP: secure OS {:#010x}, all firmware is loaded\n",
            mailbox::version(bars)
        );
        Ok(psp)
    }

    fn set_up_tmr(&mut self, memory: &Memory, hal: &dyn PspHal) -> Result {
        let size = hal.tmr_bytes();
        let tmr = KernelBo::new(memory, size.into(), size.into(), Domain::Vram)?;
        let command = Command::SetupTmr {
            addr: tmr.gpu_addr(),
            size,
            vram: tmr.vram().ok_or(EINVAL)?,
        };
        self.ring.run("PSP: trusted memory region", &command)?;
        self.tmr = Some(tmr);
        Ok(())
    }

    /// The order is that of the C driver (amdgpu_ucode.h: AMDGPU_UCODE_ID), the register list last.
    fn load_engines(&mut self, buffer: &Buffer<'_>, hal: &dyn PspHal, images: &Images<'_>) -> Result {
        for engine in hal.sdma_engines() {
            self.load(buffer, images, *engine, &images.sdma.code)?;
        }
        let (mec, rlc) = (&images.mec, &images.rlc);
        for (target, image) in [
            (Target::Mec, &mec.code),
            (Target::MecJumpTable, &mec.jump_table),
            (Target::RlcRestoreCntl, &rlc.restore_cntl),
            (Target::RlcRestoreGpm, &rlc.restore_gpm),
            (Target::RlcRestoreSrm, &rlc.restore_srm),
            (Target::Rlc, &rlc.code),
        ] {
            self.load(buffer, images, target, image)?;
        }
        match &images.sos.register_list {
            Some(list) => self.load(buffer, images, Target::RegisterList, list),
            None => Ok(()),
        }
    }

    fn load(
        &mut self,
        buffer: &Buffer<'_>,
        images: &Images<'_>,
        target: Target,
        image: &Image<'_>,
    ) -> Result {
        let command = Command::LoadIpFw {
            addr: buffer.fill(target.step(), image)?,
            size: u32::try_from(image.bytes.len())?,
            target,
        };
        self.ring
            .run(target.step(), &command)
            .inspect_err(|_| images.not_taken(&self.bars.dev, Some(target)))
    }
}

impl Drop for Psp {
    fn drop(&mut self) {
        if self.tmr.is_some()
            && self
                .ring
                .run("PSP: trusted memory region back", &Command::DestroyTmr)
                .is_err()
        {
            dev_warn!(self.bars.dev, "PSP: the trusted memory region stays protected\n");
        }
    }
}

/// What the bootloader needs for the secure OS, and that. The C driver's order.
fn start_secure_os(bars: &Bars, buffer: &Buffer<'_>, images: &Images<'_>) -> Result {
    mailbox::wait_for_bootloader(bars, "PSP: bootloader ready")?;
    let sos = &images.sos;
    for (component, image) in [
        (Component::KeyDatabase, sos.key_database),
        (Component::SplTable, sos.spl),
        (Component::SystemDriver, Some(sos.system_driver)),
        (Component::SecureOs, Some(sos.secure_os)),
    ] {
        // what a file does not have its secure OS does not need
        let Some(image) = image else { continue };
        let addr = buffer.fill(component.name(), &image)?;
        mailbox::load(bars, component, addr).inspect_err(|_| images.not_taken(&bars.dev, None))?;
    }
    Ok(())
}

/// Whether firmware runs that somebody else has started.
pub(crate) fn is_running(bars: &Bars) -> bool {
    mailbox::is_alive(bars)
}

/// Waits until the bootloader takes commands.
pub(crate) fn wait_for_bootloader(bars: &Bars) -> Result {
    mailbox::wait_for_bootloader(bars, "PSP: bootloader ready after a reset")
}

/// VRAM that images are handed over in, one at a time.
struct Buffer<'a> {
    bars: &'a Bars,
    memory: &'a Memory,
    bo: KernelBo,
}

impl Buffer<'_> {
    /// Puts an image there; its address in VMID 0. `EFBIG` if it is too large.
    fn fill(&self, name: &str, image: &Image<'_>) -> Result<u64> {
        if image.bytes.len() as u64 > BUFFER {
            dev_err!(
                self.bars.dev,
                "{}: the image has {} bytes, the security processor takes {}\n",
                name,
                image.bytes.len(),
                BUFFER
            );
            return Err(EFBIG);
        }
        self.bo.write(0, image.bytes)?;
        self.memory.flush_hdp();
        Ok(self.bo.gpu_addr())
    }
}
