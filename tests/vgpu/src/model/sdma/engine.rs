// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One engine: register file, ten queues, and the thread that executes them in turn.
//!
//! The state lock is never held while packets execute: a slice works on a [`Job`], a copy of what it needs, and its end is
//! merged afterwards. Whoever changes a queue sets `attention`, which ends the running slice early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::mqd::SdmaMqd;
use super::queue::{Ib, Queue};
use super::regs::{self, global, queue as q, Place, RLC0};
use super::run::{Job, Pause, Runner, Trouble};
use super::state::{Choice, State};
use super::stream::Ring;
use super::{exec, QueueError, QueueMap};
use crate::ctx::Ctx;
use crate::model::gmc::{Client, HubId};
use crate::regs::place;

/// Names for messages and faults.
const NAMES: [&str; regs::ENGINES] = ["SDMA0", "SDMA1", "SDMA2", "SDMA3", "SDMA4"];
/// How long a queue may take to stop: a slice looks up at least once per MiB moved.
const STOP: Duration = Duration::from_secs(5);

/// One engine, shared by its thread and everybody who programs it.
pub(super) struct Engine {
    index: usize,
    name: &'static str,
    ctx: Ctx,
    state: Mutex<State>,
    /// There may be work, or a reason to quit.
    work: Condvar,
    /// A slice ended.
    paused: Condvar,
    /// Somebody wants the running slice to end.
    attention: AtomicBool,
}

impl Engine {
    /// Engine `index` in its power-on state; somebody has to call [`Engine::serve`] on a thread.
    pub(super) fn new(index: usize, ctx: Ctx) -> Self {
        Self {
            index,
            name: NAMES.get(index).copied().unwrap_or("SDMA"),
            ctx,
            state: Mutex::new(State::power_on()),
            work: Condvar::new(),
            paused: Condvar::new(),
            attention: AtomicBool::new(false),
        }
    }

    /// The engine's thread: runs queues until [`Engine::quit`].
    pub(super) fn serve(&self) {
        let mut s = self.state.lock();
        while !s.quit {
            match s.choose(Instant::now()) {
                Choice::Run(queue) => self.slice(&mut s, queue),
                Choice::WaitUntil(then) => {
                    self.work.wait_until(&mut s, then);
                }
                Choice::Wait => self.work.wait(&mut s),
            }
        }
    }

    /// Ends the thread after the running slice.
    pub(super) fn quit(&self) {
        self.state.lock().quit = true;
        self.attention.store(true, Ordering::Relaxed);
        self.work.notify_all();
    }

    fn slice(&self, s: &mut MutexGuard<'_, State>, index: usize) {
        let Some(mut job) = self.job(s, index) else { return };
        let serial = s.queues.get(index).map(|queue| queue.serial);
        s.running = Some(index);
        s.last = index;
        self.attention.store(false, Ordering::Relaxed);
        let pause = MutexGuard::unlocked(s, || {
            let pause = Runner::new(&self.ctx, &mut job, &self.attention).run();
            if let Pause::Stopped(trouble) = &pause {
                self.tell(&mut job, trouble);
            }
            pause
        });
        s.running = None;
        s.clock_offset = job.clock_offset;
        if let Some(old) = job.preop {
            s.set_global(global::ATOMIC_PREOP_LO, old as u32);
            s.set_global(global::ATOMIC_PREOP_HI, (old >> 32) as u32);
        }
        if let Some(queue) = s
            .queues
            .get_mut(index)
            .filter(|queue| Some(queue.serial) == serial)
        {
            queue.set_position(&job.at);
            queue.tries = job.tries;
            queue.retry_at = None;
            match &pause {
                Pause::Empty | Pause::Slice => {}
                Pause::Blocked(after) => queue.retry_at = Instant::now().checked_add(*after),
                Pause::Stopped(_) => queue.exception = true,
            }
        }
        self.paused.notify_all();
    }

    fn job(&self, s: &State, index: usize) -> Option<Job> {
        let queue = s.queues.get(index)?;
        let vmid = queue.vmid();
        let client = Client {
            hub: HubId::Mm,
            vmid,
            name: self.name,
        };
        let user = index >= RLC0;
        Some(Job {
            engine: self.index,
            queue: index,
            who: self.name,
            user,
            ring: Ring {
                base: queue.ring_base(),
                bytes: queue.ring_bytes(),
                wptr: queue.wptr(),
                client,
            },
            pasid: queue.pasid.unwrap_or_else(|| self.ctx.gmc.pasid(vmid)),
            rptr_addr: queue.rptr_addr(),
            ib_enabled: user || queue.get(q::IB_CNTL) & q::IB_ENABLE != 0,
            trap_enabled: s.get_global(global::CNTL) & global::TRAP_ENABLE != 0,
            at: queue.position(),
            tries: queue.tries,
            clock_offset: s.clock_offset,
            preop: None,
        })
    }

    /// Reports what stopped a queue, the way the hardware tells the driver, and to whoever judges the run.
    fn tell(&self, job: &mut Job, trouble: &Trouble) {
        let place = format!(
            "{} {} at rptr {:#x}",
            self.name,
            regs::queue_name(job.queue),
            job.at.rptr
        );
        match trouble {
            Trouble::Fault(client, fault) => {
                tracing::warn!("{place}: vmid {} {fault:x?}", client.vmid);
                self.ctx.report.count("sdma_fault", 1);
                self.ctx.gmc.report_fault(*client, fault);
            }
            Trouble::Hole(va) => {
                tracing::warn!("{place}: address {va:#x} is in the hole");
                self.ctx.report.count("sdma_vm_hole", 1);
                Runner::new(&self.ctx, job, &self.attention).interrupt(exec::source::VM_HOLE, *va as u32);
            }
            Trouble::Packet(bad) => self.ctx.report.unknown("sdma-packet", format!("{place}: {bad}")),
            Trouble::Rule(kind, text) => self.ctx.report.violation(kind, format!("{place}: {text}")),
        }
    }

    /// Reads a register.
    pub(super) fn read(&self, place: Place) -> u32 {
        let s = self.state.lock();
        match place {
            Place::Global(global::STATUS_REG) => global::STATUS_IDLE & !u32::from(s.busy()),
            Place::Global(reg) => s.get_global(reg),
            Place::Queue {
                queue,
                reg: q::CONTEXT_STATUS,
            } => s.context_status(queue),
            Place::Queue { queue, reg } => s.queues.get(queue).map_or(0, |queue| queue.get(reg)),
        }
    }

    /// Writes a register.
    pub(super) fn write(&self, place: Place, value: u32) {
        let mut s = self.state.lock();
        match place {
            Place::Global(global::STATUS_REG) => {}
            Place::Global(global::FREEZE) => {
                let frozen = if value & global::FREEZE_REQ != 0 {
                    global::FROZEN
                } else {
                    0
                };
                s.set_global(global::FREEZE, value & !global::FROZEN | frozen);
            }
            Place::Global(reg) => s.set_global(reg, value),
            Place::Queue { queue, reg } => self.write_queue(&mut s, queue, reg, value),
        }
        drop(s);
        self.attention.store(true, Ordering::Relaxed);
        self.work.notify_all();
    }

    fn write_queue(&self, s: &mut State, index: usize, reg: u32, value: u32) {
        let name = regs::queue_name(index);
        let Some(queue) = s.queues.get_mut(index) else {
            return;
        };
        match reg {
            q::CONTEXT_STATUS => {}
            q::RB_RPTR | q::RB_RPTR_HI => {
                queue.set(reg, value);
                queue.restart();
            }
            q::RB_CNTL => {
                if value & q::RB_SWAPS != 0 {
                    self.ctx.report.unknown(
                        "sdma-byte-swap",
                        format!("{} {name} RB_CNTL {value:#x}", self.name),
                    );
                }
                if value & q::RB_ENABLE == 0 {
                    queue.exception = false;
                    queue.wake();
                }
                queue.set(reg, value);
            }
            q::RB_AQL_CNTL if value & q::AQL_ENABLE != 0 => {
                self.ctx
                    .report
                    .unknown("sdma-aql", format!("{} {name} RB_AQL_CNTL {value:#x}", self.name));
                queue.set(reg, value);
            }
            _ => queue.set(reg, value),
        }
    }

    /// A doorbell at BAR2 dword `index`; `false` if none of the engine's queues has it.
    pub(super) fn doorbell(&self, index: u32, value: u64) -> bool {
        let mut s = self.state.lock();
        let Some(queue) = s.queues.iter_mut().find(|queue| queue.doorbell() == Some(index)) else {
            return false;
        };
        let old = queue.wptr();
        if value < old && queue.get(q::MINOR_PTR_UPDATE) & q::MINOR_PTR_UPDATE_ENABLE == 0 {
            let text = format!(
                "{} doorbell {index:#x}: write pointer from {old:#x} to {value:#x}",
                self.name
            );
            self.ctx.report.violation("sdma-wptr-backwards", text);
            return true;
        }
        queue.set(q::DOORBELL, queue.get(q::DOORBELL) | q::DOORBELL_CAPTURED);
        queue.set_wptr(value);
        drop(s);
        self.work.notify_all();
        true
    }

    /// Raises the write pointer of RLC queue `slot` to `wptr`, if it is behind.
    pub(super) fn catch_up(&self, slot: usize, wptr: u64) -> Result<(), QueueError> {
        let mut s = self.state.lock();
        let queue = s.rlc(slot)?;
        if queue.enabled() && queue.wptr() < wptr {
            queue.set_wptr(wptr);
            drop(s);
            self.work.notify_all();
        }
        Ok(())
    }

    /// Loads a user queue into RLC queue `slot`.
    pub(super) fn map(&self, slot: usize, map: &QueueMap) -> Result<(), QueueError> {
        let mut s = self.state.lock();
        let queue = s.rlc(slot)?;
        if queue.enabled() {
            return Err(QueueError::Occupied {
                engine: self.index,
                slot,
            });
        }
        let serial = queue.serial.wrapping_add(1);
        *queue = Queue::new();
        queue.serial = serial;
        queue.pasid = Some(map.pasid);
        for (reg, value) in map.mqd.registers() {
            queue.set(reg, value);
        }
        let cntl = queue.get(q::RB_CNTL) & !q::RB_VMID | place(map.vmid.into(), q::RB_VMID);
        queue.set(q::RB_CNTL, cntl | q::RB_ENABLE);
        queue.set(q::DOORBELL, queue.get(q::DOORBELL) | q::DOORBELL_ENABLE);
        if let Some(wptr) = map.wptr {
            queue.set_wptr(wptr);
        }
        if let Some(mut at) = Some(queue.position()).filter(|at| at.ib.is_some()) {
            // a resumed indirect buffer belongs to the VMID the process has now
            at.ib = at.ib.map(|ib| Ib { vmid: map.vmid, ..ib });
            queue.set_position(&at);
        }
        drop(s);
        self.ctx.report.count("sdma_queue_map", 1);
        self.work.notify_all();
        Ok(())
    }

    /// Stops RLC queue `slot` and stores its registers into `mqd`; returns when the engine no longer touches its memory.
    pub(super) fn unmap(&self, slot: usize, mqd: &mut SdmaMqd) -> Result<(), QueueError> {
        let mut s = self.state.lock();
        if !s.rlc(slot)?.enabled() {
            return Err(QueueError::NotMapped {
                engine: self.index,
                slot,
            });
        }
        s.rlc(slot)?.stopping = true;
        if !self.wait_paused(&mut s, Some(RLC0 + slot)) {
            s.rlc(slot)?.stopping = false;
            return Err(QueueError::Stuck {
                engine: self.index,
                slot,
            });
        }
        let status = s.context_status(RLC0 + slot);
        let queue = s.rlc(slot)?;
        mqd.save(|reg| match reg {
            q::RB_CNTL => queue.get(reg) & !q::RB_ENABLE & !q::RB_VMID,
            q::CONTEXT_STATUS => status,
            _ => queue.get(reg),
        });
        let serial = queue.serial.wrapping_add(1);
        *queue = Queue::new();
        queue.serial = serial;
        drop(s);
        self.ctx.report.count("sdma_queue_unmap", 1);
        Ok(())
    }

    /// Power-on state; returns when the engine no longer touches memory.
    pub(super) fn reset(&self) {
        let mut s = self.state.lock();
        s.set_global(global::F32_CNTL, global::HALT);
        if !self.wait_paused(&mut s, None) {
            self.ctx
                .report
                .violation("model-failure", format!("{} does not stop", self.name));
        }
        let serials: Vec<u64> = s
            .queues
            .iter()
            .map(|queue| queue.serial.wrapping_add(1))
            .collect();
        let quit = s.quit;
        let mut fresh = State::power_on();
        fresh.quit = quit;
        fresh.running = s.running;
        *s = fresh;
        for (queue, serial) in s.queues.iter_mut().zip(serials) {
            queue.serial = serial;
        }
    }

    /// Ends the running slice if it is of `queue` (or any, if `None`); `false` if it does not end in time.
    fn wait_paused(&self, s: &mut MutexGuard<'_, State>, queue: Option<usize>) -> bool {
        let deadline = Instant::now() + STOP;
        while s.running.is_some() && (queue.is_none() || s.running == queue) {
            self.attention.store(true, Ordering::Relaxed);
            if self.paused.wait_until(s, deadline).timed_out() {
                return false;
            }
        }
        true
    }
}
