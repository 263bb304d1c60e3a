// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares this crate with the C headers of a kernel source, named by the environment variable FERROCK_LINUX:
//! size, alignment and field offsets of every struct, every constant, every request number, the text of events and
//! the names in the topology. Whatever the KFD headers define and this crate lacks is an error too.

mod headers;
mod probe;
mod tables;

use headers::Header;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The kernel source.
fn linux() -> PathBuf {
    let Some(path) = std::env::var_os("FERROCK_LINUX") else {
        panic!("FERROCK_LINUX is not set: set it to a Linux 7.3 source folder, e.g. FERROCK_LINUX=$(scripts/kernel)");
    };
    let path = PathBuf::from(path);
    let header = path.join("include/uapi/linux/kfd_ioctl.h");
    assert!(
        header.is_file(),
        "FERROCK_LINUX is not a Linux source folder: there is no {}",
        header.display()
    );
    path
}

/// Fails with all of `errors` at once.
#[track_caller]
fn report(errors: Vec<String>) {
    assert!(
        errors.is_empty(),
        "{} differences:\n{}",
        errors.len(),
        errors.join("\n")
    );
}

#[test]
fn structs_match() {
    let c = probe::run(&linux());
    let mut errors = Vec::new();
    let mut expect = |what: String, rust: u64| match c.get(&what) {
        Some(&value) if value == rust => {}
        Some(value) => errors.push(format!("{what}: {rust} here, {value} in C")),
        None => errors.push(format!("{what}: not reported by the C program")),
    };
    for layout in tables::structs() {
        let name = layout.c_name;
        expect(format!("sizeof {name}"), layout.size as u64);
        expect(format!("alignof {name}"), layout.align as u64);
        for (field, offset, size) in probe::named_fields(&layout) {
            expect(format!("offsetof {name} {field}"), offset as u64);
            expect(format!("sizeof {name} {field}"), size as u64);
        }
    }
    report(errors);
}

#[test]
fn constants_match() {
    let c = probe::run(&linux());
    let mut errors = Vec::new();
    for constant in tables::constants() {
        let value = c.get(&format!("value {}", constant.c_name)).copied();
        let mask = u64::MAX >> (64 - constant.bits);
        if value.map(|v| v & mask) != Some(constant.value) {
            errors.push(format!(
                "{}: {:#x} here, {value:#x?} in C",
                constant.c_name, constant.value
            ));
        }
    }
    report(errors);
}

#[test]
fn requests_match() {
    let c = probe::run(&linux());
    let mut errors = Vec::new();
    for request in tables::requests() {
        let value = c.get(&format!("value {}", request.c_name)).copied();
        if value != Some(u64::from(request.cmd)) {
            errors.push(format!(
                "{}: {:#x} here, {value:#x?} in C",
                request.c_name, request.cmd
            ));
        }
    }
    report(errors);
}

#[test]
fn event_lines_match() {
    let c = probe::lines(&linux());
    let mut errors = Vec::new();
    for line in tables::event_lines() {
        let text = c.get(line.c_name).map(String::as_str);
        if text != Some(line.rust.as_str()) {
            errors.push(format!("{}: {:?} here, {text:?} in C", line.c_name, line.rust));
        }
    }
    report(errors);
}

#[test]
fn nothing_is_missing() {
    let linux = linux();
    let structs: BTreeSet<_> = tables::structs().iter().map(|l| l.c_name).collect();
    let mut numbers: BTreeSet<_> = tables::constants().iter().map(|c| c.c_name).collect();
    numbers.extend(tables::requests().iter().map(|r| r.c_name));
    numbers.extend(tables::event_lines().iter().map(|l| l.c_name));
    numbers.extend(tables::AS_FUNCTIONS);

    let mut errors = Vec::new();
    for file in ["linux/kfd_ioctl.h", "linux/kfd_sysfs.h"] {
        let header = Header::read(&linux.join("include/uapi").join(file));
        errors.extend(
            header
                .structs
                .iter()
                .filter(|s| !structs.contains(format!("struct {s}").as_str()))
                .cloned(),
        );
        errors.extend(
            header
                .numbers
                .iter()
                .filter(|n| !numbers.contains(n.as_str()))
                .cloned(),
        );
    }
    let drm = Header::read(&linux.join("include/uapi/drm/amdgpu_drm.h"));
    let commands = drm.numbers.iter().filter(|n| n.starts_with("DRM_AMDGPU_"));
    errors.extend(commands.filter(|n| !numbers.contains(n.as_str())).cloned());
    report(
        errors
            .into_iter()
            .map(|name| format!("{name}: in the C headers only"))
            .collect(),
    );
}

#[test]
fn command_range_is_covered() {
    use amdgpu_uapi::{ioctl, kfd};
    let numbers: Vec<_> = kfd::request::TABLE
        .iter()
        .map(|r| u32::from(ioctl::nr(r.cmd)))
        .collect();
    let all: Vec<_> = (kfd::command::START..kfd::command::END).collect();
    assert_eq!(numbers, all);
}

#[test]
fn topology_names_match() {
    let source = headers::read(&linux().join("drivers/gpu/drm/amd/amdkfd/kfd_topology.c"));
    let mut errors = Vec::new();
    for (function, ours) in tables::TOPOLOGY {
        let theirs = headers::property_names(&source, function);
        if theirs != *ours {
            errors.push(format!("{function}: {ours:?} here, {theirs:?} in C"));
        }
    }
    report(errors);
}
