// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The channels between guest and host: QEMU connects a virtio port to each of these sockets.

use anyhow::Result;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

/// What arrives from the guest.
pub enum Event {
    /// A line of the agent's report, without its end.
    Report(String),
    /// A piece of the kernel log.
    KernelLog(Vec<u8>),
    /// A piece of the command's standard output.
    Out(Vec<u8>),
    /// A piece of the command's standard error.
    Err(Vec<u8>),
}

/// A channel: a thread that turns what arrives into events until the guest is gone.
pub struct Channel {
    /// The socket that QEMU is to connect to.
    pub socket: PathBuf,
    reader: JoinHandle<()>,
}

impl Channel {
    /// Listens on `dir/name`; every piece that arrives is sent as `event(piece)`.
    pub fn listen(dir: &Path, name: &str, to: Sender<Event>, event: fn(Vec<u8>) -> Event) -> Result<Self> {
        let socket = dir.join(name);
        let listener = UnixListener::bind(&socket)?;
        let reader = std::thread::spawn(move || {
            let Ok((mut stream, _)) = listener.accept() else {
                return;
            };
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                if to.send(event(buffer[..n].to_vec())).is_err() {
                    return;
                }
            }
        });
        Ok(Self { socket, reader })
    }

    /// Waits until everything the guest sent has been turned into events. QEMU must have ended.
    pub fn drain(self) {
        // wakes a listener that QEMU never connected to
        drop(std::os::unix::net::UnixStream::connect(&self.socket));
        let _ = self.reader.join();
    }
}

/// Splits what arrives into lines.
#[derive(Default)]
pub struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// Takes a piece and returns the lines that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Vec<String> {
        self.rest.extend_from_slice(piece);
        let Some(end) = self.rest.iter().rposition(|&b| b == b'\n') else {
            return Vec::new();
        };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        String::from_utf8_lossy(&whole)
            .lines()
            .map(|l| l.trim_end_matches('\r').to_owned())
            .collect()
    }
}

/// Writes a piece and flushes; a reader that went away is not this run's failure.
pub fn pass_on(to: &mut dyn Write, piece: &[u8]) {
    let _ = to.write_all(piece).and_then(|()| to.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole() {
        let mut lines = Lines::default();
        assert!(lines.push(b"exi").is_empty());
        assert_eq!(lines.push(b"t 0\r\nnex"), ["exit 0"]);
        assert_eq!(lines.push(b"t\n"), ["next"]);
    }
}
