// SPDX-License-Identifier: GPL-2.0
//! SMU, the system management unit: clocks, power and temperatures.
//!
//! Its firmware takes one message at a time from a mailbox, and passes tables through a page of VRAM. It does nothing of
//! its own accord until it has the board's power table and is told to begin.

mod hal;
mod message;
mod regs;

use super::{ip::IpVersion, nbio::Smn, Bars};
use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::{
    atom::PowerTable,
    bits::{hi, join, lo},
    smu::{Clock, Levels, Metrics, METRICS},
};
use hal::SmuHal;
use kernel::{
    dev_err, dev_info, dev_warn, fmt, new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};
use message::{send, Message};

/// The unit, at work. Dropping it ends that.
#[pin_data(PinnedDrop)]
pub(crate) struct Smu {
    bars: Arc<Bars>,
    memory: Arc<Memory>,
    hal: &'static dyn SmuHal,
    facts: Facts,
    /// One exchange at a time: message and table.
    #[pin]
    table: Mutex<KernelBo>,
}

/// What does not change while the driver is there.
#[derive(Clone, Copy)]
struct Facts {
    power: PowerTable,
    graphics: Levels,
    system: Levels,
    memory: Levels,
    fabric: Levels,
    /// 0 if the firmware does not tell.
    serial: u64,
}

/// Tables by number (kernel smu13_driver_if_aldebaran.h: TABLE_*).
const POWER_TABLE: u32 = 0;
const SMU_METRICS: u32 = 4;
/// Bytes that tables are passed in: more than the largest has.
const TABLE_BYTES: u64 = 4096;

/// The most levels of a clock (kernel amdgpu_smu.h: SMU_MAX_DPM_LEVELS).
const MAX_LEVELS: u32 = 16;

impl Smu {
    /// Lets the firmware, which is loaded, begin with the board's power table. `ENODEV` if the driver does not know that
    /// version. `primary` for the die of the package that measures the board's power.
    pub(crate) fn new(
        bars: &Arc<Bars>,
        memory: &Arc<Memory>,
        smn: &Smn,
        version: IpVersion,
        power: &PowerTable,
        primary: bool,
    ) -> Result<Arc<Self>> {
        let hal = hal_of(bars, version)?;
        if !runs(smn, hal) {
            dev_err!(bars.dev, "SMU: its firmware does not run\n");
            return Err(EIO);
        }
        let table = KernelBo::new(memory, TABLE_BYTES, 0, Domain::Vram)?;
        let ask = |message, argument| send(bars, hal, message, argument);
        let version = ask(Message::GetSmuVersion, 0)?;
        let interface = ask(Message::GetDriverIfVersion, 0)?;
        if interface != hal.interface() {
            dev_warn!(
                bars.dev,
                "SMU: the firmware's tables have version {}, the driver's {}\n",
                interface,
                hal.interface()
            );
        }
        ask(Message::SetDriverDramAddrHigh, hi(table.gpu_addr()))?;
        ask(Message::SetDriverDramAddrLow, lo(table.gpu_addr()))?;
        table.write(0, power.bytes())?;
        memory.flush_hdp();
        ask(Message::TransferTableDram2Smu, POWER_TABLE)?;
        // from here on dropping `managing` ends what the firmware has begun
        let managing = Managing {
            bars,
            hal,
            kept: false,
        };
        ask(Message::EnableAllSmuFeatures, 0)?;
        ask(Message::RunDcBtc, 0)?;
        if primary {
            ask(Message::BoardPowerCalibration, 0)?;
        }
        let features = join(
            ask(Message::GetEnabledSmuFeaturesLow, 0)?,
            ask(Message::GetEnabledSmuFeaturesHigh, 0)?,
        );
        let (lowest, highest) = power.gfxclk();
        let facts = Facts {
            power: *power,
            // any clock in between, unlike the others
            graphics: Levels::range(lowest.into(), highest.into()),
            system: levels(bars, hal, Clock::Soc)?,
            memory: levels(bars, hal, Clock::Memory)?,
            fabric: levels(bars, hal, Clock::Fabric)?,
            serial: read_metrics(bars, hal, &table)?.serial,
        };
        let new = pin_init!(Self {
            bars: bars.clone(),
            memory: memory.clone(),
            hal,
            facts,
            table <- new_mutex!(table, "smu"),
        });
        let smu = Arc::pin_init(new, GFP_KERNEL)?;
        managing.keep();
        dev_info!(
            bars.dev,
            "SMU: firmware {}, features {:#x}, {} to {} MHz\n",
            FirmwareVersion(version),
            features,
            lowest,
            highest
        );
        Ok(smu)
    }

    /// The board's power table.
    pub(crate) fn power_table(&self) -> &PowerTable {
        &self.facts.power
    }

    /// The card's serial number; 0 if it has none.
    pub(crate) fn serial(&self) -> u64 {
        self.facts.serial
    }

    /// The clocks that a part can have; none for parts that are not managed here.
    pub(crate) fn levels(&self, clock: Clock) -> Levels {
        match clock {
            Clock::Gfx => self.facts.graphics,
            Clock::Soc => self.facts.system,
            Clock::Memory => self.facts.memory,
            Clock::Fabric => self.facts.fabric,
            Clock::Vclk | Clock::Dclk | Clock::Link => Levels::default(),
        }
    }

    /// Highest clock of a part, MHz; 0 for parts that are not managed here.
    pub(crate) fn max_mhz(&self, clock: Clock) -> u32 {
        self.levels(clock).clocks().last().copied().unwrap_or(0)
    }

    /// What the card measures now. May sleep. `EIO` or `ETIMEDOUT` if the firmware does not tell.
    pub(crate) fn metrics(&self) -> Result<Metrics> {
        let table = self.table.lock();
        read_metrics(&self.bars, self.hal, &table)
    }

    /// The power limit in force, watts. May sleep.
    pub(crate) fn power_limit(&self) -> Result<u32> {
        let _table = self.table.lock();
        send(&self.bars, self.hal, Message::GetPptLimit, 0)
    }
}

#[pinned_drop]
impl PinnedDrop for Smu {
    fn drop(self: Pin<&mut Self>) {
        let _table = self.table.lock();
        drop(Managing {
            bars: &self.bars,
            hal: self.hal,
            kept: false,
        });
        self.memory.flush_hdp();
    }
}

/// Firmware that manages clocks and uses the table. Dropping it ends that, unless it is kept.
struct Managing<'a> {
    bars: &'a Bars,
    hal: &'a dyn SmuHal,
    kept: bool,
}

impl Managing<'_> {
    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Managing<'_> {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        for message in [Message::DisableAllSmuFeatures, Message::PrepareMp1ForUnload] {
            if send(self.bars, self.hal, message, 0).is_err() {
                dev_warn!(self.bars.dev, "SMU: the firmware goes on managing\n");
            }
        }
    }
}

/// The discrete levels of a clock.
fn levels(bars: &Bars, hal: &dyn SmuHal, clock: Clock) -> Result<Levels> {
    /// Asks for the number of the highest level.
    const HIGHEST: u32 = 0xff;
    /// The level is one of a range (smu_v13_0.c: smu_v13_0_get_dpm_freq_by_index).
    const FINE_GRAINED: u32 = 1 << 31;
    let ask = |level: u32| -> Result<u32> {
        let argument = (clock as u32) << 16 | level;
        Ok(send(bars, hal, Message::GetDpmFreqByIndex, argument)? & !FINE_GRAINED)
    };
    let highest = ask(HIGHEST)?;
    if highest >= MAX_LEVELS {
        dev_err!(bars.dev, "SMU: {:?} has a level {}\n", clock, highest);
        return Err(EIO);
    }
    let mut mhz = KVec::with_capacity(MAX_LEVELS as usize, GFP_KERNEL)?;
    for level in 0..=highest {
        mhz.push(ask(level)?, GFP_KERNEL)?;
    }
    Ok(Levels::discrete(mhz))
}

fn read_metrics(bars: &Bars, hal: &dyn SmuHal, table: &KernelBo) -> Result<Metrics> {
    let mut bytes = [0; METRICS];
    send(bars, hal, Message::TransferTableSmu2Dram, SMU_METRICS)?;
    // reads through the aperture are not cached by this generation's host data path
    table.read(0, &mut bytes)?;
    Ok(Metrics::decode(&bytes))
}

fn hal_of(bars: &Bars, version: IpVersion) -> Result<&'static dyn SmuHal> {
    hal::of(version).ok_or(ENODEV).inspect_err(|_| {
        dev_err!(bars.dev, "SMU {}: version not supported\n", version);
    })
}

fn runs(smn: &Smn, hal: &dyn SmuHal) -> bool {
    /// INTERRUPTS_ENABLED.
    const FLAG: u32 = 1;
    match smn.read(hal.flags()) {
        u32::MAX => false,
        flags => flags & FLAG != 0,
    }
}

/// Whether firmware runs that somebody else has loaded.
pub(crate) fn is_running(bars: &Bars, smn: &Smn, version: IpVersion) -> Result<bool> {
    Ok(runs(smn, hal_of(bars, version)?))
}

/// Asks the firmware, which runs, for a reset of the whole card ("mode 1"). It begins at once; the card does not answer
/// meanwhile.
pub(crate) fn reset_card(bars: &Bars, version: IpVersion) -> Result {
    const MODE_1: u32 = 1;
    send(bars, hal_of(bars, version)?, Message::GfxDriverReset, MODE_1).map(|_| ())
}

/// Version of the firmware, as AMD writes it.
struct FirmwareVersion(u32);

impl fmt::Display for FirmwareVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [_, major, minor, debug] = self.0.to_be_bytes();
        write!(f, "{}.{}.{}", major, minor, debug)
    }
}
