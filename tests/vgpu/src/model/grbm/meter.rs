// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How long something was busy.

use std::time::{Duration, Instant};

/// Adds up the time in which at least one of several things went on.
#[derive(Debug, Default)]
pub(super) struct Meter {
    under_way: u32,
    since: Option<Instant>,
    before: Duration,
}

impl Meter {
    /// One more begins.
    pub(super) fn begin(&mut self) {
        self.under_way += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// One of them ends.
    pub(super) fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
        if self.under_way == 0 {
            self.before = self.total();
            self.since = None;
        }
    }

    /// The time until now.
    pub(super) fn total(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_times_count_once_and_idle_time_not_at_all() {
        let mut m = Meter::default();
        let start = Instant::now();
        m.begin();
        m.begin();
        std::thread::sleep(Duration::from_millis(2));
        m.end();
        m.end();
        let total = m.total();
        assert!(total >= Duration::from_millis(2) && total <= start.elapsed());
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(m.total(), total);
        m.begin();
        assert!(m.total() >= total);
    }
}
