// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rates: `cargo test --release -p vgpu-isa rates -- --ignored --nocapture`.

use super::harness::{Case, Random, HIP_MODE};
use crate::mode::Mode;
use crate::valu::{find, OPS};
use crate::wave::LANES;
use std::time::Duration;

/// Lane operations per second of an instruction on ordinary numbers.
fn rate(name: &'static str, mode: Mode) -> f64 {
    let mut random = Random(1);
    let mut case = Case::new(name).on(|w| w.mode = mode);
    for i in 0..3 {
        // numbers near one in every width
        let tame = |x: u64| x & 0x000f_ffff_03ff_03ff | 0x3ff0_0000_3c00_3c00;
        case = case.src64(i, random.row64().map(tame));
    }
    if name.starts_with("v_cmp") {
        case = case.with(|v| v.dst = super::harness::MASK_OUT);
    }
    if name.contains("lane") || name.contains("cndmask") || name.contains("bb") || name.contains("addc") {
        case = case.with(|v| (v.src[1], v.src[2]) = (crate::inst::Operand(130), super::harness::MASK_IN));
    }
    let exec = find(name).expect("a name from the list");
    let (mut runs, start) = (0u32, cpu_time());
    let batch = if name.contains("mfma") { 50 } else { 5000 };
    while cpu_time() - start < Duration::from_millis(20) {
        for _ in 0..batch {
            case.wave.exec = u64::MAX;
            let _ = std::hint::black_box(exec(&mut case.wave, &case.vop));
        }
        runs += batch;
    }
    f64::from(runs) * LANES as f64 / (cpu_time() - start).as_secs_f64()
}

/// Time that this thread has had a processor, so that other work on the machine does not count.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat");
    Duration::from_nanos(
        stat.split(' ')
            .next()
            .and_then(|ns| ns.parse().ok())
            .expect("nanoseconds"),
    )
}

#[test]
#[ignore = "measures, checks nothing"]
fn rates() {
    let mut all: Vec<(f64, &str)> = OPS
        .iter()
        .flat_map(|list| list.iter())
        .map(|(name, _)| (rate(name, HIP_MODE), *name))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (rate, name) in all {
        println!("{:8.1} M lane operations/s  {name}", rate / 1e6);
    }
    println!(
        "{:8.1} M lane operations/s  v_fma_f32 without denormals",
        rate("v_fma_f32", Mode(0xc0)) / 1e6
    );
}
