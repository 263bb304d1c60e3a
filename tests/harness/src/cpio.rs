// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A writer of cpio archives in the "newc" format, which the kernel unpacks as its initial file system.

/// An archive being written.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    inode: u32,
}

impl Archive {
    /// Adds a directory with mode 0755. Parents must be added before.
    pub fn dir(&mut self, path: &str) {
        self.entry(path, 0o040_755, &[]);
    }

    /// Adds a regular file.
    pub fn file(&mut self, path: &str, executable: bool, data: &[u8]) {
        self.entry(path, if executable { 0o100_755 } else { 0o100_644 }, data);
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        self.entry(path, 0o120_777, target.as_bytes());
    }

    /// Ends the archive and returns it.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, data: &[u8]) {
        self.inode += 1;
        let (size, name_size) = (data.len(), path.len() + 1);
        // magic, ino, mode, uid, gid, nlink, mtime, filesize, device and rdevice numbers, namesize, check
        let header = format!(
            "070701{:08x}{mode:08x}{:08x}{:08x}{:08x}{:08x}{size:08x}{:08x}{:08x}{:08x}{:08x}{name_size:08x}{:08x}",
            self.inode, 0, 0, 1, 0, 0, 0, 0, 0, 0
        );
        self.bytes.extend_from_slice(header.as_bytes());
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(data);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn cpio_reads_it_back() {
        let mut archive = Archive::default();
        archive.dir("a");
        archive.file("a/b", true, b"hello");
        archive.link("c", "a/b");
        let bytes = archive.finish();
        let mut cpio = Command::new("cpio")
            .args(["-i", "--to-stdout", "a/b"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("cpio is part of the toolchain root");
        cpio.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert_eq!(cpio.wait_with_output().unwrap().stdout, b"hello");
    }
}
