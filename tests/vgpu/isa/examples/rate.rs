// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How fast waves execute: lane operations per second on one core, for several kinds of instruction.
//! `cargo run --release -p vgpu-isa --example rate`

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use support::{assemble, Flat, CODE, DATA};
use vgpu_isa::{run, Lds, Stop, Wave, LANES};

/// Name, operations per lane and instruction, instructions of one pass of each loop.
const LOOPS: &[(&str, u32, &str)] = &[
    (
        "scalar",
        1,
        "s_add_u32 s4, s4, s5\ns_addc_u32 s6, s6, s7\ns_and_b64 s[8:9], s[4:5], s[6:7]\n",
    ),
    (
        "integer",
        1,
        "v_add_u32 v1, v2, v3\nv_lshlrev_b32 v2, 3, v1\nv_xor_b32 v3, v1, v2\nv_mad_u32_u24 v4, v1, v2, v3\n",
    ),
    (
        "float",
        1,
        "v_add_f32 v1, v2, v3\nv_mul_f32 v2, v1, v3\nv_fma_f32 v3, v1, v2, v4\nv_fmac_f32 v4, v1, v2\n",
    ),
    (
        "double",
        1,
        "v_add_f64 v[2:3], v[4:5], v[6:7]\nv_fma_f64 v[4:5], v[2:3], v[6:7], v[4:5]\n",
    ),
    (
        "compare",
        1,
        "v_cmp_lt_u32 vcc, v1, v2\nv_cndmask_b32 v3, v1, v2, vcc\nv_add_co_u32 v1, vcc, v2, v3\n",
    ),
    (
        "half exec",
        1,
        "s_mov_b64 exec, 0x55555555\nv_add_u32 v1, v2, v3\nv_add_f32 v4, v5, v6\ns_mov_b64 exec, -1\n",
    ),
    (
        "load dword",
        1,
        "global_load_dword v1, v[8:9], off\ns_waitcnt vmcnt(0)\n",
    ),
    ("load x4", 1, "global_load_dwordx4 v[12:15], v[10:11], off\n"),
    ("gather", 1, "global_load_dword v1, v16, s[10:11]\n"),
    ("store dword", 1, "global_store_dword v[8:9], v2, off\n"),
    ("atomic", 1, "global_atomic_add v[8:9], v2, off\n"),
    ("lds", 1, "ds_write_b32 v17, v2\nds_read_b32 v3, v17\n"),
    // 32 * 32 * 2 multiplications and additions
    ("matrix", 32, "v_mfma_f32_32x32x2f32 v[32:47], v1, v2, v[32:47]\n"),
];

fn main() {
    for (name, operations, text) in LOOPS {
        let body = text.repeat(32 / text.lines().count().min(32));
        let program = assemble(&format!("s_mov_b32 s0, 0x7fffffff\nloop:\n{body}s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 loop\ns_endpgm\n"));
        let mut memory = Flat::new(&program, 1 << 20);
        let mut lds = Lds::new(64 << 10);
        let mut wave = wave();
        let (mut executed, start) = (0, cpu_seconds());
        let seconds = loop {
            assert_eq!(
                run(&mut wave, &mut lds, &mut memory, 20_000),
                Stop::Yield,
                "{name}"
            );
            executed += 20_000;
            let seconds = cpu_seconds() - start;
            if seconds > 0.3 {
                break seconds;
            }
        };
        let per_second = f64::from(executed) / seconds;
        println!(
            "{name:12} {:8.1} M instructions/s {:8.1} M lane operations/s",
            per_second / 1e6,
            per_second * LANES as f64 * f64::from(*operations) / 1e6
        );
    }
}

/// Time this thread has run, whatever else the machine does.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel counts run time");
    let nanoseconds = text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("schedstat starts with nanoseconds") / 1e9
}

fn wave() -> Wave {
    let mut wave = Wave::new(CODE, 64, 64);
    wave.mode.0 = 0x3f0;
    for lane in 0..LANES {
        let set = |wave: &mut Wave, register: usize, value: u64| {
            wave.vgprs[register][lane] = value as u32;
            wave.vgprs[register + 1][lane] = (value >> 32) as u32;
        };
        set(&mut wave, 8, DATA + lane as u64 * 4);
        set(&mut wave, 10, DATA + lane as u64 * 16);
        set(&mut wave, 16, lane as u64 * 400 % 4096);
        set(&mut wave, 17, lane as u64 * 4);
    }
    wave.sgprs[10] = DATA as u32;
    wave
}
