// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles HIP and loads the code object into a flat memory.

use super::support::{Flat, DATA};
use std::collections::HashMap;
use std::process::Command;
use std::{env, fs};

/// Where the code object is loaded, relative to `DATA`.
const IMAGE: usize = 0;

/// A loaded code object.
pub(crate) struct Object {
    /// Offsets of the kernel descriptors from `DATA`, by kernel name.
    pub(crate) kernels: HashMap<String, usize>,
    /// Code object version (4 or 5): which hidden arguments kernels expect.
    pub(crate) version: u8,
}

/// Compiles `source` for gfx90a with the distribution's compiler.
pub(crate) fn compile(source: &str, optimisation: &str) -> Vec<u8> {
    let base = env::temp_dir().join(format!("vgpu-isa-hip-{}{optimisation}", std::process::id()));
    let [input, bundle, object] = ["hip", "co", "elf"].map(|e| base.with_extension(e));
    fs::write(&input, source).unwrap();
    let run = |command: &mut Command| {
        let name = command.get_program().to_owned();
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => panic!("{name:?} is needed for this test (packages hipcc, llvm-17): {error}"),
        };
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run(Command::new("hipcc")
        .args([
            "--offload-arch=gfx90a",
            "--genco",
            optimisation,
            "-munsafe-fp-atomics",
            "-o",
        ])
        .args([&bundle, &input]));
    run(Command::new("clang-offload-bundler-17")
        .args([
            "--type=o",
            "--unbundle",
            "--targets=hipv4-amdgcn-amd-amdhsa--gfx90a",
        ])
        .arg(format!("--input={}", bundle.display()))
        .arg(format!("--output={}", object.display())));
    let bytes = fs::read(&object).unwrap();
    for file in [input, bundle, object] {
        let _ = fs::remove_file(file);
    }
    bytes
}

fn u16_at(b: &[u8], at: usize) -> usize {
    u16::from_le_bytes(b[at..at + 2].try_into().unwrap()).into()
}

fn u32_at(b: &[u8], at: usize) -> usize {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap()) as usize
}

fn u64_at(b: &[u8], at: usize) -> usize {
    u64::from_le_bytes(b[at..at + 8].try_into().unwrap()) as usize
}

impl Object {
    /// Copies the loadable segments of `elf` to the start of the data and applies its relocations.
    pub(crate) fn load(elf: &[u8], memory: &mut Flat) -> Self {
        for i in 0..u16_at(elf, 56) {
            let header = u64_at(elf, 32) + i * u16_at(elf, 54);
            // PT_LOAD
            if u32_at(elf, header) == 1 {
                let (offset, va, size) = (
                    u64_at(elf, header + 8),
                    u64_at(elf, header + 16),
                    u64_at(elf, header + 32),
                );
                memory.data[IMAGE + va..IMAGE + va + size].copy_from_slice(&elf[offset..offset + size]);
            }
        }
        let mut kernels = HashMap::new();
        let sections = (0..u16_at(elf, 60)).map(|i| u64_at(elf, 40) + i * u16_at(elf, 58));
        for section in sections {
            let (kind, offset, size) = (
                u32_at(elf, section + 4),
                u64_at(elf, section + 24),
                u64_at(elf, section + 32),
            );
            match kind {
                // SHT_DYNSYM
                11 => {
                    let strings = u64_at(elf, 40) + u32_at(elf, section + 40) * u16_at(elf, 58);
                    let strings = u64_at(elf, strings + 24);
                    for symbol in (offset..offset + size).step_by(24) {
                        let name = &elf[strings + u32_at(elf, symbol)..];
                        let name = String::from_utf8_lossy(name.split(|b| *b == 0).next().unwrap());
                        if let Some(name) = name.strip_suffix(".kd") {
                            kernels.insert(name.to_owned(), IMAGE + u64_at(elf, symbol + 8));
                        }
                    }
                }
                // SHT_RELA
                4 => {
                    for entry in (offset..offset + size).step_by(24) {
                        let (at, info, addend) = (
                            u64_at(elf, entry),
                            u64_at(elf, entry + 8),
                            u64_at(elf, entry + 16),
                        );
                        let value = match info as u32 {
                            // R_AMDGPU_RELATIVE64
                            13 => addend,
                            // R_AMDGPU_ABS64
                            3 => {
                                let dynsym = self::dynsym(elf);
                                u64_at(elf, dynsym + (info >> 32) * 24 + 8) + addend
                            }
                            kind => panic!("relocation {kind}"),
                        };
                        memory.set_qword(IMAGE + at, DATA + (IMAGE + value) as u64);
                    }
                }
                _ => {}
            }
        }
        // EI_ABIVERSION 2 is code object version 4
        Self {
            kernels,
            version: elf[8] + 2,
        }
    }
}

fn dynsym(elf: &[u8]) -> usize {
    let mut sections = (0..u16_at(elf, 60)).map(|i| u64_at(elf, 40) + i * u16_at(elf, 58));
    let section = sections.find(|s| u32_at(elf, s + 4) == 11).unwrap();
    u64_at(elf, section + 24)
}
