// SPDX-License-Identifier: GPL-2.0
//! Limiting how often something is done, such as writing a line to the log.

/// So many times in so long, then silence until the period is over.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    period_ms: u64,
    burst: u32,
    begun_ms: u64,
    done: u32,
    missed: u32,
}

/// Whether to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Yes; so many were left out since the last that was done.
    Go {
        /// Left out before.
        missed: u32,
    },
    /// No.
    Skip,
}

impl RateLimit {
    /// At most `burst` times in each `period_ms`.
    pub const fn new(period_ms: u64, burst: u32) -> Self {
        Self {
            period_ms,
            burst,
            begun_ms: 0,
            done: 0,
            missed: 0,
        }
    }

    /// Something is to be done at `now_ms`, a clock that never goes back.
    pub fn admit(&mut self, now_ms: u64) -> Admission {
        if now_ms.saturating_sub(self.begun_ms) >= self.period_ms || self.done == 0 {
            self.begun_ms = now_ms;
            self.done = 0;
        }
        if self.done >= self.burst {
            self.missed = self.missed.saturating_add(1);
            return Admission::Skip;
        }
        self.done = self.done.saturating_add(1);
        Admission::Go {
            missed: core::mem::take(&mut self.missed),
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_rate))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn a_burst_then_silence() {
        let mut limit = RateLimit::new(1000, 2);
        assert_eq!(limit.admit(5000), Admission::Go { missed: 0 });
        assert_eq!(limit.admit(5001), Admission::Go { missed: 0 });
        assert_eq!(limit.admit(5002), Admission::Skip);
        assert_eq!(limit.admit(5999), Admission::Skip);
        assert_eq!(limit.admit(6000), Admission::Go { missed: 2 });
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn nothing_is_forgotten(steps in proptest::collection::vec(0u64..700, 1..100)) {
            let mut limit = RateLimit::new(1000, 3);
            let (mut now, mut told) = (0, 0);
            for &step in &steps {
                now += step;
                if let Admission::Go { missed } = limit.admit(now) {
                    told += 1 + missed;
                }
            }
            prop_assert_eq!(told + limit.missed, steps.len() as u32);
        }
    }
}
