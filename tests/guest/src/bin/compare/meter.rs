// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Times of calls, and what the virtual GPU counted meanwhile.

use guest_tests::errno::Errno;
use guest_tests::port::Port;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Name of the port that leads to the first virtual GPU.
const NAME: &str = "vgpu0";
/// What a driver does a little later belongs to the phase as well.
const SETTLE: Duration = Duration::from_millis(15);

/// The virtual GPU's counters, and what page tables hold.
type Counters = BTreeMap<String, i64>;

/// Asks the virtual GPU, and prints.
pub(crate) struct Meter {
    port: Port,
    quick: bool,
}

/// The times of a phase.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Does a call and keeps its time.
    pub(crate) fn of<T>(&mut self, call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
        let start = Instant::now();
        let result = call()?;
        self.0.push(start.elapsed());
        Ok(result)
    }

    /// Keeps a time that was measured elsewhere.
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }
}

impl Meter {
    /// Opens the port.
    pub(crate) fn open() -> Result<Self, Errno> {
        let port = Port::open(NAME)?;
        let quick = std::env::var_os("QUICK").is_some_and(|value| value != "0" && !value.is_empty());
        Ok(Self { port, quick })
    }

    /// How often to do something: this, or less if it is to be quick.
    pub(crate) fn rounds(&self, rounds: usize) -> usize {
        match self.quick {
            true => rounds.div_ceil(8),
            false => rounds,
        }
    }

    /// Does `work`, which says how often it did the operation, and prints its times and what was counted.
    pub(crate) fn phase(
        &mut self,
        operation: &str,
        work: impl FnOnce(&mut Times) -> Result<usize, Errno>,
    ) -> Result<(), Errno> {
        let before = self.counters()?;
        let mut times = Times::default();
        let rounds = work(&mut times)?;
        std::thread::sleep(SETTLE);
        let after = self.counters()?;
        for time in times.0 {
            println!("time\t{operation}\t{}", time.as_nanos());
        }
        counted(operation, rounds, &before, &after);
        Ok(())
    }

    /// Prints all that was counted since the machine was switched on.
    pub(crate) fn since_power_on(&mut self, operation: &str) -> Result<(), Errno> {
        let now = self.counters()?;
        counted(operation, 1, &Counters::new(), &now);
        Ok(())
    }

    fn counters(&mut self) -> Result<Counters, Errno> {
        let mut all = self.ask("counters")?;
        all.extend(self.ask("page-tables")?);
        Ok(all)
    }

    fn ask(&mut self, what: &str) -> Result<Counters, Errno> {
        let line = self.port.ask(&format!("{{\"cmd\":\"{what}\"}}"))?;
        // {"name":number,...}
        let parse = |pair: &str| {
            let (name, number) = pair.split_once(':')?;
            Some((name.trim_matches('"').to_owned(), number.parse().ok()?))
        };
        let inner = line.trim_start_matches('{').trim_end_matches('}');
        let pairs = inner.split(',').filter(|pair| !pair.is_empty());
        pairs.map(|pair| parse(pair).ok_or(Errno(libc::EPROTO))).collect()
    }
}

fn counted(operation: &str, rounds: usize, before: &Counters, after: &Counters) {
    let names = after
        .keys()
        .chain(before.keys().filter(|name| !after.contains_key(*name)));
    for name in names {
        let value = |counters: &Counters| counters.get(name).copied().unwrap_or(0);
        println!(
            "count\t{operation}\t{rounds}\t{name}\t{}",
            value(after) - value(before)
        );
    }
}
