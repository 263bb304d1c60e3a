// SPDX-License-Identifier: GPL-2.0
//! The files of the topology's directories.

use crate::glue::sysfs::{Directory, Text};
use amdgpu_logic::kfd::topology::{Node, Properties, System};
use core::{
    fmt::Write,
    sync::atomic::{AtomicU32, Ordering},
};
use kernel::prelude::*;

/// `topology`.
pub(super) struct Root {
    pub(super) system: System,
    /// Changes with every change below.
    pub(super) generation: AtomicU32,
}

impl Directory for Root {
    const FILES: &'static [&'static CStr] = &[c"generation_id", c"system_properties"];

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        match file {
            0 => Ok(writeln!(out, "{}", self.generation.load(Ordering::Acquire))?),
            _ => Ok(self.system.write(out)?),
        }
    }
}

/// A directory of directories.
pub(super) struct Folder;

impl Directory for Folder {
    const FILES: &'static [&'static CStr] = &[];

    fn show(&self, _file: usize, _out: &mut Text<'_>) -> Result {
        Err(ENOENT)
    }
}

/// `nodes/N`.
pub(super) struct NodeFiles {
    /// 0 for CPUs.
    pub(super) gpu_id: u32,
    pub(super) name: &'static str,
    pub(super) properties: Node,
    /// Directories in `io_links`: a CPU node gets more of them as GPUs come.
    pub(super) links: AtomicU32,
}

impl Directory for NodeFiles {
    const FILES: &'static [&'static CStr] = &[c"gpu_id", c"name", c"properties"];

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        match file {
            0 => Ok(writeln!(out, "{}", self.gpu_id)?),
            1 => Ok(writeln!(out, "{}", self.name)?),
            _ => {
                let io_links_count = self.links.load(Ordering::Acquire);
                Ok(Node {
                    io_links_count,
                    ..self.properties
                }
                .write(out)?)
            }
        }
    }
}

/// A directory with nothing but `properties`.
pub(super) struct Only<P>(pub(super) P);

impl<P: Properties + Send + Sync + 'static> Directory for Only<P> {
    const FILES: &'static [&'static CStr] = &[c"properties"];

    fn show(&self, _file: usize, out: &mut Text<'_>) -> Result {
        Ok(self.0.write(out)?)
    }
}
