// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver shows about itself: queues in debugfs, memory in fdinfo.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::drm::amdgpu_request as request;
use amdgpu_uapi::drm::gem::{domain, GemCreate, GemCreateIn};
use guest_tests::buffer::Buffer;
use guest_tests::gpu::Gpu;
use guest_tests::node::Node;
use guest_tests::queue::{pm4, sdma, Kind, Queue};
use guest_tests::runner::{until, Case};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const CASES: &[Case] = &[
    ("debugfs: queues of processes and of the hardware", queues),
    ("debugfs: run lists", run_lists),
    ("debugfs: memory in use", memory),
    ("fdinfo: memory of a process", fdinfo),
    ("fdinfo: memory of a file", fdinfo_of_file),
];

fn read(name: &str) -> String {
    let path = format!("/sys/kernel/debug/kfd/{name}");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The part of a text from the first line with `start` up to the next line that is not further in.
fn section<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| !line.starts_with(start));
    let Some(first) = lines.next() else {
        panic!("no {start:?} in {text}")
    };
    lines.take_while(|line| indent(line) > indent(first)).collect()
}

/// The words of a line of a hex dump, without the offset.
fn of_line(line: &&str) -> Option<Vec<u32>> {
    let (_, words) = line.split_once(": ")?;
    let words = words.split(' ').map(|word| u32::from_str_radix(word, 16).ok());
    words.collect()
}

/// The words of hex dumps.
fn words(lines: &[&str]) -> Vec<u32> {
    lines.iter().filter_map(of_line).flatten().collect()
}

/// The words of the hex dump right behind a line.
fn dump(text: &str, title: &str) -> Vec<u32> {
    section(text, title).iter().map_while(of_line).flatten().collect()
}

/// The registers and descriptors hold a ring's address without its low 8 bits.
fn base(ring: u64) -> u32 {
    (ring >> 8) as u32
}

fn queues() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let (compute, copy) = (
        Queue::new(&gpu, Kind::Pm4).unwrap(),
        Queue::new(&gpu, Kind::Sdma).unwrap(),
    );
    // both are on the hardware
    compute.submit(&pm4::write(buffer.address(), 1));
    copy.submit(&sdma::fence(buffer.address() + 4, 1));
    until(|| {
        (0..8)
            .step_by(4)
            .all(|at| buffer.cpu().word(at).load(Relaxed) == 1)
    });
    let rings = [&compute, &copy].map(|queue| base(queue.parts().ring.address()));

    let mqds = read("mqds");
    let ours = section(&mqds, &format!("Process {} PASID ", std::process::id())).join("\n");
    for (what, ring, len) in [("Compute", rings[0], 512), ("SDMA", rings[1], 128)] {
        let lines = section(&ours, &format!("  {what} queue on device {:x}", gpu.id()));
        let words = words(&lines);
        assert_eq!(words.len(), len, "words of the descriptor in {lines:#?}");
        assert!(words.contains(&ring), "no ring {ring:#x} in {lines:#?}");
    }

    let hqds = read("hqds");
    assert!(hqds.starts_with("Node "), "{hqds}");
    assert!(hqds.contains(&format!(", gpu_id {:x}:\n", gpu.id())), "{hqds}");
    for (what, ring, len) in [
        (" Inst 0,  CP Pipe ", rings[0], 56),
        ("  SDMA Engine ", rings[1], 44),
    ] {
        let starts = hqds.lines().filter(|line| line.starts_with(what));
        let slots: Vec<Vec<u32>> = starts.map(|start| dump(&hqds, start)).collect();
        assert!(
            slots.iter().all(|slot| slot.len() == len),
            "{what}: {len} registers in {hqds}"
        );
        let with_ring = slots.iter().filter(|slot| slot.contains(&ring)).count();
        assert_eq!(with_ring, 1, "{what}: slots with ring {ring:#x} in {hqds}");
    }
    assert_eq!(dump(&hqds, "   Inst 0, HIQ on MEC 2 Pipe 0 Queue 0").len(), 56);
}

fn run_lists() {
    let gpu = Gpu::acquire().unwrap();
    let title = |rls: &str| rls.starts_with("Node ") && rls.contains(&format!(", gpu_id {:x}:\n", gpu.id()));
    let empty = read("rls");
    assert!(
        title(&empty) && empty.contains("\n  No active runlist\n"),
        "{empty}"
    );
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let list = read("rls");
    assert!(title(&list), "{list}");
    // MAP_QUEUES says where the producer counts
    let producer = queue.parts().request().write_pointer_address as u32;
    assert!(
        words(&section(&list, "Node ")).contains(&producer),
        "no {producer:#x} in {list}"
    );
    drop(queue);
    let empty = read("rls");
    assert!(empty.contains("\n  No active runlist\n"), "{empty}");
}

/// MiB in use and MiB there are, of a line of `mem_limit`.
fn limit(text: &str, what: &str) -> (u64, u64) {
    let start = format!("{what} mem used ");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    let (used, size) = line.and_then(|line| line.split_once(" out of ")).unwrap();
    let mib = |text: &str| text.strip_suffix('M').and_then(|text| text.parse().ok()).unwrap();
    (mib(used), mib(size))
}

fn memory() {
    let gpu = Gpu::acquire().unwrap();
    let before = read("mem_limit");
    let _gtt = Buffer::gtt(&gpu, 8 << 20).unwrap();
    let _user = Buffer::userptr(&gpu, 4 << 20).unwrap();
    let after = read("mem_limit");
    for (what, more) in [("System", 12), ("TTM", 8)] {
        let (before, after) = (limit(&before, what), limit(&after, what));
        assert_eq!(after.0 - before.0, more, "{what} in {after:?}");
        assert!(after.0 < after.1 && before.1 == after.1, "{what} in {after:?}");
    }
}

/// What fdinfo says of a file.
fn info(node: &Node) -> BTreeMap<String, String> {
    let path = format!("/proc/self/fdinfo/{}", node.fd());
    let text = fs::read_to_string(path).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once(":\t"));
    pairs
        .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
        .collect()
}

/// KiB in a region.
fn kib(info: &BTreeMap<String, String>, key: &str) -> u64 {
    let value = info.get(key).unwrap_or_else(|| panic!("no {key} in {info:#?}"));
    value.strip_suffix(" KiB").and_then(|n| n.parse().ok()).unwrap()
}

fn fdinfo() {
    let gpu = Gpu::acquire().unwrap();
    let before = info(&gpu.render);
    assert_eq!(before.get("drm-driver").map(String::as_str), Some("amdgpu"));
    for key in ["drm-pdev", "drm-client-id", "pasid"] {
        assert!(before.contains_key(key), "no {key} in {before:#?}");
    }
    let buffers = [
        Buffer::vram(&gpu, 4 << 20).unwrap(),
        Buffer::gtt(&gpu, 2 << 20).unwrap(),
        Buffer::userptr(&gpu, 1 << 20).unwrap(),
    ];
    let with = info(&gpu.render);
    drop(buffers);
    let after = info(&gpu.render);
    for (region, more) in [("vram", 4096), ("gtt", 2048), ("cpu", 1024)] {
        for what in ["total", "resident"] {
            let key = format!("drm-{what}-{region}");
            assert_eq!(kib(&with, &key) - kib(&before, &key), more, "{key} in {with:#?}");
            assert_eq!(kib(&after, &key), kib(&before, &key), "{key} in {after:#?}");
        }
    }
}

fn fdinfo_of_file() {
    // a process that adopts no address space, beside one that does
    let (gpu, other) = (Gpu::open().unwrap(), Gpu::acquire().unwrap());
    let _buffer = Buffer::vram(&other, 1 << 20).unwrap();
    let key = "drm-total-vram";
    assert_eq!(kib(&info(&gpu.render), key), 0);
    let mut argument = GemCreate::zeroed();
    argument.set_input(GemCreateIn {
        bo_size: 3 << 20,
        alignment: 0,
        domains: domain::VRAM,
        domain_flags: 0,
    });
    gpu.render.call(request::GEM_CREATE, &mut argument).unwrap();
    assert_eq!(kib(&info(&gpu.render), key), 3072);
    assert_eq!(kib(&info(&other.render), key), 1024);
}
