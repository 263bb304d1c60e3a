// SPDX-License-Identifier: GPL-2.0
//! GC, graphics and compute: shader engines with their compute units, and the command processor that feeds them.

pub(crate) mod descriptor;
mod grbm;
mod hal;
mod hiq;
mod kiq;
mod mec;
mod regs;
mod rlc;

use super::{ip::IpVersion, Bars, RegisterIo};
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::{ShaderEngines, MAX_SHADER_ENGINES};
use amdgpu_logic::pm4::RegOffset;
use grbm::Grbm;
use hal::GfxHal;
use kernel::{
    dev_err, dev_info,
    io::register::{Array, Register},
    prelude::*,
    sync::Arc,
};
use regs::*;
use rlc::Rlc;

pub(crate) use grbm::Slot;
pub(crate) use hal::Shape;
pub(crate) use hiq::{Hiq, HiqFence};
pub(crate) use kiq::Kiq;
pub(crate) use mec::HIQ_SLOT;

/// The block.
#[pin_data]
pub(crate) struct Gfx {
    bars: Arc<Bars>,
    hal: &'static dyn GfxHal,
    grbm: Arc<Grbm>,
    #[pin]
    rlc: Rlc,
}

/// Registers of a hardware queue (gc_9_4_2_offset.h: regCP_MQD_BASE_ADDR to regCP_HQD_PQ_WPTR_HI).
pub(crate) const QUEUE_REGISTER_COUNT: usize = 56;
/// Byte offset of the first of them.
pub(crate) const QUEUE_REGISTERS: u32 = 0xc914;

/// VMIDs of the hardware.
const VMIDS: u8 = 16;

impl Gfx {
    /// The block of that version; `ENODEV` if the driver does not know it.
    pub(crate) fn new(bars: Arc<Bars>, version: IpVersion) -> Result<Arc<Self>> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "GC {}: version not supported\n", version);
        })?;
        let grbm = Arc::pin_init(Grbm::new(), GFP_KERNEL)?;
        Arc::pin_init(pin_init!(Self { bars, hal, grbm, rlc <- Rlc::new() }), GFP_KERNEL)
    }

    /// What it is made of.
    pub(crate) fn shape(&self) -> Shape {
        self.hal.shape()
    }

    /// Programs what all queues need, and starts the RLC. The MEC, whose firmware has the version `mec`, is halted
    /// afterwards.
    pub(crate) fn set_up(&self, mec: u32) -> Result {
        let r = &self.bars.registers;
        self.hal.golden(r, mec)?;
        r.update(GRBM_CNTL, |v| v.with_const_read_timeout::<0xff>());
        for vmid in 0..VMIDS {
            self.set_up_vmid(vmid)?;
        }
        self.rlc
            .start(&self.bars, &self.grbm, self.shape().shader_engines)?;
        mec::halt(&self.bars);
        mec::enable_interrupts(&self.bars, &self.grbm, &self.shape())
    }

    /// Stops MEC and RLC.
    pub(crate) fn tear_down(&self) -> Result {
        mec::halt(&self.bars);
        self.rlc.stop(&self.bars, &self.grbm, self.shape().shader_engines)
    }

    /// Whether this is the die of its package that measures the board's power.
    pub(crate) fn is_primary_die(&self) -> bool {
        !self.bars.registers.read(SMUIO_MCM_CONFIG).die_id().into_bool()
    }

    /// Starts the MEC with the KIQ on it. `memory` and `extra` are of [`Kiq::memory_bytes`] and
    /// [`Kiq::extra_bytes`] of zeroed system memory in VMID 0.
    pub(crate) fn start_kiq(&self, memory: KernelBo, extra: KernelBo) -> Result<Arc<Kiq>> {
        Kiq::new(self.bars.clone(), self.grbm.clone(), &self.rlc, memory, extra)
    }

    /// The GPU's clock: 100 MHz, 64 bits.
    pub(crate) fn clock(&self) -> u64 {
        self.rlc.clock(&self.bars)
    }

    /// How addresses are interleaved: the register GB_ADDR_CONFIG, for userspace.
    pub(crate) fn address_config(&self) -> u32 {
        self.bars.registers.read(GB_ADDR_CONFIG).into()
    }

    /// Which compute units work: one bit each, per shader engine. Engines that do not exist have none.
    pub(crate) fn compute_units(&self) -> [u16; MAX_SHADER_ENGINES] {
        let shape = self.shape();
        let present = u16::MAX
            .checked_shr(16u32.saturating_sub(shape.cus_per_engine.into()))
            .unwrap_or(0);
        let mut units = [0; MAX_SHADER_ENGINES];
        for (engine, units) in (0..shape.shader_engines).zip(&mut units) {
            *units = self.grbm.of_shader_engine(&self.bars, engine, |r| {
                let fused = r.read(CC_GC_SHADER_ARRAY_CONFIG).inactive_cus().get();
                let switched = r.read(GC_USER_SHADER_ARRAY_CONFIG).inactive_cus().get();
                !((fused | switched) as u16) & present
            });
        }
        units
    }

    /// How many compute units work in each shader engine. `EIO` if none does.
    pub(crate) fn shader_engines(&self) -> Result<ShaderEngines> {
        let counts = self.compute_units().map(|units| units.count_ones() as u8);
        let engines = ShaderEngines::new(counts).ok_or(EINVAL)?;
        if engines.total() == 0 {
            dev_err!(self.bars.dev, "GC: no compute unit works\n");
            return Err(EIO);
        }
        dev_info!(self.bars.dev, "GC: {} compute units\n", engines.total());
        Ok(engines)
    }

    /// CP_IQ_WAIT_TIME2 and what it should be: queues that could not be connected are tried again after about a
    /// microsecond instead of 64.
    pub(crate) fn queue_retry_time(&self) -> (RegOffset, u32) {
        let register = RegOffset::from_byte(CP_IQ_WAIT_TIME2::OFFSET as u32);
        let now = self.bars.registers.read(CP_IQ_WAIT_TIME2);
        (register, now.with_const_que_sleep::<1>().into())
    }

    /// The registers of a hardware queue, from [`QUEUE_REGISTERS`] on. `EINVAL` if there cannot be such a queue.
    pub(crate) fn queue_registers(&self, slot: Slot) -> Result<[u32; QUEUE_REGISTER_COUNT]> {
        self.grbm.of_queue(&self.bars, slot, |r| {
            let mut words = [0; QUEUE_REGISTER_COUNT];
            for (n, word) in words.iter_mut().enumerate() {
                if let Some(at) = CP_MQD_BASE_ADDR::try_at(n) {
                    *word = r.read(at).into();
                }
            }
            words
        })
    }

    /// A VMID before the scheduler gives it to a process: no retries, no global data share, no wave sync.
    fn set_up_vmid(&self, vmid: u8) -> Result {
        let any_alignment = SH_MEM_CONFIG::zeroed()
            .with_const_alignment_mode::<3>()
            .with_retry_disable(true);
        let bases = match vmid {
            0 => SH_MEM_BASES::zeroed(),
            _ => SH_MEM_BASES::zeroed()
                .with_const_shared_base::<1>()
                .with_const_private_base::<2>(),
        };
        self.grbm.of_vmid(&self.bars, vmid, |r| {
            r.write_reg(any_alignment);
            r.write_reg(bases);
            r.write_reg(SPI_GDBG_PER_VMID_CNTL::zeroed().with_trap_en(vmid > 0));
        })?;
        if vmid > 0 {
            let (r, index) = (&self.bars.registers, usize::from(vmid));
            r.write(
                GDS_VMID0_BASE::try_at(index).ok_or(EINVAL)?,
                GDS_VMID0_BASE::zeroed(),
            );
            r.write(
                GDS_VMID0_SIZE::try_at(index).ok_or(EINVAL)?,
                GDS_VMID0_SIZE::zeroed(),
            );
            r.write(
                GDS_GWS_VMID0::try_at(index).ok_or(EINVAL)?,
                GDS_GWS_VMID0::zeroed(),
            );
            r.write(GDS_OA_VMID0::try_at(index).ok_or(EINVAL)?, GDS_OA_VMID0::zeroed());
        }
        Ok(())
    }
}
