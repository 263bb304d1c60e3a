// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dispatcher (shader processor input) and the compute units behind it: turns a dispatch into workgroups and waves, and
//! runs them.
//!
//! Workers, one per core of the host, take workgroups from the schedule and interpret their waves. The waves of a workgroup
//! take turns on one thread, so that barriers and LDS need no locks; workgroups run in parallel, and their atomics are atomic
//! on the host memory that the guest shares.
//!
//! - `dispatch`, `schedule`, `slots`: what is to be run, what runs next, what it takes of the card.
//! - `launch`: the initial registers of a wave; `group`: running a workgroup; `sq`: its interrupts and messages.
//! - `memory`, `tlb`, `code`: loads, stores, atomics and instruction fetch.

mod code;
mod dispatch;
mod group;
mod launch;
mod memory;
mod schedule;
mod slots;
mod sq;
#[cfg(test)]
mod tests;
mod tlb;
mod worker;

use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::Mutex;

use crate::ctx::Ctx;
use crate::model::cp::dispatch_request::{DispatchId, DispatchRequest, Dispatcher, Outcome};
use crate::regs::{Block, Select};
use worker::Pool;

/// The shader processor input and the compute units behind it.
pub struct Spi {
    pool: Arc<Pool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Spi {
    /// The power-on state: no waves. Runs workgroups on as many threads as the host has cores.
    pub fn new(ctx: Ctx) -> Self {
        Self::with_workers(ctx, std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    /// The same with a chosen number of threads.
    pub fn with_workers(ctx: Ctx, workers: usize) -> Self {
        let pool = Arc::new(Pool::new(ctx.clone()));
        let mut threads = Vec::new();
        for n in 0..workers.max(1) {
            let pool = pool.clone();
            match std::thread::Builder::new()
                .name(format!("cu{n}"))
                .spawn(move || pool.serve())
            {
                Ok(handle) => threads.push(handle),
                Err(e) => ctx
                    .report
                    .violation("model-failure", format!("no thread for waves: {e}")),
            }
        }
        Self {
            pool,
            threads: Mutex::new(threads),
        }
    }
}

impl Dispatcher for Spi {
    fn submit(&self, request: DispatchRequest) -> DispatchId {
        self.pool.submit(request)
    }

    fn kill(&self, id: DispatchId) {
        self.pool.stop(id, Outcome::Killed);
    }

    fn invalidate_instructions(&self) {
        self.pool.invalidate_instructions();
    }
}

impl Block for Spi {
    fn name(&self) -> &'static str {
        "SPI"
    }

    fn read_reg(&self, _off: u32, _sel: Select) -> Option<u32> {
        None
    }

    fn write_reg(&self, _off: u32, _sel: Select, _value: u32) -> bool {
        false
    }

    fn reg_name(&self, _off: u32) -> Option<&'static str> {
        None
    }

    fn reset(&self) {
        self.pool.reset();
    }
}

impl Drop for Spi {
    fn drop(&mut self) {
        self.pool.quit();
        let me = std::thread::current().id();
        for thread in self.threads.lock().drain(..) {
            // the last owner may be a worker's own completion
            if thread.thread().id() != me {
                let _ = thread.join();
            }
        }
    }
}
