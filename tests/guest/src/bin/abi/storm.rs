// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SIGKILL at any moment: processes that use everything at once from several threads are killed again and again,
//! from before they open `/dev/kfd` on, and each time all counters must return.

use amdgpu_uapi::kfd::event::event_type;
use guest_tests::buffer::{allocate, map, unmap, Buffer, ORDINARY};
use guest_tests::child::Child;
use guest_tests::counters;
use guest_tests::event::{destroy, set, Events};
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{aql, pm4, sdma, Kind, Queue};
use guest_tests::random::{seed, Random};
use guest_tests::runner::Case;
use std::time::{Duration, Instant};

pub(crate) const CASES: &[Case] = &[("kill: at random moments of everything", storm)];

/// How long it goes on.
const TIME: Duration = Duration::from_secs(20);
/// Lives of processes are up to 2 to the power of one of these, in µs: the longest are about half a second.
const LONGEST: std::ops::Range<u64> = 9..20;
const THREADS: u64 = 4;

fn storm() {
    let seed = seed();
    println!("# seed {seed} (SEED={seed} has the same processes killed after the same times)");
    let baseline = counters::read().unwrap();
    let mut random = Random::new(seed);
    let end = Instant::now() + TIME;
    let mut kills = 0;
    while Instant::now() < end {
        // short lives are as likely as long ones: much happens in the first milliseconds
        let power = LONGEST.start + random.below(LONGEST.end - LONGEST.start);
        let life = Duration::from_micros(random.below(1 << power));
        let child_seed = random.draw();
        let child = Child::run(|| everything(child_seed));
        std::thread::sleep(life);
        kills += 1;
        assert!(child.kill(), "seed {seed}, process {kills} ended by itself");
        if let Err(left) = counters::settle(&baseline) {
            panic!("seed {seed}, process {kills}, killed after {life:?}: {left}");
        }
    }
    println!("# {kills} processes were killed");
}

/// Does everything at once, and does not end.
fn everything(seed: u64) {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let shared = Buffer::vram(&gpu, 1 << 20).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (gpu, events, shared) = (&gpu, &events, &shared);
            scope.spawn(move || {
                let mut random = Random::new(seed ^ thread);
                loop {
                    // threads get in each other's way: many of these fail
                    let _ = something(gpu, events, shared, &mut random);
                }
            });
        }
    });
}

fn something(
    gpu: &Gpu,
    events: &Events<'_>,
    shared: &Buffer<'_>,
    random: &mut Random,
) -> Result<(), guest_tests::errno::Errno> {
    let len = 4096 << random.below(10);
    match random.below(10) {
        0 => drop(Buffer::vram(gpu, len)?),
        1 => drop(Buffer::gtt(gpu, len)?),
        2 => drop(Buffer::userptr(gpu, len)?),
        3 => {
            // memory that is in use by the GPU goes away under it
            let memory = Mapping::anonymous(len)?;
            let flags = amdgpu_uapi::kfd::memory::alloc_flags::USERPTR | ORDINARY;
            let at = memory.address();
            let buffer = allocate(gpu, at, len as u64, at, flags)?;
            map(gpu, buffer.handle)?;
        }
        4 => {
            unmap(gpu, shared.handle())?;
            map(gpu, shared.handle())?;
        }
        5 => {
            let queue = Queue::new(gpu, Kind::Pm4)?;
            queue.submit(&pm4::write(queue.parts().ring.address() + 2048, 1));
            queue.set_percentage(random.below(2) as u32 * 100)?;
        }
        6 => {
            let queue = Queue::new(gpu, Kind::Sdma)?;
            let at = queue.parts().ring.address();
            queue.submit(&sdma::copy(at, at + 2048, 1024));
        }
        7 => {
            let queue = Queue::new(gpu, Kind::Aql)?;
            let signal = Buffer::gtt(gpu, 4096)?;
            let id = events.create(event_type::SIGNAL, true)?;
            aql::signal(signal.cpu(), events.slot(id), id);
            queue.submit_aql(&aql::barrier(signal.address()));
            events.wait_one(id, 20)?;
            drop(queue);
            destroy(gpu, id)?;
        }
        8 => {
            let id = events.create(event_type::SIGNAL, false)?;
            events.wait_one(id, random.below(5) as u32)?;
            set(gpu, id)?;
            destroy(gpu, id)?;
        }
        _ => {
            // garbage
            let mut argument = [0; 96];
            argument.fill_with(|| random.draw() as u8);
            gpu.kfd.call_sized(random.below(64) as u8, &mut argument)?;
        }
    }
    Ok(())
}
