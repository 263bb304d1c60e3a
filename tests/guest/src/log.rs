// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver writes to the kernel log.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

/// How the driver's lines begin: those about a device, and the others.
const OURS: [&str; 2] = ["amdgpu ", "amdgpu: "];

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
        let mut lines = Vec::new();
        let mut record = [0; 8192];
        loop {
            match self.0.read(&mut record) {
                // one record: `LEVEL,NUMBER,TIME,FLAGS;TEXT`, then indented lines of properties
                Ok(len) => {
                    let text = String::from_utf8_lossy(&record[..len]);
                    let text = text.split_once(';').map_or("", |(_, text)| text);
                    let line = text.lines().next().unwrap_or_default();
                    if OURS.iter().any(|prefix| line.starts_with(prefix)) {
                        lines.push(line.to_owned());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return lines,
                Err(error) => panic!("/dev/kmsg: {error}"),
            }
        }
    }
}
