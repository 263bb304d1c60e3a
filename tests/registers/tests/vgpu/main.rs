// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every register and field that the virtual GPU declares with AMD's headers: the registers by asking the
//! device for the name of each offset, the fields by reading its source.

mod device;
mod exceptions;
mod fields;
mod names;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use exceptions::{FIELDS, NAMELESS, NO_REGISTERS, REGISTERS, SDMA_BASES, SDMA_HOLES};
use registers::{checkout, linux, report, same_family, Headers};

static HEADERS: LazyLock<Headers> = LazyLock::new(|| Headers::read(&linux()));

fn source() -> PathBuf {
    checkout().join("tests/vgpu/src")
}

/// Each name is AMD's name of the register at that offset. Of registers that the device gives the name of the first
/// of them, the first is exactly there, the others differ in their number or half only.
#[test]
fn registers_match() {
    let mut errors = Vec::new();
    let declared = device::registers();
    for (name, ..) in REGISTERS.iter().filter(|(name, ..)| !declared.contains_key(name)) {
        errors.push(format!("{name}: an exception that nothing needs"));
    }
    for (name, offsets) in declared {
        let listed = REGISTERS.iter().find(|(register, ..)| *register == name);
        for (n, offset) in offsets.iter().enumerate() {
            let right = HEADERS
                .names_at(*offset)
                .any(|amd| amd == name || n > 0 && same_family(amd, name));
            let excepted = listed.is_some_and(|(_, expected, _)| offset == expected);
            if right == excepted {
                let places: Vec<_> = HEADERS
                    .find(name)
                    .map(|(b, o)| format!("{o:#x} ({})", b.name))
                    .collect();
                errors.push(match right {
                    true => format!("{name}: listed as an exception, but AMD's headers have it"),
                    false => format!("{name} is at {offset:#x}, AMD's headers say {places:?}"),
                });
            }
        }
    }
    report(errors);
}

/// The device knows the name of each register that it answers for.
#[test]
fn no_register_is_nameless() {
    let nameless = device::nameless();
    let holes = SDMA_BASES
        .iter()
        .flat_map(|base| SDMA_HOLES.iter().map(move |dword| (base + dword) * 4));
    let mut expected: Vec<_> = NAMELESS.iter().map(|(offset, _)| *offset).chain(holes).collect();
    expected.sort_unstable();
    assert_eq!(nameless, expected, "{nameless:x?}");
}

/// What is compared above is what a search of the source finds.
#[test]
fn no_register_is_overlooked() {
    let seen: BTreeSet<_> = device::registers().keys().copied().collect();
    let mut errors = Vec::new();
    let mut others: BTreeSet<&(&str, &str, &str)> = BTreeSet::new();
    for found in names::in_source(&source(), &HEADERS) {
        let other = NO_REGISTERS
            .iter()
            .find(|(file, name, _)| *file == found.file && *name == found.name);
        if other.is_some() {
            others.extend(other);
            continue;
        }
        let sdma = format!("_{}", found.name);
        let known = |name: &str| name == found.name || name.starts_with("SDMA") && name.ends_with(&sdma);
        if !seen.iter().any(|name| known(name)) {
            errors.push(format!(
                "{}: {} is declared, but no register of the device",
                found.file, found.name
            ));
        }
        if let Some(at) = found.constant {
            if !HEADERS.find(&found.name).any(|(_, offset)| offset == at) {
                errors.push(format!("{}: {} is not at {at:#x}", found.file, found.name));
            }
        }
    }
    assert_eq!(
        others.len(),
        NO_REGISTERS.len(),
        "an exception that nothing needs"
    );
    report(errors);
}

/// Each field is AMD's field of that register, in every block that has the register.
#[test]
fn fields_match() {
    let found = fields::in_source(&source());
    assert!(found.len() > 80, "only {} fields", found.len());
    let mut errors = Vec::new();
    let mut met: BTreeSet<&(&str, &str, &str)> = BTreeSet::new();
    for declared in found {
        let (register, field) = (&declared.register, &declared.field);
        let listed = FIELDS.iter().find(|(r, f, _)| r == register && f == field);
        let mut blocks = 0;
        for (block, _) in HEADERS.find(register) {
            blocks += 1;
            match block.field(register, field) {
                Err(e) => errors.push(e),
                Ok(amd) if amd == Some(declared.mask) => {}
                // a block's headers lack it, or have it otherwise
                Ok(_) if listed.is_some() => met.extend(listed),
                Ok(amd) => errors.push(format!(
                    "{register}.{field}: {:#x} here, {amd:#x?} in {}, no exception",
                    declared.mask.0, block.name,
                )),
            }
        }
        if blocks == 0 {
            errors.push(format!("{register}.{field}: no such register"));
        }
    }
    let unused = FIELDS.iter().filter(|exception| !met.contains(exception));
    errors.extend(unused.map(|e| format!("{e:?}: an exception that nothing needs")));
    report(errors);
}
