// SPDX-License-Identifier: GPL-2.0
//! The power table that system management gets: PPTable_t of the table powerplayinfo, completed with the board's
//! parameters of smc_dpm_info. Layouts: kernel smu_v13_0_pptable.h `struct smu_13_0_powerplay_table`,
//! smu13_driver_if_aldebaran.h `PPTable_t`, atomfirmware.h `struct atom_smc_dpm_info_v4_10`.

use super::table::COMMON;
use super::{AtomError, Bios, TableId};
use crate::bytes::{u16_at, u32_at};

/// sizeof(PPTable_t).
pub const POWER_TABLE: usize = 760;

/// Where PPTable_t is in powerplayinfo.
const BODY: usize = 482;
/// Where the board's parameters begin in PPTable_t; they are its end.
const BOARD: usize = 592;

/// The power table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerTable {
    bytes: [u8; POWER_TABLE],
    /// Degrees Celsius at which the driver would have to switch the machine off.
    pub shutdown_temperature: u16,
}

impl Bios<'_> {
    /// The power table for system management.
    pub fn power_table(&self) -> Result<PowerTable, AtomError> {
        let table = self.table(TableId::PowerplayInfo)?;
        let mut power = PowerTable {
            bytes: [0; POWER_TABLE],
            shutdown_temperature: table.u16(32)?,
        };
        let (own, board) = power.bytes.split_at_mut(BOARD);
        own.copy_from_slice(table.slice(BODY, BOARD)?);
        board.copy_from_slice(table.slice(BODY.saturating_add(BOARD), board.len())?);
        let parameters = self.table(TableId::SmcDpmInfo)?;
        // another revision has another layout; the table's own parameters stand then, as in the kernel's driver
        if parameters.revision() == (4, 10) {
            board.copy_from_slice(parameters.slice(COMMON, board.len())?);
        }
        Ok(power)
    }
}

impl PowerTable {
    /// The bytes for the firmware.
    pub fn bytes(&self) -> &[u8; POWER_TABLE] {
        &self.bytes
    }

    /// Features to switch on, one bit each (FeaturesToRun).
    pub fn features(&self) -> u64 {
        crate::bits::join(self.word(4), self.word(8))
    }

    /// Power limit of the card, watts (PptLimit).
    pub fn power_limit(&self) -> u16 {
        self.half(12)
    }

    /// Limit of the hottest place, degrees Celsius (ThotspotLimit).
    pub fn hotspot_limit(&self) -> u16 {
        self.half(20)
    }

    /// Limit of the memory, degrees Celsius (TmemLimit).
    pub fn memory_limit(&self) -> u16 {
        self.half(22)
    }

    /// Lowest and highest graphics clock, MHz (GfxclkFmin, GfxclkFmax).
    pub fn gfxclk(&self) -> (u16, u16) {
        (self.half(326), self.half(324))
    }

    // the places above are inside of the array, whose length is fixed: nothing is made up

    fn half(&self, at: usize) -> u16 {
        u16_at(&self.bytes, at).unwrap_or_default()
    }

    fn word(&self, at: usize) -> u32 {
        u32_at(&self.bytes, at).unwrap_or_default()
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_atom_power))]
mod tests {
    use super::super::testing::*;
    use super::*;

    const PARAMETERS: usize = 0x740;

    /// The board's parameters are all 0x77, those of the power table are 0x11.
    fn sample() -> Sample {
        let own = TABLE + BODY;
        let mut sample = Sample::new(TableId::PowerplayInfo, 1242, (15, 0));
        sample
            .half(TABLE + 32, 110)
            .word(own + 4, 5)
            .word(own + 8, 6)
            .half(own + 12, 300)
            .half(own + 20, 100)
            .half(own + 22, 95)
            .half(own + 324, 1700)
            .half(own + 326, 500)
            .put(own + BOARD, [0x11; POWER_TABLE - BOARD])
            .half(0xb4 + 4, PARAMETERS as u16)
            .half(PARAMETERS, 172)
            .put(PARAMETERS + 2, [4, 10])
            .put(PARAMETERS + 4, [0x77; 168]);
        sample
    }

    #[inline(never)]
    fn read(change: impl FnOnce(&mut Sample) -> &mut Sample) -> Result<PowerTable, AtomError> {
        let mut sample = sample();
        change(&mut sample);
        Bios::parse(&sample.bytes)?.power_table()
    }

    #[test]
    fn limits_and_the_boards_parameters() -> Result<(), AtomError> {
        let power = read(|s| s)?;
        assert_eq!(power.shutdown_temperature, 110);
        assert_eq!(power.features(), 0x6_0000_0005);
        assert_eq!((power.power_limit(), power.gfxclk()), (300, (500, 1700)));
        assert_eq!((power.hotspot_limit(), power.memory_limit()), (100, 95));
        assert!(power.bytes()[BOARD..].iter().all(|b| *b == 0x77));
        assert_eq!(power.bytes()[BOARD - 1], 0);
        Ok(())
    }

    #[test]
    fn parameters_of_another_revision_are_left_out() -> Result<(), AtomError> {
        let power = read(|s| s.put(PARAMETERS + 3, [9]))?;
        assert!(power.bytes()[BOARD..].iter().all(|b| *b == 0x11));
        Ok(())
    }

    #[test]
    fn tables_that_are_too_short() {
        assert!(matches!(
            read(|s| s.half(TABLE, 1241)),
            Err(AtomError::Short { needed: 1242, .. })
        ));
        assert!(matches!(
            read(|s| s.half(PARAMETERS, 171)),
            Err(AtomError::Short { needed: 172, .. })
        ));
        let missing = AtomError::Missing(TableId::SmcDpmInfo);
        assert_eq!(read(|s| s.half(0xb4 + 4, 0)), Err(missing));
    }
}
