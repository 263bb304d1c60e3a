// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-reset`: what does not leave the hardware is reset, with a core dump that says what it was like. For a machine
//! whose virtual GPU can be given faults.

use guest_tests::buffer::Buffer;
use guest_tests::child::{for_ever, Child};
use guest_tests::gpu::{Description, Gpu};
use guest_tests::port::Port;
use guest_tests::queue::{aql, pm4, Kind, Queue};
use guest_tests::runner::{self, until, Case};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::sleep;
use std::time::{Duration, Instant};

const CASES: &[Case] = &[
    ("reset: the dump names the culprit", culprit),
    ("reset: without a scheduler there is no culprit", no_scheduler),
];

/// Time for a case: several times the 9 s that queues have to leave the hardware.
const DEADLINE: Duration = Duration::from_secs(80);

fn main() -> ExitCode {
    runner::run_within(DEADLINE, CASES)
}

/// The files of core dumps that are there.
fn dumps() -> Vec<PathBuf> {
    let class = fs::read_dir("/sys/class/devcoredump").expect("the kernel has no core dumps of devices");
    let files = class.flatten().map(|entry| entry.path().join("data"));
    files.filter(|file| file.exists()).collect()
}

/// Waits for a core dump, and takes it away.
#[track_caller]
fn dump() -> String {
    let start = Instant::now();
    loop {
        if let Some(file) = dumps().first() {
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, "0").unwrap();
            return text;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "there is no core dump");
        sleep(Duration::from_millis(20));
    }
}

fn works() {
    let child = Child::run(|| {
        let gpu = Gpu::acquire().unwrap();
        let memory = Buffer::gtt(&gpu, 4096).unwrap();
        let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
        queue.submit(&pm4::write(memory.address(), 0x600d));
        until(|| memory.cpu().word(0).load(Relaxed) == 0x600d);
    });
    assert_eq!(child.wait(), 0, "the GPU does not work");
}

fn bystander(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let _queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    begun();
    for_ever();
}

/// A kernel that branches to itself (LLVM AMDGPUAsmGFX90a: s_branch).
fn endless(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let _running = aql::run(&gpu, &[0xbf82_ffff]);
    begun();
    for_ever();
}

/// The lines of a dump that begin with a word.
fn lines<'a>(dump: &'a str, word: &str) -> Vec<&'a str> {
    let begins = |line: &&str| line.split([':', ' ']).next() == Some(word);
    dump.lines().filter(begins).collect()
}

#[track_caller]
fn is_whole(dump: &str, reason: &str) {
    assert!(
        dump.starts_with(&format!("amdgpu core dump 1\nreason: {reason}\n")),
        "{dump}"
    );
    assert!(dump.contains("\nfirmware: MEC 0x"), "{dump}");
    assert!(!lines(dump, "run").is_empty(), "{dump}");
    // of the HIQ at least
    assert!(lines(dump, "hqd").len() >= 7, "{dump}");
}

fn culprit() {
    let other = Child::begun(bystander);
    let sick = Child::begun(endless);
    let pid = sick.pid();
    sleep(Duration::from_millis(100));
    assert!(sick.kill(), "the child ended by itself");
    let dump = dump();
    is_whole(&dump, "a queue did not leave the hardware in time");
    let culprits = lines(&dump, "culprit");
    assert_eq!(culprits.len(), 1, "{dump}");
    assert!(
        culprits[0].starts_with(&format!("culprit: process {pid} PASID 0x")),
        "{dump}"
    );
    let others = lines(&dump, "queue");
    let prefix = format!("queue: process {} ", other.pid());
    assert!(others.iter().any(|line| line.starts_with(&prefix)), "{dump}");
    works();
    assert!(other.kill(), "the other process ended, too");
    works();
    assert!(dumps().is_empty(), "there is another dump");
}

fn no_scheduler() {
    let name = Description::all().unwrap()[0].pci_name().unwrap();
    let mut port = Port::open("vgpu0").unwrap();
    let sick = Child::begun(bystander);
    port.inject("unmap-silent");
    let pid = sick.pid();
    assert!(sick.kill(), "the child ended by itself");
    let dump = dump();
    is_whole(&dump, "the device does not confirm that queues are off");
    assert!(lines(&dump, "culprit").is_empty(), "{dump}");
    let queues = lines(&dump, "queue");
    assert!(queues[0].starts_with(&format!("queue: process {pid} ")), "{dump}");
    port.heal();
    Gpu::unbind(&name).unwrap();
    Gpu::bind(&name).unwrap();
    works();
}
