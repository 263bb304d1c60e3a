// SPDX-License-Identifier: Apache-2.0 OR MIT
//! User queues: the memory they need, creation, submission.

use crate::buffer::Buffer;
use crate::errno::Errno;
use crate::gpu::Gpu;
use crate::memory::Mapping;
use amdgpu_uapi::kfd::queue::{queue_type, CreateQueue, DestroyQueue, UpdateQueue};
use amdgpu_uapi::kfd::request;
use std::cell::Cell;
use std::sync::atomic::{
    fence,
    Ordering::{Relaxed, Release, SeqCst},
};

/// Bytes of the ring that [`Parts::new`] makes.
pub const RING: usize = 4096;
/// Bytes of a process's doorbells on a GPU.
const DOORBELLS: usize = 8192;
/// Where the producer counts, in the page of the pointers (amd_hsa_queue.h: write_dispatch_id).
const WRITE: usize = 56;
/// Where the GPU counts (amd_hsa_queue.h: read_dispatch_id).
const READ: usize = 128;
/// How the CP finds the start of the page (amd_hsa_queue.h: read_dispatch_id_field_base_byte_offset).
const READ_OFFSET: usize = 136;
/// Bytes of an AQL packet.
const PACKET: usize = 64;

/// What a queue carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PM4 packets.
    Pm4,
    /// AQL packets.
    Aql,
    /// SDMA packets, on any engine.
    Sdma,
    /// SDMA packets, on this engine.
    SdmaEngine(u32),
}

impl Kind {
    fn number(self) -> u32 {
        match self {
            Self::Pm4 => queue_type::COMPUTE,
            Self::Aql => queue_type::COMPUTE_AQL,
            Self::Sdma => queue_type::SDMA,
            Self::SdmaEngine(_) => queue_type::SDMA_BY_ENG_ID,
        }
    }
}

/// The memory of a queue.
pub struct Parts<'a> {
    gpu: &'a Gpu,
    kind: Kind,
    /// The ring, [`RING`] bytes.
    pub ring: Buffer<'a>,
    /// The page with both pointers.
    pub pointers: Buffer<'a>,
    compute: Option<(Buffer<'a>, Buffer<'a>)>,
}

impl<'a> Parts<'a> {
    /// All that a queue of `kind` needs.
    pub fn new(gpu: &'a Gpu, kind: Kind) -> Result<Self, Errno> {
        let ring = Buffer::gtt(gpu, RING)?;
        let pointers = Buffer::gtt(gpu, 4096)?;
        if kind == Kind::Aql {
            (0..RING)
                .step_by(PACKET)
                .for_each(|at| ring.cpu().word(at).store(aql::INVALID, Relaxed));
            pointers.cpu().word(READ_OFFSET).store(READ as u32, Relaxed);
        }
        let compute = match kind {
            Kind::Pm4 | Kind::Aql => {
                let save = gpu.about.property("cwsr_size") + debug_size(gpu);
                let save = (save as usize).next_multiple_of(4096);
                Some((Buffer::vram(gpu, 4096)?, Buffer::vram(gpu, save)?))
            }
            _ => None,
        };
        Ok(Self {
            gpu,
            kind,
            ring,
            pointers,
            compute,
        })
    }

    /// The request that makes the queue.
    pub fn request(&self) -> CreateQueue {
        let mut args = CreateQueue {
            ring_base_address: self.ring.address(),
            write_pointer_address: self.pointers.address() + WRITE as u64,
            read_pointer_address: self.pointers.address() + READ as u64,
            ring_size: RING as u32,
            gpu_id: self.gpu.id(),
            queue_type: self.kind.number(),
            queue_percentage: 100,
            queue_priority: 7,
            ..Default::default()
        };
        if let Some((eop, save)) = &self.compute {
            args.eop_buffer_address = eop.address();
            args.eop_buffer_size = 4096;
            args.ctx_save_restore_address = save.address();
            args.ctx_save_restore_size = self.gpu.about.property("cwsr_size") as u32;
            args.ctl_stack_size = self.gpu.about.property("ctl_stack_size") as u32;
        }
        if let Kind::SdmaEngine(engine) = self.kind {
            args.sdma_engine_id = engine;
        }
        args
    }

    /// CREATE_QUEUE alone; returns what the kernel filled in. [`destroy`] ends the queue.
    pub fn create(&self) -> Result<CreateQueue, Errno> {
        let mut args = self.request();
        self.gpu.kfd.call(request::CREATE_QUEUE, &mut args)?;
        Ok(args)
    }

    /// Makes the queue, with its doorbell.
    pub fn start(self) -> Result<Queue<'a>, Errno> {
        let args = self.create()?;
        let within = args.doorbell_offset as usize % DOORBELLS;
        let doorbells = Mapping::node(self.gpu.kfd.fd(), args.doorbell_offset - within as u64, DOORBELLS)
            .inspect_err(|_| {
                let _ = destroy(self.gpu, args.queue_id);
            })?;
        Ok(Queue {
            parts: self,
            id: args.queue_id,
            doorbells,
            doorbell: within,
            written: Cell::new(0),
        })
    }
}

/// Bytes that a debugger has behind the save area: 32 for each wave that fits, as the thunk counts them.
fn debug_size(gpu: &Gpu) -> u64 {
    let cus = gpu.about.property("simd_count") / gpu.about.property("simd_per_cu").max(1);
    let waves = (cus * 40).min(gpu.about.property("array_count") * 512);
    (waves * 32).next_multiple_of(64)
}

/// A queue that the GPU runs.
pub struct Queue<'a> {
    parts: Parts<'a>,
    id: u32,
    doorbells: Mapping,
    doorbell: usize,
    /// Words (PM4, SDMA) or packets (AQL) written so far.
    written: Cell<usize>,
}

impl<'a> Queue<'a> {
    /// A queue of `kind`.
    pub fn new(gpu: &'a Gpu, kind: Kind) -> Result<Self, Errno> {
        Parts::new(gpu, kind)?.start()
    }

    /// The process's number for it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The doorbells of the process.
    pub fn doorbells(&self) -> &Mapping {
        &self.doorbells
    }

    /// Its memory.
    pub fn parts(&self) -> &Parts<'a> {
        &self.parts
    }

    /// Appends words of PM4 or SDMA packets, and tells the GPU. The caller leaves room for them.
    pub fn submit(&self, words: &[u32]) {
        assert_ne!(self.parts.kind, Kind::Aql);
        let first = self.written.get();
        for (word, at) in words.iter().zip(first..) {
            self.parts.ring.cpu().word(at * 4 % RING).store(*word, Relaxed);
        }
        let end = first + words.len();
        self.written.set(end);
        // the CP counts words, SDMA bytes
        let unit = if self.parts.kind == Kind::Pm4 { 1 } else { 4 };
        self.ring_doorbell((end * unit) as u64, (end * unit) as u64);
    }

    /// Appends an AQL packet, and tells the GPU.
    pub fn submit_aql(&self, packet: &[u32; 16]) {
        assert_eq!(self.parts.kind, Kind::Aql);
        let index = self.written.get();
        let at = index * PACKET % RING;
        let ring = self.parts.ring.cpu();
        for (word, offset) in packet.iter().zip((at..).step_by(4)).skip(1) {
            ring.word(offset).store(*word, Relaxed);
        }
        // the header makes the packet valid
        ring.word(at).store(packet[0], Release);
        self.written.set(index + 1);
        self.ring_doorbell(index as u64 + 1, index as u64);
    }

    fn ring_doorbell(&self, end: u64, value: u64) {
        self.parts.pointers.cpu().long(WRITE).store(end, Release);
        fence(SeqCst);
        self.doorbells.long(self.doorbell).store(value, Release);
    }

    /// Stops the queue with 0 percent, or runs it on.
    pub fn set_percentage(&self, queue_percentage: u32) -> Result<(), Errno> {
        self.update(UpdateQueue {
            queue_percentage,
            ..self.update_request()
        })
    }

    /// UPDATE_QUEUE.
    pub fn update(&self, mut args: UpdateQueue) -> Result<(), Errno> {
        self.parts.gpu.kfd.call(request::UPDATE_QUEUE, &mut args)
    }

    /// The request that changes nothing.
    pub fn update_request(&self) -> UpdateQueue {
        UpdateQueue {
            ring_base_address: self.parts.ring.address(),
            queue_id: self.id,
            ring_size: RING as u32,
            queue_percentage: 100,
            queue_priority: 7,
        }
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        let _ = destroy(self.parts.gpu, self.id);
    }
}

/// Ends a queue.
pub fn destroy(gpu: &Gpu, queue_id: u32) -> Result<(), Errno> {
    gpu.kfd
        .call(request::DESTROY_QUEUE, &mut DestroyQueue { queue_id, pad: 0 })
}

fn low(value: u64) -> u32 {
    value as u32
}

fn high(value: u64) -> u32 {
    (value >> 32) as u32
}

/// PM4 packets (kernel amdgpu/soc15d.h).
pub mod pm4 {
    use super::{high, low};

    const fn header(opcode: u32, words: u32) -> u32 {
        3 << 30 | (words - 2) << 16 | opcode << 8
    }

    /// WRITE_DATA: a word to memory.
    pub fn write(address: u64, value: u32) -> [u32; 5] {
        const MEMORY: u32 = 5 << 8;
        const CONFIRM: u32 = 1 << 20;
        [
            header(0x37, 5),
            MEMORY | CONFIRM,
            low(address),
            high(address),
            value,
        ]
    }

    /// WAIT_REG_MEM: goes on when a word in memory has a value.
    pub fn wait(address: u64, value: u32) -> [u32; 7] {
        const EQUAL: u32 = 3;
        const MEMORY: u32 = 1 << 4;
        const INTERVAL: u32 = 4;
        [
            header(0x3c, 7),
            EQUAL | MEMORY,
            low(address),
            high(address),
            value,
            u32::MAX,
            INTERVAL,
        ]
    }

    /// RELEASE_MEM: a word to memory when all before is done, then an interrupt with the word as its context.
    pub fn release(address: u64, value: u32) -> [u32; 8] {
        const CACHE_FLUSH_AND_INV_TS: u32 = 0x14;
        const END_OF_PIPE: u32 = 5 << 8;
        const WORD: u32 = 1 << 29;
        const INTERRUPT_AFTER_WRITE: u32 = 2 << 24;
        [
            header(0x49, 8),
            CACHE_FLUSH_AND_INV_TS | END_OF_PIPE,
            WORD | INTERRUPT_AFTER_WRITE,
            low(address),
            high(address),
            value,
            0,
            value,
        ]
    }
}

/// SDMA packets (kernel amdgpu/vega10_sdma_pkt_open.h).
pub mod sdma {
    use super::{high, low};

    /// COPY_LINEAR, up to 4 MiB.
    pub fn copy(from: u64, to: u64, len: u32) -> [u32; 7] {
        [1, len - 1, 0, low(from), high(from), low(to), high(to)]
    }

    /// FENCE: a word to memory when all before is done.
    pub fn fence(address: u64, value: u32) -> [u32; 4] {
        [5, low(address), high(address), value]
    }

    /// TRAP: an interrupt.
    pub fn trap(context: u32) -> [u32; 2] {
        [6, context]
    }
}

/// AQL packets and signals (HSA specification; amd_hsa_signal.h).
pub mod aql {
    use super::{high, low, Kind, Queue};
    use crate::buffer::Buffer;
    use crate::gpu::Gpu;
    use crate::memory::Mapping;
    use crate::runner::until;
    use std::sync::atomic::Ordering::Relaxed;

    /// Header of a slot without a packet.
    pub const INVALID: u32 = 1;

    /// Barrier-AND without dependencies: decrements the signal at `completion`.
    pub fn barrier(completion: u64) -> [u32; 16] {
        const BARRIER_AND: u32 = 3;
        const IN_ORDER: u32 = 1 << 8;
        const SYSTEM_SCOPES: u32 = 2 << 9 | 2 << 11;
        let mut packet = [0; 16];
        packet[0] = BARRIER_AND | IN_ORDER | SYSTEM_SCOPES;
        packet[14] = low(completion);
        packet[15] = high(completion);
        packet
    }

    /// KERNEL_DISPATCH: one workgroup of one wave, without arguments.
    pub fn dispatch(descriptor: u64, completion: u64) -> [u32; 16] {
        const KERNEL_DISPATCH: u32 = 2;
        const SYSTEM_SCOPES: u32 = 2 << 9 | 2 << 11;
        const ONE_DIMENSION: u32 = 1 << 16;
        let mut packet = [0; 16];
        packet[0] = KERNEL_DISPATCH | SYSTEM_SCOPES | ONE_DIMENSION;
        packet[1] = 64 | 1 << 16;
        packet[2] = 1;
        packet[3..6].copy_from_slice(&[64, 1, 1]);
        packet[8] = low(descriptor);
        packet[9] = high(descriptor);
        packet[14] = low(completion);
        packet[15] = high(completion);
        packet
    }

    /// Writes a kernel that needs nothing: its descriptor (LLVM AMDGPUUsage, "Kernel Descriptor") at the start of
    /// `memory`, its code 256 bytes later.
    pub fn kernel(memory: &Mapping, code: &[u32]) {
        const ENTRY: usize = 16;
        const CODE: usize = 256;
        memory.long(ENTRY).store(CODE as u64, Relaxed);
        for (word, at) in code.iter().zip((CODE..).step_by(4)) {
            memory.word(at).store(*word, Relaxed);
        }
    }

    /// Writes a signal of value 1 at the start of `memory`, with an event (mailbox and id; 0 for none).
    pub fn signal(memory: &Mapping, mailbox: u64, event: u32) {
        memory.long(0).store(1, Relaxed);
        memory.long(8).store(1, Relaxed);
        memory.long(16).store(mailbox, Relaxed);
        memory.long(24).store(event.into(), Relaxed);
    }

    /// Value of the signal at the start of `memory`.
    pub fn value(memory: &Mapping) -> u64 {
        memory.long(8).load(Relaxed)
    }

    /// Hands a [`kernel`] of `code` to a queue of its own, behind a barrier that is over when this returns. Yields what the
    /// kernel needs.
    pub fn run<'g>(gpu: &'g Gpu, code: &[u32]) -> (Queue<'g>, [Buffer<'g>; 2]) {
        let queue = Queue::new(gpu, Kind::Aql).unwrap();
        let [signals, memory] = [Buffer::gtt(gpu, 4096), Buffer::vram(gpu, 4096)].map(Result::unwrap);
        kernel(memory.cpu(), code);
        signal(signals.cpu(), 0, 0);
        queue.submit_aql(&barrier(signals.address()));
        queue.submit_aql(&dispatch(memory.address(), 0));
        until(|| value(signals.cpu()) == 0);
        (queue, [signals, memory])
    }
}
