// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What kernels see: ids, LDS and barriers, scratch, atomics, partial waves.

use super::*;

/// Stores the packed id, the workgroup ids and EXEC's lanes: 4 dwords per work-item, work-items numbered by wave.
/// s[0:1] data, s2 s3 s4 workgroup id, s5 info (waves).
const IDS: &str = "
    ; workgroup number: (z * 2 + y) * 3 + x
    s_mul_i32 s6, s4, 2
    s_add_u32 s6, s6, s3
    s_mul_i32 s6, s6, 3
    s_add_u32 s6, s6, s2
    ; 192 work-items of room per workgroup, 16 bytes each
    s_mul_i32 s6, s6, 3072
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    ; item = x + 9 * (y + 7 * z) of a full workgroup of 9 x 7 x 2
    v_mul_u32_u24 v4, v3, 7
    v_add_u32 v4, v4, v2
    v_mul_u32_u24 v4, v4, 9
    v_add_u32 v4, v4, v1
    v_lshlrev_b32 v4, 4, v4
    v_add_u32 v4, s6, v4
    v_mov_b32 v6, v0
    v_mov_b32 v7, s2
    v_mov_b32 v8, s3
    v_mov_b32 v9, s4
    global_store_dwordx2 v4, v[6:7], s[0:1]
    global_store_dwordx2 v4, v[8:9], s[0:1] offset:8
    s_endpgm";

#[test]
fn every_work_item_knows_its_place() {
    let mut lab = Lab::new();
    let code = lab.load(IDS);
    // 9 x 7 x 2 = 126 work-items are two waves, the last one partial
    assert_eq!(
        lab.run(lab.request(code, [9, 7, 2], [3, 2, 2])).outcome,
        Outcome::Done
    );
    for (gx, gy, gz) in (0..12).map(|i| (i % 3, i / 3 % 2, i / 6)) {
        let group = (gz * 2 + gy) * 3 + gx;
        for (x, y, z) in (0..126).map(|i| (i % 9, i / 9 % 7, i / 63)) {
            let item = x + 9 * (y + 7 * z);
            let at = u64::from(group * 768 + item * 4);
            let got = lab.card.get_words(PhysAddr::system(DATA_BUS + at * 4), 4);
            assert_eq!(
                got,
                [x | y << 10 | z << 20, gx, gy, gz],
                "{x} {y} {z} of {gx} {gy} {gz}"
            );
        }
        // lanes behind the last work-item are off
        assert_eq!(lab.word(u64::from(group * 768 + 126 * 4)), 0);
    }
    lab.card.assert_clean();
}

#[test]
fn the_last_workgroup_may_be_smaller() {
    let mut lab = Lab::new();
    // counts the lanes that run, per workgroup
    let code = lab.load(
        "v_mov_b32 v1, 1
         v_mov_b32 v2, 0
         s_lshl_b32 s5, s2, 2
         v_mov_b32 v2, s5
         global_atomic_add v2, v1, s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [100, 1, 1], [3, 1, 1]);
    request.last_workgroup = [17, 1, 1];
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    assert_eq!(lab.words(4), [100, 100, 17, 0]);
    lab.card.assert_clean();
}

#[test]
fn ids_that_are_not_asked_for_are_zero() {
    let mut lab = Lab::new();
    let code = lab.load(
        "v_and_b32 v1, 0x3ff, v0
         v_lshlrev_b32 v1, 2, v1
         global_store_dword v1, v0, s[0:1]
         v_mov_b32 v2, s2
         global_store_dword v1, v2, s[0:1] offset:2048
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [4, 4, 1], [1, 1, 1]);
    // only x of the work-item, only z of the workgroup
    request.pgm_rsrc2 = 2 << 1 | 1 << 9;
    request.first_group = [5, 6, 7];
    request.end_group = [6, 7, 8];
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    assert_eq!(lab.words(5), [0, 1, 2, 3, 0]);
    assert_eq!(lab.word(512), 7);
    lab.card.assert_clean();
}

#[test]
fn lds_and_barriers_reduce() {
    let mut lab = Lab::new();
    // sum of (workgroup * 1000 + item) over 256 items
    let code = lab.load(
        "s_mul_i32 s5, s2, 1000
         v_add_u32 v1, s5, v0
         v_lshlrev_b32 v2, 2, v0
         ds_write_b32 v2, v1
         s_movk_i32 s6, 128
     again:
         s_waitcnt lgkmcnt(0)
         s_barrier
         v_cmp_gt_u32 vcc, s6, v0
         s_and_saveexec_b64 s[8:9], vcc
         s_lshl_b32 s7, s6, 2
         v_add_u32 v3, s7, v2
         ds_read_b32 v4, v3
         ds_read_b32 v5, v2
         s_waitcnt lgkmcnt(0)
         v_add_u32 v5, v4, v5
         ds_write_b32 v2, v5
         s_mov_b64 exec, s[8:9]
         s_lshr_b32 s6, s6, 1
         s_cmp_lg_u32 s6, 0
         s_cbranch_scc1 again
         s_waitcnt lgkmcnt(0)
         s_barrier
         v_cmp_eq_u32 vcc, 0, v0
         s_and_saveexec_b64 s[8:9], vcc
         v_mov_b32 v2, 0
         ds_read_b32 v4, v2
         s_lshl_b32 s5, s2, 2
         v_mov_b32 v2, s5
         s_waitcnt lgkmcnt(0)
         global_store_dword v2, v4, s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [256, 1, 1], [40, 1, 1]);
    request.lds_bytes = 1024;
    request.pgm_rsrc2 = 2 << 1 | 1 << 7;
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    let expected: Vec<u32> = (0..40).map(|g| g * 256_000 + 255 * 128).collect();
    assert_eq!(lab.words(40), expected);
    lab.card.assert_clean();
}

#[test]
fn atomics_of_all_workgroups_add_up() {
    let mut lab = Lab::new();
    let code = lab.load(
        "v_mov_b32 v1, 0
         v_mov_b32 v2, 1
         v_mov_b32 v3, 0
         global_atomic_add_x2 v1, v[2:3], s[0:1]
         global_atomic_add v4, v1, v2, s[0:1] offset:8 glc
         s_waitcnt vmcnt(0)
         v_lshlrev_b32 v4, 2, v4
         global_store_dword v4, v2, s[0:1] offset:1024
         s_endpgm",
    );
    assert_eq!(
        lab.run(lab.request(code, [192, 1, 1], [300, 1, 1])).outcome,
        Outcome::Done
    );
    assert_eq!(lab.words(3), [57_600, 0, 57_600]);
    // every old value was returned exactly once
    let marks = lab.card.get_words(PhysAddr::system(DATA_BUS + 1024), 57_601);
    assert!(marks[..57_600].iter().all(|m| *m == 1));
    assert_eq!(marks[57_600], 0);
    lab.card.assert_clean();
}

#[test]
fn scratch_belongs_to_the_work_item() {
    let mut lab = Lab::new();
    // s[0:1] data, s[2:3] flat scratch base, s4 workgroup, s5 scratch offset of the wave
    let code = lab.load(
        "s_add_u32 flat_scratch_lo, s2, s5
         s_addc_u32 flat_scratch_hi, s3, 0
         s_mul_i32 s6, s4, 128
         v_add_u32 v1, s6, v0
         v_mul_u32_u24 v2, v1, 3
         s_mov_b32 s8, 0
         scratch_store_dword off, v1, s8 offset:4
         s_movk_i32 s7, 8
         scratch_store_dword off, v2, s7
         s_waitcnt vmcnt(0)
         s_barrier
         scratch_load_dword v4, off, s8 offset:4
         scratch_load_dword v5, off, s7
         v_lshlrev_b32 v3, 3, v1
         s_waitcnt vmcnt(0)
         global_store_dwordx2 v3, v[4:5], s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [128, 1, 1], [200, 1, 1]);
    request
        .user_sgprs
        .extend([SCRATCH as u32, (SCRATCH >> 32) as u32]);
    request.pgm_rsrc2 = 1 | 4 << 1 | 1 << 7;
    // room for 7 waves only: workgroups of 2 waves wait for slots
    request.scratch = Scratch {
        base: SCRATCH,
        wave_bytes: 1024,
        waves: 7,
    };
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    let got = lab.words(2 * 128 * 200);
    for (i, pair) in got.chunks(2).enumerate() {
        assert_eq!(pair, [i as u32, i as u32 * 3]);
    }
    lab.card.assert_clean();
}

#[test]
fn launch_state_that_only_handlers_look_at() {
    let mut lab = Lab::new();
    let code = lab.load(
        "s_getreg_b32 s8, hwreg(HW_REG_HW_ID)
         s_getreg_b32 s9, hwreg(HW_REG_LDS_ALLOC)
         s_getreg_b32 s10, hwreg(HW_REG_MODE)
         v_mov_b32 v1, 0
         v_mov_b32 v2, s8
         v_mov_b32 v3, s9
         v_mov_b32 v4, s10
         v_mov_b32 v5, s5
         global_store_dwordx4 v1, v[2:5], s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [64, 1, 1], [1, 1, 1]);
    request.lds_bytes = 1536;
    request.pgm_rsrc2 |= 1 << 10;
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    let got = lab.words(4);
    // me 1, queue 3, vmid 8, pipe 2
    assert_eq!(got[0] >> 20, 1 << 10 | 3 << 4 | 8);
    assert_eq!(got[0] >> 6 & 3, 2);
    assert_eq!(got[1] >> 12, 3);
    assert_eq!(got[2] & 0xff, 0xf0);
    assert_eq!(got[3], 1 << 31 | 1);
    lab.card.assert_clean();
}
