// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every register and field that the driver declares with AMD's headers. The declarations are compiled here
//! as they are, with a `register!` of our own.

// where the declarations look for `register!`
extern crate self as kernel;

mod blocks;
mod declared;
mod exceptions;
mod scan;

/// The part of the kernel crate that declarations of registers use.
mod io {
    pub(crate) use crate::declared::register;

    pub(crate) mod register {
        /// A place that registers of the family `T` are relative to.
        pub(crate) trait RegisterBase<T> {
            /// Byte offset in the register BAR.
            const BASE: usize;
        }
    }
}

use std::collections::BTreeSet;

use blocks::{Instance, FILES};
use declared::Register;
use exceptions::{Exceptions, Subject};
use registers::{checkout, linux, member, report, Block, Headers, Mask};

#[test]
fn declarations_match() {
    let headers = Headers::read(&linux());
    let mut exceptions = Exceptions::default();
    let mut errors = Vec::new();
    for file in FILES {
        for register in file.registers {
            for instance in file.instances_of(register) {
                compare(&headers, &mut exceptions, register, &instance, &mut errors);
            }
        }
    }
    errors.extend(exceptions.unused());
    report(errors);
}

/// What is compared above is what a search of the driver's source finds.
#[test]
fn no_declaration_is_overlooked() {
    let mut seen = BTreeSet::new();
    for register in FILES.iter().flat_map(|f| f.registers) {
        assert!(
            seen.insert(register.name.to_owned()),
            "{} is declared twice",
            register.name
        );
        for (field, ..) in register.fields {
            assert!(seen.insert(format!("{}.{field}", register.name)));
        }
    }
    let found = scan::declarations(&checkout().join("drivers"));
    let differing: Vec<_> = found.symmetric_difference(&seen).collect();
    assert!(differing.is_empty(), "found or compared, not both: {differing:?}");
    assert!(seen.len() > 200, "only {} declarations", seen.len());
}

/// Compares all members of a register with the header, at one of its places.
fn compare(
    headers: &Headers,
    exceptions: &mut Exceptions,
    register: &Register,
    instance: &Instance,
    errors: &mut Vec<String>,
) {
    for n in 0..register.count {
        let at = instance.base + register.offset + n * register.stride;
        let first = instance.name_of(register.name);
        let hole = exceptions.covers(Subject::Member(register.name, n));
        let name = match member(&first, n) {
            _ if n == 0 => first,
            Some(member) => member,
            // not numbered: consecutive registers, named after the first
            None => match headers.names_at(at).next() {
                None if hole => continue,
                None => {
                    errors.push(format!("{first}: member {n} is at {at:#x}, where no register is"));
                    continue;
                }
                Some(name) => name.to_owned(),
            },
        };
        if hole {
            errors.push(format!("{name}: listed as a hole, but AMD's headers have it"));
        }
        let places: Vec<_> = headers
            .find(&name)
            .filter(|(block, _)| instance.block.is_none_or(|wanted| wanted == block.name))
            .collect();
        let fields_of = exceptions.fields_of(register.name);
        match places.iter().find(|(_, offset)| *offset == at) {
            Some((block, _)) => {
                if fields_of.is_some() {
                    errors.push(format!(
                        "{name}: listed as an exception, but AMD's headers have it"
                    ));
                }
                fields(block, exceptions, register, &name, errors);
            }
            None if places.is_empty() => match fields_of {
                Some((block, like)) => fields(headers.block(block), exceptions, register, like, errors),
                None => errors.push(format!("{name}: not in AMD's headers")),
            },
            None => {
                let offsets: Vec<_> = places
                    .iter()
                    .map(|(b, o)| format!("{o:#x} ({})", b.name))
                    .collect();
                errors.push(format!(
                    "{name}: declared at {at:#x}, AMD's headers say {}",
                    offsets.join(", ")
                ));
            }
        }
    }
}

/// Compares the fields of a register with those of the register `amd` of the headers.
fn fields(
    block: &Block,
    exceptions: &mut Exceptions,
    register: &Register,
    amd: &str,
    errors: &mut Vec<String>,
) {
    for (field, high, low) in register.fields {
        let declared = Mask::of(*high, *low);
        let what = format!("{}.{field}", register.name);
        let listed = exceptions.covers(Subject::Field(register.name, field));
        match block.field(amd, field) {
            Err(e) => errors.push(e),
            Ok(found) if listed => {
                if found == declared {
                    errors.push(format!("{what}: listed as an exception, but AMD's headers agree"));
                }
            }
            Ok(None) => errors.push(format!("{what}: {} has no such field of {amd}", block.name)),
            Ok(Some(mask)) if declared == Some(mask) => {}
            // where the hardware leaves bits out, `value` may be the whole word
            Ok(Some(_)) if *field == "value" && (*high, *low) == (31, 0) && block.lacks_value(amd) => {}
            Ok(Some(mask)) => errors.push(format!(
                "{what}: declared as {high}:{low}, {} has the mask {:#x}",
                block.name, mask.0
            )),
        }
    }
}
