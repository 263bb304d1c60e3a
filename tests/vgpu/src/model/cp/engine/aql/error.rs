// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queue errors: what the runtime is told, and how a queue goes on or stops.

use super::super::super::aql::amd_queue::AmdQueue;
use super::super::super::aql::fault::QueueError;
use super::super::super::aql::signal;
use super::super::super::bus::MemFault;
use super::super::super::pm4::Bad;
use super::super::super::queue::aql::Held;
use super::super::super::queue::{Queue, State};
use super::super::super::regs::ERROR_AQL;
use super::super::events::{enable, source};
use super::super::{Engine, Step};

impl Engine {
    /// Stores a queue error where the runtime looks for it. The queue waits for the runtime, or stops for good.
    pub(super) fn queue_error(&mut self, q: &mut Queue, error: QueueError, amd: &AmdQueue) -> Step {
        let code = error.signal_value();
        let recoverable = matches!(
            error,
            QueueError::InsufficientScratch | QueueError::LargeScratchReclaim
        );
        if recoverable {
            self.bus.count("cp_aql_scratch_request");
        } else {
            let text = format!(
                "{} pasid {:#x} packet {}: {error:?}",
                q.slot,
                q.pasid,
                q.ring.rptr()
            );
            self.bus.violation("aql-packet", text);
        }
        if amd.inactive_signal != 0 {
            match signal::store(&*self.bus, q.vmid, amd.inactive_signal, code) {
                Ok(Some(event)) => self.interrupt(q, source::EOP, enable::TIME_STAMP, event),
                Ok(None) => {}
                Err(MemFault { va }) => return self.bad_packet(q, None, Bad::Fault(va)),
            }
        }
        match &mut q.aql {
            Some(aql) if recoverable && amd.inactive_signal != 0 => {
                aql.held = Some(Held {
                    signal: amd.inactive_signal,
                    code,
                });
                q.poll(self.bus.now());
            }
            _ => {
                q.state = State::Halted;
                self.hqd_error(q.slot, ERROR_AQL);
                if let Some(exception) = error.exception_code() {
                    let context = Self::exception_context(q, exception);
                    self.interrupt(q, source::BAD_OPCODE, enable::OPCODE_ERROR, context);
                }
            }
        }
        Step::Stuck
    }
}
