// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a kernel: the initial register state that its descriptor asks for (LLVM AMDGPUUsage "Kernel dispatch"), workgroup
//! after workgroup, waves in turns.

use super::object::Object;
use super::support::{Flat, DATA};
use vgpu_isa::{run, Lds, Mode, Stop, Wave, LANES};

/// Where packet, arguments and scratch lie, relative to `DATA`.
const PACKET: usize = 0x40_0000;
const ARGUMENTS: usize = 0x40_1000;
const SCRATCH: usize = 0x50_0000;
/// Scratch bytes per wave.
const WAVE_SCRATCH: u32 = 0x4_0000;

/// A kernel launch.
pub(crate) struct Launch<'a> {
    /// Kernel name as the linker knows it.
    pub(crate) kernel: &'a str,
    /// Workgroups per dimension.
    pub(crate) groups: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub(crate) size: [u32; 3],
    /// The explicit arguments, as bytes.
    pub(crate) arguments: &'a [u8],
}

/// Runs it; panics on anything but the end of every wave. Returns the number of instructions.
pub(crate) fn dispatch(object: &Object, memory: &mut Flat, launch: &Launch<'_>) -> u64 {
    let descriptor = *object.kernels.get(launch.kernel).expect("the kernel exists");
    packet(memory, launch);
    arguments(object, memory, launch);
    let [gx, gy, gz] = launch.groups;
    let mut executed = 0;
    for z in 0..gz {
        for y in 0..gy {
            for x in 0..gx {
                executed += group(memory, launch, descriptor, [x, y, z]);
            }
        }
    }
    executed
}

fn packet(memory: &mut Flat, launch: &Launch<'_>) {
    let d = &mut memory.data[PACKET..PACKET + 64];
    d.fill(0);
    d[2..4].copy_from_slice(&3u16.to_le_bytes());
    for i in 0..3 {
        d[4 + i * 2..6 + i * 2].copy_from_slice(&(launch.size[i] as u16).to_le_bytes());
        d[12 + i * 4..16 + i * 4].copy_from_slice(&(launch.size[i] * launch.groups[i]).to_le_bytes());
    }
}

fn arguments(object: &Object, memory: &mut Flat, launch: &Launch<'_>) {
    let hidden = launch.arguments.len().next_multiple_of(8);
    let d = &mut memory.data[ARGUMENTS..ARGUMENTS + 0x1000];
    d.fill(0);
    d[..launch.arguments.len()].copy_from_slice(launch.arguments);
    if object.version >= 5 {
        for i in 0..3 {
            d[hidden + i * 4..hidden + i * 4 + 4].copy_from_slice(&launch.groups[i].to_le_bytes());
            let size = (launch.size[i] as u16).to_le_bytes();
            d[hidden + 12 + i * 2..hidden + 14 + i * 2].copy_from_slice(&size);
        }
    }
}

fn group(memory: &mut Flat, launch: &Launch<'_>, descriptor: usize, id: [u32; 3]) -> u64 {
    let items = launch.size.iter().product::<u32>() as usize;
    let lds_size = memory.dword(descriptor) as usize;
    let mut lds = Lds::new(lds_size.next_multiple_of(512));
    let mut waves: Vec<Option<Wave>> = (0..items.div_ceil(LANES))
        .map(|w| Some(wave(memory, launch, descriptor, id, w)))
        .collect();
    let mut executed = 0;
    while waves.iter().any(Option::is_some) {
        for slot in &mut waves {
            let Some(wave) = slot else { continue };
            match run(wave, &mut lds, memory, 100_000_000) {
                Stop::EndPgm => {
                    executed += wave.executed;
                    *slot = None;
                }
                Stop::Barrier | Stop::Sleep { .. } => {}
                stop => panic!("{} {id:?}: {stop:?}", launch.kernel),
            }
        }
    }
    executed
}

fn wave(memory: &Flat, launch: &Launch<'_>, descriptor: usize, id: [u32; 3], number: usize) -> Wave {
    let word = |at: usize| memory.dword(descriptor + at);
    let entry = (DATA + descriptor as u64).wrapping_add(memory.qword(descriptor + 16));
    let (rsrc3, rsrc1, rsrc2) = (word(44), word(48), word(52));
    let properties = word(56);
    let vgprs = ((rsrc1 & 0x3f) as usize + 1) * 8;
    let mut wave = Wave::new(entry, vgprs, ((rsrc3 & 0x3f) as usize + 1) * 4);
    wave.mode = Mode::from_rsrc1(rsrc1);
    let mut sgprs = Vec::new();
    let mut pair = |on: u32, value: u64| {
        if properties >> on & 1 != 0 {
            sgprs.extend([value as u32, (value >> 32) as u32]);
        }
    };
    let scratch = DATA + SCRATCH as u64;
    // the descriptor of scratch: swizzled, lane number added, 64 lanes
    pair(0, scratch | 1 << 63);
    pair(0, u64::from(u32::MAX) | (4 << 15 | 3 << 21 | 1 << 23) << 32);
    pair(1, DATA + PACKET as u64);
    pair(2, 0);
    pair(3, DATA + ARGUMENTS as u64);
    pair(4, 0);
    pair(5, scratch);
    if properties >> 6 & 1 != 0 {
        sgprs.push(word(4));
    }
    for (i, id) in id.into_iter().enumerate() {
        if rsrc2 >> (7 + i) & 1 != 0 {
            sgprs.push(id);
        }
    }
    if rsrc2 >> 10 & 1 != 0 {
        sgprs.push(0);
    }
    if rsrc2 & 1 != 0 {
        sgprs.push(number as u32 * WAVE_SCRATCH);
    }
    wave.sgprs[..sgprs.len()].copy_from_slice(&sgprs);
    let [sx, sy, sz] = launch.size;
    wave.exec = 0;
    for lane in 0..LANES {
        let item = (number * LANES + lane) as u32;
        if item < sx * sy * sz {
            wave.exec |= 1 << lane;
            wave.vgprs[0][lane] = item % sx | (item / sx % sy) << 10 | (item / sx / sy) << 20;
        }
    }
    wave
}
