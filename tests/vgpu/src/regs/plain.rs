// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers that only remember: what was written is what is read.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// A set of registers that remember; what is not in the set does not exist.
#[derive(Debug)]
pub struct PlainRegs {
    /// Power-on value and present value by offset.
    values: Mutex<BTreeMap<u32, (u32, u32)>>,
}

impl PlainRegs {
    /// Registers that are 0 at power-on.
    pub fn new(offsets: &[u32]) -> Self {
        Self::with_values(offsets.iter().map(|o| (*o, 0)))
    }

    /// Registers of a table of offsets and names, 0 at power-on.
    pub fn named(table: &[(u32, &str)]) -> Self {
        Self::with_values(table.iter().map(|(o, _)| (*o, 0)))
    }

    /// Registers and their power-on values.
    pub fn with_values(values: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self {
            values: Mutex::new(values.into_iter().map(|(o, v)| (o, (v, v))).collect()),
        }
    }

    /// Changes the power-on value of registers of the set.
    pub fn powered_on_with(self, values: &[(u32, u32)]) -> Self {
        for (off, v) in values {
            if let Some(r) = self.values.lock().get_mut(off) {
                *r = (*v, *v);
            }
        }
        self
    }

    /// The value of a register; `None` if it is not in the set.
    pub fn read(&self, off: u32) -> Option<u32> {
        self.values.lock().get(&off).map(|(_, now)| *now)
    }

    /// The value of a register; 0 if it is not in the set.
    pub fn get(&self, off: u32) -> u32 {
        self.read(off).unwrap_or(0)
    }

    /// Writes a register; `false` if it is not in the set.
    pub fn write(&self, off: u32, value: u32) -> bool {
        self.values
            .lock()
            .get_mut(&off)
            .map(|(_, now)| *now = value)
            .is_some()
    }

    /// Back to the power-on values.
    pub fn reset(&self) {
        self.values
            .lock()
            .values_mut()
            .for_each(|(first, now)| *now = *first);
    }
}
