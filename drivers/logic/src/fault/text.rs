// SPDX-License-Identifier: GPL-2.0
//! A fault in words: the same lines in the log and in debugfs.

use super::{Allocation, Mapped, Owner, PageFault, Queues, Record};
use crate::{iv::Access as Kind, pagetable::Access};
use core::fmt;

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Process,
    Address,
    Cause,
    Mapped,
    Nearest,
    Freed,
    Queues,
}

/// A line of a record, without its end. It begins with `page fault NUMBER: FIELD: `.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    record: &'a Record,
    field: Field,
}

impl Record {
    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let hardware = [Field::Process, Field::Address, Field::Cause];
        let known = [Field::Mapped, Field::Nearest, Field::Freed, Field::Queues];
        let known = self.owner.is_some().then_some(known);
        hardware
            .into_iter()
            .chain(known.into_iter().flatten())
            .map(|field| Line { record: self, field })
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Record { number, fault, owner } = self.record;
        write!(f, "page fault {number}: ")?;
        match (self.field, owner) {
            (Field::Process, _) => process(f, fault, owner.as_ref()),
            (Field::Address, _) => address(f, fault),
            (Field::Cause, _) => cause(f, fault, owner.as_ref()),
            (_, None) => Ok(()),
            (Field::Mapped, Some(owner)) => mapped(f, owner.mapped.as_ref()),
            (Field::Nearest, Some(owner)) => nearest(f, owner.nearest.as_ref(), fault.fault.addr),
            (Field::Freed, Some(owner)) => freed(f, owner),
            (Field::Queues, Some(owner)) => queues(f, &owner.queues),
        }
    }
}

fn process(f: &mut fmt::Formatter<'_>, fault: &PageFault, owner: Option<&Owner>) -> fmt::Result {
    f.write_str("process: ")?;
    match owner {
        Some(owner) => write!(f, "{}[{}] on GPU {:#x}", owner.name, owner.pid, owner.gpu_id)?,
        None if fault.pasid == 0 => f.write_str("none, the kernel's own address space")?,
        None => f.write_str("unknown")?,
    }
    write!(f, ", PASID {:#x}, VMID {}", fault.pasid, fault.vmid)
}

fn address(f: &mut fmt::Formatter<'_>, fault: &PageFault) -> fmt::Result {
    let hub = fault.fault.hub;
    write!(f, "address: {:#x}, {} by ", fault.fault.addr, fault.verb())?;
    match fault.detail() {
        Some(s) => write!(f, "{} ({} {:#x})", s.unit_words(hub), hub.name(), s.unit()),
        None => write!(f, "an unknown unit of {}", hub.name()),
    }
}

fn cause(f: &mut fmt::Formatter<'_>, fault: &PageFault, owner: Option<&Owner>) -> fmt::Result {
    let mapped = owner.and_then(|owner| owner.mapped);
    f.write_str("cause: ")?;
    f.write_str(match (fault.fault.not_present, mapped) {
        (true, Some(Mapped { present: false, .. })) => "the process has taken its memory there away",
        (true, Some(_)) => "the GPU found nothing, though something is mapped there",
        (true, None) => "nothing is mapped there",
        (false, _) if fault.fault.access == Kind::Write => "it may not be written",
        (false, _) if fault.verb() == "execute" => "it may not be executed",
        (false, _) => "it may not be read",
    })?;
    if fault.fault.retry {
        f.write_str(", the access is repeated")?;
    }
    let Some(s) = fault.status else { return Ok(()) };
    write!(f, "; status {:#010x}", s.0)?;
    if fault.detail().is_none() {
        return write!(f, " of an earlier fault of VMID {}", s.vmid());
    }
    if s.permissions() != 0 {
        f.write_str(", missing:")?;
        for (bit, right) in ["valid", "read", "write", "execute"].iter().enumerate() {
            if s.permissions() >> bit & 1 == 1 {
                write!(f, " {right}")?;
            }
        }
    }
    if s.walker_error() != 0 {
        write!(f, ", page walk error {}", s.walker_error())?;
    }
    if s.mapping_error() {
        f.write_str(", in no aperture")?;
    }
    if s.more() {
        f.write_str(", more faults followed")?;
    }
    Ok(())
}

fn mapped(f: &mut fmt::Formatter<'_>, mapped: Option<&Mapped>) -> fmt::Result {
    f.write_str("mapped: ")?;
    match mapped {
        None => f.write_str("nothing"),
        Some(mapped) => {
            allocation(f, &mapped.allocation)?;
            let Access { read, write, execute } = mapped.rights;
            let may = |f: &mut fmt::Formatter<'_>, right, name| match right {
                true => write!(f, " {name}"),
                false => Ok(()),
            };
            f.write_str(", may:")?;
            may(f, read, "read")?;
            may(f, write, "write")?;
            may(f, execute, "execute")
        }
    }
}

fn nearest(f: &mut fmt::Formatter<'_>, nearest: Option<&Allocation>, addr: u64) -> fmt::Result {
    f.write_str("nearest: ")?;
    let Some(nearest) = nearest else {
        return f.write_str("nothing is allocated");
    };
    allocation(f, nearest)?;
    let side = match addr < nearest.range.start() {
        true => "begins",
        false => "ends",
    };
    match nearest.gap(addr) {
        _ if nearest.covers(addr) => f.write_str(", covers the address"),
        0 => write!(f, ", {side} at the faulting page"),
        gap => write!(f, ", {side} {gap:#x} bytes from the faulting page"),
    }
}

fn freed(f: &mut fmt::Formatter<'_>, owner: &Owner) -> fmt::Result {
    f.write_str("freed: ")?;
    match &owner.gone {
        None => f.write_str("nothing known"),
        Some(gone) => {
            allocation(f, &gone.allocation)?;
            let since = match owner.gone_is_allocated {
                true => "still allocated",
                false => "freed since",
            };
            write!(f, ", unmapped {} ms ago, {since}", gone.ms)
        }
    }
}

fn queues(f: &mut fmt::Formatter<'_>, queues: &Queues) -> fmt::Result {
    write!(f, "queues: {}", queues.count)?;
    for (n, (id, what)) in queues.first.iter().flatten().enumerate() {
        let before = if n == 0 { " (" } else { ", " };
        write!(f, "{before}{id} {what}")?;
    }
    if queues.count as usize > queues.first.len() {
        f.write_str(", ...")?;
    }
    f.write_str(match queues.count {
        0 => "",
        _ => "), stopped for good",
    })
}

fn allocation(f: &mut fmt::Formatter<'_>, allocation: &Allocation) -> fmt::Result {
    let Allocation { range, what } = allocation;
    write!(f, "{what} {:#x}..{:#x}", range.start(), range.end())
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_fault_text))]
mod tests {
    use super::*;
    use crate::{
        fault::{Gone, Name},
        iv::{Fault, FaultStatus, Hub},
        pagetable::VaRange,
        testing::Text,
    };
    use core::fmt::Write;

    const FAULT: PageFault = PageFault {
        vmid: 8,
        pasid: 0x11,
        fault: Fault {
            hub: Hub::Gfx,
            addr: 0x20_3000,
            access: Kind::Write,
            retry: false,
            not_present: true,
            read_only: true,
        },
        status: Some(FaultStatus(5 << 4 | 5 << 9 | 1 << 18 | 8 << 20)),
    };

    fn allocation(start: u64) -> Option<Allocation> {
        let what = "VRAM";
        VaRange::new(start, 0x1000).map(|range| Allocation { range, what })
    }

    fn owner() -> Owner {
        let mut queues = Queues::default();
        queues.add(0, "PM4");
        queues.add(1, "SDMA");
        Owner {
            gpu_id: 0xabcd,
            pid: 77,
            name: Name(*b"pro\ngram\0gram\0\0\0"),
            mapped: None,
            nearest: allocation(0x20_2000),
            gone: allocation(0x20_3000).map(|allocation| Gone { allocation, ms: 12 }),
            gone_is_allocated: false,
            queues,
        }
    }

    fn line(record: &Record, n: usize) -> Result<Text<160>, fmt::Error> {
        let mut text = Text::new();
        let line = record.lines().nth(n).ok_or(fmt::Error)?;
        write!(text, "{line}")?;
        Ok(text)
    }

    #[test]
    fn of_a_process() -> fmt::Result {
        let record = Record {
            number: 3,
            fault: FAULT,
            owner: Some(owner()),
        };
        let expected = [
            "page fault 3: process: pro\\ngram[77] on GPU 0xabcd, PASID 0x11, VMID 8",
            "page fault 3: address: 0x203000, write by the compute command processor CPC (gfxhub 0x5)",
            "page fault 3: cause: nothing is mapped there; status 0x00840a50, missing: valid write",
            "page fault 3: mapped: nothing",
            "page fault 3: nearest: VRAM 0x202000..0x203000, ends at the faulting page",
            "page fault 3: freed: VRAM 0x203000..0x204000, unmapped 12 ms ago, freed since",
            "page fault 3: queues: 2 (0 PM4, 1 SDMA), stopped for good",
        ];
        for (n, expected) in expected.iter().enumerate() {
            assert_eq!(line(&record, n)?.text(), *expected);
        }
        assert!(record.lines().nth(expected.len()).is_none());
        Ok(())
    }

    #[test]
    fn of_what_may_not_be_written() -> fmt::Result {
        let fault = Fault {
            not_present: false,
            ..FAULT.fault
        };
        let rights = Access {
            read: true,
            write: false,
            execute: true,
        };
        let mapped = allocation(0x20_3000).map(|allocation| Mapped {
            allocation,
            rights,
            present: true,
        });
        let record = Record {
            number: 1,
            // another VMID's
            fault: PageFault {
                fault,
                status: Some(FaultStatus(1 << 18 | 9 << 20)),
                ..FAULT
            },
            owner: Some(Owner {
                mapped,
                nearest: allocation(0x20_6000),
                gone: None,
                ..owner()
            }),
        };
        let expected = [
            "page fault 1: address: 0x203000, write by an unknown unit of gfxhub",
            "page fault 1: cause: it may not be written; status 0x00940000 of an earlier fault of VMID 9",
            "page fault 1: mapped: VRAM 0x203000..0x204000, may: read execute",
            "page fault 1: nearest: VRAM 0x206000..0x207000, begins 0x2000 bytes from the faulting page",
            "page fault 1: freed: nothing known",
        ];
        for (n, expected) in expected.iter().enumerate() {
            assert_eq!(line(&record, n + 1)?.text(), *expected);
        }
        Ok(())
    }

    #[test]
    fn of_nobody() -> fmt::Result {
        let record = Record {
            number: 1,
            fault: PageFault { pasid: 0, ..FAULT },
            owner: None,
        };
        assert_eq!(record.lines().count(), 3);
        let expected = "page fault 1: process: none, the kernel's own address space, PASID 0x0, VMID 8";
        assert_eq!(line(&record, 0)?.text(), expected);
        Ok(())
    }
}
