// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The access trace: one line per register access, doorbell and interrupt, in the order the card saw them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use parking_lot::Mutex;

use crate::clock::Clock;

/// Writes the trace file if one was asked for; costs one branch if not.
#[derive(Debug)]
pub struct Trace {
    clock: Clock,
    out: Option<Mutex<BufWriter<File>>>,
}

impl Trace {
    /// A trace that records nothing.
    pub fn off(clock: Clock) -> Self {
        Self { clock, out: None }
    }

    /// Records into `path`, which is replaced.
    pub fn to_file(clock: Clock, path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            clock,
            out: Some(Mutex::new(BufWriter::new(File::create(path)?))),
        })
    }

    /// Whether lines are recorded; lets callers skip building them.
    pub fn enabled(&self) -> bool {
        self.out.is_some()
    }

    /// Appends one line, prefixed with the card's time in microseconds. A full disk loses the line, not the run.
    pub fn line(&self, text: std::fmt::Arguments<'_>) {
        if let Some(out) = &self.out {
            let us = self.clock.now() / 100;
            let mut out = out.lock();
            let _ = writeln!(out, "{us:>10} {text}");
        }
    }

    /// Hands buffered lines to the system.
    pub fn flush(&self) {
        if let Some(out) = &self.out {
            let _ = out.lock().flush();
        }
    }
}
