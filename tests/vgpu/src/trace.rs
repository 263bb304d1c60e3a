// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The access trace: one line per register access, doorbell, message, packet and interrupt, in the order the card saw
//! them. `tests/vgpu/README.md` tells how to read one.
//!
//! A line is the card's time in microseconds, who acts, what it does, and the details. Of details, those behind a `~`
//! are of the moment (addresses, numbers that are given out): two drivers that do the same differ in them.

use std::fmt::Arguments;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::regs::BankSelect;

/// A register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// "CPU", "CP", "SDMA0".
    pub who: &'static str,
    /// Whether it is a write.
    pub write: bool,
    /// Name of the block.
    pub block: &'static str,
    /// Name of the register, or of the first of its family.
    pub name: &'static str,
    /// BAR5 byte offset, or SMN address.
    pub off: u32,
    /// Which copy of the register.
    pub bank: BankSelect,
    /// What was read or is written.
    pub value: u32,
}

/// Writes the trace file if one was asked for; costs one branch if not.
#[derive(Debug)]
pub struct Trace {
    clock: Clock,
    out: Option<Mutex<Lines<BufWriter<File>>>>,
}

impl Trace {
    /// A trace that records nothing.
    pub fn off(clock: Clock) -> Self {
        Self { clock, out: None }
    }

    /// Records into `path`, which is replaced.
    pub fn to_file(clock: Clock, path: &Path) -> std::io::Result<Self> {
        let lines = Lines::new(BufWriter::with_capacity(1 << 20, File::create(path)?));
        Ok(Self {
            clock,
            out: Some(Mutex::new(lines)),
        })
    }

    /// Whether anything is recorded; lets callers skip looking up names.
    #[inline]
    pub fn enabled(&self) -> bool {
        self.out.is_some()
    }

    /// Records that `who` does something that is no register access.
    #[inline]
    pub fn event(&self, who: &str, what: Arguments<'_>) {
        if let Some(out) = &self.out {
            out.lock().event(self.clock.now(), who, what);
        }
    }

    /// Records a register access. A read that finds the same as the one before is counted with it.
    pub fn access(&self, access: Access) {
        if let Some(out) = &self.out {
            out.lock().access(self.clock.now(), access);
        }
    }

    /// Hands buffered lines to the system.
    pub fn flush(&self) {
        if let Some(out) = &self.out {
            out.lock().flush();
        }
    }
}

/// The lines. A full disk loses lines, not the run.
#[derive(Debug)]
struct Lines<W> {
    out: W,
    /// The read that was last, when it began and how often it was done, not written yet.
    read: Option<(u64, Access, u64)>,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Self { out, read: None }
    }

    fn event(&mut self, now: u64, who: &str, what: Arguments<'_>) {
        self.write_read();
        let _ = writeln!(self.out, "{:>10} {who} {what}", now / 100);
    }

    fn access(&mut self, now: u64, access: Access) {
        match &mut self.read {
            Some((_, last, count)) if *last == access => *count += 1,
            _ => {
                self.write_read();
                match access.write {
                    true => self.write_access(now, &access, 1),
                    false => self.read = Some((now, access, 1)),
                }
            }
        }
    }

    fn write_read(&mut self) {
        if let Some((since, access, count)) = self.read.take() {
            self.write_access(since, &access, count);
        }
    }

    fn write_access(&mut self, at: u64, a: &Access, count: u64) {
        let Access {
            who,
            block,
            name,
            off,
            bank,
            value,
            ..
        } = a;
        let what = if a.write { 'W' } else { 'R' };
        let _ = write!(
            self.out,
            "{:>10} {who} {what} {block} {name} {off:#07x} {bank} = {value:#010x}",
            at / 100
        );
        let _ = match count {
            1 => writeln!(self.out),
            n => writeln!(self.out, " x{n}"),
        };
    }

    fn flush(&mut self) {
        self.write_read();
        let _ = self.out.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: Access = Access {
        who: "CPU",
        write: false,
        block: "GRBM",
        name: "GRBM_STATUS",
        off: 0x8010,
        bank: BankSelect::One,
        value: 1 << 31,
    };

    fn lines(record: impl Fn(&mut Lines<Vec<u8>>)) -> Vec<String> {
        let mut lines = Lines::new(Vec::new());
        record(&mut lines);
        lines.flush();
        let text = String::from_utf8(lines.out).unwrap();
        text.lines().map(|l| l.trim_start().to_owned()).collect()
    }

    #[test]
    fn polls_are_folded_until_something_else_happens() {
        let lines = lines(|l| {
            for t in 0..3 {
                l.access(t * 100, STATUS);
            }
            l.access(300, Access { value: 0, ..STATUS });
            l.access(400, STATUS);
            l.event(500, "IH", format_args!("msi"));
            l.access(600, STATUS);
        });
        assert_eq!(
            lines,
            [
                "0 CPU R GRBM GRBM_STATUS 0x08010 - = 0x80000000 x3",
                "3 CPU R GRBM GRBM_STATUS 0x08010 - = 0x00000000",
                "4 CPU R GRBM GRBM_STATUS 0x08010 - = 0x80000000",
                "5 IH msi",
                "6 CPU R GRBM GRBM_STATUS 0x08010 - = 0x80000000",
            ]
        );
    }

    #[test]
    fn every_write_is_a_line() {
        let write = Access {
            write: true,
            ..STATUS
        };
        assert_eq!(
            lines(|l| (0..2).for_each(|t| l.access(t, write)))
                .iter()
                .filter(|l| l.contains(" W "))
                .count(),
            2
        );
    }
}
