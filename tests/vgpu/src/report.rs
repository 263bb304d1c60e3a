// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run is judged by: exact counters, and the violations that fail it.
//!
//! A violation is something real silicon would punish later or silently: it has a fixed kind (what tests look for) and
//! a text for the human. Counts are exact; of the texts only the first few of each kind are kept.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

/// Texts kept per kind of violation.
const KEPT: usize = 32;

/// A counter that can be bumped without a lookup.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Adds `n`.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }

    /// The count since the start or the last reset of the counters.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// All violations of one kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Kind {
    /// How often it happened.
    pub count: u64,
    /// The first texts.
    pub first: Vec<String>,
}

/// A copy of everything reported so far, as written to the status file and the control socket.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Number of violations of all kinds; a clean run has none.
    pub violations: u64,
    /// The violations by kind.
    pub kinds: BTreeMap<&'static str, Kind>,
    /// Exact counts by name.
    pub counters: BTreeMap<&'static str, u64>,
}

/// Collects violations and counters; shared by all blocks.
#[derive(Debug, Default)]
pub struct Report {
    kinds: Mutex<BTreeMap<&'static str, Kind>>,
    counters: Mutex<BTreeMap<&'static str, Counter>>,
}

impl Report {
    /// A driver did what the hardware does not allow: counted, logged, fails the run.
    pub fn violation(&self, kind: &'static str, detail: impl Into<String>) {
        let detail = detail.into();
        let mut kinds = self.kinds.lock();
        let k = kinds.entry(kind).or_default();
        k.count = k.count.saturating_add(1);
        if k.first.len() < KEPT {
            tracing::error!(target: "violation", "{kind}: {detail}");
            k.first.push(detail);
        }
    }

    /// Something this model does not know (a register, a packet, an instruction): fails the run like a violation.
    pub fn unknown(&self, kind: &'static str, detail: impl Into<String>) {
        self.violation(kind, detail);
    }

    /// Adds `n` to the counter `name`.
    pub fn count(&self, name: &'static str, n: u64) {
        self.counters.lock().entry(name).or_default().add(n);
    }

    /// A handle on the counter `name`, for hot paths.
    pub fn counter(&self, name: &'static str) -> Counter {
        self.counters.lock().entry(name).or_default().clone()
    }

    /// How many violations of this kind were reported.
    pub fn violations_of(&self, kind: &str) -> u64 {
        self.kinds.lock().get(kind).map_or(0, |k| k.count)
    }

    /// How many violations were reported in all.
    pub fn violations(&self) -> u64 {
        self.kinds.lock().values().map(|k| k.count).sum()
    }

    /// Sets every counter to zero; violations stay.
    pub fn reset_counters(&self) {
        for c in self.counters.lock().values() {
            c.0.store(0, Relaxed);
        }
    }

    /// A copy of all counts and violations.
    pub fn status(&self) -> Status {
        let kinds = self.kinds.lock().clone();
        Status {
            violations: kinds.values().map(|k| k.count).sum(),
            kinds,
            counters: self.counters.lock().iter().map(|(n, c)| (*n, c.get())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_and_texts_bounded() {
        let r = Report::default();
        for i in 0..100 {
            r.violation("stale-translation", format!("va {i}"));
        }
        r.unknown("unknown-register", "0x1234");
        let s = r.status();
        assert_eq!(s.violations, 101);
        assert_eq!(s.kinds["stale-translation"].count, 100);
        assert_eq!(s.kinds["stale-translation"].first.len(), KEPT);
    }

    #[test]
    fn resetting_counters_keeps_handles_and_violations() {
        let r = Report::default();
        let c = r.counter("reg_read");
        c.add(3);
        r.count("reg_read", 2);
        assert_eq!(c.get(), 5);
        r.violation("x", "y");
        r.reset_counters();
        c.add(1);
        assert_eq!(r.status().counters["reg_read"], 1);
        assert_eq!(r.violations(), 1);
    }
}
