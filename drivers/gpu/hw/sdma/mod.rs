// SPDX-License-Identifier: GPL-2.0
//! SDMA, system DMA: engines that copy and fill memory beside the shaders.
//!
//! Each engine has one ring of the kernel and eight queues for users, which the hardware scheduler puts there. The
//! kernel uses the rings to clear VRAM and to move buffer objects.

mod engine;
mod hal;
mod mover;
mod registers;
mod regs;

use super::ih::Listener;
use super::ring::Ring;
use super::{hdp::Hdp, ip::IpVersion, Bars};
use crate::glue::wait::Wakeable;
use crate::gpu::mem::KernelBo;
use amdgpu_logic::iv::{Cause, Iv};
use amdgpu_logic::sdma_packet::{copies, fills};
use amdgpu_logic::slots::SdmaEngines;
use engine::Engine;
use hal::SdmaHal;
use kernel::{dev_err, prelude::*, sync::Arc};

pub(crate) use mover::Mover;

/// The engines.
pub(crate) struct Sdma {
    bars: Arc<Bars>,
    hdp: Hdp,
    hal: &'static dyn SdmaHal,
    engines: KVec<Arc<Engine>>,
}

/// Dwords of a copy packet.
const COPY_DWORDS: u32 = 7;
/// Dwords of a fill packet.
const FILL_DWORDS: u32 = 5;

impl Sdma {
    /// The engines that a GPU of that version has; `ENODEV` if the driver does not know it.
    pub(crate) fn engines_of(version: IpVersion) -> Result<SdmaEngines> {
        Ok(hal::of(version).ok_or(ENODEV)?.engines())
    }

    /// Bytes of system memory that each engine needs.
    pub(crate) fn memory_bytes() -> Result<u64> {
        Ok(Ring::memory_bytes(Engine::ring_size()?))
    }

    /// Starts all engines. `memory` yields zeroed system memory of [`Sdma::memory_bytes`] in VMID 0 for each.
    pub(crate) fn new(
        bars: Arc<Bars>,
        hdp: Hdp,
        version: IpVersion,
        mut memory: impl FnMut() -> Result<KernelBo>,
    ) -> Result<Arc<Self>> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "SDMA {}: version not supported\n", version);
        })?;
        let count = hal.engines().pcie.saturating_add(hal.engines().xgmi);
        let mut engines = KVec::with_capacity(count.into(), GFP_KERNEL)?;
        for number in 0..count {
            engines.push(Engine::new(bars.clone(), hal, number, memory()?)?, GFP_KERNEL)?;
        }
        Ok(Arc::new(
            Self {
                bars,
                hdp,
                hal,
                engines,
            },
            GFP_KERNEL,
        )?)
    }

    /// The engines there are.
    pub(crate) fn engines(&self) -> SdmaEngines {
        self.hal.engines()
    }

    /// Sets `bytes` bytes from `dst` on to the dword `value`. Addresses are of VMID 0; both are multiples of 4, else
    /// `EINVAL`. For the other errors see [`Sdma::copy`].
    pub(crate) fn fill(&self, dst: u64, bytes: u64, value: u32, wakeable: Wakeable) -> Result {
        let mut packets = fills(dst, bytes, value).ok_or(EINVAL)?;
        while packets.left() > 0 {
            self.engine()?.run(wakeable, Engine::ROOM, |s| {
                packets
                    .by_ref()
                    .take((Engine::ROOM / FILL_DWORDS) as usize)
                    .try_for_each(|p| s.sdma(&p))
            })?;
        }
        Ok(())
    }

    /// Copies `bytes` bytes. Addresses are of VMID 0. What the CPU wrote to VRAM before is copied as well. `EINVAL`
    /// if a range wraps around.
    ///
    /// `ETIMEDOUT` if the engine does not finish: then it is stopped, and later calls fail with `EIO`. `ERESTARTSYS`
    /// if a signal of the admitted kind came, in which case the engine may still be writing.
    pub(crate) fn copy(&self, src: u64, dst: u64, bytes: u64, wakeable: Wakeable) -> Result {
        let mut packets = copies(src, dst, bytes).ok_or(EINVAL)?;
        self.hdp.flush(&self.bars);
        while packets.left() > 0 {
            self.engine()?.run(wakeable, Engine::ROOM, |s| {
                packets
                    .by_ref()
                    .take((Engine::ROOM / COPY_DWORDS) as usize)
                    .try_for_each(|p| s.sdma(&p))
            })?;
        }
        Ok(())
    }

    /// Calls `f` with byte offset and value of each register of a user queue of an engine. `EINVAL` if there is no such
    /// engine.
    pub(crate) fn queue_registers(&self, engine: usize, queue: u32, mut f: impl FnMut(u32, u32)) -> Result {
        let base = regs::ENGINE_BASES.get(engine).ok_or(EINVAL)?;
        let first = regs::QUEUE_STRIDE.checked_mul(queue).ok_or(EINVAL)?;
        for dword in regs::QUEUE_DWORDS.into_iter().flatten() {
            let byte = dword
                .saturating_add(first)
                .saturating_mul(4)
                .saturating_add(*base);
            f(byte, self.bars.registers.read32(byte as usize));
        }
        Ok(())
    }

    /// Queues of users that an engine has.
    pub(crate) const USER_QUEUES: u32 = 8;

    /// The engine for the kernel's work: the last, which users' queues get last.
    fn engine(&self) -> Result<&Engine> {
        self.engines.last().map(|e| &**e).ok_or(ENODEV)
    }
}

impl Listener for Sdma {
    fn interrupt(&self, _iv: &Iv, cause: &Cause) {
        if let Cause::SdmaTrap { engine, ring: 0, .. } = *cause {
            if let Some(engine) = self.engines.get(usize::from(engine)) {
                engine.interrupt();
            }
        }
    }

    fn overflow(&self) {
        self.engines.iter().for_each(|engine| engine.interrupt());
    }
}
