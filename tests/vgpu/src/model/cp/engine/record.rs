// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The packets of kernel queues in the trace: opcode, what the packet asks for, and behind a `~` addresses and other
//! values of the moment.

use std::fmt::{self, Write};

use super::super::bus::Bus;
use super::super::hws::list::List;
use super::super::hws::packets::{decode, MapProcess, MapQueues, Packet, Select, SetResources, UnmapQueues};
use super::super::pm4::{opcode, Body};
use super::super::queue::{Queue, Role};
use crate::trace::Trace;

/// Records a packet once, before it is executed for the first time.
pub(super) fn packet(bus: &dyn Bus, q: &mut Queue, op: u8, body: Body<'_>) {
    let Some(trace) = bus.trace() else { return };
    if q.recorded == Some(q.packets) {
        return;
    }
    q.recorded = Some(q.packets);
    let role = match q.role {
        Role::Kiq => "KIQ",
        Role::Hiq => "HIQ",
        Role::Direct => "ring",
        Role::Scheduled { .. } => return,
    };
    let buffer = if q.ib.is_some() { " IB" } else { "" };
    let name = opcode::name(op).unwrap_or("?");
    trace.event(
        "CP",
        format_args!("packet {role}{buffer} {name}{} {}", Details(op, body), q.slot),
    );
}

/// Records what a run list holds.
pub(super) fn list(trace: &Trace, list: &List) {
    for process in &list.processes {
        trace.event(
            "CP",
            format_args!("packet list MAP_PROCESS{}", Process(&process.map)),
        );
        for queue in &process.queues {
            trace.event("CP", format_args!("packet list MAP_QUEUES{}", Map(queue)));
        }
    }
    if list.chain.is_some() {
        trace.event("CP", format_args!("packet list RUN_LIST"));
    }
}

/// How many dwords of a packet's payload say what it does, not where or with what. Not for scheduler packets.
fn plain_dwords(op: u8) -> usize {
    match op {
        opcode::DISPATCH_DIRECT => 4,
        opcode::RELEASE_MEM => 2,
        opcode::ACQUIRE_MEM
        | opcode::WRITE_DATA
        | opcode::WAIT_REG_MEM
        | opcode::COPY_DATA
        | opcode::EVENT_WRITE
        | opcode::SET_SH_REG
        | opcode::SET_UCONFIG_REG
        | opcode::SET_CONFIG_REG
        | opcode::ATOMIC_MEM
        | opcode::DMA_DATA => 1,
        _ => 0,
    }
}

/// The details of a packet.
struct Details<'a>(u8, Body<'a>);

impl fmt::Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(op, body) = *self;
        match decode(op, body) {
            Ok(Packet::SetResources(SetResources {
                queue_type,
                vmid_mask,
                queue_mask,
                unmap_latency,
            })) => write!(
                f,
                " for={queue_type:?} vmid_mask={vmid_mask:#x} queue_mask={queue_mask:#x} unmap_latency={unmap_latency} ~"
            ),
            Ok(Packet::MapQueues(m)) => write!(f, "{}", Map(&m)),
            Ok(Packet::MapProcess(p)) => write!(f, "{}", Process(&p)),
            Ok(Packet::UnmapQueues(UnmapQueues { reset, select })) => {
                let (what, which) = match select {
                    Select::Doorbells(d) => ("doorbells", format!("{:x?}", d.iter().flatten().collect::<Vec<_>>())),
                    Select::Pasid(pasid) => ("pasid", format!("{pasid:#x}")),
                    Select::All => ("all", String::new()),
                    Select::NonStatic => ("non-static", String::new()),
                };
                write!(f, " {what} reset={reset} ~ {which}")
            }
            Ok(Packet::QueryStatus(s)) => write!(
                f,
                " fence={} interrupt={} ~ addr={:#x} data={:#x}",
                s.fence,
                s.interrupt.is_some(),
                s.addr,
                s.data
            ),
            Ok(Packet::RunList(r)) => write!(
                f,
                " processes={} ~ base={:#x} dwords={}",
                r.processes, r.base, r.dwords
            ),
            Err(_) if op == opcode::NOP => write!(f, " ~ {} dwords", body.len()),
            Err(_) => dwords(f, body.0, plain_dwords(op)),
        }
    }
}

fn dwords(f: &mut fmt::Formatter<'_>, all: &[u32], plain: usize) -> fmt::Result {
    for (n, dword) in all.iter().enumerate() {
        if n == plain {
            f.write_str(" ~")?;
        }
        write!(f, " {dword:#x}")?;
    }
    if all.len() <= plain {
        f.write_str(" ~")?;
    }
    Ok(())
}

/// MAP_QUEUES.
struct Map<'a>(&'a MapQueues);

impl fmt::Display for Map<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = self.0;
        write!(f, " engine={:?}", m.engine)?;
        match m.slot {
            Some(slot) => write!(f, " slot={slot}")?,
            None => f.write_str(" slot=any")?,
        }
        for (flag, on) in [("static", m.is_static), ("gws", m.gws)] {
            if on {
                write!(f, " {flag}")?;
            }
        }
        write!(
            f,
            " ~ doorbell={:#x} mqd={:#x} wptr={:#x}",
            m.doorbell, m.mqd, m.wptr
        )
    }
}

/// MAP_PROCESS.
struct Process<'a>(&'a MapProcess);

impl fmt::Display for Process<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = self.0;
        write!(
            f,
            " quantum={} sh_mem_config={:#x} sh_mem_bases={:#x}",
            p.quantum, p.sh_mem_config, p.sh_mem_bases
        )?;
        if let Some(feature) = p.unsupported {
            write!(f, " {feature}")?;
        }
        let trap = if p.tba == 0 { "none" } else { "yes" };
        write!(
            f,
            " trap_handler={trap} ~ pasid={:#x} page_table_base={:#x} tba={:#x} tma={:#x} queues={}",
            p.pasid, p.page_table_base, p.tba, p.tma, p.num_queues
        )?;
        f.write_char(' ')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_the_moment_is_behind_the_tilde() {
        let details = |op, body: &[u32]| Details(op, Body(body)).to_string();
        assert_eq!(
            details(
                opcode::RELEASE_MEM,
                &[0x10514, 0x2000_0000, 0x1000, 0x7f, 1, 0, 0]
            ),
            " 0x10514 0x20000000 ~ 0x1000 0x7f 0x1 0x0 0x0"
        );
        assert_eq!(details(opcode::NOP, &[7]), " ~ 1 dwords");
        assert_eq!(details(opcode::EVENT_WRITE, &[7]), " 0x7 ~");
        assert_eq!(
            details(opcode::RUN_LIST, &[0x1000, 0x7f, 20 | 1 << 23]),
            " processes=0 ~ base=0x7f00001000 dwords=20"
        );
        assert!(details(opcode::UNMAP_QUEUES, &[2 << 4, 0, 0, 0, 0]).contains("reset="));
    }
}
