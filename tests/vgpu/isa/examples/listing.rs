// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Disassembles raw code: `cargo run -p vgpu-isa --example listing FILE [FIRST ADDRESS]`.

use std::process::ExitCode;
use vgpu_isa::decode::decode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: listing FILE [FIRST ADDRESS]");
        return ExitCode::FAILURE;
    };
    let base = args
        .next()
        .and_then(|a| u64::from_str_radix(a.trim_start_matches("0x"), 16).ok())
        .unwrap_or(0);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let mut at = 0;
    let mut status = ExitCode::SUCCESS;
    while at < words.len() {
        let pc = base + at as u64 * 4;
        match decode(&words[at..]) {
            Ok(inst) => {
                println!("{pc:8x}  {inst}");
                at += usize::from(inst.words);
            }
            Err(why) => {
                println!("{pc:8x}  {:08x}: {why}", words[at]);
                status = ExitCode::FAILURE;
                at += 1;
            }
        }
    }
    status
}
