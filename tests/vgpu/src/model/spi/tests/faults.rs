// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels that go wrong, and messages.

use super::*;

#[test]
fn a_fault_ends_the_dispatch_and_names_its_address() {
    let mut lab = Lab::new();
    let code = lab.load(
        "v_mov_b32 v2, 0x5000
         v_mov_b32 v3, 0x6666
         global_store_dword v[2:3], v0, off
         s_waitcnt vmcnt(0)
         v_mov_b32 v1, 0
         global_store_dword v1, v0, s[0:1]
         s_endpgm",
    );
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [100, 1, 1])).outcome,
        Outcome::MemoryFault
    );
    let iv = lab.interrupt(0);
    assert_eq!(iv[0] & 0xffff, 0x1b);
    // not present, write
    assert_eq!(iv[0] >> 16 & 0xff, 1 << 3 | 1 << 5);
    assert_eq!((iv[0] >> 24 & 0xf, iv[3]), (u32::from(VMID), u32::from(PASID)));
    assert_eq!(
        (iv[4], iv[5]),
        ((0x6666_0000_5000u64 >> 12) as u32, (0x6666u32 >> 12) | 1 << 5)
    );
    assert_eq!(lab.interrupt(1)[0], 0, "one interrupt for all waves");
    lab.card.assert_clean();
}

#[test]
fn permissions_are_enforced() {
    let mut lab = Lab::new();
    let store = lab.load("v_mov_b32 v1, 0\n global_store_dword v1, v0, s[0:1]\n s_endpgm");
    let (mut request, end) = lab.request(store, [1, 1, 1], [1, 1, 1]);
    request.user_sgprs = vec![CODE as u32, (CODE >> 32) as u32];
    assert_eq!(lab.run((request, end)).outcome, Outcome::MemoryFault);
    // present, write
    assert_eq!(lab.interrupt(0)[0] >> 16 & 0xff, 1 << 5);
    // scratch memory is not executable
    assert_eq!(
        lab.run(lab.request(SCRATCH, [1, 1, 1], [1, 1, 1])).outcome,
        Outcome::MemoryFault
    );
    assert_eq!(lab.interrupt(1)[4], (SCRATCH >> 12) as u32);
    // and nothing is at address 0
    assert_eq!(
        lab.run(lab.request(0, [1, 1, 1], [1, 1, 1])).outcome,
        Outcome::MemoryFault
    );
    lab.card.assert_clean();
}

#[test]
fn a_load_over_a_page_end_faults_at_the_page() {
    let mut lab = Lab::new();
    let code = lab.load(
        "v_mov_b32 v1, 0
         global_load_dwordx4 v[2:5], v1, s[0:1] offset:-8
         s_waitcnt vmcnt(0)
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [1, 1, 1], [1, 1, 1]);
    let at = DATA + DATA_LEN;
    request.user_sgprs = vec![at as u32, (at >> 32) as u32];
    assert_eq!(lab.run((request, end)).outcome, Outcome::MemoryFault);
    assert_eq!(lab.interrupt(0)[4], (at >> 12) as u32);
}

#[test]
fn an_illegal_instruction_names_itself() {
    let mut lab = Lab::new();
    let code = lab.load("s_nop 0\n .long 0xffffffff\n s_endpgm");
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [10, 1, 1])).outcome,
        Outcome::IllegalInstruction
    );
    let kind = &lab.card.gpu.report.status().kinds["illegal-instruction"];
    assert!(
        kind.first[0].contains(&format!("{:#x} (ffffffff", code + 4)),
        "{}",
        kind.first[0]
    );
    let iv = lab.interrupt(0);
    assert_eq!(iv[0] >> 8 & 0xff, 239);
    assert!((0x0a..=0x0d).contains(&(iv[0] & 0xff)));
    // encoding: error; type in data 23:20: illegal instruction
    assert_eq!((iv[4] >> 26 & 3, iv[5] >> 4), (2, 1));
    assert_eq!(lab.interrupt(1)[0], 0);
}

#[test]
fn a_message_interrupts() {
    let mut lab = Lab::new();
    let code = lab.load("s_mov_b32 m0, 0x123456\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_endpgm");
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    let iv = lab.interrupt(0);
    assert_eq!(iv[0] >> 8 & 0xff, 239);
    assert_eq!((iv[0] >> 24 & 0xf, iv[3]), (u32::from(VMID), u32::from(PASID)));
    let (a, b) = (iv[4], iv[5]);
    assert_eq!(a & 0xfff | a >> 16 & 0xf000 | b << 16 & 0xff_0000, 0x12_3456);
    assert_eq!((a >> 26 & 3, a >> 13 & 1), (1, 0));
    lab.card.assert_clean();
}

#[test]
fn the_doorbell_message_answers_in_exec() {
    let mut lab = Lab::new();
    let code = lab.load(
        "s_mov_b32 exec_lo, 0x80000000
         s_sendmsg sendmsg(MSG_GET_DOORBELL)
     wait:
         s_nop 7
         s_bitcmp0_b32 exec_lo, 31
         s_cbranch_scc0 wait
         s_mov_b32 s5, exec_lo
         s_mov_b64 exec, 1
         v_mov_b32 v1, 0
         v_mov_b32 v2, s5
         global_store_dword v1, v2, s[0:1]
         s_endpgm",
    );
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    assert_eq!(lab.word(0), 0x1804 / 2 & 0x3ff);
    lab.card.assert_clean();
}

#[test]
fn a_trap_without_handler_does_nothing() {
    let mut lab = Lab::new();
    let code = lab.load(
        "s_trap 2
         v_mov_b32 v1, 0
         v_mov_b32 v2, 5
         global_store_dword v1, v2, s[0:1]
         s_endpgm",
    );
    assert_eq!(
        lab.run(lab.request(code, [64, 1, 1], [1, 1, 1])).outcome,
        Outcome::Done
    );
    assert_eq!(lab.word(0), 5);
}

#[test]
fn a_trap_handler_runs_and_returns() {
    let mut lab = Lab::new();
    let handler = lab.load(
        "s_mov_b32 s20, ttmp8
         s_mov_b32 s21, ttmp11
         s_mov_b32 s22, ttmp6
         s_add_u32 ttmp0, ttmp0, 4
         s_addc_u32 ttmp1, ttmp1, 0
         s_and_b32 ttmp1, ttmp1, 0xffff
         s_rfe_b64 [ttmp0, ttmp1]",
    );
    let code = lab.load(
        "s_trap 2
         v_mov_b32 v1, 0
         v_mov_b32 v2, s20
         v_mov_b32 v3, s21
         v_mov_b32 v4, s22
         v_mov_b32 v5, 7
         global_store_dwordx4 v1, v[2:5], s[0:1]
         s_endpgm",
    );
    let (mut request, end) = lab.request(code, [64, 1, 1], [1, 1, 1]);
    request.trap.tba = handler;
    request.first_group = [9, 0, 0];
    request.end_group = [10, 1, 1];
    assert_eq!(lab.run((request, end)).outcome, Outcome::Done);
    // no scratch, wave 0 of the workgroup
    assert_eq!(lab.words(4), [9, 1 << 6, 0x55, 7]);
    lab.card.assert_clean();
}
