// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupt messages to the platform: one event descriptor per vector.

use std::os::fd::OwnedFd;

use parking_lot::Mutex;
use rustix::io::Errno;

use crate::model::ih::IrqSink;
use crate::vfio::{IrqAction, SetIrqs};

/// The vectors of the interrupt index in use.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    fds: Mutex<Vec<Option<OwnedFd>>>,
}

impl Vectors {
    /// Carries out a request for these vectors.
    pub(crate) fn set(&self, r: SetIrqs<'_>) -> Result<(), Errno> {
        // QEMU emulates the mask bits and holds messages back itself
        if r.action != IrqAction::Trigger {
            return Ok(());
        }
        let vectors = r.start..r.start.saturating_add(r.count);
        match (r.fds, r.bools) {
            (Some(fds), _) => {
                let mut all = self.fds.lock();
                let need = vectors.end as usize;
                if all.len() < need {
                    all.resize_with(need, || None);
                }
                for (slot, fd) in all.iter_mut().skip(r.start as usize).zip(fds) {
                    *slot = fd;
                }
            }
            (None, Some(bools)) => {
                for (v, _) in vectors.zip(bools).filter(|(_, on)| **on != 0) {
                    self.signal(v);
                }
            }
            (None, None) if r.count == 0 => self.fds.lock().clear(),
            (None, None) => {
                for v in vectors {
                    self.signal(v);
                }
            }
        }
        Ok(())
    }

    /// Disconnects all vectors.
    pub(crate) fn clear(&self) {
        self.fds.lock().clear();
    }
}

impl IrqSink for Vectors {
    fn signal(&self, vector: u32) -> bool {
        let fds = self.fds.lock();
        let fd = fds.get(vector as usize).and_then(Option::as_ref);
        fd.is_some_and(|fd| rustix::io::write(fd, &1u64.to_ne_bytes()).is_ok())
    }
}
