// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading a run list: MAP_PROCESS, each followed by MAP_QUEUES of its queues, then possibly a chained RUN_LIST.

use super::super::pm4::header::Header;
use super::super::pm4::{opcode, Bad, Body};
use super::packets::{decode, MapProcess, MapQueues, Packet, RunList};

/// A process of a run list with its queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// The process.
    pub(crate) map: MapProcess,
    /// Its queues, in the order of the list.
    pub(crate) queues: Vec<MapQueues>,
}

/// A run list as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// Processes in the order of the list.
    pub(crate) processes: Vec<Process>,
    /// The list ends with a chained RUN_LIST: what does not fit gets its turn later.
    pub(crate) chain: Option<RunList>,
}

/// Why a list is no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListError {
    /// The packet at this dword is bad.
    Packet(usize, Bad),
    /// MAP_QUEUES before any MAP_PROCESS, at this dword.
    QueueWithoutProcess(usize),
    /// Something behind the chained RUN_LIST, at this dword.
    AfterChain(usize),
    /// A packet that does not belong into a list, at this dword.
    Foreign(usize, u8),
}

impl List {
    /// Parses the dwords of a list. Zero dwords at the end are slack of the driver's allocation.
    pub(crate) fn parse(dwords: &[u32]) -> Result<Self, ListError> {
        let mut list = Self::default();
        let mut at = 0;
        while let Some(head) = dwords.get(at) {
            if *head == 0 && dwords.get(at..).is_some_and(|rest| rest.iter().all(|d| *d == 0)) {
                break;
            }
            let header = Header::decode(*head);
            let next = at + header.dwords() as usize;
            let Header::Packet { opcode: op, .. } = header else {
                if header == Header::Filler {
                    at = next;
                    continue;
                }
                return Err(ListError::Packet(at, Bad::Header(*head)));
            };
            let body = dwords
                .get(at + 1..next)
                .ok_or(ListError::Packet(at, Bad::Truncated))?;
            if op == opcode::NOP {
                at = next;
                continue;
            }
            if list.chain.is_some() {
                return Err(ListError::AfterChain(at));
            }
            match decode(op, Body(body)).map_err(|e| ListError::Packet(at, e))? {
                Packet::MapProcess(map) => list.processes.push(Process {
                    map,
                    queues: Vec::new(),
                }),
                Packet::MapQueues(q) => {
                    let process = list
                        .processes
                        .last_mut()
                        .ok_or(ListError::QueueWithoutProcess(at))?;
                    process.queues.push(q);
                }
                Packet::RunList(r) if r.chain => list.chain = Some(r),
                _ => return Err(ListError::Foreign(at, op)),
            }
            at = next;
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(op: u8, body: &[u32]) -> Vec<u32> {
        let mut p = vec![3 << 30 | (body.len() as u32 - 1) << 16 | u32::from(op) << 8];
        p.extend(body);
        p
    }

    fn process(pasid: u32) -> Vec<u32> {
        let mut body = [0; 20];
        body[0] = pasid;
        packet(opcode::MAP_PROCESS, &body)
    }

    fn queue(doorbell: u32) -> Vec<u32> {
        packet(opcode::MAP_QUEUES, &[1 << 29 | 1 << 4, doorbell << 2, 0, 0, 0, 0])
    }

    fn chain() -> Vec<u32> {
        packet(opcode::RUN_LIST, &[0x1000, 0, 50 | 1 << 20 | 1 << 23])
    }

    #[test]
    fn processes_own_the_queues_behind_them() {
        let all = [
            process(1),
            queue(10),
            queue(12),
            process(2),
            process(3),
            queue(14),
            chain(),
            vec![0; 9],
        ]
        .concat();
        let list = List::parse(&all).unwrap();
        let shape: Vec<_> = list
            .processes
            .iter()
            .map(|p| (p.map.pasid, p.queues.len()))
            .collect();
        assert_eq!(shape, [(1, 2), (2, 0), (3, 1)]);
        assert!(list.chain.is_some());
        assert_eq!(List::parse(&[]), Ok(List::default()));
    }

    #[test]
    fn disorder_is_named() {
        assert_eq!(List::parse(&queue(1)), Err(ListError::QueueWithoutProcess(0)));
        assert_eq!(
            List::parse(&[chain(), process(1)].concat()),
            Err(ListError::AfterChain(4))
        );
        assert_eq!(
            List::parse(&process(1)[..9]),
            Err(ListError::Packet(0, Bad::Truncated))
        );
        assert_eq!(
            List::parse(&[0x1234, 1]),
            Err(ListError::Packet(0, Bad::Header(0x1234)))
        );
        let unmap = packet(opcode::UNMAP_QUEUES, &[2 << 4, 0, 0, 0, 0]);
        assert_eq!(
            List::parse(&unmap),
            Err(ListError::Foreign(0, opcode::UNMAP_QUEUES))
        );
        let write = packet(opcode::WRITE_DATA, &[0; 4]);
        assert_eq!(
            List::parse(&write),
            Err(ListError::Packet(0, Bad::Opcode(opcode::WRITE_DATA)))
        );
    }
}
