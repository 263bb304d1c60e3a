// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels as hipcc makes them, from `kernels.hip`.

use super::*;
use std::process::Command;

/// A compiled code object and where its kernels are.
struct Program {
    elf: Vec<u8>,
}

impl Program {
    fn compile(options: &[&str]) -> Self {
        let unique = format!(
            "vgpu-hip-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        );
        let out = std::env::temp_dir().join(unique);
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model/spi/tests/kernels.hip");
        let output = Command::new("hipcc")
            .args(["--genco", "--offload-arch=gfx90a", "--no-gpu-bundle-output"])
            .args(options)
            .arg("-o")
            .arg(&out)
            .arg(source)
            .output()
            .expect("hipcc is needed for this test (package hipcc)");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let elf = std::fs::read(&out).unwrap();
        std::fs::remove_file(&out).unwrap();
        Self { elf }
    }

    fn number(&self, at: usize, len: usize) -> u64 {
        self.elf[at..at + len]
            .iter()
            .rev()
            .fold(0, |n, b| n << 8 | u64::from(*b))
    }

    /// (file offset, address, bytes in the file) of each loadable segment.
    fn segments(&self) -> Vec<(usize, u64, usize)> {
        let (table, count) = (self.number(32, 8) as usize, self.number(56, 2) as usize);
        (0..count)
            .map(|i| table + 56 * i)
            .filter(|h| self.number(*h, 4) == 1)
            .map(|h| {
                (
                    self.number(h + 8, 8) as usize,
                    self.number(h + 16, 8),
                    self.number(h + 32, 8) as usize,
                )
            })
            .collect()
    }

    /// Address of a symbol of the dynamic symbol table.
    fn symbol(&self, name: &str) -> u64 {
        let (table, count) = (self.number(40, 8) as usize, self.number(60, 2) as usize);
        let section = |i: usize, field: usize, len| self.number(table + 64 * i + field, len) as usize;
        let symbols = (0..count)
            .find(|i| section(*i, 4, 4) == 11)
            .expect("a .dynsym section");
        let strings = section(section(symbols, 40, 4), 24, 8);
        let (start, bytes) = (section(symbols, 24, 8), section(symbols, 32, 8));
        let wanted = [name.as_bytes(), &[0]].concat();
        (start..start + bytes)
            .step_by(24)
            .find(|s| self.elf[strings + self.number(*s, 4) as usize..].starts_with(&wanted))
            .map_or_else(|| panic!("no symbol {name}"), |s| self.number(s + 8, 8))
    }
}

/// Runs kernels of one program.
struct Host {
    lab: Lab,
    program: Program,
}

/// Offset of kernel arguments in the data area, and of the dispatch packet.
const KERNARG: u64 = DATA_LEN - 4096;
const PACKET: u64 = DATA_LEN - 2048;

impl Host {
    fn new(options: &[&str]) -> Self {
        let (lab, program) = (Lab::new(), Program::compile(options));
        for (at, va, len) in program.segments() {
            assert!(va + (len as u64) < CODE_LEN);
            lab.card
                .gpu
                .mem
                .write(PhysAddr::vram(CODE_VRAM + va), &program.elf[at..at + len])
                .unwrap();
        }
        Self { lab, program }
    }

    /// Launches a kernel with explicit arguments and the hidden block counts and sizes of code object 5; waits for its end.
    fn launch(&self, name: &str, size: [u32; 3], groups: [u32; 3], args: &[u64]) {
        let at = self.program.symbol(&format!("{name}.kd"));
        let mut d = [0; 64];
        self.lab
            .card
            .gpu
            .mem
            .read(PhysAddr::vram(CODE_VRAM + at), &mut d)
            .unwrap();
        let u32_at = |at: usize| u32::from_le_bytes(d[at..at + 4].try_into().unwrap());
        let entry = i64::from_le_bytes(d[16..24].try_into().unwrap());
        let properties = u32_at(56) & 0xffff;
        let (mut request, end) = self
            .lab
            .request(CODE + at.wrapping_add_signed(entry), size, groups);
        (request.pgm_rsrc3, request.pgm_rsrc1, request.pgm_rsrc2) = (u32_at(44), u32_at(48), u32_at(52));
        request.lds_bytes = u32_at(0).next_multiple_of(512);
        let wave_bytes = (u32_at(4).max(16 << 10) * 64).next_multiple_of(1024);
        request.scratch = Scratch {
            base: SCRATCH,
            wave_bytes,
            waves: (8 << 20) / wave_bytes,
        };
        // grid and workgroup sizes for code object 4, hidden arguments for 5
        let packet = [
            0,
            size[0] | size[1] << 16,
            size[2],
            groups[0] * size[0],
            groups[1] * size[1],
            groups[2] * size[2],
        ];
        self.lab.set(PACKET / 4, &packet);
        let mut kernarg: Vec<u8> = args.iter().flat_map(|a| a.to_le_bytes()).collect();
        let hidden = kernarg.len();
        kernarg.resize(hidden + 256, 0);
        for (i, n) in groups.iter().enumerate() {
            kernarg[hidden + 4 * i..][..4].copy_from_slice(&n.to_le_bytes());
        }
        for (i, n) in size.iter().enumerate() {
            kernarg[hidden + 12 + 2 * i..][..2].copy_from_slice(&(*n as u16).to_le_bytes());
        }
        self.lab
            .card
            .gpu
            .mem
            .write(PhysAddr::system(DATA_BUS + KERNARG), &kernarg)
            .unwrap();
        request.user_sgprs.clear();
        // swizzled by 64 lanes of 4 bytes, add thread id, 32-bit data
        let srd = [
            SCRATCH as u32,
            (SCRATCH >> 32) as u32 | 1 << 31,
            8 << 20,
            0x00ea_4fac,
        ];
        let pair = |v: u64| vec![v as u32, (v >> 32) as u32];
        let values = [
            srd.to_vec(),
            pair(DATA + PACKET),
            pair(0),
            pair(DATA + KERNARG),
            pair(0),
            pair(SCRATCH),
            vec![u32_at(4)],
        ];
        for (bit, value) in values.into_iter().enumerate() {
            if properties >> bit & 1 != 0 {
                request.user_sgprs.extend(value);
            }
        }
        assert!(request.user_sgprs.len() <= (request.pgm_rsrc2 >> 1 & 0x1f) as usize);
        let outcome = self.lab.run((request, end)).outcome;
        assert_eq!(
            outcome,
            Outcome::Done,
            "{name}: interrupt {:x?}",
            self.lab.interrupt(0)
        );
    }

    fn put<T: Copy>(&self, off: u64, values: &[T], bytes: impl Fn(T) -> Vec<u8>) {
        let all: Vec<u8> = values.iter().flat_map(|v| bytes(*v)).collect();
        self.lab
            .card
            .gpu
            .mem
            .write(PhysAddr::system(DATA_BUS + off), &all)
            .unwrap();
    }

    fn bytes(&self, off: u64, len: usize) -> Vec<u8> {
        let mut b = vec![0; len];
        self.lab
            .card
            .gpu
            .mem
            .read(PhysAddr::system(DATA_BUS + off), &mut b)
            .unwrap();
        b
    }

    fn ints(&self, off: u64, n: usize) -> Vec<i32> {
        self.bytes(off, 4 * n)
            .chunks(4)
            .map(|c| i32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    fn floats(&self, off: u64, n: usize) -> Vec<f32> {
        self.bytes(off, 4 * n)
            .chunks(4)
            .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    fn doubles(&self, off: u64, n: usize) -> Vec<f64> {
        self.bytes(off, 8 * n)
            .chunks(8)
            .map(|c| f64::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    fn vector_add(&self) {
        let a: Vec<f32> = (0..1000).map(|i| i as f32 * 0.25).collect();
        let b: Vec<f32> = (0..1000).map(|i| 1e3 / (i + 1) as f32).collect();
        self.put(0, &a, |v| v.to_le_bytes().to_vec());
        self.put(0x1000, &b, |v| v.to_le_bytes().to_vec());
        self.launch(
            "vector_add",
            [256, 1, 1],
            [4, 1, 1],
            &[DATA, DATA + 0x1000, DATA + 0x2000, 1000],
        );
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(self.floats(0x2000, 1001), [&expected[..], &[0.0]].concat());
    }

    fn reduce(&self) {
        let input: Vec<i32> = (0..10_000).map(|i: i32| i.wrapping_mul(7919) % 100_003).collect();
        self.put(0, &input, |v| v.to_le_bytes().to_vec());
        self.put(0x10000, &[0u64; 3], |v| v.to_le_bytes().to_vec());
        let out = DATA + 0x10000;
        self.launch(
            "reduce",
            [256, 1, 1],
            [7, 1, 1],
            &[DATA, 10_000, out, out + 8, out + 16],
        );
        let sum: i64 = input.iter().map(|v| i64::from(*v)).sum();
        assert_eq!(self.bytes(0x10000, 8), sum.to_le_bytes());
        assert_eq!(self.doubles(0x10008, 1), [sum as f64]);
        assert_eq!(self.ints(0x10010, 1), [*input.iter().max().unwrap()]);
    }

    fn multiply(&self) {
        const N: usize = 48;
        let a: Vec<f64> = (0..N * N).map(|i| (i % 13) as f64 - 6.0).collect();
        let b: Vec<f64> = (0..N * N).map(|i| (i % 7) as f64 * 0.5).collect();
        let at = |i: usize| (0..N).map(|k| a[i / N * N + k] * b[k * N + i % N]).sum::<f64>();
        let expected: Vec<f64> = (0..N * N).map(at).collect();
        let args = [DATA, DATA + 0x10000, DATA + 0x20000, N as u64];
        self.put(0, &a, |v| v.to_le_bytes().to_vec());
        self.put(0x10000, &b, |v| v.to_le_bytes().to_vec());
        self.launch("multiply_double", [16, 16, 1], [3, 3, 1], &args);
        assert_eq!(self.doubles(0x20000, N * N), expected);
        self.put(0, &a, |v| (v as f32).to_le_bytes().to_vec());
        self.put(0x10000, &b, |v| (v as f32).to_le_bytes().to_vec());
        self.launch("multiply_float", [16, 16, 1], [3, 3, 1], &args);
        // small halves: exact in single precision, too
        assert!(self
            .floats(0x20000, N * N)
            .iter()
            .zip(&expected)
            .all(|(got, want)| f64::from(*got) == *want));
    }

    fn scratch(&self) {
        self.launch("scratch", [256, 1, 1], [3, 1, 1], &[DATA, 200]);
        let expected: Vec<i32> = (0..768)
            .map(|i: i32| {
                let mut values: Vec<i32> = (0..64).map(|k| i * k).collect();
                let (mut at, mut s) = (i & 63, 0i32);
                for k in 0..200 {
                    s = s.wrapping_add(values[at as usize]);
                    values[at as usize] ^= k;
                    at = (at * 5 + 1) & 63;
                }
                s
            })
            .collect();
        assert_eq!(self.ints(0, 768), expected);
    }

    fn diverge(&self) {
        self.launch("diverge", [128, 1, 1], [8, 1, 1], &[DATA]);
        let expected: Vec<i32> = (0..1024)
            .map(|i| {
                let (mut n, mut v) = (i + 1, 0);
                while n != 1 {
                    n = if n & 1 != 0 { 3 * n + 1 } else { n / 2 };
                    v += 1;
                }
                [v + 1000, v * 3, -v, v][i as usize % 4]
            })
            .collect();
        assert_eq!(self.ints(0, 1024), expected);
    }

    fn generic(&self) {
        let start: Vec<i32> = (0..64).map(|i| 500 + i).collect();
        self.put(0, &start, |v| v.to_le_bytes().to_vec());
        self.launch("generic", [64, 1, 1], [1, 1, 1], &[DATA]);
        let mut global = start.clone();
        let mut shared: Vec<i32> = (0..64).map(|i| 10 * i).collect();
        let (mut seen, mut own) = (vec![0; 64], vec![0; 64]);
        for i in 0..64usize {
            let private = (i as i32 & 3) + 1;
            own[i] = private + i32::from(i % 3 == 2);
            let place = match i % 3 {
                0 => &mut global[i],
                1 => &mut shared[i ^ 1],
                _ => &mut private.clone(),
            };
            seen[i] = *place;
            *place += 1;
        }
        let result = |i: usize| seen[i] + 100_000 * own[i] + 10_000_000 * (shared[i] & 7);
        let expected: Vec<i32> = global.into_iter().chain((0..64).map(result)).collect();
        assert_eq!(self.ints(0, 128), expected);
    }

    fn all(&self) {
        self.vector_add();
        self.reduce();
        self.multiply();
        self.scratch();
        self.diverge();
        self.generic();
        self.lab.card.assert_clean();
    }
}

#[test]
fn optimised_kernels() {
    Host::new(&["-O3"]).all();
}

/// Real calls and much stack. (Not `-O0`: clang 17 then reloads registers before it restores EXEC.)
#[test]
fn kernels_with_calls() {
    Host::new(&["-O1", "-fno-inline"]).all();
}
