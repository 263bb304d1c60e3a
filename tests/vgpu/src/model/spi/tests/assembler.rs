// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Machine code from LLVM's assembler.

use std::io::Write;
use std::process::{Command, Stdio};

/// The dwords of a kernel's text.
pub(super) fn assemble(source: &str) -> Vec<u32> {
    let dir = std::env::temp_dir().join(format!(
        "vgpu-asm-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let mut child = Command::new("llvm-mc-19")
        .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-filetype=obj", "-o"])
        .arg(&dir)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-19 is needed for this test (package llvm-19)");
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let object = std::fs::read(&dir).unwrap();
    std::fs::remove_file(&dir).unwrap();
    text(&object)
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// The `.text` section of an ELF64 object.
fn text(elf: &[u8]) -> &[u8] {
    let number = |at: usize, len: usize| {
        elf[at..at + len]
            .iter()
            .rev()
            .fold(0usize, |n, b| n << 8 | usize::from(*b))
    };
    let (headers, size, count, names) = (number(40, 8), number(58, 2), number(60, 2), number(62, 2));
    let field = |section: usize, at: usize, len: usize| number(headers + section * size + at, len);
    let name_table = field(names, 24, 8);
    let is_text = |section: &usize| elf[name_table + field(*section, 0, 4)..].starts_with(b".text\0");
    let section = (0..count).find(is_text).expect("a .text section");
    &elf[field(section, 24, 8)..][..field(section, 32, 8)]
}

#[test]
fn assembles() {
    assert_eq!(assemble("s_nop 0\ns_endpgm\n"), [0xbf80_0000, 0xbf81_0000]);
    assert_eq!(assemble("l: s_branch l\n"), [0xbf82_ffff]);
}
