// SPDX-License-Identifier: Apache-2.0 OR MIT
//! LLVM's assembler and disassembler, by way of `llvm-mc-19`.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// What the disassembler makes of one line of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The first instruction, blanks squeezed, comments removed.
    pub(crate) text: String,
    /// It takes all the words.
    pub(crate) whole: bool,
    /// LLVM printed it with a remark that it is not right.
    pub(crate) doubtful: bool,
}

fn run(args: &[&str], input: &str) -> (String, String) {
    let child = Command::new("llvm-mc-19")
        .args(["-triple=amdgcn", "-mcpu=gfx90a"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => panic!("llvm-mc-19 is needed for this test (package llvm-19): {error}"),
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Marks the end of line `i`.
fn marker(i: usize) -> u32 {
    0xbf80_0000 | (i as u32 % 60)
}

fn bytes(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|w| w.to_le_bytes());
    bytes.map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(" ")
}

/// Disassembles the start of each item; `None` where LLVM finds no instruction. Brackets keep the items apart.
pub(crate) fn disassemble(items: &[Vec<u32>]) -> Vec<Option<Line>> {
    let mut input = String::new();
    for (i, words) in items.iter().enumerate() {
        input += &format!("[{}]\n[{}]\n", bytes(words), bytes(&[marker(i)]));
    }
    let (stdout, stderr) = run(&["--disassemble"], &input);
    // complaints by item: none, about the start, about the rest
    let (mut invalid, mut rest) = (vec![false; items.len()], vec![false; items.len()]);
    for line in stderr
        .lines()
        .filter(|line| line.contains("invalid instruction encoding"))
    {
        let mut parts = line.split(':').skip(1).map(|n| n.parse::<usize>().unwrap_or(0));
        let (row, column) = (parts.next().unwrap(), parts.next().unwrap());
        let complaints = if column == 2 { &mut invalid } else { &mut rest };
        complaints[(row - 1) / 2] = true;
    }
    let mut lines = stdout
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('.'));
    let mut out = Vec::new();
    for (i, words) in items.iter().enumerate() {
        let end = format!("s_nop {}", i % 60);
        let mut own = Vec::new();
        loop {
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("llvm-mc stopped short of {i} {words:08x?}"));
            // an item may itself be the marker
            if line == end && (!own.is_empty() || invalid[i] || words[0] != marker(i)) {
                break;
            }
            own.push(line);
        }
        let whole = own.len() == 1 && !rest[i];
        out.push(match (invalid[i], own.first()) {
            (false, Some(line)) => {
                let text = squeeze(line.split(';').next().unwrap_or(line));
                Some(Line {
                    doubtful: text.contains("/*"),
                    text,
                    whole,
                })
            }
            _ => None,
        });
    }
    out
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Assembles each line; `Err` is the assembler's complaint.
pub(crate) fn assemble(lines: &[String]) -> Vec<Result<Vec<u32>, String>> {
    let mut input = String::new();
    for (i, line) in lines.iter().enumerate() {
        input += &format!("{line}\ns_nop {}\n", i % 60);
    }
    let (stdout, stderr) = run(&["--show-encoding"], &input);
    let mut errors = vec![None; lines.len()];
    for line in stderr.lines().filter(|line| line.contains("error:")) {
        let row: usize = line.split(':').nth(1).unwrap().parse().unwrap();
        errors[(row - 1) / 2] = Some(line.split("error: ").nth(1).unwrap().to_owned());
    }
    let mut encodings = stdout.lines().filter_map(|line| line.split_once("; encoding: ["));
    let mut out = Vec::new();
    for error in errors {
        if let Some(error) = error {
            encodings.next();
            out.push(Err(error));
            continue;
        }
        let (_, encoding) = encodings.next().expect("llvm-mc printed every line");
        let bytes = encoding.trim_end_matches(']').split(',');
        let bytes: Vec<u8> = bytes
            .map(|b| u8::from_str_radix(b.trim().trim_start_matches("0x"), 16).unwrap())
            .collect();
        out.push(Ok(bytes
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect()));
        encodings.next();
    }
    out
}
