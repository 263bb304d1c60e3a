// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A flat memory and LLVM's assembler, for tests that execute program text.

#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use vgpu_isa::{Access, CodeCache, CodePage, MemFault, Memory};

/// Where programs start.
pub const CODE: u64 = 0x1000;
/// Where data starts.
pub const DATA: u64 = 0x10_0000;

/// Code at [`CODE`], data at [`DATA`], nothing else.
pub struct Flat {
    pub code: Vec<u8>,
    pub data: Vec<u8>,
    cache: CodeCache,
    pub ticks: u64,
}

impl Flat {
    /// A memory with `program` and `size` bytes of zeroed data.
    pub fn new(program: &[u8], size: usize) -> Self {
        Self {
            code: program.to_vec(),
            data: vec![0; size],
            cache: CodeCache::new(),
            ticks: 0,
        }
    }

    fn data_at(&mut self, va: u64, len: usize, access: Access) -> Result<&mut [u8], MemFault> {
        let start = va.checked_sub(DATA).and_then(|o| usize::try_from(o).ok());
        let range = start.and_then(|s| Some(s..s.checked_add(len)?));
        range
            .and_then(|r| self.data.get_mut(r))
            .ok_or(MemFault { va, access })
    }

    /// The dword at `DATA + offset`.
    pub fn dword(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.data[offset..offset + 4].try_into().unwrap())
    }

    /// Sets the dword at `DATA + offset`.
    pub fn set_dword(&mut self, offset: usize, value: u32) {
        self.data[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// The qword at `DATA + offset`.
    pub fn qword(&self, offset: usize) -> u64 {
        u64::from_le_bytes(self.data[offset..offset + 8].try_into().unwrap())
    }

    /// Sets the qword at `DATA + offset`.
    pub fn set_qword(&mut self, offset: usize, value: u64) {
        self.data[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
    }
}

impl Memory for Flat {
    fn load(&mut self, va: u64, _elem: usize, data: &mut [u8]) -> Result<(), MemFault> {
        data.copy_from_slice(self.data_at(va, data.len(), Access::Read)?);
        Ok(())
    }

    fn store(&mut self, va: u64, _elem: usize, data: &[u8]) -> Result<(), MemFault> {
        self.data_at(va, data.len(), Access::Write)?.copy_from_slice(data);
        Ok(())
    }

    fn atomic32(&mut self, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Result<u32, MemFault> {
        let bytes = self.data_at(va, 4, Access::Atomic)?;
        let old = u32::from_le_bytes((&*bytes).try_into().unwrap());
        bytes.copy_from_slice(&f(old).to_le_bytes());
        Ok(old)
    }

    fn atomic64(&mut self, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Result<u64, MemFault> {
        let bytes = self.data_at(va, 8, Access::Atomic)?;
        let old = u64::from_le_bytes((&*bytes).try_into().unwrap());
        bytes.copy_from_slice(&f(old).to_le_bytes());
        Ok(old)
    }

    fn code(&mut self, va: u64) -> Result<Arc<CodePage>, MemFault> {
        // programs may also lie in the data
        let (from, code) = if va >= DATA {
            (DATA, &self.data)
        } else {
            (CODE, &self.code)
        };
        self.cache.page(va, |at, buf| {
            let start = at.checked_sub(from).and_then(|o| usize::try_from(o).ok());
            let bytes = start.and_then(|s| code.get(s..)).filter(|b| !b.is_empty());
            let bytes = bytes.ok_or(MemFault {
                va,
                access: Access::Execute,
            })?;
            let len = bytes.len().min(buf.len());
            buf[..len].copy_from_slice(&bytes[..len]);
            Ok(())
        })
    }

    fn invalidate_code(&mut self) {
        self.cache.invalidate();
    }

    fn realtime(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    fn clock(&mut self) -> u64 {
        self.ticks += 10;
        self.ticks
    }
}

/// Assembles a program with `llvm-mc-19` into the bytes of its `.text`.
pub fn assemble(text: &str) -> Vec<u8> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let base = std::env::temp_dir().join(format!("vgpu-isa-{}-{n}", std::process::id()));
    let [source, object, binary] = ["s", "o", "bin"].map(|e| base.with_extension(e));
    fs::write(&source, text).unwrap();
    let run = |command: &mut Command| {
        let name = command.get_program().to_owned();
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => panic!("{name:?} is needed for this test (package llvm-19): {error}"),
        };
        assert!(
            output.status.success(),
            "{}\n{text}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run(Command::new("llvm-mc-19")
        .args(["-triple=amdgcn", "-mcpu=gfx90a", "-filetype=obj", "-o"])
        .args([&object, &source]));
    run(Command::new("llvm-objcopy-19")
        .args(["-O", "binary", "--only-section=.text"])
        .args([&object, &binary]));
    let bytes = fs::read(&binary).unwrap();
    for file in [source, object, binary] {
        let _ = fs::remove_file(file);
    }
    bytes
}
