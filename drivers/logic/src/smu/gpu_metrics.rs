// SPDX-License-Identifier: GPL-2.0
//! The file gpu_metrics of sysfs: all measurements in one binary record. Layout: kernel kgd_pp_interface.h
//! `struct gpu_metrics_v1_3`.

use super::metrics::{Clock, Metrics};
use super::throttle;

/// sizeof(struct gpu_metrics_v1_3).
pub const GPU_METRICS: usize = 120;

/// The PCIe link now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Lanes.
    pub width: u16,
    /// Speed of a lane, 0.1 GT/s.
    pub speed: u16,
}

/// What the record is made of.
#[derive(Clone, Copy, Debug)]
pub struct GpuMetrics<'a> {
    /// What the card measures.
    pub metrics: &'a Metrics,
    /// Its link.
    pub link: Link,
    /// Time since the machine started, with sleep, ns.
    pub boottime: u64,
}

impl GpuMetrics<'_> {
    /// The record. What this chip does not measure is all ones.
    pub fn encode(&self) -> [u8; GPU_METRICS] {
        let m = self.metrics;
        let mut record = Record([0xff; GPU_METRICS]);
        // structure_size, format_revision, content_revision
        record.put(0, (GPU_METRICS as u16).to_le_bytes());
        record.put(2, [1, 3]);
        record.halves(4, &[m.edge, m.hotspot, m.memory]);
        record.halves(10, &m.regulators);
        record.halves(16, &[m.gfx_activity, m.memory_activity]);
        record.halves(22, &[m.power]);
        record.put(24, m.energy.to_le_bytes());
        record.put(32, self.boottime.to_le_bytes());
        // the average clocks of the video engine are not measured, but not ones either
        record.halves(40, &[m.average_gfxclk, m.average_socclk, m.average_uclk, 0, 0]);
        record.halves(
            54,
            &[Clock::Gfx, Clock::Soc, Clock::Memory, Clock::Vclk, Clock::Dclk].map(|c| m.clock(c)),
        );
        record.put(68, m.throttlers.to_le_bytes());
        // no fan
        record.halves(72, &[0, self.link.width, self.link.speed]);
        record.put(80, m.gfx_busy.to_le_bytes());
        record.put(84, m.memory_busy.to_le_bytes());
        record.halves(88, &m.stacks);
        record.put(96, m.time.to_le_bytes());
        record.put(112, throttle::common(m.throttlers).to_le_bytes());
        record.0
    }
}

struct Record([u8; GPU_METRICS]);

impl Record {
    /// `bytes` from byte `at` on; what is behind the end is cut off.
    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        for (to, from) in self.0.iter_mut().skip(at).zip(bytes) {
            *to = from;
        }
    }

    fn halves(&mut self, at: usize, values: &[u16]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        for (to, from) in self.0.iter_mut().skip(at).zip(bytes) {
            *to = from;
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_smu_gpu_metrics)
)]
mod tests {
    use super::super::metrics::tests::table;
    use super::*;
    use crate::bytes::{u16_at, u32_at, u64_at};

    #[test]
    fn every_number_has_its_place() {
        let metrics = Metrics::decode(&table());
        let record = GpuMetrics {
            metrics: &metrics,
            link: Link {
                width: 16,
                speed: 160,
            },
            boottime: 0x1234_5678_9abc_def0,
        }
        .encode();
        assert_eq!(record[..4], [120, 0, 1, 3]);
        let halves = |at: usize, values: &[u16]| {
            values
                .iter()
                .enumerate()
                .all(|(n, value)| u16_at(&record, at + 2 * n) == Some(*value))
        };
        // temperatures, activities (none of the video engine), power
        assert!(halves(4, &[0x110, 0x111, 0x112, 0x113, 0x114, 0x115]));
        assert!(halves(16, &[0x10b, 0x10c, 0xffff, 0x10f]));
        assert_eq!(u64_at(&record, 24), Some(metrics.energy));
        assert_eq!(u64_at(&record, 32), Some(0x1234_5678_9abc_def0));
        // average clocks, then those of now: graphics, system, memory, video; no second video engine
        assert!(halves(40, &[0x108, 0x109, 0x10a, 0, 0, 0xffff, 0xffff]));
        assert!(halves(54, &[0x100, 0x103, 0x104, 0x101, 0x102, 0xffff, 0xffff]));
        assert_eq!(u32_at(&record, 68), Some(metrics.throttlers));
        // fan, link, padding
        assert!(halves(72, &[0, 16, 160, 0xffff]));
        assert_eq!(u32_at(&record, 80), Some(metrics.gfx_busy));
        assert_eq!(u32_at(&record, 84), Some(metrics.memory_busy));
        assert!(halves(88, &metrics.stacks));
        assert_eq!(u64_at(&record, 96), Some(metrics.time));
        // voltages are not measured
        assert!(halves(104, &[0xffff; 4]));
        assert_eq!(u64_at(&record, 112), Some(throttle::common(metrics.throttlers)));
    }
}
