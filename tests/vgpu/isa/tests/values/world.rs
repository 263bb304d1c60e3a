// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A wave with memory and LDS around it, and the address spaces as instructions name them.

use super::input::Random;
use super::support::{Flat, CODE, DATA};
use vgpu_isa::table::{flags, Op, TABLES};
use vgpu_isa::{run, Lds, Stop, Wave, LANES};

/// Bytes of memory and of LDS.
pub(crate) const SIZE: usize = 128 << 10;
pub(crate) const LDS: usize = 8 << 10;

/// The row called `name`.
pub(crate) fn row(name: &str) -> &'static Op {
    let mut rows = TABLES.iter().flat_map(|(_, rows)| rows.iter());
    rows.find(|op| op.name == name)
        .unwrap_or_else(|| panic!("{name} is no instruction"))
}

/// An address space as instructions name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Space {
    Flat,
    Global,
    Scratch,
    Buffer,
    Lds,
}

impl Space {
    /// Those that `op` exists in.
    pub(crate) fn of(op: &Op) -> Vec<Self> {
        let all = [
            (flags::FLAT, Self::Flat),
            (flags::GLOBAL, Self::Global),
            (flags::SCRATCH, Self::Scratch),
            (flags::MUBUF, Self::Buffer),
        ];
        match op.name.starts_with("ds_") {
            true => vec![Self::Lds],
            false => all
                .into_iter()
                .filter(|(flag, _)| op.has(*flag))
                .map(|(_, space)| space)
                .collect(),
        }
    }

    /// `name` with `data` registers (first and then the destination in front, if any) and the address in v[2:3] or v2.
    pub(crate) fn text(self, name: &str, dst: Option<String>, data: Option<String>) -> String {
        let (prefix, address, rest) = match self {
            Self::Flat => ("flat_", "v[2:3]", ""),
            Self::Global => ("global_", "v[2:3]", ", off"),
            Self::Scratch => ("scratch_", "v2", ", off"),
            Self::Lds => ("", "v2", ""),
            Self::Buffer => {
                let data = dst.or(data).unwrap();
                return format!("buffer_{name} {data}, v2, s[8:11], 0 offen offset:4");
            }
        };
        let operands: Vec<String> = dst.into_iter().chain([address.to_owned()]).chain(data).collect();
        format!("{prefix}{name} {}{rest} offset:4", operands.join(", "))
    }

    /// Where byte `offset` of `lane` lies in memory or LDS. Scratch alternates between lanes by dword.
    pub(crate) fn place(self, lane: usize, offset: usize) -> usize {
        match self {
            Self::Scratch => (offset / 4 * LANES + lane) * 4 + offset % 4,
            _ => offset,
        }
    }
}

pub(crate) fn registers(first: usize, bytes: usize) -> String {
    match bytes.div_ceil(4) {
        1 => format!("v{first}"),
        n => format!("v[{first}:{}]", first + n - 1),
    }
}

/// A wave with memory, everything filled at random.
pub(crate) struct World {
    pub(crate) wave: Wave,
    pub(crate) lds: Lds,
    pub(crate) memory: Flat,
    /// Byte offset of each lane, 4 less than what the instruction accesses.
    pub(crate) offsets: [usize; LANES],
}

impl World {
    pub(crate) fn new(space: Space, seed: &str) -> Self {
        let mut random = Random::of(seed);
        let mut wave = Wave::new(CODE, 48, 48);
        let mut memory = Flat::new(&[], SIZE);
        let mut lds = Lds::new(LDS);
        memory.data.fill_with(|| random.next() as u8);
        lds.bytes_mut().fill_with(|| random.next() as u8);
        for row in &mut wave.vgprs {
            row.fill_with(|| random.next() as u32);
        }
        wave.exec = random.next();
        wave.flat_scratch = DATA;
        wave.sgprs[8..12].copy_from_slice(&[DATA as u32, 0, SIZE as u32, 0]);
        // lanes in disorder, some neighbours, 16 bytes each
        let step = [1, 3, 11, 63][random.below(4) as usize];
        let offsets = std::array::from_fn(|lane| 32 + (lane * step % LANES) * 16);
        for (lane, offset) in offsets.iter().enumerate() {
            let base = if matches!(space, Space::Flat | Space::Global) {
                DATA as usize
            } else {
                0
            };
            wave.vgprs[2][lane] = (base + offset) as u32;
            wave.vgprs[3][lane] = 0;
        }
        Self {
            wave,
            lds,
            memory,
            offsets,
        }
    }

    pub(crate) fn bytes(&self, space: Space) -> Vec<u8> {
        match space {
            Space::Lds => self.lds.bytes().to_vec(),
            _ => self.memory.data.clone(),
        }
    }

    pub(crate) fn run(&mut self, program: &[u8], text: &str) {
        self.memory.code = program.to_vec();
        let stop = run(&mut self.wave, &mut self.lds, &mut self.memory, 1000);
        assert_eq!(stop, Stop::EndPgm, "{text}");
    }
}
