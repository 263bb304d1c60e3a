// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults on request: the card dies at a chosen moment, loses or repeats interrupts.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::model::ih::IrqSink;

/// A kind of access of the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A register is read.
    RegisterRead,
    /// A register is written.
    RegisterWrite,
    /// A doorbell is rung.
    Doorbell,
    /// Configuration space is read or written.
    ConfigAccess,
}

/// "Die at the n-th access of this kind", for example `reg-write:1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    moment: Moment,
    nth: u64,
}

impl FromStr for Death {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let form = || format!("'{s}' is not reg-read:N, reg-write:N, doorbell:N or config:N with N from 1");
        let (moment, nth) = s.split_once(':').ok_or_else(form)?;
        let moment = match moment {
            "reg-read" => Moment::RegisterRead,
            "reg-write" => Moment::RegisterWrite,
            "doorbell" => Moment::Doorbell,
            "config" => Moment::ConfigAccess,
            _ => return Err(form()),
        };
        let nth = nth.parse().ok().filter(|n| *n > 0).ok_or_else(form)?;
        Ok(Self { moment, nth })
    }
}

/// The faults asked for.
#[derive(Debug, Default)]
pub struct Inject {
    death: Mutex<Option<Death>>,
    lose: AtomicU64,
    repeat: AtomicU64,
}

impl Inject {
    /// Dies as told, or not at all.
    pub fn new(death: Option<Death>) -> Self {
        Self {
            death: Mutex::new(death),
            ..Self::default()
        }
    }

    /// Loses the next `n` interrupt messages.
    pub fn lose_interrupts(&self, n: u64) {
        self.lose.store(n, Ordering::Relaxed);
    }

    /// Sends the next `n` interrupt messages twice.
    pub fn repeat_interrupts(&self, n: u64) {
        self.repeat.store(n, Ordering::Relaxed);
    }

    /// An access happens; it may be the card's last, and is then not answered.
    pub fn at(&self, moment: Moment) {
        let mut death = self.death.lock();
        let Some(d) = death.as_mut().filter(|d| d.moment == moment) else {
            return;
        };
        d.nth -= 1;
        if d.nth == 0 {
            tracing::warn!("the card dies at the access asked for");
            // as a crash: nothing is said to the client, nothing is cleaned up
            std::process::abort();
        }
    }

    /// A way for interrupt messages to `sink` on which they may be lost or repeated.
    pub fn irq_sink(self: &Arc<Self>, sink: Arc<dyn IrqSink>) -> Arc<dyn IrqSink> {
        Arc::new(Lossy {
            inject: self.clone(),
            sink,
        })
    }
}

struct Lossy {
    inject: Arc<Inject>,
    sink: Arc<dyn IrqSink>,
}

/// Takes one from a counter; `false` if it was at 0.
fn take(n: &AtomicU64) -> bool {
    n.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
        .is_ok()
}

impl IrqSink for Lossy {
    fn signal(&self, vector: u32) -> bool {
        if take(&self.inject.lose) {
            return true;
        }
        if take(&self.inject.repeat) {
            self.sink.signal(vector);
        }
        self.sink.signal(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deaths_are_spelled_out() {
        let d = |s: &str| s.parse::<Death>();
        assert_eq!(
            d("reg-write:12"),
            Ok(Death {
                moment: Moment::RegisterWrite,
                nth: 12
            })
        );
        for bad in ["", "doorbell", "doorbell:0", "doorbell:x", "sleep:1"] {
            assert!(d(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn interrupts_are_lost_and_repeated() {
        struct Count(AtomicU64);
        impl IrqSink for Count {
            fn signal(&self, _: u32) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed);
                true
            }
        }
        let count = Arc::new(Count(AtomicU64::new(0)));
        let inject = Arc::new(Inject::default());
        let sink = inject.irq_sink(count.clone());
        inject.lose_interrupts(1);
        sink.signal(0);
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        inject.repeat_interrupts(1);
        sink.signal(0);
        sink.signal(0);
        assert_eq!(count.0.load(Ordering::Relaxed), 3);
    }
}
