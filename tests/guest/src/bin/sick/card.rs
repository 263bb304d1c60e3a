// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card with the faults: arms and heals them, and checks what is promised under any of them.

use guest_tests::buffer::Buffer;
use guest_tests::child::Child;
use guest_tests::gpu::{Description, Gpu};
use guest_tests::log::Log;
use guest_tests::port::Port;
use guest_tests::queue::{pm4, sdma, Kind, Queue};
use guest_tests::runner::until;
use std::fs;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time that a bind or an unbind of a sick card, or a process on it, may take: several of the driver's own deadlines, of
/// which the longest are 9 s for the scheduler and 10 s for an SDMA engine.
const PATIENCE: Duration = Duration::from_secs(45);

/// The first card.
pub(crate) struct Card {
    port: Port,
    log: Log,
    lines: Vec<String>,
    name: String,
    others: Vec<String>,
}

/// The PCI names of the driver's cards, in the order of the virtual GPUs.
fn bound() -> Vec<String> {
    let entries = fs::read_dir("/sys/bus/pci/drivers/amdgpu").unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("0000:")).collect();
    names.sort();
    names
}

/// A process's view of the card with this PCI name.
pub(crate) fn acquire(name: &str) -> Gpu {
    let all = Description::all().unwrap();
    let nth = all.iter().position(|gpu| gpu.pci_name().is_ok_and(|n| n == name));
    Gpu::acquire_nth(nth.expect("the GPU is not there")).unwrap()
}

/// Uses a GPU in all ways: both kinds of memory, compute, copies.
pub(crate) fn use_it(gpu: &Gpu) {
    let vram = Buffer::vram(gpu, 2 << 20).unwrap();
    let gtt = Buffer::gtt(gpu, 4096).unwrap();
    let compute = Queue::new(gpu, Kind::Pm4).unwrap();
    let copy = Queue::new(gpu, Kind::Sdma).unwrap();
    compute.submit(&pm4::write(vram.address(), 0x600d));
    until(|| vram.cpu().word(0).load(Relaxed) == 0x600d);
    copy.submit(&sdma::copy(vram.address(), gtt.address(), 4));
    until(|| gtt.cpu().word(0).load(Relaxed) == 0x600d);
}

impl Card {
    pub(crate) fn first() -> Self {
        let mut others = bound();
        assert!(others.len() > 1, "this needs two GPUs, there are {others:?}");
        let name = others.remove(0);
        let mut port = Port::open("vgpu0").unwrap();
        // of a case that failed
        port.heal_quietly();
        Self {
            port,
            log: Log::from_now(),
            lines: Vec::new(),
            name,
            others,
        }
    }

    /// A process on the card.
    pub(crate) fn process(&self, work: impl FnOnce(&Gpu)) -> Child {
        let name = self.name.clone();
        Child::run(|| work(&acquire(&name)))
    }

    /// A process on the card that uses it in all ways, with success.
    #[track_caller]
    pub(crate) fn works(&self) {
        assert_eq!(self.process(use_it).wait(), 0, "the card does not work");
    }

    /// The other GPUs work.
    #[track_caller]
    fn others_work(&self) {
        for other in &self.others {
            let child = Child::run(|| use_it(&acquire(other)));
            assert_eq!(child.wait(), 0, "the other GPU does not work");
        }
    }

    /// A fault begins.
    #[track_caller]
    pub(crate) fn inject(&mut self, fault: &str) {
        self.port.inject(fault);
    }

    /// All faults end. The case fails if one of them did nothing.
    #[track_caller]
    pub(crate) fn heal(&mut self) {
        self.port.heal();
    }

    /// All faults end, whether they have done something or not.
    pub(crate) fn heal_quietly(&mut self) {
        self.port.heal_quietly();
    }

    /// The driver has said this since the case began, once.
    #[track_caller]
    pub(crate) fn said(&mut self, text: &str) {
        self.lines.extend(self.log.lines());
        let lines = self.lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!(lines, 1, "\"{text}\" in {:#?}", self.lines);
    }

    /// [`said`](Self::said), as often as it happened.
    #[track_caller]
    pub(crate) fn said_at_least_once(&mut self, text: &str) {
        self.lines.extend(self.log.lines());
        let said = self.lines.iter().any(|line| line.contains(text));
        assert!(said, "\"{text}\" in {:#?}", self.lines);
    }

    /// The process ends by itself in time.
    #[track_caller]
    pub(crate) fn ends(&self, process: &Child) {
        let start = Instant::now();
        while process.ended().is_none() {
            assert!(start.elapsed() < PATIENCE, "a process hangs on the sick GPU");
            sleep(Duration::from_millis(5));
        }
    }

    /// The driver lets go of the card in time.
    #[track_caller]
    pub(crate) fn unbind(&self) {
        let start = Instant::now();
        Gpu::unbind(&self.name).unwrap();
        assert!(start.elapsed() < PATIENCE, "unbind took {:?}", start.elapsed());
        assert!(!bound().contains(&self.name));
    }

    /// The driver takes the card.
    #[track_caller]
    pub(crate) fn bind(&self) {
        Gpu::bind(&self.name).unwrap();
    }

    /// The driver does not take the card, says so in time, and names the step.
    #[track_caller]
    pub(crate) fn refused(&mut self, step: &str) {
        let start = Instant::now();
        let result = Gpu::bind(&self.name);
        assert!(result.is_err(), "the driver takes a sick card");
        assert!(start.elapsed() < PATIENCE, "bind took {:?}", start.elapsed());
        self.said(&format!("bring-up stops at {step}"));
        self.lines.clear();
    }

    /// After a fault that this driver does not survive with the card: others go on, the card can be given back while it is
    /// sick, and it works when it is healthy and bound again.
    #[track_caller]
    pub(crate) fn is_given_back(&mut self) {
        self.others_work();
        self.unbind();
        self.heal();
        self.bind();
        self.works();
    }

    /// After a fault that the driver survives with the card.
    #[track_caller]
    pub(crate) fn is_still_good(&mut self) {
        self.works();
        self.heal();
        self.works();
        self.others_work();
    }
}
