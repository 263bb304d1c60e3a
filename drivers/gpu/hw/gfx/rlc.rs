// SPDX-License-Identifier: GPL-2.0
//! RLC, the run list controller: a helper processor that keeps power and clocks of the graphics block. It also
//! has the GPU's clock counter.

use super::regs::*;
use crate::gpu::hw::{Bars, RegisterIo};
use amdgpu_logic::bits::join;
use kernel::{dev_err, new_mutex, prelude::*, sync::Mutex, time::delay::fsleep, time::Delta};

use super::grbm::{Grbm, Slot};

/// How long register writes over the serial bus may take.
const SERIAL_BUS_DEADLINE: Delta = Delta::from_millis(100);

/// The controller.
#[pin_data]
pub(super) struct Rlc {
    /// One reader of the clock at a time: capture and read are several accesses.
    #[pin]
    clock: Mutex<()>,
}

impl Rlc {
    pub(super) fn new() -> impl PinInit<Self> {
        pin_init!(Self { clock <- new_mutex!((), "rlc clock") })
    }

    /// Starts the processor, whose firmware is loaded. `EIO` if it does not run then.
    pub(super) fn start(&self, bars: &Bars, grbm: &Grbm, engines: u8) -> Result {
        self.stop(bars, grbm, engines)?;
        let r = &bars.registers;
        // no clock is gated before there is firmware that could wake it
        r.write_reg(RLC_CGCG_CGLS_CTRL::zeroed());
        r.update(RLC_SRM_CNTL, |v| v.with_srm_enable(true));
        r.update(RLC_SPM_MC_CNTL, |v| v.with_const_rlc_spm_vmid::<0xf>());
        r.update(RLC_CNTL, |v| v.with_rlc_enable_f32(true));
        fsleep(Delta::from_micros(50));
        if !r.read(RLC_CNTL).rlc_enable_f32().into_bool() {
            dev_err!(bars.dev, "RLC: the processor does not start\n");
            return Err(EIO);
        }
        Ok(())
    }

    /// Stops the processor and waits until what it has begun is done.
    pub(super) fn stop(&self, bars: &Bars, grbm: &Grbm, engines: u8) -> Result {
        bars.registers.update(RLC_CNTL, |v| v.with_rlc_enable_f32(false));
        for engine in 0..engines {
            grbm.of_shader_engine(bars, engine, |_| {
                bars.poll(
                    "RLC: serial bus of a shader engine idle",
                    SERIAL_BUS_DEADLINE,
                    |r| r.read(RLC_SERDES_CU_MASTER_BUSY),
                    |v| u32::from(v) == 0,
                )
            })?;
        }
        bars.poll(
            "RLC: serial bus idle",
            SERIAL_BUS_DEADLINE,
            |r| r.read(RLC_SERDES_NONCU_MASTER_BUSY),
            |v| {
                v.se_master_busy().get() == 0
                    && !v.gc_master_busy().into_bool()
                    && !v.tc0_master_busy().into_bool()
                    && !v.tc1_master_busy().into_bool()
            },
        )
        .map(|_| ())
    }

    /// Names the KIQ's hardware queue, which is then kept powered.
    pub(super) fn set_kiq(&self, bars: &Bars, slot: Slot) {
        let valid = 1 << 7;
        let code = valid | slot.me << 5 | slot.pipe << 3 | slot.queue;
        bars.registers
            .update(RLC_CP_SCHEDULERS, |v| v.with_scheduler0(code));
    }

    /// The GPU's clock: 100 MHz, 64 bits.
    pub(super) fn clock(&self, bars: &Bars) -> u64 {
        let _clock = self.clock.lock();
        let r = &bars.registers;
        r.write_reg(RLC_CAPTURE_GPU_CLOCK_COUNT::zeroed().with_capture(true));
        join(
            r.read(RLC_GPU_CLOCK_COUNT_LSB).into(),
            r.read(RLC_GPU_CLOCK_COUNT_MSB).into(),
        )
    }
}
