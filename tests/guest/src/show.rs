// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments of requests as text, without what differs from run to run: addresses, handles, clocks.

use crate::gpu::Description;
use amdgpu_uapi::abi::Field;
use amdgpu_uapi::{drm, ioctl, kfd};
use std::fmt::Write;
use std::sync::OnceLock;

/// Values that are never the same twice: it is only told whether they are zero.
const COUNTS: [&str; 4] = [
    "gpu_clock_counter",
    "cpu_clock_counter",
    "system_clock_counter",
    "available",
];

/// File descriptors, whose numbers depend on what else is open.
const DESCRIPTORS: [&str; 3] = ["drm_fd", "dmabuf_fd", "anon_fd"];

/// Fields that hold an address, besides those that are called so.
const POINTERS: [&str; 5] = ["name", "date", "desc", "return_pointer", "value"];

/// Every request that has a table, as `(type, number)`, with its name and the fields of its argument.
fn known(cmd: u32) -> Option<(&'static str, &'static [Field])> {
    let same = |other: u32| (ioctl::ty(other), ioctl::nr(other)) == (ioctl::ty(cmd), ioctl::nr(cmd));
    let tables = [
        (kfd::request::TABLE, kfd::request::FIELDS),
        (drm::amdgpu_request::TABLE, drm::amdgpu_request::FIELDS),
        (drm::request::TABLE, drm::request::FIELDS),
    ];
    tables.iter().find_map(|(table, fields)| {
        let request = table.iter().find(|request| same(request.cmd))?;
        let (_, fields) = fields.iter().find(|(other, _)| same(*other))?;
        Some((request.name, *fields))
    })
}

fn name(cmd: u32) -> String {
    match known(cmd) {
        Some((name, _)) => name.to_owned(),
        None => format!("request {:?} {:#x}", char::from(ioctl::ty(cmd)), ioctl::nr(cmd)),
    }
}

/// A call with the fields that are not zero.
pub(crate) fn call(cmd: u32, argument: &[u8]) -> String {
    let usual = known(cmd).map_or(argument.len(), |(_, fields)| end(fields));
    let size = match argument.len() {
        len if len == usual => String::new(),
        len => format!(" [{len} bytes]"),
    };
    let zero = vec![0; argument.len()];
    format!(
        "{}({}){size}",
        name(cmd),
        fields(cmd, &zero, argument).trim_start()
    )
}

/// A call with the argument at an address.
pub(crate) fn call_at(cmd: u32, address: usize) -> String {
    format!("{} at {}", name(cmd), kind(address as u64))
}

/// The fields that the kernel changed, each after a blank.
pub(crate) fn changes(cmd: u32, before: &[u8], after: &[u8]) -> String {
    fields(cmd, before, after)
}

/// Bytes as words of 8, which may be addresses.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let words = bytes
        .chunks(8)
        .map(|word| value("address", &[word, &[0; 8]].concat()[..8]));
    words.collect::<Vec<_>>().join(" ")
}

fn end(fields: &[Field]) -> usize {
    fields
        .iter()
        .map(|field| field.offset + field.size)
        .max()
        .unwrap_or(0)
}

/// The fields of `new` that are not as in `old`.
fn fields(cmd: u32, old: &[u8], new: &[u8]) -> String {
    let fields = known(cmd).map_or(&[][..], |(_, fields)| fields);
    let mut text = String::new();
    if fields.is_empty() {
        // a union, or a request that is not known
        for (at, (old, new)) in old.chunks(4).zip(new.chunks(4)).enumerate() {
            if old != new {
                let _ = write!(text, " [{at}]={}", value("", new));
            }
        }
        return text;
    }
    for field in fields {
        let range = field.offset..field.offset + field.size;
        let (Some(old), Some(new)) = (old.get(range.clone()), new.get(range)) else {
            continue;
        };
        if old == new {
            continue;
        }
        match field.size {
            4 | 8 => {
                let _ = write!(text, " {}={}", field.c_name, value(field.c_name, new));
            }
            _ => {
                for (at, (old, new)) in old.chunks(8).zip(new.chunks(8)).enumerate() {
                    if old != new {
                        let _ = write!(text, " {}[{at}]={}", field.c_name, value("gpu_id", new));
                    }
                }
            }
        }
    }
    // what no field describes
    let rest = |bytes: &[u8]| bytes.get(end(fields)..).unwrap_or_default().to_vec();
    match (rest(old), rest(new)) {
        (old, new) if old == new => {}
        (_, new) if new.iter().all(|byte| *byte == 0) => text += " rest=0",
        _ => text += " rest=other",
    }
    text
}

/// A value, by the name of its field.
fn value(name: &str, bytes: &[u8]) -> String {
    let number = bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    if COUNTS.contains(&name) {
        return if number == 0 { "0" } else { "not 0" }.to_owned();
    }
    if DESCRIPTORS.contains(&name) && (3..1024).contains(&number) {
        return "open".to_owned();
    }
    if name.contains("gpu") && number == gpu_id() {
        return "gpu".to_owned();
    }
    if bytes.len() == 8 {
        // buffers of the test itself are anywhere
        if name.contains("ptr") || POINTERS.contains(&name) {
            return kind(number);
        }
        if ["handle", "addr", "offset", "r_debug"]
            .iter()
            .any(|part| name.contains(part))
        {
            return place(number);
        }
    }
    format!("{number:#x}")
}

/// An address, handle or offset: what kind it is.
pub(crate) fn place(number: u64) -> String {
    const SMALL: u64 = 1 << 16;
    const OFFSETS: [&str; 4] = ["mmio", "reserved", "events", "doorbell"];
    let (gpu, within) = (gpu_id(), number & 4095);
    if number as u32 == gpu as u32 && number < 1 << 40 {
        format!("gpu:{:#x}", number >> 32)
    } else if number < SMALL {
        format!("{number:#x}")
    } else if number >> 32 == gpu {
        match number as u32 {
            0xffff => "handle:0xffff".to_owned(),
            _ => "handle".to_owned(),
        }
    } else if number >> 46 & 0xffff == gpu {
        // an offset of /dev/kfd: kind in bits 63:62, GPU in 61:46
        OFFSETS
            .get((number >> 62) as usize)
            .copied()
            .unwrap_or_default()
            .to_owned()
    } else if number < 1 << 47 && within == 0 {
        "address".to_owned()
    } else if number < 1 << 47 {
        format!("address+{within:#x}")
    } else {
        format!("{number:#x}")
    }
}

/// [`place`] without the offset in the page.
fn kind(number: u64) -> String {
    let place = place(number);
    place.split('+').next().unwrap_or(&place).to_owned()
}

/// `gpu_id` of the first GPU.
fn gpu_id() -> u64 {
    static ID: OnceLock<u64> = OnceLock::new();
    *ID.get_or_init(|| {
        let all = Description::all().unwrap_or_default();
        all.first().map_or(u64::MAX, |gpu| gpu.id.into())
    })
}
