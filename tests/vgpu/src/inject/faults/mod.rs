// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The faults by name, a file for each part of the card that fails. A new one is a row in one of them.

mod bus;
mod engines;
mod errors;
mod firmware;
mod interrupts;
mod translation;

use super::event::{Act, Event, Point};
use crate::device::Gpu;

/// A fault.
#[derive(Debug)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// What goes wrong.
    pub about: &'static str,
    /// How.
    pub kind: Kind,
}

/// How a fault works.
#[derive(Debug)]
pub enum Kind {
    /// It changes what happens.
    Events(&'static [On]),
    /// It makes something happen.
    Action(fn(&Gpu)),
}

/// What a fault does to events of a kind. An empty name stands for all; a unit's may be the beginning of several.
#[derive(Debug)]
pub struct On {
    point: Point,
    unit: &'static str,
    what: &'static str,
    pub(super) act: Act,
}

impl On {
    const fn new(point: Point, unit: &'static str, what: &'static str, act: Act) -> Self {
        Self {
            point,
            unit,
            what,
            act,
        }
    }

    pub(super) fn covers(&self, event: &Event) -> bool {
        self.point == event.point
            && event.unit.starts_with(self.unit)
            && (self.what.is_empty() || self.what == event.what)
    }
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    [
        interrupts::FAULTS,
        engines::FAULTS,
        translation::FAULTS,
        bus::FAULTS,
        firmware::FAULTS,
        errors::FAULTS,
    ]
    .into_iter()
    .flatten()
}

/// The one with this name.
pub fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}

/// Their names.
pub fn names() -> Vec<&'static str> {
    all().map(|fault| fault.name).collect()
}
