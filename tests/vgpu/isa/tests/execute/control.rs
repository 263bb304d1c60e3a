// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loop: branches, calls, stops, traps, code that changes.

use super::*;
use vgpu_isa::wave::status;

#[test]
fn loops_and_calls() {
    let m = Machine::new(
        "s_mov_b32 s4, 0\n\
         s_mov_b32 s5, 10\n\
         loop:\n\
         s_add_u32 s4, s4, s5\n\
         s_sub_u32 s5, s5, 1\n\
         s_cmp_lg_u32 s5, 0\n\
         s_cbranch_scc1 loop\n\
         s_getpc_b64 s[6:7]\n\
         here:\n\
         s_add_u32 s6, s6, function-here\n\
         s_swappc_b64 s[30:31], s[6:7]\n\
         s_call_b64 s[30:31], function\n\
         s_branch end\n\
         function:\n\
         s_add_u32 s4, s4, 0x1000\n\
         s_setpc_b64 s[30:31]\n\
         end:",
    );
    let m = m.end();
    assert_eq!(m.wave.sgprs[4], 55 + 0x2000);
}

#[test]
fn divergence() {
    // lanes below 20 take one side, the others the other one
    let m = Machine::new(
        "v_cmp_gt_u32 vcc, 20, v0\n\
         s_and_saveexec_b64 s[4:5], vcc\n\
         s_xor_b64 s[4:5], exec, s[4:5]\n\
         v_add_u32 v8, 100, v0\n\
         s_or_saveexec_b64 s[4:5], s[4:5]\n\
         s_xor_b64 exec, exec, s[4:5]\n\
         v_mov_b32 v9, 1\n\
         s_or_b64 exec, exec, s[4:5]\n\
         v_mov_b32 v10, 2",
    )
    .end();
    assert_eq!(m.wave.vgprs[8], row(|l| if l < 20 { 100 + l as u32 } else { 0 }));
    assert_eq!(m.wave.vgprs[10], row(|_| 2));
}

#[test]
fn stops_and_goes_on() {
    let mut m = Machine::new(
        "s_mov_b32 m0, 0x1234\n\
         s_barrier\n\
         s_sleep 1\n\
         s_sendmsg sendmsg(MSG_INTERRUPT)\n\
         s_mov_b32 s4, 7",
    );
    assert_eq!(m.stop(), Stop::Barrier);
    assert_eq!(m.wave.pc, CODE + 12);
    assert_eq!(m.stop(), Stop::Sleep { clocks: 64 });
    assert_eq!(m.stop(), Stop::SendMsg { msg: 1, m0: 0x1234 });
    let mut m = m.end();
    assert_eq!(m.wave.sgprs[4], 7);
    assert_eq!(m.wave.executed, 6);
    m.wave.pc = CODE;
    assert_eq!(run(&mut m.wave, &mut m.lds, &mut m.memory, 1), Stop::Yield);
    assert_eq!(m.wave.pc, CODE + 8);
    assert_eq!(run(&mut m.wave, &mut m.lds, &mut m.memory, 0), Stop::Yield);
}

#[test]
fn halting() {
    let mut m = Machine::new("s_sethalt 1\ns_mov_b32 s4, 7");
    assert_eq!(m.stop(), Stop::Halt);
    assert_eq!(m.stop(), Stop::Halt);
    m.wave.status_bits &= !status::HALT;
    assert_eq!(m.end().wave.sgprs[4], 7);
}

#[test]
fn traps() {
    let mut m = Machine::new("s_trap 2");
    assert_eq!(m.stop(), Stop::Trap { id: 2 });
    assert_eq!(m.wave.pc, CODE);
    // with a handler that counts and returns after the trap
    let mut m = Machine::new(
        "s_trap 3\n\
         s_mov_b32 s5, 1\n\
         s_endpgm\n\
         handler:\n\
         s_getreg_b32 s6, hwreg(HW_REG_STATUS)\n\
         s_mov_b32 s7, ttmp1\n\
         s_add_u32 ttmp0, ttmp0, 4\n\
         s_rfe_b64 ttmp[0:1]",
    );
    m.wave.tba = CODE + 12;
    m.wave.status_bits |= status::TRAP_EN;
    let m = m.end();
    assert_eq!(m.wave.sgprs[5], 1);
    assert_ne!(m.wave.sgprs[6] & status::PRIV, 0);
    assert_eq!(m.wave.status_bits & status::PRIV, 0);
    assert_eq!(m.wave.sgprs[7], 3 << 16);
}

#[test]
fn user_code_cannot_write_ttmps() {
    let m = Machine::new("s_mov_b32 ttmp4, 5\ns_mov_b32 s4, ttmp4").end();
    assert_eq!((m.wave.ttmps[4], m.wave.sgprs[4]), (0, 0));
}

#[test]
fn changed_code_is_seen_after_invalidation() {
    let mut m = Machine::new("s_mov_b32 s4, 1\ns_icache_inv\ns_mov_b32 s5, 2\ns_barrier");
    assert_eq!(m.stop(), Stop::Barrier);
    assert_eq!((m.wave.sgprs[4], m.wave.sgprs[5]), (1, 2));
    // s_mov_b32 s4, 3 and s_mov_b32 s5, 4: the first is still cached
    m.memory.code[0..4].copy_from_slice(&0xbe84_0083_u32.to_le_bytes());
    m.memory.code[8..12].copy_from_slice(&0xbe85_0084_u32.to_le_bytes());
    m.wave.pc = CODE;
    assert_eq!(m.stop(), Stop::Barrier);
    assert_eq!((m.wave.sgprs[4], m.wave.sgprs[5]), (1, 4));
    m.wave.pc = CODE;
    assert_eq!(m.stop(), Stop::Barrier);
    assert_eq!((m.wave.sgprs[4], m.wave.sgprs[5]), (3, 4));
}

#[test]
fn instructions_across_pages() {
    // 1023 dwords, then a literal in the next page
    let mut m = Machine::new(
        "s_branch last\n.fill 1022, 4, 0xbf800000\nlast:\ns_mov_b32 s4, 0x12345\ns_mov_b32 s5, 6",
    );
    assert_eq!(m.stop(), Stop::EndPgm);
    assert_eq!((m.wave.sgprs[4], m.wave.sgprs[5]), (0x12345, 6));
}

#[test]
fn code_that_is_not_there() {
    let mut m = Machine::new("s_setpc_b64 s[4:5]");
    assert_eq!(m.stop(), fault(0, Access::Execute));
    assert_eq!(m.wave.pc, 0);
}

#[test]
fn relative_registers() {
    let m = Machine::new(
        "v_mov_b32 v9, 9\nv_mov_b32 v10, 10\n\
         s_mov_b32 s4, 2\n\
         s_set_gpr_idx_on s4, gpr_idx(SRC0)\n\
         v_mov_b32 v12, v8\n\
         s_set_gpr_idx_off\n\
         s_set_gpr_idx_on s4, gpr_idx(DST)\n\
         v_mov_b32 v12, v9\n\
         s_set_gpr_idx_off\n\
         v_mov_b32 v13, v8",
    )
    .end();
    let v = &m.wave.vgprs;
    assert_eq!((v[12][0], v[14][0], v[13][0]), (10, 9, 0));
}

#[test]
fn skipped_vectors() {
    let m = Machine::new(
        "s_mov_b32 s4, 1\ns_setvskip s4, 0\nv_mov_b32 v8, 1\nds_write_b32 v9, v0\ns_setvskip s4, 1\nv_mov_b32 v9, 1",
    )
    .end();
    assert_eq!((m.wave.vgprs[8][0], m.wave.vgprs[9][0]), (0, 1));
}

#[test]
fn hidden_registers() {
    let m = Machine::new(
        "s_mov_b64 s[4:5], src_shared_base\n\
         s_mov_b64 s[6:7], src_private_base\n\
         s_mov_b32 s8, src_shared_limit\n\
         s_mov_b32 flat_scratch_lo, 5\n\
         s_mov_b32 flat_scratch_hi, 6\n\
         s_mov_b64 xnack_mask, -1\n\
         s_mov_b64 vcc, 0\n\
         s_mov_b32 s9, src_vccz\n\
         s_mov_b32 s10, src_execz\n\
         s_mov_b64 s[12:13], flat_scratch",
    )
    .end();
    let s = &m.wave.sgprs;
    assert_eq!(s[4..8], [0, 1 << 16, 0, 2 << 16]);
    assert_eq!(s[8..11], [u32::MAX, 1, 0]);
    assert_eq!(s[12..14], [5, 6]);
    assert_eq!((m.wave.flat_scratch, m.wave.xnack_mask), (6 << 32 | 5, u64::MAX));
}
