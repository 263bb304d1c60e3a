// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that need a program of their own: control flow, moves between lanes, registers named by registers.

use super::inventory::REFUSED;
use super::support::{assemble, Flat, CODE, DATA};
use super::world::row;
use std::collections::BTreeSet;
use vgpu_isa::table::Enc;
use vgpu_isa::wave::status;
use vgpu_isa::{run, Lds, Mode, Row, Stop, Wave, LANES};

/// A wave with its surroundings. v0 is the lane number; s[2:3] is `DATA`.
struct Machine {
    wave: Wave,
    lds: Lds,
    memory: Flat,
}

impl Machine {
    fn new(program: &[u8]) -> Self {
        let mut wave = Wave::new(CODE, 64, 32);
        wave.vgprs[0] = std::array::from_fn(|l| l as u32);
        wave.sgprs[2] = DATA as u32;
        Self {
            wave,
            lds: Lds::new(4096),
            memory: Flat::new(program, 4096),
        }
    }

    fn run(&mut self) -> Stop {
        run(&mut self.wave, &mut self.lds, &mut self.memory, 1000)
    }
}

struct Program {
    /// What it is about; each of them is in the text.
    names: &'static [&'static str],
    text: &'static str,
    set: fn(&mut Machine),
    check: fn(&mut Machine),
}

fn nothing(_: &mut Machine) {}

fn ends(m: &mut Machine) {
    assert_eq!(m.run(), Stop::EndPgm);
}

fn by_lane(f: impl Fn(usize) -> u32) -> Row {
    std::array::from_fn(f)
}

/// Lanes in EXEC, those that go to the target, the ways in their order, EXEC after them. The smaller half goes first, of
/// equal ones that to the target.
fn forks(m: &mut Machine) {
    for (exec, pass, ways, last) in [
        (0xff_u64, 0xff_u64, 2, 0xff_u64),
        (0xff, 0xff00, 1, 0xff),
        (0xff, 0x1ff, 2, 0xff),
        (0xff, 0x0f, 21, 0xf0),
        (0xff, 0x1f, 12, 0x1f),
        (0xff, 0x07, 21, 0xf8),
        (1 << 63 | 1, 1, 21, 1 << 63),
    ] {
        // entry 4 of the stack is s[16:19]
        m.wave.mode = Mode(4 << 29);
        m.wave.sgprs[21] = 4;
        (m.wave.pc, m.wave.exec) = (CODE, exec);
        (m.wave.sgprs[10], m.wave.sgprs[11]) = (pass as u32, (pass >> 32) as u32);
        ends(m);
        assert_eq!(
            (m.wave.sgprs[20], m.wave.exec),
            (ways, last),
            "{exec:#x} {pass:#x}"
        );
        assert_eq!(m.wave.mode, Mode(4 << 29));
    }
}

#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    Program {
        names: &["s_branch", "s_endpgm"],
        text: "s_branch over\nback:\ns_add_u32 s4, s4, 1\ns_endpgm\nover:\ns_add_u32 s4, s4, 16\ns_branch back\ns_mov_b32 s4, 0",
        set: nothing,
        check: |m| { ends(m); assert_eq!(m.wave.sgprs[4], 17); assert_eq!(m.wave.pc, CODE + 12); },
    },
    Program {
        names: &["s_endpgm_saved"],
        text: "s_endpgm_saved\ns_mov_b32 s4, 1",
        set: nothing,
        check: |m| { ends(m); assert_eq!(m.wave.sgprs[4], 0); },
    },
    Program {
        names: &["s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz"],
        // a bit per branch that was taken
        text: "s_mov_b32 s4, 0\n\
            s_cbranch_scc0 a\ns_branch b\na:\ns_bitset1_b32 s4, 0\nb:\n\
            s_cbranch_scc1 c\ns_branch d\nc:\ns_bitset1_b32 s4, 1\nd:\n\
            s_cbranch_vccz e\ns_branch f\ne:\ns_bitset1_b32 s4, 2\nf:\n\
            s_cbranch_vccnz g\ns_branch h\ng:\ns_bitset1_b32 s4, 3\nh:\n\
            s_cbranch_execz i\ns_branch j\ni:\ns_bitset1_b32 s4, 4\nj:\n\
            s_cbranch_execnz k\ns_branch l\nk:\ns_bitset1_b32 s4, 5\nl:",
        set: nothing,
        check: |m| {
            for (scc, vcc, exec, taken) in [
                (false, 0, 0, 0b010101), (true, 1, 1, 0b101010), (true, 1 << 63, 0, 0b011010), (false, 0, 1 << 40, 0b100101),
            ] {
                m.wave.pc = CODE;
                (m.wave.scc, m.wave.vcc, m.wave.exec) = (scc, vcc, exec);
                ends(m);
                assert_eq!(m.wave.sgprs[4], taken, "SCC {scc} VCC {vcc:#x} EXEC {exec:#x}");
            }
        },
    },
    Program {
        names: &["s_cbranch_i_fork", "s_cbranch_join"],
        // a digit per way: 1 straight on, 2 the target
        text: "s_mov_b32 s20, 0\ns_cbranch_i_fork s[10:11], taken\n\
            s_mul_i32 s20, s20, 10\ns_add_u32 s20, s20, 1\ns_branch out\n\
            taken:\ns_mul_i32 s20, s20, 10\ns_add_u32 s20, s20, 2\n\
            out:\ns_cbranch_join s21",
        set: nothing,
        check: forks,
    },
    Program {
        names: &["s_cbranch_g_fork"],
        text: "s_mov_b32 s20, 0\ns_cbranch_g_fork s[10:11], s[12:13]\n\
            s_mul_i32 s20, s20, 10\ns_add_u32 s20, s20, 1\ns_branch out\n.org 64\n\
            s_mul_i32 s20, s20, 10\ns_add_u32 s20, s20, 2\n\
            out:\ns_cbranch_join s21",
        set: |m| m.wave.sgprs[12] = CODE as u32 + 64,
        check: forks,
    },
    Program {
        names: &["s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user", "s_cbranch_cdbgsys_and_user"],
        text: "s_mov_b32 s4, 0\n\
            s_cbranch_cdbgsys a\ns_branch b\na:\ns_bitset1_b32 s4, 0\nb:\n\
            s_cbranch_cdbguser c\ns_branch d\nc:\ns_bitset1_b32 s4, 1\nd:\n\
            s_cbranch_cdbgsys_or_user e\ns_branch f\ne:\ns_bitset1_b32 s4, 2\nf:\n\
            s_cbranch_cdbgsys_and_user g\ns_branch h\ng:\ns_bitset1_b32 s4, 3\nh:",
        set: nothing,
        check: |m| {
            let (user, sys) = (status::COND_DBG_USER, status::COND_DBG_SYS);
            for (bits, taken) in [(0, 0), (sys, 0b0101), (user, 0b0110), (sys | user, 0b1111)] {
                m.wave.pc = CODE;
                m.wave.status_bits = bits;
                ends(m);
                assert_eq!(m.wave.sgprs[4], taken, "STATUS {bits:#x}");
            }
        },
    },
    Program {
        names: &["s_getpc_b64", "s_setpc_b64", "s_swappc_b64", "s_call_b64"],
        text: "s_getpc_b64 s[4:5]\n\
            s_add_u32 s6, s4, function-CODE-4\n\
            s_mov_b32 s7, s5\n\
            s_swappc_b64 s[8:9], s[6:7]\n\
            s_call_b64 s[10:11], function\n\
            s_endpgm\n\
            function:\n\
            s_add_u32 s12, s12, 1\n\
            s_cmp_eq_u32 s12, 1\n\
            s_cselect_b64 s[14:15], s[8:9], s[10:11]\n\
            s_setpc_b64 s[14:15]",
        set: nothing,
        check: |m| {
            ends(m);
            // the addition has a literal: 4, 12, 16, 20, 24
            let link = |n: u64| [(CODE + n) as u32, 0];
            assert_eq!(m.wave.sgprs[4..6], link(4));
            assert_eq!(m.wave.sgprs[8..12], [link(20), link(24)].concat());
            assert_eq!(m.wave.sgprs[12], 2);
        },
    },
    Program {
        names: &["s_trap", "s_rfe_b64"],
        text: "s_trap 7\ns_mov_b32 s4, 1\ns_endpgm\ns_mov_b32 s5, ttmp1\ns_getreg_b32 s6, hwreg(HW_REG_STATUS)\n\
            s_add_u32 ttmp0, ttmp0, 4\ns_rfe_b64 ttmp[0:1]",
        set: |m| { m.wave.tba = CODE + 12; m.wave.status_bits |= status::TRAP_EN; },
        check: |m| {
            ends(m);
            assert_eq!((m.wave.sgprs[4], m.wave.sgprs[5] >> 16), (1, 7));
            assert_ne!(m.wave.sgprs[6] & status::PRIV, 0);
            assert_eq!(m.wave.status_bits & status::PRIV, 0);
        },
    },
    Program {
        names: &["s_rfe_restore_b64"],
        text: "s_rfe_restore_b64 s[4:5], s6\ns_mov_b32 s7, 1\ns_endpgm\ns_mov_b32 s8, 1",
        set: |m| { m.wave.sgprs[4] = CODE as u32 + 12; m.wave.status_bits |= status::PRIV; },
        check: |m| {
            ends(m);
            assert_eq!((m.wave.sgprs[7], m.wave.sgprs[8]), (0, 1));
            assert_eq!(m.wave.status_bits & status::PRIV, 0);
        },
    },
    Program {
        names: &["s_barrier", "s_sleep", "s_sendmsg", "s_sethalt"],
        text: "s_barrier\ns_sleep 5\ns_sendmsg 1\ns_sethalt 1\ns_mov_b32 s4, 1",
        set: |m| m.wave.m0 = 99,
        check: |m| {
            assert_eq!(m.run(), Stop::Barrier);
            assert_eq!(m.run(), Stop::Sleep { clocks: 5 * 64 });
            assert_eq!(m.run(), Stop::SendMsg { msg: 1, m0: 99 });
            assert_eq!((m.run(), m.run()), (Stop::Halt, Stop::Halt));
            assert_eq!(m.wave.sgprs[4], 0);
            m.wave.status_bits &= !status::HALT;
            ends(m);
            assert_eq!(m.wave.sgprs[4], 1);
        },
    },
    Program {
        names: &["s_sendmsghalt"],
        text: "s_sendmsghalt 1\ns_mov_b32 s4, 1",
        set: |m| m.wave.m0 = 98,
        check: |m| {
            assert_eq!(m.run(), Stop::SendMsg { msg: 1, m0: 98 });
            assert_eq!((m.run(), m.wave.sgprs[4]), (Stop::Halt, 0));
        },
    },
    Program {
        names: &["s_icache_inv"],
        text: "s_mov_b32 s4, 1\ns_icache_inv\ns_barrier",
        set: nothing,
        check: |m| {
            assert_eq!(m.run(), Stop::Barrier);
            // s_mov_b32 s4, 2
            m.memory.code[..4].copy_from_slice(&0xbe84_0082_u32.to_le_bytes());
            // once more from the cache, which that run empties
            m.wave.pc = CODE;
            assert_eq!((m.run(), m.wave.sgprs[4]), (Stop::Barrier, 1));
            m.wave.pc = CODE;
            assert_eq!((m.run(), m.wave.sgprs[4]), (Stop::Barrier, 2));
        },
    },
    Program {
        names: &["s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64"],
        text: "s_mov_b32 m0, 2\ns_movrels_b32 s20, s5\ns_movrels_b64 s[22:23], s[4:5]\n\
            s_movreld_b32 s24, s4\ns_movreld_b64 s[28:29], s[4:5]",
        set: |m| for i in 4..12 { m.wave.sgprs[i] = 100 + i as u32 },
        check: |m| {
            ends(m);
            let s = &m.wave.sgprs;
            assert_eq!((s[20], s[22], s[23], s[26], s[30], s[31]), (107, 106, 107, 104, 104, 105));
            assert_eq!((s[24], s[28]), (0, 0));
        },
    },
    Program {
        names: &["s_set_gpr_idx_on", "s_set_gpr_idx_off", "s_set_gpr_idx_idx", "s_set_gpr_idx_mode"],
        text: "s_mov_b32 s4, 3\ns_mov_b32 s5, 5\n\
            s_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_mov_b32 v20, v8\n\
            s_set_gpr_idx_idx s5\nv_mov_b32 v21, v8\n\
            s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v22, v8\n\
            s_set_gpr_idx_off\nv_mov_b32 v23, v8",
        set: |m| for i in 8..16 { m.wave.vgprs[i] = [i as u32; LANES] },
        check: |m| {
            ends(m);
            let v = |i: usize| m.wave.vgprs[i][63];
            assert_eq!((v(20), v(21), v(22), v(27), v(23)), (11, 13, 0, 8, 8));
        },
    },
    Program {
        names: &["s_setvskip"],
        text: "s_mov_b32 s4, 2\ns_setvskip s4, 1\nv_mov_b32 v8, 1\nds_write_b32 v8, v0\ns_mov_b32 s5, 1\ns_setvskip s4, 0\nv_mov_b32 v9, 1",
        set: |m| m.lds.write(0, 77u32.to_le_bytes()),
        check: |m| {
            ends(m);
            assert_eq!((m.wave.vgprs[8][0], m.wave.vgprs[9][0], m.wave.sgprs[5]), (0, 1, 1));
            assert_eq!(u32::from_le_bytes(m.lds.read(0)), 77);
        },
    },
    Program {
        names: &["s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32"],
        text: "s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 6)\n\
            s_mov_b32 s5, 0x12\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s5\n\
            s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x123\n\
            s_getreg_b32 s6, hwreg(HW_REG_MODE)",
        set: |m| m.wave.mode = Mode(0x3f0),
        check: |m| { ends(m); assert_eq!((m.wave.sgprs[4], m.wave.sgprs[6], m.wave.mode), (0x3f, 0x332, Mode(0x332))); },
    },
    Program {
        names: &["s_memtime", "s_memrealtime"],
        text: "s_memtime s[4:5]\ns_memtime s[6:7]\ns_memrealtime s[8:9]",
        set: |m| m.memory.ticks = 0xffff_fff0,
        check: |m| {
            ends(m);
            // the memory of these tests counts 10 and 1 per reading
            assert_eq!(m.wave.sgprs[4..10], [0xffff_fffa, 0, 4, 1, 5, 1]);
        },
    },
    Program {
        names: &["v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32"],
        text: "v_readfirstlane_b32 s4, v0\nv_readlane_b32 s5, v0, 63\ns_mov_b32 m0, 0x47\nv_readlane_b32 s6, v0, m0\n\
            v_writelane_b32 v8, s2, 5\nv_writelane_b32 v8, 17, m0\ns_mov_b64 exec, 0\nv_readfirstlane_b32 s7, v0\n\
            v_writelane_b32 v8, 18, 9",
        set: |m| { m.wave.exec = 0xff00; m.wave.vgprs[8] = [1; LANES]; },
        check: |m| {
            ends(m);
            // lane numbers have 6 bits; EXEC matters to the first lane alone
            assert_eq!(m.wave.sgprs[4..8], [8, 63, 7, 0]);
            let expected = by_lane(|l| match l { 5 => DATA as u32, 7 => 17, 9 => 18, _ => 1 });
            assert_eq!(m.wave.vgprs[8], expected);
        },
    },
    Program {
        names: &["v_swap_b32"],
        text: "v_swap_b32 v0, v8",
        set: |m| { m.wave.exec = 6; m.wave.vgprs[8] = [100; LANES]; },
        check: |m| {
            ends(m);
            assert_eq!(m.wave.vgprs[0], by_lane(|l| if l == 1 || l == 2 { 100 } else { l as u32 }));
            assert_eq!(m.wave.vgprs[8], by_lane(|l| if l == 1 || l == 2 { l as u32 } else { 100 }));
        },
    },
    Program {
        names: &["v_accvgpr_write_b32", "v_accvgpr_read_b32", "v_accvgpr_mov_b32"],
        text: "v_accvgpr_write_b32 a3, v0\nv_accvgpr_mov_b32 a4, a3\nv_accvgpr_read_b32 v8, a4\nv_accvgpr_write_b32 a5, 7",
        set: |m| m.wave.exec = 0xf0,
        check: |m| {
            ends(m);
            let expected = by_lane(|l| if (4..8).contains(&l) { l as u32 } else { 0 });
            assert_eq!([m.wave.vgprs[32 + 3], m.wave.vgprs[32 + 4], m.wave.vgprs[8]], [expected; 3]);
            assert_eq!((m.wave.vgprs[32 + 5][4], m.wave.vgprs[32 + 5][3]), (7, 0));
        },
    },
    Program {
        names: &["ds_permute_b32", "ds_bpermute_b32"],
        text: "ds_permute_b32 v8, v6, v0\nds_bpermute_b32 v9, v6, v0 offset:8\ns_mov_b64 exec, 0xffff\n\
            ds_permute_b32 v10, v6, v0\nds_bpermute_b32 v11, v6, v0",
        set: |m| { m.wave.vgprs[6] = by_lane(|l| (l as u32 + 3) * 4); for v in [10, 11] { m.wave.vgprs[v] = [99; LANES] } },
        check: |m| {
            ends(m);
            let v = &m.wave.vgprs;
            assert_eq!(v[8], by_lane(|l| (l as u32 + 61) % 64));
            assert_eq!(v[9], by_lane(|l| (l as u32 + 5) % 64));
            // lanes that are off neither send nor can be read
            assert_eq!(v[10], by_lane(|l| match l { 0..3 => 0, 3..16 => l as u32 - 3, _ => 99 }));
            assert_eq!(v[11], by_lane(|l| match l { 0..13 => l as u32 + 3, 13..16 => 0, _ => 99 }));
        },
    },
    Program {
        names: &["ds_swizzle_b32"],
        // and, or and xor masks on the lane in its 32; a pattern per quad
        text: "ds_swizzle_b32 v8, v0 offset:0x0810\nds_swizzle_b32 v9, v0 offset:0x7c1f\nds_swizzle_b32 v10, v0 offset:0x0060\nds_swizzle_b32 v11, v0 offset:0x801b",
        set: nothing,
        check: |m| {
            ends(m);
            let within = |f: fn(u32) -> u32| by_lane(move |l| (l as u32 & 32) + f(l as u32 & 31));
            assert_eq!(m.wave.vgprs[8], within(|l| l & 0x10 ^ 2));
            assert_eq!(m.wave.vgprs[9], within(|l| l ^ 0x1f));
            assert_eq!(m.wave.vgprs[10], within(|_| 3));
            assert_eq!(m.wave.vgprs[11], by_lane(|l| (l as u32 & !3) + 3 - l as u32 % 4));
        },
    },
    Program {
        names: &["ds_write_addtid_b32", "ds_read_addtid_b32"],
        text: "s_movk_i32 m0, 0x40\nds_write_addtid_b32 v0 offset:16\ns_mov_b64 exec, 0xff\nds_read_addtid_b32 v8 offset:20",
        set: |m| m.wave.vgprs[8] = [99; LANES],
        check: |m| {
            ends(m);
            for l in 0..64 { assert_eq!(u32::from_le_bytes(m.lds.read(0x50 + l * 4)), l); }
            assert_eq!(m.wave.vgprs[8], by_lane(|l| if l < 8 { l as u32 + 1 } else { 99 }));
        },
    },
    Program {
        names: &["ds_append", "ds_consume"],
        text: "s_movk_i32 m0, 0x40\ns_mov_b64 exec, 0x10101\nds_append v8 offset:4\nds_consume v9 offset:8",
        set: |m| { m.lds.write(0x44, 50u32.to_le_bytes()); m.lds.write(0x48, 60u32.to_le_bytes()); },
        check: |m| {
            ends(m);
            let dword = |at| u32::from_le_bytes(m.lds.read(at));
            assert_eq!((dword(0x44), dword(0x48)), (53, 57));
            assert_eq!((m.wave.vgprs[8][16], m.wave.vgprs[9][0], m.wave.vgprs[8][1]), (50, 60, 0));
        },
    },
    Program {
        names: &["store_lds_dword"],
        // the lanes' numbers are added by the descriptor: 4 bytes per record
        text: "s_mov_b32 m0, 0x40\nbuffer_store_lds_dword s[8:11], s4 offset:8 lds",
        set: |m| {
            m.wave.exec = 0xff_00ff;
            m.wave.sgprs[4] = 16;
            m.wave.sgprs[8..12].copy_from_slice(&[DATA as u32, 4 << 16, 24 + 20 * 4, 1 << 23]);
            for l in 0..64 { m.lds.write(0x48 + l * 4, (l + 100).to_le_bytes()); }
        },
        check: |m| {
            ends(m);
            for l in 0..64 {
                // there is room for 20 lanes
                let stored = l < 8 || (16..20).contains(&l);
                assert_eq!(m.memory.dword(24 + 4 * l), if stored { l as u32 + 100 } else { 0 }, "lane {l}");
            }
        },
    },
    Program {
        names: &["ds_condxchg32_rtn_b64"],
        text: "v_lshlrev_b32 v6, 3, v0\nds_condxchg32_rtn_b64 v[8:9], v6, v[10:11]",
        set: |m| {
            m.wave.exec = 0xf;
            m.wave.vgprs[10] = by_lane(|l| [5, 0x8000_0005][l % 2]);
            m.wave.vgprs[11] = by_lane(|l| [6, 0x8000_0006][l / 2 % 2]);
            for l in 0..8 { m.lds.write(l * 8, (u64::from(l) << 32 | 0x1234).to_le_bytes()); }
        },
        check: |m| {
            ends(m);
            for l in 0..4 {
                let low = if l % 2 == 1 { 5 } else { 0x1234 };
                let high = if l / 2 == 1 { 6 } else { l as u32 };
                assert_eq!(u64::from_le_bytes(m.lds.read(l as u32 * 8)), u64::from(high) << 32 | low, "lane {l}");
                assert_eq!((m.wave.vgprs[8][l], m.wave.vgprs[9][l]), (0x1234, l as u32));
            }
            assert_eq!(m.wave.vgprs[8][4], 0);
        },
    },
];

/// All instructions that [`each_program`] is about.
pub(crate) fn names() -> BTreeSet<&'static str> {
    PROGRAMS.iter().flat_map(|p| p.names.iter().copied()).collect()
}

#[test]
fn each_program() {
    for p in PROGRAMS {
        for name in p.names {
            assert!(p.text.contains(name) || *name == "s_endpgm", "{name}");
        }
        let mut m = Machine::new(&assemble(&format!("CODE:\n{}\ns_endpgm\n", p.text)));
        (p.set)(&mut m);
        (p.check)(&mut m);
    }
}

/// What is not modelled stops with its name; nothing has happened.
#[test]
fn refusals() {
    let mut texts = Vec::new();
    for (name, _) in REFUSED {
        let op = row(name);
        match (op.enc, *name) {
            (Enc::Ds, _) if op.src.is_empty() => texts.push((name, format!("{name} gds"))),
            (Enc::Ds, _) => texts.push((name, format!("{name} v8 gds"))),
            (_, "s_setkill") => texts.push((name, format!("{name} 1"))),
            _ => texts.push((name, (*name).to_owned())),
        }
    }
    let programs = super::assemble(&texts.iter().map(|t| t.1.clone()).collect::<Vec<_>>());
    for ((name, text), program) in texts.iter().zip(programs) {
        let mut m = Machine::new(&program);
        let before = m.wave.clone();
        match m.run() {
            Stop::Illegal(illegal) => assert!(illegal.why.contains(**name), "{text}: {illegal}"),
            stop => panic!("{text}: {stop:?}"),
        }
        assert_eq!(
            (m.wave.pc, &m.wave.vgprs, m.wave.sgprs),
            (CODE, &before.vgprs, before.sgprs),
            "{text}"
        );
    }
}
