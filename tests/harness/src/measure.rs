// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measurements of `guest-compare`, from several boots of one driver, and what can be said about two drivers by them.

use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;

/// How often the bootstrap draws.
const DRAWS: usize = 1000;

/// What was measured about an operation in one boot.
#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// Nanoseconds.
    pub times: Vec<u64>,
    /// How often it was done while the device counted.
    pub rounds: u64,
    /// What the device counted in all rounds.
    pub counts: BTreeMap<String, i64>,
}

/// The operations of one boot, in order.
#[derive(Clone, Debug, Default)]
pub struct Boot(pub Vec<(String, Operation)>);

impl Boot {
    /// Reads the output of `guest-compare`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut boot = Self::default();
        for line in text.lines() {
            let bad = || format!("odd line of measurements: {line}");
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["time", operation, time] => {
                    let time = time.parse().with_context(bad)?;
                    boot.of(operation).times.push(time);
                }
                // the rounds of a phase are in each of its lines
                ["count", operation, rounds, "reg_read", count] => {
                    let operation = boot.of(operation);
                    operation.rounds += rounds.parse::<u64>().with_context(bad)?;
                    operation.add("reg_read", count.parse().with_context(bad)?);
                }
                ["count", operation, _, name, count] => {
                    boot.of(operation).add(name, count.parse().with_context(bad)?);
                }
                _ => bail!(bad()),
            }
        }
        Ok(boot)
    }

    fn of(&mut self, name: &str) -> &mut Operation {
        let at = self
            .0
            .iter()
            .position(|(other, _)| other == name)
            .unwrap_or_else(|| {
                self.0.push((name.to_owned(), Operation::default()));
                self.0.len() - 1
            });
        &mut self.0[at].1
    }

    /// An operation by name.
    pub fn get(&self, name: &str) -> Option<&Operation> {
        self.0
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, operation)| operation)
    }
}

impl Operation {
    fn add(&mut self, name: &str, count: i64) {
        *self.counts.entry(name.to_owned()).or_default() += count;
    }

    /// The sum of some counters, per round.
    pub fn per_round(&self, names: &[&str]) -> f64 {
        let sum: i64 = names.iter().filter_map(|name| self.counts.get(*name)).sum();
        sum as f64 / self.rounds.max(1) as f64
    }
}

/// The `part`-quantile of sorted values; 0 of none.
pub fn quantile(sorted: &[u64], part: f64) -> u64 {
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * part).round() as usize;
    sorted.get(at).copied().unwrap_or(0)
}

/// A copy in order.
pub fn sorted(times: &[u64]) -> Vec<u64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times
}

/// A ratio of medians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// As measured.
    pub value: f64,
    /// The interval that holds 95 of 100 draws of the bootstrap.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

/// The ratio of the medians of `ours` to `theirs`, each with the times of every boot; `None` without times. A draw
/// takes as many times from each boot as it has, so that no boot counts for more than another draw's.
pub fn ratio(ours: &[&[u64]], theirs: &[&[u64]]) -> Option<Ratio> {
    let median = |boots: &[&[u64]]| quantile(&sorted(&boots.concat()), 0.5) as f64;
    let (a, b) = (median(ours), median(theirs));
    if a == 0.0 || b == 0.0 {
        return None;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut draws: Vec<f64> = (0..DRAWS)
        .map(|_| random.median(ours) / random.median(theirs).max(1.0))
        .collect();
    draws.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| draws[((DRAWS - 1) as f64 * part).round() as usize];
    Some(Ratio {
        value: a / b,
        low: at(0.025),
        high: at(0.975),
    })
}

/// xorshift64*, always the same numbers: a table of the same measurements is the same table.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        drawn as usize % end.max(1)
    }

    /// The median of a draw with replacement from each boot.
    fn median(&mut self, boots: &[&[u64]]) -> f64 {
        let mut drawn = Vec::new();
        for boot in boots.iter().filter(|boot| !boot.is_empty()) {
            for _ in 0..boot.len() {
                drawn.push(boot[self.below(boot.len())]);
            }
        }
        drawn.sort_unstable();
        quantile(&drawn, 0.5) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_and_counts() {
        let text = "time\tmap\t100\ntime\tmap\t300\ncount\tmap\t2\treg_read\t8\ncount\tmap\t2\tiv\t1\n\
                    time\tmap\t200\ncount\tmap\t1\treg_read\t4\ncount\tmap\t1\tleaf_4096\t-3\n";
        let boot = Boot::parse(text).unwrap();
        let map = boot.get("map").unwrap();
        assert_eq!((map.times.as_slice(), map.rounds), (&[100, 300, 200][..], 3));
        assert_eq!(map.per_round(&["reg_read"]), 4.0);
        assert_eq!(map.per_round(&["leaf_4096", "none"]), -1.0);
        assert!(boot.get("unmap").is_none());
        assert!(Boot::parse("time\tx\ty\n").is_err() && Boot::parse("noise").is_err());
    }

    #[test]
    fn quantiles() {
        let values: Vec<u64> = (1..=101).collect();
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|part| quantile(&values, part)),
            [1, 51, 100, 101]
        );
        assert_eq!(quantile(&[], 0.5), 0);
    }

    #[test]
    fn the_interval_holds_the_ratio_and_narrows_with_the_spread() {
        let narrow: Vec<u64> = (0..60).map(|n| 2000 + n % 7).collect();
        let wide: Vec<u64> = (0..60).map(|n| 1000 + n * 37 % 900).collect();
        let same = ratio(&[&narrow], &[&narrow]).unwrap();
        assert!(
            same.low <= 1.0 && 1.0 <= same.high && same.high - same.low < 0.01,
            "{same:?}"
        );
        let two = ratio(&[&narrow, &narrow], &[&wide, &wide]).unwrap();
        assert!(two.low <= two.value && two.value <= two.high, "{two:?}");
        assert!(two.high - two.low > 0.05, "{two:?}");
        assert_eq!(ratio(&[&[]], &[&narrow]), None);
        assert_eq!(ratio(&[&wide], &[&narrow]), ratio(&[&wide], &[&narrow]));
    }
}
