// SPDX-License-Identifier: GPL-2.0
//! Memory queue descriptors (MQD) of gfx9: what the scheduler loads into a hardware queue slot and saves back.
//!
//! A descriptor is 512 dwords of VMID 0 memory, zeroed first. The builders here yield its non-zero [`Field`]s; the
//! driver puts them where the descriptor lives. While a queue is on the hardware its descriptor is not to be
//! touched; while it is off, the fields that `update` yields may change and all others hold the queue's state.
//!
//! Source of the layout: kernel `include/v9_structs.h`; of the register fields: `gc_9_4_2_sh_mask.h`.

mod compute;
mod cu_mask;
mod field;
mod kernel;
mod sdma;

pub use compute::{ComputeQueue, EopBuffer, Format, SaveArea};
pub use cu_mask::{CuMask, ShaderEngines, ALL_CUS, MAX_SHADER_ENGINES};
pub use field::Field;
pub use kernel::KernelQueue;
pub use sdma::SdmaQueue;

use crate::bits::log2;

/// Bytes of a descriptor.
pub const SIZE: usize = 2048;

/// Dword of the HIQ's descriptor in which the scheduler leaves the doorbell of a queue that would not leave the
/// hardware. Zero after an unmap that took everything off.
pub const UNPREEMPTED_DOORBELL: Field = Field::new(240);

/// Size of a ring buffer: a power of two of bytes, as the hardware's size fields can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSize {
    /// Base-2 logarithm of the dwords.
    log2_dwords: u32,
}

impl RingSize {
    /// A ring of `bytes` bytes; `None` unless that is a power of two and at least 8.
    pub const fn new(bytes: u32) -> Option<Self> {
        match log2(bytes) {
            Some(n) if n >= 3 => Some(Self {
                log2_dwords: n.saturating_sub(2),
            }),
            _ => None,
        }
    }

    /// Dwords in the ring.
    pub const fn dwords(self) -> u32 {
        1 << self.log2_dwords
    }

    /// Bytes of the ring.
    pub const fn bytes(self) -> u32 {
        4 << self.log2_dwords
    }

    /// Base-2 logarithm of the dwords, as the SDMA's size fields hold it.
    pub const fn log2_dwords(self) -> u32 {
        self.log2_dwords
    }

    /// As the command processor's size fields hold it: `2^(n + 1)` dwords.
    const fn cp_code(self) -> u32 {
        self.log2_dwords.saturating_sub(1)
    }
}

/// Priority of a user queue, 0 (lowest) to 15, as the KFD ABI has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priority(u8);

impl Priority {
    /// Priority `level`; `None` above 15.
    pub const fn new(level: u32) -> Option<Self> {
        if level <= 15 {
            Some(Self(level as u8))
        } else {
            None
        }
    }

    /// The three levels that pipes know: low, medium, high.
    const fn pipe(self) -> u32 {
        match self.0 {
            0..=6 => 0,
            7..=10 => 1,
            _ => 2,
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_mqd))]
mod tests {
    // not all: the name `kernel` is the crate's here
    use super::{Field, Priority, RingSize, SIZE};

    /// The descriptor that `fields` make.
    pub(super) fn lay_out(fields: impl Iterator<Item = (Field, u32)>) -> [u32; SIZE / 4] {
        let mut mqd = [0; SIZE / 4];
        for (field, value) in fields {
            mqd[field.dword()] = value;
        }
        mqd
    }

    #[test]
    fn ring_sizes() {
        let page = RingSize::new(4096);
        assert_eq!(
            page.map(|p| (p.dwords(), p.bytes(), p.cp_code())),
            Some((1024, 4096, 9))
        );
        assert_eq!(RingSize::new(8).map(RingSize::cp_code), Some(0));
        assert!(RingSize::new(4).is_none() && RingSize::new(0).is_none() && RingSize::new(3000).is_none());
        assert_eq!(RingSize::new(1 << 31).map(RingSize::bytes), Some(1 << 31));
    }

    #[test]
    fn priorities() {
        let pipes = (0..=15).filter_map(Priority::new).map(Priority::pipe);
        assert!(pipes.eq([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]));
        assert!(Priority::new(16).is_none());
    }
}
