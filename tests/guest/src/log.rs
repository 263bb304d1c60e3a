// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver writes to the kernel log.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

/// How the driver's lines begin: those about a device, and the others.
const OURS: [&str; 2] = ["amdgpu ", "amdgpu: "];

/// Texts by which the kernel says that something is wrong with itself.
const SPLATS: [&str; 3] = ["BUG:", "WARNING:", "Oops:"];

fn is_ours(line: &str) -> bool {
    OURS.iter().any(|prefix| line.starts_with(prefix))
}

/// The kernel log from a moment on.
pub struct Log(File);

impl Log {
    /// From now on.
    pub fn from_now() -> Self {
        let mut file = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/kmsg")
            .expect("/dev/kmsg");
        file.seek(SeekFrom::End(0)).expect("/dev/kmsg");
        Self(file)
    }

    /// The driver's lines since then, or since the last call, without time and level.
    pub fn lines(&mut self) -> Vec<String> {
        let lines = self.records().into_iter().map(|(_, line)| line);
        lines.filter(|line| is_ours(line)).collect()
    }

    /// The driver's lines that are errors, and what the kernel says if something is wrong with itself.
    pub fn troubles(&mut self) -> Vec<String> {
        const ERROR: u32 = 3;
        let trouble = |(level, line): &(u32, String)| {
            is_ours(line) && *level <= ERROR || SPLATS.iter().any(|text| line.contains(text))
        };
        let records = self.records().into_iter();
        records.filter(trouble).map(|(_, line)| line).collect()
    }

    /// All lines with their levels.
    fn records(&mut self) -> Vec<(u32, String)> {
        let mut lines = Vec::new();
        let mut record = [0; 8192];
        loop {
            match self.0.read(&mut record) {
                // one record: `LEVEL,NUMBER,TIME,FLAGS;TEXT`, then indented lines of properties
                Ok(len) => {
                    let text = String::from_utf8_lossy(&record[..len]);
                    let (head, text) = text.split_once(';').unwrap_or(("", ""));
                    let level = head.split(',').next().and_then(|level| level.parse().ok());
                    let line = text.lines().next().unwrap_or_default();
                    lines.push((level.unwrap_or(0) & 7, line.to_owned()));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return lines,
                Err(error) => panic!("/dev/kmsg: {error}"),
            }
        }
    }
}
