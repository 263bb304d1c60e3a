// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What happens in the card that a fault can act on, and how it acts.

use std::time::Duration;

/// Kinds of events, with the names that triggers have for them.
macro_rules! points {
    ($($(#[$about:meta])* $point:ident = $name:literal;)*) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Point {
            $($(#[$about])* $point,)*
        }

        impl Point {
            /// The kind with this name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$point),)*
                    _ => None,
                }
            }
        }

        /// Names of all kinds.
        pub const POINTS: &[&str] = &[$($name),*];
    };
}

points! {
    /// The CPU reads a register.
    RegisterRead = "reg-read";
    /// The CPU writes a register.
    RegisterWrite = "reg-write";
    /// The CPU rings a doorbell.
    Doorbell = "doorbell";
    /// Configuration space is read or written.
    Config = "config";
    /// A block raises an interrupt vector.
    Vector = "vector";
    /// The interrupt handler sends its message.
    Message = "message";
    /// An engine turns to a queue that has work.
    Turn = "turn";
    /// An engine is about to execute a packet.
    Packet = "packet";
    /// A hub is about to acknowledge an invalidation.
    Acknowledge = "acknowledge";
    /// A hub walks page tables.
    Walk = "walk";
    /// A processor (PSP, SMU) is given a command.
    Command = "command";
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What kind it is.
    pub point: Point,
    /// Where: CPU, IH, KIQ, HIQ, CP (queues of processes), SDMA0 to SDMA4, GFXHUB, MMHUB, PSP, SMU.
    pub unit: &'static str,
    /// Name of the packet or command; "" if there is none.
    pub what: &'static str,
    /// The address space it is for.
    pub vmid: u8,
}

impl Event {
    /// Something of the kernel's (VMID 0).
    pub fn new(point: Point, unit: &'static str, what: &'static str) -> Self {
        Self {
            point,
            unit,
            what,
            vmid: 0,
        }
    }

    /// The same for another address space.
    pub fn of(self, vmid: u8) -> Self {
        Self { vmid, ..self }
    }
}

/// What a fault makes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It does not happen.
    Lose,
    /// It happens twice.
    Repeat,
    /// It happens wrongly: garbage instead of what should come of it.
    Garble,
    /// It does not happen now. Whoever tries again tries in vain until the fault is over; with `ms=` it comes late.
    Hold,
    /// The program ends, as a crash does.
    Crash,
}

/// What is to become of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Go,
    /// It does not happen.
    Lose,
    /// It happens twice.
    Repeat,
    /// Garbage comes of it.
    Garble,
    /// It does not happen now; of a command: not before this time is over, or never.
    Hold(Option<Duration>),
}
