// SPDX-License-Identifier: GPL-2.0
//! Tables that system management (SMU 13.0.2) passes through memory, and what Linux programs read of them.

mod gpu_metrics;
mod levels;
mod metrics;
mod throttle;

pub use gpu_metrics::{GpuMetrics, Link, GPU_METRICS};
pub use levels::Levels;
pub use metrics::{Clock, Metrics, METRICS};
