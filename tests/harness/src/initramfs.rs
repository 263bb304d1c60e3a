// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the guest starts from: busybox, the modules that reach the guest image, and the work to do.

use crate::cpio::Archive;
use anyhow::{bail, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const INIT: &str = include_str!("guest/init.sh");
const AGENT: &str = include_str!("guest/agent.sh");
const CHECKERS: &str = include_str!("guest/checkers.sh");

/// Modules of the stock kernel between the initial file system and the guest image, in load order.
const ROOT_MODULES: [&str; 3] = ["virtio_blk", "erofs", "overlay"];

/// What the guest is to do.
pub struct Work<'a> {
    /// The command and its arguments, passed on exactly.
    pub command: &'a [String],
    /// Shell text, run by the agent, that loads the driver; none to run without one.
    pub load: Option<String>,
    /// Files placed in `/run/ferrock` (name, host path, executable).
    pub files: Vec<(String, PathBuf)>,
    /// Whether a host folder is offered to the guest.
    pub share: bool,
    /// A login shell on the terminal instead of the command.
    pub interactive: bool,
    /// Whether the machine ends without shutting its devices down.
    pub abrupt: bool,
}

/// Builds the archive. `modules` is the stock kernel's module folder, none for a kernel that needs no modules.
pub fn build(work: &Work, modules: Option<&Path>) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    for dir in [
        "bin",
        "proc",
        "sys",
        "dev",
        "lower",
        "rw",
        "root",
        "modules",
        "ferrock",
        "ferrock/programs",
        "ferrock/firmware",
        "ferrock/firmware/amdgpu",
    ] {
        archive.dir(dir);
    }
    let busybox = fs::read("/usr/bin/busybox").or_else(|_| fs::read("/bin/busybox"));
    archive.file(
        "bin/busybox",
        true,
        &busybox.context("busybox-static is part of the toolchain root")?,
    );
    archive.file("init", true, INIT.as_bytes());

    let mut order = String::new();
    if let Some(dir) = modules {
        for name in ROOT_MODULES {
            archive.file(&format!("modules/{name}.ko"), false, &read_module(dir, name)?);
            order.push_str(&format!("{name}.ko\n"));
        }
    }
    archive.file("modules/order", false, order.as_bytes());

    archive.file("ferrock/agent", true, AGENT.as_bytes());
    archive.file("ferrock/checkers", false, CHECKERS.as_bytes());
    let command: Vec<u8> = work
        .command
        .iter()
        .flat_map(|arg| arg.bytes().chain([0]))
        .collect();
    archive.file("ferrock/command", false, &command);
    archive.file(
        "ferrock/terminal",
        false,
        std::env::var("TERM").unwrap_or("dumb".into()).as_bytes(),
    );
    if let Some(load) = &work.load {
        archive.file("ferrock/load", false, load.as_bytes());
    }
    let flags = [
        ("share", work.share),
        ("interactive", work.interactive),
        ("abrupt", work.abrupt),
    ];
    for (flag, set) in flags {
        if set {
            archive.file(&format!("ferrock/{flag}"), false, b"");
        }
    }
    for (name, path) in &work.files {
        let data = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        archive.file(&format!("ferrock/{name}"), true, &data);
    }
    Ok(archive.finish())
}

/// Reads a module by name from a module tree, uncompressed.
fn read_module(dir: &Path, name: &str) -> Result<Vec<u8>> {
    let list = fs::read_to_string(dir.join("modules.dep")).context("the kernel's module list")?;
    let found = list
        .lines()
        .filter_map(|line| line.split(':').next())
        .find(|path| {
            let stem = Path::new(path)
                .file_name()
                .and_then(|f| f.to_str())
                .unwrap_or_default();
            stem.split('.')
                .next()
                .is_some_and(|s| s.replace('-', "_") == name)
        });
    let Some(path) = found else {
        bail!("the kernel has no module {name}")
    };
    let path = dir.join(path);
    if path.extension().is_some_and(|e| e == "xz") {
        let out = Command::new("xz").arg("-dc").arg(&path).output().context("xz")?;
        if !out.status.success() {
            bail!("{}: {}", path.display(), String::from_utf8_lossy(&out.stderr));
        }
        return Ok(out.stdout);
    }
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}
