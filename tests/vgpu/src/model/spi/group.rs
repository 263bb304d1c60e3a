// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One workgroup on its compute unit: its waves take turns on one thread.

use std::sync::Arc;

use vgpu_isa::{run, Illegal, Lds, MemFault, Stop, Wave};

use super::dispatch::{Dispatch, Needs};
use super::launch::{self, Place};
use super::memory::WaveMemory;
use super::sq::{self, SqError};
use crate::ctx::Ctx;
use crate::model::cp::dispatch_request::Outcome;

/// Instructions of one wave before the next one of the workgroup has its turn, and between two chances for invalidations.
const TURN: u64 = 2048;
/// Instructions of a workgroup before another one has its turn.
const SLICE: u64 = 100_000;

/// What a wave is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Barrier,
    Halted,
    Ended,
}

struct Member {
    wave: Wave,
    state: State,
}

/// Why a workgroup stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// All its waves have ended.
    Done,
    /// It had its turn.
    Again,
    /// All its waves sleep (`s_sleep`), so it probably waits for somebody.
    Asleep,
    /// Waves are halted: nothing happens until the dispatch is killed.
    Halted,
    /// The dispatch ends early, for this reason.
    Failed(Outcome),
}

/// A workgroup that has been started.
pub(super) struct Group {
    pub(super) dispatch: Arc<Dispatch>,
    id: [u32; 3],
    place: Place,
    members: Vec<Member>,
    lds: Lds,
    /// Scratch slots of its waves.
    pub(super) slots: Vec<u32>,
    /// Turns so far in which all its waves slept.
    pub(super) sleeps: u32,
}

impl Group {
    /// Starts workgroup `id`.
    pub(super) fn start(dispatch: Arc<Dispatch>, id: [u32; 3], place: Place, slots: Vec<u32>) -> Self {
        let waves = launch::waves(&dispatch.request, id, place, &slots);
        let lds = Lds::new(dispatch.request.lds_bytes as usize);
        let members = waves
            .into_iter()
            .map(|wave| Member {
                wave,
                state: State::Ready,
            })
            .collect();
        Self {
            dispatch,
            id,
            place,
            members,
            lds,
            slots,
            sleeps: 0,
        }
    }

    /// What it takes of the card.
    pub(super) fn needs(&self) -> Needs {
        self.dispatch.needs(self.id)
    }

    /// Runs it for a while. `executed` grows by the instructions of all waves.
    pub(super) fn run(&mut self, ctx: &Ctx, memory: &mut WaveMemory<'_>, executed: &mut u64) -> Rest {
        let mut left = SLICE;
        let mut held = 0;
        loop {
            let (mut ran, mut slept) = (0, 0);
            for index in 0..self.members.len() {
                if let Some(outcome) = self.dispatch.stopped() {
                    return Rest::Failed(outcome);
                }
                let Some(member) = self.members.get_mut(index).filter(|m| m.state == State::Ready) else {
                    continue;
                };
                let before = member.wave.executed;
                let stop = run(&mut member.wave, &mut self.lds, memory, TURN);
                let done = member.wave.executed.saturating_sub(before);
                *executed = executed.saturating_add(done);
                left = left.saturating_sub(done.max(1));
                held += done;
                if held >= TURN {
                    memory.renew();
                    held = 0;
                }
                ran += 1;
                slept += u32::from(matches!(stop, Stop::Sleep { .. }));
                if let Some(outcome) = self.stopped(ctx, memory, index, stop) {
                    return Rest::Failed(outcome);
                }
            }
            self.release_barrier();
            if let Some(rest) = self.rest() {
                return rest;
            }
            if ran > 0 && slept == ran {
                return Rest::Asleep;
            }
            self.sleeps = 0;
            if left == 0 {
                return Rest::Again;
            }
        }
    }

    /// `s_barrier`: all waves that have not ended must reach it.
    fn release_barrier(&mut self) {
        if self
            .members
            .iter()
            .all(|m| matches!(m.state, State::Barrier | State::Ended))
        {
            for m in self.members.iter_mut().filter(|m| m.state == State::Barrier) {
                m.state = State::Ready;
            }
        }
    }

    fn rest(&self) -> Option<Rest> {
        if self.members.iter().any(|m| m.state == State::Ready) {
            return None;
        }
        let ended = self.members.iter().all(|m| m.state == State::Ended);
        Some(if ended { Rest::Done } else { Rest::Halted })
    }

    /// A wave stopped; `Some` ends the dispatch.
    fn stopped(
        &mut self,
        ctx: &Ctx,
        memory: &mut WaveMemory<'_>,
        index: usize,
        stop: Stop,
    ) -> Option<Outcome> {
        let member = self.members.get_mut(index)?;
        match stop {
            Stop::EndPgm => member.state = State::Ended,
            Stop::Barrier => member.state = State::Barrier,
            Stop::Halt => member.state = State::Halted,
            Stop::Yield | Stop::Sleep { .. } => {}
            // without a handler s_trap does nothing
            Stop::Trap { .. } => {
                ctx.report.count("trap_without_handler", 1);
                member.wave.pc = member.wave.pc.wrapping_add(4);
            }
            Stop::SendMsg { msg, m0 } => sq::send_message(
                ctx,
                &self.dispatch.request,
                self.place,
                index,
                &mut member.wave,
                msg,
                m0,
            ),
            Stop::Fault(fault) => return Some(self.fault(ctx, memory, index, fault)),
            Stop::Illegal(illegal) => return Some(self.illegal(ctx, index, &illegal)),
        }
        None
    }

    fn fault(&mut self, ctx: &Ctx, memory: &mut WaveMemory<'_>, index: usize, fault: MemFault) -> Outcome {
        let pc = self.members.get(index).map_or(0, |m| m.wave.pc);
        tracing::warn!("{}: {fault} at pc {pc:#x}", self.describe(index));
        ctx.report.count("wave_memory_fault", 1);
        // one interrupt per dispatch: its waves fault in hundreds
        if self.dispatch.stop(Outcome::MemoryFault) {
            match memory.fault.take() {
                Some((client, fault)) => ctx.gmc.report_fault(client, &fault),
                None => ctx.report.violation(
                    "model-failure",
                    format!("{} faults without a fault", self.describe(index)),
                ),
            }
        }
        Outcome::MemoryFault
    }

    fn illegal(&mut self, ctx: &Ctx, index: usize, illegal: &Illegal) -> Outcome {
        let privileged = self.members.get(index).map_or(0, |m| m.wave.status() >> 5 & 1);
        ctx.report.unknown(
            "illegal-instruction",
            format!("{}: {illegal}", self.describe(index)),
        );
        if self.dispatch.stop(Outcome::IllegalInstruction) {
            let request = &self.dispatch.request;
            sq::error(
                ctx,
                request,
                self.place,
                index,
                privileged,
                SqError::IllegalInstruction,
            );
        }
        Outcome::IllegalInstruction
    }

    fn describe(&self, index: usize) -> String {
        let r = &self.dispatch.request;
        format!(
            "wave {index} of workgroup {:?}, dispatch {} (vmid {}, pasid {}, doorbell {:#x}, code {:#x})",
            self.id, self.dispatch.id.0, r.vmid, r.pasid, r.queue.doorbell, r.code
        )
    }
}
