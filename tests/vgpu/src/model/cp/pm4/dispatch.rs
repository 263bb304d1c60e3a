// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DISPATCH_DIRECT and DISPATCH_INDIRECT: launches a kernel from the queue's COMPUTE_* registers.

use super::super::dispatch_request::{DispatchRequest, Scratch, ShMem, TrapHandler};
use super::super::regs::{Compute, Reg};
use super::exec::{Bad, Flow, Machine};
use super::Body;

/// Fields of COMPUTE_DISPATCH_INITIATOR.
mod initiator {
    crate::fields! {
        COMPUTE_SHADER_EN = COMPUTE_DISPATCH_INITIATOR.COMPUTE_SHADER_EN[0:0];
        PARTIAL_TG_EN = COMPUTE_DISPATCH_INITIATOR.PARTIAL_TG_EN[1:1];
        FORCE_START_AT_000 = COMPUTE_DISPATCH_INITIATOR.FORCE_START_AT_000[2:2];
        ORDERED_APPEND_ENBL = COMPUTE_DISPATCH_INITIATOR.ORDERED_APPEND_ENBL[3:3];
        USE_THREAD_DIMENSIONS = COMPUTE_DISPATCH_INITIATOR.USE_THREAD_DIMENSIONS[5:5];
        RESTORE = COMPUTE_DISPATCH_INITIATOR.RESTORE[14:14];
    }
    /// What this model cannot do.
    pub(super) const UNSUPPORTED: u32 = ORDERED_APPEND_ENBL | RESTORE;
}

/// Kernels of one queue in the dispatcher at a time; more wait in the ring.
pub(crate) const MAX_RUNNING: usize = 64;

pub(super) fn direct(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 4 {
        return Err(Bad::Length);
    }
    launch(m, [b.dw(0), b.dw(1), b.dw(2)], b.dw(3))
}

/// The compute form: address of three dimensions, initiator.
pub(super) fn indirect(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 3 {
        return Err(Bad::Length);
    }
    let at = b.qw(0) & !3;
    let mut dims = [0; 3];
    for (i, d) in dims.iter_mut().enumerate() {
        *d = m.bus.read32(m.vmid, at.wrapping_add(i as u64 * 4))?;
    }
    launch(m, dims, b.dw(2))
}

fn launch(m: &mut Machine<'_>, dims: [u32; 3], init: u32) -> Result<Flow, Bad> {
    if m.flight.running() >= MAX_RUNNING {
        return Ok(Flow::UntilIdle);
    }
    if init & initiator::UNSUPPORTED != 0 {
        return Err(Bad::field("dispatch_initiator", init));
    }
    let regs = {
        let mut file = m.regs.lock();
        let compute = &mut file.bank_mut(m.slot).compute;
        compute.set(Reg::DispatchInitiator, init);
        compute.clone()
    };
    if init & initiator::COMPUTE_SHADER_EN == 0 {
        // the packet only loads the dimensions
        return Ok(Flow::Next);
    }
    let shape = Shape::new(&regs, dims, init)?;
    let state = m.bus.vmid_state(m.vmid);
    let seq = m.flight.launch();
    let rsrc2 = regs.get(Reg::PgmRsrc2);
    let request = DispatchRequest {
        queue: m.ident,
        vmid: m.vmid,
        pasid: m.pasid,
        aql: None,
        code: (u64::from(regs.get(Reg::PgmHi) & 0xff) << 32 | u64::from(regs.get(Reg::PgmLo))) << 8,
        pgm_rsrc1: regs.get(Reg::PgmRsrc1),
        pgm_rsrc2: rsrc2,
        pgm_rsrc3: regs.get(Reg::PgmRsrc3),
        workgroup: shape.workgroup,
        first_group: shape.first,
        end_group: shape.end,
        last_workgroup: shape.last,
        user_sgprs: (0..user_sgpr_count(rsrc2))
            .map(|n| regs.nth(Reg::UserData0, n))
            .collect(),
        scratch: scratch(&regs),
        // COMPUTE_PGM_RSRC2.LDS_SIZE counts 512 bytes
        lds_bytes: (rsrc2 >> 15 & 0x1ff) * 512,
        sh_mem: ShMem {
            config: state.sh_mem_config,
            bases: state.sh_mem_bases,
        },
        trap: TrapHandler {
            tba: state.tba,
            tma: state.tma,
        },
        cu_mask: regs.cu_mask(),
        grid: [0; 3],
        completion: (m.completion)(seq),
    };
    m.bus.count("cp_pm4_dispatch");
    let id = m.bus.dispatch(request);
    m.flight.launched(seq, id);
    Ok(Flow::Next)
}

/// COMPUTE_PGM_RSRC2.USER_SGPR, at most the 16 there are.
pub(crate) fn user_sgpr_count(rsrc2: u32) -> usize {
    (rsrc2 as usize >> 1 & 0x1f).min(16)
}

/// Scratch from a COMPUTE_TMPRING_SIZE value: waves in 11:0, KiB per wave in 24:12.
pub(crate) fn tmpring(value: u32, base: u64) -> Scratch {
    Scratch {
        base,
        waves: value & 0xfff,
        wave_bytes: (value >> 12 & 0x1fff) * 1024,
    }
}

fn scratch(regs: &Compute) -> Scratch {
    let base = u64::from(regs.get(Reg::ScratchBaseHi) & 0xff) << 32 | u64::from(regs.get(Reg::ScratchBaseLo));
    tmpring(regs.get(Reg::TmpringSize), base << 8)
}

/// Which workgroups there are and how large they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    workgroup: [u32; 3],
    first: [u32; 3],
    end: [u32; 3],
    last: [u32; 3],
}

impl Shape {
    fn new(regs: &Compute, dims: [u32; 3], init: u32) -> Result<Self, Bad> {
        let threads = regs.xyz(Reg::NumThreadX);
        let start = if init & initiator::FORCE_START_AT_000 != 0 {
            [0; 3]
        } else {
            regs.xyz(Reg::StartX)
        };
        let mut s = Self {
            workgroup: [0; 3],
            first: start,
            end: [0; 3],
            last: [0; 3],
        };
        let axes = s
            .workgroup
            .iter_mut()
            .zip(&mut s.end)
            .zip(&mut s.last)
            .zip(threads)
            .zip(dims);
        for ((((size, end), last), threads), dim) in axes {
            *size = threads & 0xffff;
            if *size == 0 {
                return Err(Bad::Launch("a workgroup dimension is 0"));
            }
            if init & initiator::USE_THREAD_DIMENSIONS != 0 {
                *end = dim.div_ceil(*size);
                *last = match dim % *size {
                    0 => *size,
                    rest => rest,
                };
            } else {
                *end = dim;
                *last = match threads >> 16 {
                    partial if init & initiator::PARTIAL_TG_EN != 0 && partial != 0 => partial.min(*size),
                    _ => *size,
                };
            }
        }
        let items = s
            .workgroup
            .iter()
            .fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
        if items > 1024 {
            return Err(Bad::Launch("a workgroup has more than 1024 work-items"));
        }
        Ok(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regs(threads: [u32; 3]) -> Compute {
        let mut c = Compute::default();
        for (i, t) in threads.into_iter().enumerate() {
            c.0[Reg::NumThreadX as usize + i] = t;
        }
        c
    }

    #[test]
    fn thread_dimensions_make_partial_groups() {
        let s = Shape::new(&regs([64, 2, 1]), [130, 4, 1], 0x21).unwrap();
        assert_eq!((s.end, s.last), ([3, 2, 1], [2, 2, 1]));
        assert_eq!(
            Shape::new(&regs([64, 1, 1]), [0, 1, 1], 0x21).unwrap().end,
            [0, 1, 1]
        );
    }

    #[test]
    fn group_dimensions_start_where_told() {
        let mut c = regs([64 | 10 << 16, 1, 1]);
        c.0[Reg::StartX as usize] = 2;
        let s = Shape::new(&c, [5, 1, 1], 1 | 2).unwrap();
        assert_eq!((s.first, s.end, s.last), ([2, 0, 0], [5, 1, 1], [10, 1, 1]));
        let s = Shape::new(&c, [5, 1, 1], 1 | 4).unwrap();
        assert_eq!((s.first, s.last), ([0; 3], [64, 1, 1]));
    }

    #[test]
    fn impossible_groups_are_refused() {
        assert!(Shape::new(&regs([0, 1, 1]), [1, 1, 1], 1).is_err());
        assert!(Shape::new(&regs([1024, 2, 1]), [1, 1, 1], 1).is_err());
        assert!(Shape::new(&regs([1024, 1, 1]), [u32::MAX; 3], 1).is_ok());
    }

    #[test]
    fn scratch_sizes() {
        let s = tmpring(3 << 12 | 32, 0x1000);
        assert_eq!((s.waves, s.wave_bytes, s.base), (32, 3072, 0x1000));
    }
}
