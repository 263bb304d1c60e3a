// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measurements, run on request only: `cargo test --release -- --ignored --nocapture rate`.

use super::*;
use std::time::Instant;

#[test]
#[ignore = "a measurement"]
fn alu_rate() {
    let mut lab = Lab::new();
    // 16 vector instructions and 3 scalar ones per round
    let body =
        "v_fma_f32 v1, v2, v3, v1\n v_add_u32 v4, v5, v4\n v_mul_f32 v6, v2, v6\n v_xor_b32 v7, v4, v7\n"
            .repeat(4);
    let code = lab.load(&format!("s_movk_i32 s6, 10000\n l: {body} s_sub_u32 s6, s6, 1\n s_cmp_lg_u32 s6, 0\n s_cbranch_scc1 l\n s_endpgm"));
    for groups in [1, 2] {
        let start = Instant::now();
        assert_eq!(
            lab.run(lab.request(code, [64, 1, 1], [groups, 1, 1])).outcome,
            Outcome::Done
        );
        let rate = f64::from(groups) * 19.0 * 10_000.0 * 64.0 / start.elapsed().as_secs_f64();
        println!("{groups} wave(s): {:.0} M lane-operations/s", rate / 1e6);
    }
}

#[test]
#[ignore = "a measurement"]
fn vector_add_rate() {
    let mut lab = Lab::new();
    let code = lab.load(
        "s_lshl_b32 s5, s2, 8
         v_add_u32 v0, s5, v0
         v_and_b32 v0, 0x3ffff, v0
         v_lshlrev_b32 v1, 2, v0
         global_load_dword v2, v1, s[0:1]
         v_add_u32 v3, 0x100000, v1
         global_load_dword v4, v3, s[0:1]
         s_waitcnt vmcnt(0)
         v_add_f32 v2, v2, v4
         v_add_u32 v3, 0x200000, v1
         global_store_dword v3, v2, s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [256, 1, 1], [65536, 1, 1]);
    request.pgm_rsrc2 = 2 << 1 | 1 << 7;
    let start = Instant::now();
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    println!("16 M floats added in {:.2} s", start.elapsed().as_secs_f64());
}
