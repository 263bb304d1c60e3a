// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system DMA engines (SDMA 4.4.0, five of them): rings, indirect buffers, copies, fills, fences, polls.
//!
//! Each engine has the kernel's GFX ring and eight RLC queues that the scheduler firmware maps for user processes. All memory
//! is reached through the MMHUB in the queue's VMID. One thread per engine sleeps until a doorbell or a register write gives
//! it something to do; queues take turns, and a queue that waits in a poll lets the others run.
//!
//! - [`packet`], [`decode`]: what the command stream says; `exec`, `transfer`, `atomic`: what it does.
//! - `run`, `stream`: fetching and stepping through one queue; `queue`, [`mqd`]: its registers and memory image.
//! - `engine`, `state`: registers, turns, mapping and unmapping.

mod atomic;
pub mod decode;
mod doorbells;
mod engine;
mod exec;
pub mod mqd;
pub mod packet;
mod queue;
pub mod regs;
mod run;
mod state;
mod stream;
#[cfg(test)]
mod tests;
mod transfer;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use parking_lot::Mutex;

pub use mqd::SdmaMqd;

use crate::ctx::Ctx;
use crate::model::psp;
use crate::regs::{Block, Select};
use doorbells::Doorbells;
use engine::Engine;

/// A user queue as the scheduler maps it.
#[derive(Clone, Debug)]
pub struct QueueMap {
    /// The queue's descriptor as read from memory.
    pub mqd: SdmaMqd,
    /// VMID of its process, 1..=15; replaces the one in the descriptor.
    pub vmid: u8,
    /// PASID of its process, for interrupts.
    pub pasid: u16,
    /// Write pointer in bytes, if it was read from the queue's memory; otherwise the descriptor's counts.
    pub wptr: Option<u64>,
}

/// Why a queue cannot be mapped or unmapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum QueueError {
    /// There are five engines.
    #[error("no SDMA engine {engine}")]
    NoSuchEngine { engine: usize },
    /// There are eight queues per engine.
    #[error("no RLC queue {slot}")]
    NoSuchQueue { slot: usize },
    /// Another queue is mapped there.
    #[error("SDMA{engine} RLC{slot} is occupied")]
    Occupied { engine: usize, slot: usize },
    /// Nothing is mapped there.
    #[error("SDMA{engine} RLC{slot} is not mapped")]
    NotMapped { engine: usize, slot: usize },
    /// The engine did not stop within 5 s.
    #[error("SDMA{engine} does not stop for RLC{slot}")]
    Stuck { engine: usize, slot: usize },
}

/// All SDMA engines.
pub struct Sdma {
    ctx: Ctx,
    engines: Vec<Arc<Engine>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Doorbells of queues that the scheduler mapped at some time: rung while the queue is not mapped, they are legal.
    doorbells: Mutex<Doorbells>,
}

impl Sdma {
    /// The power-on state: halted.
    pub fn new(ctx: Ctx) -> Self {
        let engines: Vec<_> = (0..regs::ENGINES)
            .map(|i| Arc::new(Engine::new(i, ctx.clone())))
            .collect();
        let mut threads = Vec::new();
        for (i, engine) in engines.iter().cloned().enumerate() {
            let thread = std::thread::Builder::new().name(format!("sdma{i}"));
            match thread.spawn(move || engine.serve()) {
                Ok(handle) => threads.push(handle),
                Err(e) => ctx
                    .report
                    .violation("model-failure", format!("no thread for SDMA{i}: {e}")),
            }
        }
        Self {
            ctx,
            engines,
            threads: Mutex::new(threads),
            doorbells: Mutex::default(),
        }
    }

    /// A doorbell in the NBIO range of engine `engine`: BAR2 dword index, and the new write pointer in bytes.
    pub fn doorbell(&self, engine: usize, index: u32, value: u64) {
        if self.engines.get(engine).is_some_and(|e| e.doorbell(index, value)) {
            return;
        }
        self.ctx.report.count("sdma_doorbell_while_unmapped", 1);
        if !self.doorbells.lock().rung_in_vain(index, Instant::now()) {
            tracing::debug!("SDMA{engine}: doorbell {index:#x} = {value:#x} has no queue yet");
        }
        self.judge(Instant::now());
    }

    /// Reports doorbells whose queue should have been mapped by `now`.
    pub fn judge(&self, now: Instant) {
        for index in self.doorbells.lock().overdue(now) {
            let text = format!("no queue ever had doorbell {index:#x}");
            self.ctx.report.violation("sdma-doorbell-unmapped", text);
        }
    }

    /// Maps a user queue to RLC queue `slot` (0..=7) of an engine (scheduler firmware: MAP_QUEUES). The queue starts at once if
    /// the engine is not halted.
    pub fn map_queue(&self, engine: usize, slot: usize, map: &QueueMap) -> Result<(), QueueError> {
        let e = self
            .engines
            .get(engine)
            .ok_or(QueueError::NoSuchEngine { engine })?;
        if let Some(doorbell) = map.mqd.doorbell() {
            self.doorbells.lock().mapped(doorbell);
        }
        e.map(slot, map)
    }

    /// Raises the write pointer of a mapped queue to `wptr` bytes, if it is behind: for a scheduler that reads it once more
    /// after mapping, since a doorbell rung just before found no queue.
    pub fn catch_up(&self, engine: usize, slot: usize, wptr: u64) -> Result<(), QueueError> {
        let e = self
            .engines
            .get(engine)
            .ok_or(QueueError::NoSuchEngine { engine })?;
        e.catch_up(slot, wptr)
    }

    /// Stops a user queue between two packets, or inside a long one, and stores its state into `mqd` (UNMAP_QUEUES). Returns
    /// when the engine no longer touches the queue's memory. The caller must hold no lock that a register access takes.
    pub fn unmap_queue(&self, engine: usize, slot: usize, mqd: &mut SdmaMqd) -> Result<(), QueueError> {
        self.engines
            .get(engine)
            .ok_or(QueueError::NoSuchEngine { engine })?
            .unmap(slot, mqd)
    }
}

impl Block for Sdma {
    fn name(&self) -> &'static str {
        "SDMA"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        match regs::locate(off) {
            Some((engine, place)) => Some(self.engines.get(engine)?.read(place)),
            None => regs::is_hole(off).then(|| {
                self.ctx.report.count("sdma_hole_read", 1);
                0
            }),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let Some((engine, place)) = regs::locate(off) else {
            return false;
        };
        let starts = place == regs::Place::Global(regs::global::F32_CNTL) && value & regs::global::HALT == 0;
        if starts && !self.ctx.firmware.has(psp::Engine::Sdma(engine as u8)) {
            self.ctx
                .report
                .violation("firmware-missing", format!("SDMA{engine} is let run"));
            return true;
        }
        self.engines.get(engine).map(|e| e.write(place, value)).is_some()
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        regs::reg_name(off)
    }

    fn reset(&self) {
        for engine in &self.engines {
            engine.reset();
        }
        self.doorbells.lock().clear();
    }
}

impl Drop for Sdma {
    fn drop(&mut self) {
        for engine in &self.engines {
            engine.quit();
        }
        let me = std::thread::current().id();
        for thread in self.threads.lock().drain(..) {
            // the last owner may be an engine's own register access
            if thread.thread().id() != me {
                let _ = thread.join();
            }
        }
    }
}
