// SPDX-License-Identifier: GPL-2.0
//! Names of buffers: the GPU a buffer lives on in the upper half, its number there in the lower.

/// Name of a buffer of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    /// The GPU it lives on.
    pub gpu_id: u32,
    /// Its number among the buffers of the process on that GPU.
    pub index: u32,
}

impl Handle {
    /// From what userspace passes. Any value names something; whether it exists is another question.
    pub const fn decode(raw: u64) -> Self {
        Self {
            gpu_id: (raw >> 32) as u32,
            index: (raw & 0xffff_ffff) as u32,
        }
    }

    /// For userspace.
    pub const fn encode(self) -> u64 {
        (self.gpu_id as u64) << 32 | self.index as u64
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_handle))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn halves() {
        assert_eq!(
            Handle {
                gpu_id: 0xbeef,
                index: 2
            }
            .encode(),
            0xbeef_0000_0002
        );
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn comes_back(raw: u64) {
            prop_assert_eq!(Handle::decode(raw).encode(), raw);
        }
    }
}
