// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver counts. After a test everything must be where it was before.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The driver's counters of live objects: `NAME VALUE` lines.
const COUNTERS: &str = "/sys/kernel/debug/kfd/counters";

/// Values of all counters at one moment.
pub type Counters = BTreeMap<String, u64>;

/// Reads the counters; an error text if they cannot be read.
pub fn read() -> Result<Counters, String> {
    let text = fs::read_to_string(COUNTERS).map_err(|error| format!("{COUNTERS}: {error}"))?;
    let parse = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    text.lines()
        .map(|line| parse(line).ok_or_else(|| format!("{COUNTERS}: odd line: {line}")))
        .collect()
}

/// Waits until the counters are back at `baseline`, since the kernel may tear down a little after a process is gone.
/// An error names what is not.
pub fn settle(baseline: &Counters) -> Result<(), String> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let now = read()?;
        if now == *baseline {
            return Ok(());
        }
        if Instant::now() > deadline {
            let names = baseline
                .keys()
                .chain(now.keys().filter(|name| !baseline.contains_key(*name)));
            let value = |counters: &Counters, name| counters.get(name).copied().unwrap_or(0);
            let changes: Vec<String> = names
                .filter(|name| baseline.get(*name) != now.get(*name))
                .map(|name| format!("{name} {} -> {}", value(baseline, name), value(&now, name)))
                .collect();
            return Err(format!("left behind: {}", changes.join(", ")));
        }
        sleep(Duration::from_millis(20));
    }
}
