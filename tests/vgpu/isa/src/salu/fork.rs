// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Forks: a wave takes one way of a branch with some of its lanes and comes back for the others.
//!
//! What is left to do is kept in SGPRs as a stack of up to eight entries of four dwords: EXEC, then address. MODE.CSP is the
//! number of entries (CDNA2 ISA "S_CBRANCH_G_FORK", "S_CBRANCH_JOIN").

use super::Flow;
use crate::mode::Mode;
use crate::stop::Why;
use crate::wave::Wave;

/// Goes where fewer lanes go and leaves the others for [`join`]; `pass` are those that go to `target`.
pub(super) fn fork(w: &mut Wave, pass: u64, target: u64) -> Result<Flow, Why> {
    let (pass, fail) = (w.exec & pass, w.exec & !pass);
    if fail == 0 {
        return Ok(Flow::Jump(target));
    }
    if pass == 0 {
        return Ok(Flow::Next);
    }
    if fail.count_ones() < pass.count_ones() {
        push(w, pass, target)?;
        w.exec = fail;
        return Ok(Flow::Next);
    }
    push(w, fail, w.pc)?;
    w.exec = pass;
    Ok(Flow::Jump(target))
}

/// Goes back for the lanes that wait, or on if the stack is as high as it was before the fork.
pub(super) fn join(w: &mut Wave, before: u32) -> Result<Flow, Why> {
    if w.mode.csp() == before {
        return Ok(Flow::Next);
    }
    let top = w.mode.csp().wrapping_sub(1) & Mode::CSP_MAX;
    let (exec, target) = (w.sgpr64(place(top))?, w.sgpr64(place(top) + 2)?);
    w.mode.set_csp(top);
    w.exec = exec;
    Ok(Flow::Jump(target))
}

fn push(w: &mut Wave, exec: u64, target: u64) -> Result<(), Why> {
    let top = w.mode.csp();
    w.set_sgpr64(place(top), exec)?;
    w.set_sgpr64(place(top) + 2, target)?;
    w.mode.set_csp(top + 1);
    Ok(())
}

/// First SGPR of entry `n`.
fn place(n: u32) -> u16 {
    (n & Mode::CSP_MAX) as u16 * 4
}
