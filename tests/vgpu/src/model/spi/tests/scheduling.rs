// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which workgroups make progress, killing, resets, changed code and changed mappings.

use super::*;

const FOREVER: &str = "l: s_nop 0\n s_branch l";

/// Workgroup 0 waits for a flag that the last workgroup sets. s3 (user SGPR) is the last workgroup's number.
const WAIT_FOR_LAST: &str = "
        v_mov_b32 v1, 0
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 other
    wait:
        global_load_dword v2, v1, s[0:1] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s6, v2
        s_cmp_eq_u32 s6, 0
        s_cbranch_scc1 wait
        s_endpgm
    other:
        s_cmp_lg_u32 s4, s2
        s_cbranch_scc1 done
        v_mov_b32 v2, 1
        global_store_dword v1, v2, s[0:1]
    done:
        s_endpgm";

#[test]
fn a_workgroup_may_wait_for_a_later_one() {
    let mut lab = Lab::new();
    let code = lab.load(WAIT_FOR_LAST);
    let (mut request, end) = lab.request(code, [64, 1, 1], [100, 1, 1]);
    request.user_sgprs.extend([99, 0]);
    request.pgm_rsrc2 = 4 << 1 | 1 << 7;
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    lab.card.assert_clean();
}

#[test]
fn a_kernel_may_wait_for_another_queue() {
    let mut lab = Lab::new();
    let waiting = lab.load(
        "    v_mov_b32 v1, 0
         wait:
             s_sleep 10
             global_load_dword v2, v1, s[0:1] glc
             s_waitcnt vmcnt(0)
             v_readfirstlane_b32 s6, v2
             s_cmp_eq_u32 s6, 0
             s_cbranch_scc1 wait
             s_endpgm",
    );
    let setting =
        lab.load("v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n global_store_dword v1, v2, s[0:1]\n s_endpgm");
    let (first, first_end) = lab.request(waiting, [64, 1, 1], [64, 1, 1]);
    lab.submit(first);
    std::thread::sleep(Duration::from_millis(20));
    assert!(first_end.try_recv().is_err());
    assert_eq!(
        lab.run(lab.request(setting, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    assert_eq!(finished(&first_end).outcome, Outcome::Done);
    lab.card.assert_clean();
}

#[test]
fn waves_of_a_workgroup_may_wait_for_each_other_without_a_barrier() {
    let mut lab = Lab::new();
    // wave 0 spins on LDS until wave 1 has written
    let code = lab.load(
        "    v_mov_b32 v1, 0
             v_readfirstlane_b32 s6, v0
             s_cmp_lg_u32 s6, 0
             s_cbranch_scc1 second
         wait:
             ds_read_b32 v2, v1
             s_waitcnt lgkmcnt(0)
             v_readfirstlane_b32 s6, v2
             s_cmp_eq_u32 s6, 0
             s_cbranch_scc1 wait
             global_store_dword v1, v2, s[0:1]
             s_endpgm
         second:
             v_mov_b32 v2, 6
             ds_write_b32 v1, v2
             s_endpgm",
    );
    let (mut request, end) = lab.request(code, [128, 1, 1], [1, 1, 1]);
    request.lds_bytes = 512;
    request.pgm_rsrc2 = 2 << 1 | 1 << 7;
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    assert_eq!(lab.word(0), 6);
}

#[test]
fn an_endless_kernel_can_be_killed() {
    let mut lab = Lab::new();
    let code = lab.load(FOREVER);
    let (request, end) = lab.request(code, [64, 1, 1], [5000, 1, 1]);
    let id = lab.submit(request);
    std::thread::sleep(Duration::from_millis(20));
    lab.card.gpu.spi.kill(id);
    assert_eq!(finished(&end).outcome, Outcome::Killed);
    lab.card.gpu.spi.kill(id);
    let nop = lab.load("s_endpgm");
    assert_eq!(
        lab.run(lab.request(nop, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    lab.card.assert_clean();
}

#[test]
fn halted_and_sleeping_waves_can_be_killed() {
    let mut lab = Lab::new();
    for source in ["s_sethalt 1\n s_endpgm", "l: s_sleep 127\n s_branch l"] {
        let code = lab.load(source);
        let (request, end) = lab.request(code, [256, 1, 1], [4, 1, 1]);
        let id = lab.submit(request);
        std::thread::sleep(Duration::from_millis(20));
        assert!(end.try_recv().is_err(), "{source}");
        lab.card.gpu.spi.kill(id);
        assert_eq!(finished(&end).outcome, Outcome::Killed);
    }
    lab.card.assert_clean();
}

#[test]
fn a_reset_removes_all_waves() {
    let mut lab = Lab::new();
    let code = lab.load(FOREVER);
    let (request, end) = lab.request(code, [64, 1, 1], [10, 1, 1]);
    lab.submit(request);
    std::thread::sleep(Duration::from_millis(10));
    lab.card.gpu.reset();
    assert_eq!(finished(&end).outcome, Outcome::Killed);
    assert_eq!(lab.violations("model-failure"), 0);
}

#[test]
fn dropping_the_card_ends_endless_kernels() {
    let mut lab = Lab::new();
    let code = lab.load(FOREVER);
    let (request, _end) = lab.request(code, [64, 1, 1], [10, 1, 1]);
    lab.submit(request);
    drop(lab);
}

#[test]
fn empty_and_impossible_dispatches_end_at_once() {
    let mut lab = Lab::new();
    let code = lab.load("s_endpgm");
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [0, 1, 1])).outcome,
        Outcome::Done
    );
    lab.card.assert_clean();
    let (mut request, end) = lab.request(code, [1024, 1, 1], [1, 1, 1]);
    request.pgm_rsrc2 |= 1;
    request.scratch = Scratch {
        base: SCRATCH,
        wave_bytes: 1024,
        waves: 15,
    };
    assert_eq!(lab.run((request, end)).outcome, Outcome::Killed);
    assert_eq!(lab.violations("dispatch-impossible"), 1);
    for size in [[1025, 1, 1], [u32::MAX; 3], [0, 1, 1]] {
        assert_eq!(
            lab.run(lab.request(code, size, [1, 1, 1])).outcome,
            Outcome::Killed
        );
    }
}

#[test]
fn changed_code_shows_after_an_invalidation() {
    let mut lab = Lab::new();
    let store = |n: u32| {
        format!("v_mov_b32 v1, 0\n v_mov_b32 v2, {n}\n global_store_dword v1, v2, s[0:1]\n s_endpgm")
    };
    let code = lab.load(&store(1));
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    lab.code = 0;
    assert_eq!(lab.overwrite(&store(2)), code);
    lab.run(lab.request(code, [64, 1, 1], [1, 1, 1]));
    assert_eq!(lab.word(0), 1, "the instruction cache still has the old kernel");
    lab.card.gpu.spi.invalidate_instructions();
    lab.run(lab.request(code, [64, 1, 1], [1, 1, 1]));
    assert_eq!(lab.word(0), 2);
    lab.card.assert_clean();
}

#[test]
fn a_flushed_mapping_is_not_used_any_more() {
    let mut lab = Lab::new();
    // adds 1 to the dword at s[0:1] until it is told to stop at s[2:3]
    let code = lab.load(
        "    v_mov_b32 v1, 0
             v_mov_b32 v2, 1
         l:  global_atomic_add v1, v2, s[0:1]
             global_load_dword v3, v1, s[2:3] glc
             s_waitcnt vmcnt(0)
             v_readfirstlane_b32 s6, v3
             s_cmp_eq_u32 s6, 0
             s_cbranch_scc1 l
             s_endpgm",
    );
    let page = 0x5000_0000;
    lab.card.map(VMID, page, PhysAddr::vram(0x20_0000), 4096, RWX);
    let (mut request, end) = lab.request(code, [1, 1, 1], [1, 1, 1]);
    request.user_sgprs = vec![page as u32, 0, DATA as u32, (DATA >> 32) as u32];
    request.pgm_rsrc2 = 4 << 1;
    lab.submit(request);
    let counted = |lab: &Lab, at: u64| {
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while lab.card.get(PhysAddr::vram(at)) == 0 {
            assert!(
                std::time::Instant::now() < deadline,
                "nothing is counted at {at:#x}"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    counted(&lab, 0x20_0000);
    // move the page and flush: the old place must stay as it is from then on
    lab.card.map(VMID, page, PhysAddr::vram(0x30_0000), 4096, RWX);
    lab.card.gpu.gmc.invalidate(HubId::Gfx, 1 << VMID);
    let old = lab.card.get(PhysAddr::vram(0x20_0000));
    counted(&lab, 0x30_0000);
    assert_eq!(lab.card.get(PhysAddr::vram(0x20_0000)), old);
    lab.set(0, &[1]);
    assert_eq!(finished(&end).outcome, Outcome::Done);
}
