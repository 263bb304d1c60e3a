// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOPP: program control (CDNA2 ISA "SOPP instructions").

use super::{branch_target, Exec, Flow};
use crate::inst::Scalar;
use crate::mode::Mode;
use crate::stop::{Stop, Why};
use crate::table::flags::NONE;
use crate::table::{Enc, Kind, Op, Ty, Ty::*};
use crate::wave::{status, Wave};

const fn row(code: u16, name: &'static str, exec: Exec) -> Op {
    row_imm(code, name, &[], exec)
}

/// A row whose immediate means something: `src` is one operand without register.
const fn row_imm(code: u16, name: &'static str, src: &'static [Ty], exec: Exec) -> Op {
    Op {
        name,
        enc: Enc::Sopp,
        code,
        dst: No,
        sdst: No,
        src,
        flags: NONE,
        kind: Kind::Salu(exec),
    }
}

/// The immediate.
const IMM: &[Ty] = &[B16];

/// All of them. Memory is synchronous here, so `s_waitcnt` has nothing to wait for; priorities and performance counters have
/// no effect on results.
pub static SOPP: &[Op] = &[
    row_imm(0, "s_nop", IMM, |_, _| Ok(Flow::Next)),
    row_imm(1, "s_endpgm", IMM, |_, _| Ok(Flow::Stop(Stop::EndPgm))),
    row_imm(2, "s_branch", IMM, |w, s| branch(w, s, true)),
    row(3, "s_wakeup", |_, _| Ok(Flow::Next)),
    row_imm(4, "s_cbranch_scc0", IMM, |w, s| branch(w, s, !w.scc)),
    row_imm(5, "s_cbranch_scc1", IMM, |w, s| branch(w, s, w.scc)),
    row_imm(6, "s_cbranch_vccz", IMM, |w, s| branch(w, s, w.vcc == 0)),
    row_imm(7, "s_cbranch_vccnz", IMM, |w, s| branch(w, s, w.vcc != 0)),
    row_imm(8, "s_cbranch_execz", IMM, |w, s| branch(w, s, w.exec == 0)),
    row_imm(9, "s_cbranch_execnz", IMM, |w, s| branch(w, s, w.exec != 0)),
    row(10, "s_barrier", |_, _| Ok(Flow::Stop(Stop::Barrier))),
    row_imm(11, "s_setkill", IMM, |_, _| {
        Err(Why::Borrowed("s_setkill is not modelled"))
    }),
    row_imm(12, "s_waitcnt", IMM, |_, _| Ok(Flow::Next)),
    row_imm(13, "s_sethalt", IMM, |w, s| {
        if s.imm & 1 == 0 {
            w.status_bits &= !status::HALT;
            return Ok(Flow::Next);
        }
        w.status_bits |= status::HALT;
        Ok(Flow::Stop(Stop::Halt))
    }),
    row_imm(14, "s_sleep", IMM, |_, s| {
        Ok(Flow::Stop(Stop::Sleep {
            clocks: u32::from(s.imm & 0x7f) * 64,
        }))
    }),
    row_imm(15, "s_setprio", IMM, |w, s| {
        w.status_bits = w.status_bits & !(3 << 3) | u32::from(s.imm & 3) << 3;
        Ok(Flow::Next)
    }),
    row_imm(16, "s_sendmsg", IMM, |w, s| {
        Ok(Flow::Stop(Stop::SendMsg { msg: s.imm, m0: w.m0 }))
    }),
    row_imm(17, "s_sendmsghalt", IMM, |w, s| {
        w.status_bits |= status::HALT;
        Ok(Flow::Stop(Stop::SendMsg { msg: s.imm, m0: w.m0 }))
    }),
    row_imm(18, "s_trap", IMM, |_, s| Ok(Flow::Trap { id: s.imm as u8 })),
    row(19, "s_icache_inv", |_, _| Ok(Flow::InvalidateCode)),
    row_imm(20, "s_incperflevel", IMM, |_, _| Ok(Flow::Next)),
    row_imm(21, "s_decperflevel", IMM, |_, _| Ok(Flow::Next)),
    row(22, "s_ttracedata", |_, _| Ok(Flow::Next)),
    row_imm(23, "s_cbranch_cdbgsys", IMM, |w, s| {
        branch(w, s, debug(w, status::COND_DBG_SYS))
    }),
    row_imm(24, "s_cbranch_cdbguser", IMM, |w, s| {
        branch(w, s, debug(w, status::COND_DBG_USER))
    }),
    row_imm(25, "s_cbranch_cdbgsys_or_user", IMM, |w, s| {
        branch(
            w,
            s,
            debug(w, status::COND_DBG_SYS) || debug(w, status::COND_DBG_USER),
        )
    }),
    row_imm(26, "s_cbranch_cdbgsys_and_user", IMM, |w, s| {
        branch(
            w,
            s,
            debug(w, status::COND_DBG_SYS) && debug(w, status::COND_DBG_USER),
        )
    }),
    row(27, "s_endpgm_saved", |_, _| Ok(Flow::Stop(Stop::EndPgm))),
    row(28, "s_set_gpr_idx_off", |w, _| {
        w.mode.0 &= !Mode::GPR_IDX_EN;
        Ok(Flow::Next)
    }),
    row_imm(29, "s_set_gpr_idx_mode", IMM, |w, s| {
        w.m0 = w.m0 & !0xf000 | u32::from(s.imm & 0xf) << 12;
        Ok(Flow::Next)
    }),
    row(30, "s_endpgm_ordered_ps_done", |_, _| {
        Err(Why::Borrowed("s_endpgm_ordered_ps_done is for pixels"))
    }),
];

fn branch(w: &Wave, s: &Scalar, taken: bool) -> Result<Flow, Why> {
    Ok(if taken {
        Flow::Jump(branch_target(w, s.imm))
    } else {
        Flow::Next
    })
}

fn debug(w: &Wave, bit: u32) -> bool {
    w.status_bits & bit != 0
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exec, operands, wave};
    use super::*;

    fn run(name: &str, w: &mut Wave, imm: u16) -> Flow {
        exec(name, w, Scalar { imm, ..operands() }).unwrap()
    }

    #[test]
    fn branches() {
        let mut w = wave([0; 8]);
        let taken = Flow::Jump(0x1004 - 8);
        assert_eq!(run("s_branch", &mut w, 0xfffe), taken);
        assert_eq!(run("s_branch", &mut w, 0x7fff), Flow::Jump(0x1004 + 0x7fff * 4));
        for (name, opposite, set) in [
            (
                "s_cbranch_scc0",
                "s_cbranch_scc1",
                (|w: &mut Wave| w.scc = true) as fn(&mut Wave),
            ),
            ("s_cbranch_vccz", "s_cbranch_vccnz", |w| w.vcc = 1 << 63),
            ("s_cbranch_execz", "s_cbranch_execnz", |w| w.exec = 1 << 63),
        ] {
            let mut w = wave([0; 8]);
            w.exec = 0;
            assert_eq!(run(name, &mut w, 0xfffe), taken, "{name}");
            assert_eq!(run(opposite, &mut w, 0xfffe), Flow::Next, "{opposite}");
            set(&mut w);
            assert_eq!(run(name, &mut w, 0xfffe), Flow::Next, "{name}");
            assert_eq!(run(opposite, &mut w, 0xfffe), taken, "{opposite}");
        }
    }

    #[test]
    fn debug_branches() {
        let mut w = wave([0; 8]);
        w.status_bits |= status::COND_DBG_SYS;
        assert_ne!(run("s_cbranch_cdbgsys", &mut w, 1), Flow::Next);
        assert_eq!(run("s_cbranch_cdbguser", &mut w, 1), Flow::Next);
        assert_ne!(run("s_cbranch_cdbgsys_or_user", &mut w, 1), Flow::Next);
        assert_eq!(run("s_cbranch_cdbgsys_and_user", &mut w, 1), Flow::Next);
    }

    #[test]
    fn stops() {
        let mut w = wave([0; 8]);
        w.m0 = 7;
        assert_eq!(run("s_endpgm", &mut w, 0), Flow::Stop(Stop::EndPgm));
        assert_eq!(run("s_barrier", &mut w, 0), Flow::Stop(Stop::Barrier));
        assert_eq!(run("s_sleep", &mut w, 2), Flow::Stop(Stop::Sleep { clocks: 128 }));
        assert_eq!(
            run("s_sendmsg", &mut w, 1),
            Flow::Stop(Stop::SendMsg { msg: 1, m0: 7 })
        );
        assert_eq!(w.status_bits & status::HALT, 0);
        assert_eq!(
            run("s_sendmsghalt", &mut w, 1),
            Flow::Stop(Stop::SendMsg { msg: 1, m0: 7 })
        );
        assert_ne!(w.status_bits & status::HALT, 0);
        assert_eq!(run("s_sethalt", &mut w, 0), Flow::Next);
        assert_eq!(w.status_bits & status::HALT, 0);
        assert_eq!(run("s_sethalt", &mut w, 1), Flow::Stop(Stop::Halt));
        assert_eq!(run("s_trap", &mut w, 2), Flow::Trap { id: 2 });
        assert_eq!(run("s_icache_inv", &mut w, 0), Flow::InvalidateCode);
    }

    #[test]
    fn relative_addressing_modes() {
        let mut w = wave([0; 8]);
        w.mode.0 = Mode::GPR_IDX_EN;
        w.m0 = 0xffff;
        assert_eq!(run("s_set_gpr_idx_mode", &mut w, 2), Flow::Next);
        assert_eq!(w.m0, 0x2fff);
        run("s_set_gpr_idx_off", &mut w, 0);
        assert!(!w.mode.gpr_idx_en());
        run("s_setprio", &mut w, 3);
        assert_eq!(w.status_bits >> 3 & 3, 3);
    }
}
