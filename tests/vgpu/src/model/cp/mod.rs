// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command processor: two compute micro engines (MEC) of four pipes with eight queues each, and what their
//! firmware does.
//!
//! The register bus and the doorbells only touch [`regs`] and post news; one thread, the [`engine`], executes packets.
//! It never waits inside a packet: a packet that is not through is tried again later, and the thread sleeps in between.
//! Kernels run in the dispatcher ([`dispatch_request`]) and report back by message.
//!
//! - [`pm4`], [`aql`]: the two packet formats. [`hws`]: packets of the scheduler firmware.
//! - [`queue`]: a queue on its slot. [`mqd`]: its descriptor in memory.
//! - [`bus`]: the rest of the card.

mod aql;
mod bus;
#[cfg(test)]
mod card_tests;
pub mod dispatch_request;
mod engine;
mod hws;
mod mqd;
mod pm4;
mod queue;
mod regs;
mod shared;
mod slot;
#[cfg(test)]
mod testing;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::ctx::Ctx;
use crate::model::grbm::Unit;
use crate::model::psp;
use crate::model::spi::Spi;
use crate::regs::{Bank, Block, Select};
use bus::{Bus, Chip};
use engine::{Engine, Turn};
use regs::{Effect, RegFile, Rung};
use shared::{Message, Shared};

/// How long a reset may take.
const RESET_LIMIT: Duration = Duration::from_secs(10);

/// Both compute micro engines.
pub struct Cp {
    ctx: Ctx,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Cp {
    /// The power-on state: halted, no queue mapped.
    pub fn new(ctx: Ctx, spi: Arc<Spi>) -> Self {
        let shared = Arc::new(Shared::new());
        let bus: Arc<dyn Bus> = Arc::new(Chip::new(ctx.clone(), spi));
        let engine = Engine::new(bus, shared.clone());
        let thread = std::thread::Builder::new().name("cp".into());
        let thread = {
            let (ctx, shared) = (ctx.clone(), shared.clone());
            thread.spawn(move || serve(engine, &ctx, &shared))
        };
        let thread = thread.map_err(|e| {
            ctx.report
                .violation("model-failure", format!("no thread for the CP: {e}"))
        });
        Self {
            ctx,
            shared,
            thread: Mutex::new(thread.ok()),
        }
    }

    /// A doorbell that is not in a range of another engine arrives: BAR2 dword index and value.
    pub fn doorbell(&self, index: u32, value: u64) {
        let rung = self.shared.regs.lock().doorbell(index, value);
        match rung {
            Rung::Queue(slot) => self.shared.post(Message::Doorbell(slot)),
            Rung::Unmapped => self.shared.post(Message::Unattached(index, value)),
            Rung::Disabled => {
                let text = format!("doorbell {index:#x} = {value:#x}, CP_PQ_STATUS.DOORBELL_ENABLE is 0");
                self.ctx.report.violation("doorbell-disabled", text);
            }
        }
    }
}

impl Cp {
    /// Whether the micro engines have what they need to run.
    fn has_firmware(&self) -> bool {
        [psp::Engine::Mec, psp::Engine::MecJumpTable]
            .into_iter()
            .all(|e| self.ctx.firmware.has(e))
    }
}

impl Block for Cp {
    fn name(&self) -> &'static str {
        "CP"
    }

    fn read_reg(&self, off: u32, sel: Select) -> Option<u32> {
        self.shared.regs.lock().read(off, sel)
    }

    fn write_reg(&self, off: u32, sel: Select, value: u32) -> bool {
        if off == regs::CP_MEC_CNTL && regs::starts_engine(value) && !self.has_firmware() {
            let detail = format!("CP_MEC_CNTL = {value:#010x}");
            self.ctx.report.violation("firmware-missing", detail);
            return true;
        }
        let effect = self.shared.regs.lock().write(off, sel, value);
        match effect {
            Some(Effect::None) => true,
            Some(effect) => {
                self.shared.post(Message::Effect(effect));
                true
            }
            None => false,
        }
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        RegFile::name(off)
    }

    fn reg_bank(&self, off: u32) -> Bank {
        RegFile::bank_of(off)
    }

    fn reset(&self) {
        let me = std::thread::current().id();
        if self.thread.lock().as_ref().is_none_or(|t| t.thread().id() == me) {
            return;
        }
        if !self.shared.reset(RESET_LIMIT) {
            self.ctx
                .report
                .violation("model-failure", "the CP does not reset");
        }
    }
}

impl Drop for Cp {
    fn drop(&mut self) {
        self.shared.post(Message::Quit);
        let me = std::thread::current().id();
        if let Some(thread) = self.thread.lock().take() {
            // the last owner may be one of the engine's own register accesses
            if thread.thread().id() != me {
                let _ = thread.join();
            }
        }
    }
}

/// The engine's thread.
fn serve(mut engine: Engine, ctx: &Ctx, shared: &Shared) {
    loop {
        let busy = engine.has_work().then(|| ctx.grbm.busy(Unit::Cp));
        let turn = engine.turn();
        drop(busy);
        // not before the engine is idle, for anybody may look at its status then
        shared.have_reset(engine.take_resets());
        match turn {
            Turn::Quit => return,
            Turn::Sleep(None) => shared.sleep(None),
            Turn::Sleep(Some(until)) => {
                // ticks are 10 ns
                let ns = until.saturating_sub(ctx.clock.now()).saturating_mul(10);
                shared.sleep(Some(Duration::from_nanos(ns.max(10_000))));
            }
        }
    }
}
