// SPDX-License-Identifier: GPL-2.0
//! The files of `/sys/kernel/debug/kfd` that the C driver has, too, and that tools read: same names, same lines
//! (kernel amdkfd/kfd_debugfs.c and the functions that it names).
//!
//! | file | for |
//! |---|---|
//! | `mqds` | queue descriptors in memory, by process |
//! | `hqds` | registers of hardware queues, by GPU |
//! | `rls` | run lists, by GPU |
//! | `mem_limit` | memory that processes use |

use super::{process::Process, service::Kfd};
use crate::{
    glue::{machine, ttm::Domain},
    gpu::{
        drm::Guard,
        hw::{
            gfx::{Slot, HIQ_SLOT, QUEUE_REGISTERS},
            sdma::Sdma,
        },
    },
};
use amdgpu_logic::kfd::{memory::Kind, Errno};
use kernel::{fmt, prelude::*, sync::Arc};

/// `mqds`
pub(super) fn mqds(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut result = Ok(());
    kfd.for_each_process(|process| {
        if result.is_ok() {
            result = queues_of(process, out);
        }
    });
    result
}

fn queues_of(process: &Process, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let pasid = process.devices().iter().find_map(|device| {
        let binding = device.binding(Errno::Srch).ok()?;
        Some(binding.vm().pasid())
    });
    writeln!(out, "Process {} PASID {}:", process.pid(), pasid.unwrap_or(0))?;
    for device in process.devices() {
        let Ok(gpu) = device.node().device().enter() else {
            continue;
        };
        // their descriptors are read without the lock
        let mut keys = KVec::new();
        for (_, queue) in process.queues.lock().on(device) {
            keys.push((queue.key, queue.what), GFP_KERNEL)
                .map_err(|_| fmt::Error)?;
        }
        for (key, what) in keys {
            let what = if what == "SDMA" { "SDMA" } else { "Compute" };
            writeln!(out, "  {what} queue on device {:x}", device.node().gpu_id())?;
            // it may have gone meanwhile
            if let Ok(words) = gpu.scheduler().descriptor(key) {
                hex(out, "    ", &words)?;
            }
        }
    }
    Ok(())
}

/// `hqds`
pub(super) fn hqds(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    by_gpu(kfd, out, |gpu, out| {
        let queue = |out: &mut fmt::Formatter<'_>, slot| -> fmt::Result {
            let words = gpu.gfx().queue_registers(slot).map_err(|_| fmt::Error)?;
            let mut registers = Registers::default();
            for (at, word) in (QUEUE_REGISTERS..).step_by(4).zip(words) {
                registers.add(out, at, word)?;
            }
            writeln!(out)
        };
        let Slot { me, pipe, queue: n } = HIQ_SLOT;
        writeln!(out, "   Inst 0, HIQ on MEC {me} Pipe {pipe} Queue {n}")?;
        queue(out, HIQ_SLOT)?;
        let shape = gpu.gfx().shape();
        for pipe in 0..shape.pipes {
            for n in 0..shape.queues_per_pipe {
                writeln!(out, " Inst 0,  CP Pipe {pipe}, Queue {n}")?;
                let me = 1;
                queue(out, Slot { me, pipe, queue: n })?;
            }
        }
        let engines = gpu.sdma().engines();
        for engine in 0..usize::from(engines.pcie.saturating_add(engines.xgmi)) {
            for n in 0..Sdma::USER_QUEUES {
                writeln!(out, "  SDMA Engine {engine}, RLC {n}")?;
                let (mut registers, mut result) = (Registers::default(), Ok(()));
                let read = gpu.sdma().queue_registers(engine, n, |at, word| {
                    result = result.and_then(|()| registers.add(out, at, word));
                });
                read.map_err(|_| fmt::Error)?;
                result?;
                writeln!(out)?;
            }
        }
        Ok(())
    })
}

/// `rls`
pub(super) fn rls(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    by_gpu(kfd, out, |gpu, out| {
        match gpu.scheduler().run_list().map_err(|_| fmt::Error)? {
            Some(words) => hex(out, "  ", &words),
            None => writeln!(out, "  No active runlist"),
        }
    })
}

/// `mem_limit`. There is no limit for processes but what there is: of the machine's memory, and of what the GPUs may use
/// of it for the kernel's buffers.
pub(super) fn mem_limit(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut system: u64 = 0;
    kfd.for_each_process(|process| {
        for device in process.devices() {
            let buffers = device.buffers.lock();
            let in_system = |b: &&Arc<_>| -> bool {
                let buffer: &super::memory::Buffer = b;
                matches!(buffer.kind(), Kind::Gtt | Kind::Userptr(_))
            };
            for buffer in buffers.iter().filter(in_system) {
                system = system.saturating_add(buffer.size());
            }
        }
    });
    let there_is = machine::numa_nodes().fold(0u64, |sum, node| sum.saturating_add(node.memory));
    let (mut used, mut size) = (0u64, 0u64);
    for node in kfd.nodes().lock().iter() {
        let Ok(gpu) = node.device().enter() else { continue };
        let usage = gpu.memory().usage(Domain::Gtt);
        used = used.saturating_add(usage.used);
        size = size.saturating_add(usage.size);
    }
    writeln!(
        out,
        "System mem used {}M out of {}M",
        system >> 20,
        there_is >> 20
    )?;
    writeln!(out, "TTM mem used {}M out of {}M", used >> 20, size >> 20)
}

/// Calls `f` for each GPU, after a line that names it.
fn by_gpu(
    kfd: &Kfd,
    out: &mut fmt::Formatter<'_>,
    f: impl Fn(&Guard<'_>, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let mut nodes = KVec::new();
    for node in kfd.nodes().lock().iter() {
        nodes.push(node.clone(), GFP_KERNEL).map_err(|_| fmt::Error)?;
    }
    for node in nodes {
        let gpu_id = node.gpu_id();
        let number = kfd.tree().lock().as_ref().and_then(|tree| tree.number_of(gpu_id));
        let (Some(number), Ok(gpu)) = (number, node.device().enter()) else {
            continue;
        };
        writeln!(out, "Node {number}, gpu_id {gpu_id:x}:")?;
        f(&gpu, out)?;
    }
    Ok(())
}

/// Lines of eight words, each after its byte offset.
fn hex(out: &mut fmt::Formatter<'_>, indent: &str, words: &[u32]) -> fmt::Result {
    for (at, line) in (0u32..).step_by(32).zip(words.chunks(8)) {
        write!(out, "{indent}{at:08x}:")?;
        for word in line {
            write!(out, " {word:08x}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Lines of up to eight registers that follow each other, each line after its byte offset.
#[derive(Default)]
struct Registers {
    /// Where the next would be, and how many more the line takes.
    next: Option<(u32, u32)>,
}

impl Registers {
    fn add(&mut self, out: &mut fmt::Formatter<'_>, at: u32, word: u32) -> fmt::Result {
        let room = match self.next {
            Some((next, room)) if next == at && room > 0 => {
                write!(out, " {word:08x}")?;
                room.saturating_sub(1)
            }
            before => {
                let end = if before.is_some() { "\n" } else { "" };
                write!(out, "{end}    {at:08x}: {word:08x}")?;
                7
            }
        };
        self.next = Some((at.saturating_add(4), room));
        Ok(())
    }
}
