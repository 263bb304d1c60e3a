// SPDX-License-Identifier: GPL-2.0
//! SDMA queues: which engine and which of its queues a user queue gets.

use super::IdSet;

/// Queues for users on each engine (RLC0 to RLC7).
const QUEUES_PER_ENGINE: u32 = 8;

/// The engines of a device. The first ones are meant for traffic over PCIe, the others for links between GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdmaEngines {
    /// Engines for PCIe.
    pub pcie: u8,
    /// Engines for links between GPUs, numbered after them.
    pub xgmi: u8,
}

/// What kind of SDMA queue is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SdmaKind {
    /// Any engine for PCIe.
    Pcie,
    /// Any engine for links between GPUs.
    Xgmi,
    /// This engine.
    Engine(u8),
}

/// A queue of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdmaQueueId {
    /// Engine.
    pub engine: u8,
    /// Queue of the engine, 0 to 7.
    pub queue: u8,
}

/// The SDMA queues of a device.
#[derive(Clone, Debug)]
pub struct SdmaSlots {
    engines: SdmaEngines,
    /// Number = queue * 16 + engine, so that the lowest free number is the next engine in turn.
    taken: IdSet<2>,
}

/// Engines that the numbering has room for.
const MAX_ENGINES: u32 = 16;

impl SdmaSlots {
    /// All queues free; `None` for more than 16 engines.
    pub fn new(engines: SdmaEngines) -> Option<Self> {
        let all = u32::from(engines.pcie).checked_add(engines.xgmi.into())?;
        (all <= MAX_ENGINES).then_some(Self {
            engines,
            taken: IdSet::new(),
        })
    }

    /// Takes a free queue of that kind; `None` if there is none left, or no such engine.
    pub fn take(&mut self, kind: SdmaKind) -> Option<SdmaQueueId> {
        let pcie = u32::from(self.engines.pcie);
        let all = pcie.checked_add(self.engines.xgmi.into())?;
        let suits = move |id: u32| {
            let engine = id % MAX_ENGINES;
            match kind {
                SdmaKind::Pcie => engine < pcie,
                SdmaKind::Xgmi => engine >= pcie && engine < all,
                SdmaKind::Engine(wanted) => engine == u32::from(wanted) && engine < all,
            }
        };
        let id = self.taken.take_where(QUEUES_PER_ENGINE * MAX_ENGINES, suits)?;
        Some(SdmaQueueId {
            engine: u8::try_from(id % MAX_ENGINES).ok()?,
            queue: u8::try_from(id / MAX_ENGINES).ok()?,
        })
    }

    /// Gives a queue back; false if it was not taken.
    pub fn release(&mut self, id: SdmaQueueId) -> bool {
        match u32::from(id.queue).checked_mul(MAX_ENGINES) {
            Some(base) if u32::from(id.engine) < MAX_ENGINES => base
                .checked_add(id.engine.into())
                .is_some_and(|id| self.taken.release(id)),
            _ => false,
        }
    }

    /// Queues that are taken.
    pub fn count(&self) -> u32 {
        self.taken.count()
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_slots_sdma))]
mod tests {
    use super::*;

    const GFX90A: SdmaEngines = SdmaEngines { pcie: 2, xgmi: 3 };

    #[test]
    fn engines_take_turns_from_the_first() -> Result<(), &'static str> {
        let mut slots = SdmaSlots::new(GFX90A).ok_or("too many engines")?;
        let mut take = |kind| slots.take(kind).map(|s| (s.engine, s.queue));
        assert_eq!(take(SdmaKind::Pcie), Some((0, 0)));
        assert_eq!(take(SdmaKind::Pcie), Some((1, 0)));
        assert_eq!(take(SdmaKind::Pcie), Some((0, 1)));
        assert_eq!(take(SdmaKind::Xgmi), Some((2, 0)));
        assert_eq!(take(SdmaKind::Engine(4)), Some((4, 0)));
        assert_eq!(take(SdmaKind::Xgmi), Some((3, 0)));
        assert_eq!(take(SdmaKind::Xgmi), Some((2, 1)));
        assert_eq!(take(SdmaKind::Engine(5)), None);
        Ok(())
    }

    #[test]
    fn kinds_run_out_on_their_own() -> Result<(), &'static str> {
        let mut slots = SdmaSlots::new(GFX90A).ok_or("too many engines")?;
        let mut pcie = [None; 17];
        pcie.fill_with(|| slots.take(SdmaKind::Pcie));
        assert_eq!(pcie.iter().flatten().count(), 16);
        assert_eq!(core::iter::from_fn(|| slots.take(SdmaKind::Xgmi)).count(), 24);
        let sixth = pcie[5].ok_or("not taken")?;
        assert!(slots.release(sixth) && !slots.release(sixth));
        assert_eq!(slots.take(SdmaKind::Pcie), Some(sixth));
        assert!(!slots.release(SdmaQueueId {
            engine: 200,
            queue: 0
        }));
        Ok(())
    }
}
