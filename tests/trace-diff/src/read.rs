// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading a trace (vgpu: trace.rs).

use anyhow::{bail, Context, Result};

/// A register access, or several reads in a row that found the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who: CPU, CP, SDMA0.
    pub who: String,
    /// Whether it is a write.
    pub write: bool,
    /// Block as the virtual GPU calls it.
    pub block: String,
    /// Register, or the first of its family.
    pub name: String,
    /// Byte offset in the register BAR, or address on the management network.
    pub offset: u32,
    /// Which copy of the register; "-" if there is one only.
    pub bank: String,
    /// What was read or written.
    pub value: u32,
}

/// Anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Who: SMU, PSP, CP, SDMA0, IH.
    pub who: String,
    /// What, without what is of the moment.
    pub what: String,
}

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A register access.
    Access(Access),
    /// Anything else.
    Event(Event),
}

/// Reads all lines of a trace; an error names the first that is none.
pub fn read(text: &str) -> Result<Vec<Line>> {
    let numbered = text.lines().zip(1..);
    numbered
        .map(|(text, n)| line(text).with_context(|| format!("line {n} of the trace: {text}")))
        .collect()
}

fn line(text: &str) -> Result<Line> {
    let (_, rest) = text.trim_start().split_once(' ').context("no time")?;
    let (who, rest) = rest.split_once(' ').context("nobody")?;
    if rest.starts_with("R ") || rest.starts_with("W ") {
        return access(who, rest).map(Line::Access);
    }
    let (what, _) = rest.split_once(" ~").unwrap_or((rest, ""));
    Ok(Line::Event(Event {
        who: who.into(),
        what: what.trim_end().into(),
    }))
}

fn access(who: &str, rest: &str) -> Result<Access> {
    // the names of blocks may have spaces
    let (place, value) = rest.rsplit_once(" = ").context("no value")?;
    let (value, _) = value.split_once(' ').unwrap_or((value, ""));
    let mut words = place.rsplitn(4, ' ');
    let (Some(bank), Some(offset), Some(name), Some(head)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        bail!("a place has four parts");
    };
    let (kind, block) = head.split_once(' ').context("no block")?;
    Ok(Access {
        who: who.into(),
        write: kind == "W",
        block: block.into(),
        name: name.into(),
        offset: number(offset)?,
        bank: bank.into(),
        value: number(value)?,
    })
}

fn number(text: &str) -> Result<u32> {
    let digits = text.strip_prefix("0x").context("not a number")?;
    Ok(u32::from_str_radix(digits, 16)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_and_events() {
        let lines = read(
            "        12 CPU W DF, UMC THM_THERMAL_INT_ENA 0x59828 - = 0x00000007\n\
             13 CP R CP CP_HQD_ACTIVE 0x0c0ac me2.pipe1.queue0 = 0x00000001 x17\n\
             14 CP packet KIQ NOP ~ 0x7 me2.pipe1.queue0\n15 IH msi\n",
        )
        .unwrap();
        let Line::Access(a) = &lines[0] else { panic!() };
        assert_eq!(
            (a.block.as_str(), a.offset, a.value, a.write),
            ("DF, UMC", 0x59828, 7, true)
        );
        let Line::Access(a) = &lines[1] else { panic!() };
        assert_eq!(
            (a.bank.as_str(), a.value, a.write),
            ("me2.pipe1.queue0", 1, false)
        );
        let event = |who: &str, what: &str| {
            Line::Event(Event {
                who: who.into(),
                what: what.into(),
            })
        };
        assert_eq!(lines[2..], [event("CP", "packet KIQ NOP"), event("IH", "msi")]);
    }

    #[test]
    fn what_is_no_line_is_named() {
        let error = read("1 IH msi\n2 CPU W GRBM X 0x10 - 7\n").unwrap_err();
        assert!(format!("{error:#}").contains("line 2"), "{error:#}");
    }
}
