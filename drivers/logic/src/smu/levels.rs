// SPDX-License-Identifier: GPL-2.0
//! The clocks that a part can have, and the text of the files pp_dpm_* of sysfs about them.
//!
//! Form of the text: kernel smu_cmn.c smu_cmn_print_dpm_clk_levels. A level is `N: CLOCKMhz`, the one in use has a star;
//! a clock far below the lowest level is deep sleep, which has a line of its own.

use core::fmt;

/// The most levels of a clock (kernel amdgpu_smu.h: SMU_MAX_DPM_LEVELS).
const LIMIT: usize = 16;
/// Clocks that differ by less than this many MHz are the same (kernel smu_cmn.h: smu_cmn_freqs_match).
const SAME: u32 = 25;

/// The clocks of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    clocks: [u32; LIMIT],
    count: usize,
    fine_grained: bool,
}

impl Levels {
    /// Clocks in MHz, ascending, as the firmware lists them; what is beyond the most levels is left out.
    pub fn discrete(clocks: impl IntoIterator<Item = u32>) -> Self {
        let mut levels = Self::default();
        for (level, clock) in levels.clocks.iter_mut().zip(clocks) {
            *level = clock;
            levels.count = levels.count.saturating_add(1);
        }
        levels
    }

    /// Any clock from a lowest to a highest, MHz.
    pub fn range(lowest: u32, highest: u32) -> Self {
        Self {
            fine_grained: true,
            ..Self::discrete([lowest, highest])
        }
    }

    /// The clocks, MHz: all levels, or the lowest and the highest of a range.
    pub fn clocks(&self) -> &[u32] {
        self.clocks.get(..self.count).unwrap_or_default()
    }

    /// The text, the clock being `now` MHz.
    pub fn text(&self, now: u32) -> impl fmt::Display + '_ {
        Text { levels: self, now }
    }
}

struct Text<'a> {
    levels: &'a Levels,
    now: u32,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (levels, now) = (self.levels.clocks(), self.now);
        let (Some(&lowest), Some(&highest)) = (levels.first(), levels.last()) else {
            return Ok(());
        };
        let asleep = now < lowest / 2;
        let here = |clock: u32| !asleep && now.abs_diff(clock) <= SAME;
        if asleep {
            writeln!(f, "S: {now}Mhz *")?;
        }
        let between = self.levels.fine_grained && !asleep && !here(lowest) && !here(highest);
        let three = [lowest, now, highest];
        let clocks = if between { &three } else { levels };
        for (n, clock) in (usize::from(asleep)..).zip(clocks) {
            // only the first of two that are close has the star in a range
            let star = here(*clock) && !(n > 0 && self.levels.fine_grained && here(lowest));
            writeln!(f, "{n}: {clock}Mhz {}", if star { "*" } else { "" })?;
        }
        Ok(())
    }
}
