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

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_smu_levels))]
mod tests {
    use super::*;
    use crate::testing::Text;
    use core::fmt::Write;
    #[cfg(test)]
    use proptest::prelude::*;

    fn is(levels: Levels, now: u32, wanted: &str) -> bool {
        let mut text = Text::<128>::new();
        write!(text, "{}", levels.text(now)).is_ok() && text.text() == wanted
    }

    #[test]
    fn the_level_in_use_has_a_star() {
        let levels = Levels::discrete([400, 700, 1600]);
        assert!(is(levels, 1600, "0: 400Mhz \n1: 700Mhz \n2: 1600Mhz *\n"));
        assert!(is(levels, 675, "0: 400Mhz \n1: 700Mhz *\n2: 1600Mhz \n"));
        assert!(is(levels, 674, "0: 400Mhz \n1: 700Mhz \n2: 1600Mhz \n"));
        assert!(is(
            levels,
            199,
            "S: 199Mhz *\n1: 400Mhz \n2: 700Mhz \n3: 1600Mhz \n"
        ));
        assert!(is(Levels::default(), 100, ""));
    }

    #[test]
    fn a_range_shows_where_in_it() {
        let levels = Levels::range(500, 1700);
        assert!(is(levels, 500, "0: 500Mhz *\n1: 1700Mhz \n"));
        assert!(is(levels, 1710, "0: 500Mhz \n1: 1700Mhz *\n"));
        assert!(is(levels, 900, "0: 500Mhz \n1: 900Mhz *\n2: 1700Mhz \n"));
        assert!(is(levels, 100, "S: 100Mhz *\n1: 500Mhz \n2: 1700Mhz \n"));
        // ends that are close to each other
        assert!(is(Levels::range(500, 520), 510, "0: 500Mhz *\n1: 520Mhz \n"));
    }

    #[test]
    fn a_firmware_that_lists_too_many() {
        let levels = Levels::discrete(0..1000);
        assert_eq!(levels.clocks().len(), LIMIT);
        assert_eq!(levels.clocks().last(), Some(&15));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn any_clocks(clocks: std::vec::Vec<u32>, now: u32, fine_grained: bool) {
            let levels = Levels { fine_grained, ..Levels::discrete(clocks) };
            let text = std::string::ToString::to_string(&levels.text(now));
            prop_assert!(text.lines().count() <= LIMIT + 1);
        }
    }
}
