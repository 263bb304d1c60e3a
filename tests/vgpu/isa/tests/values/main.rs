// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What every instruction computes, against models that share nothing with the executor.
//!
//! A program is text: LLVM assembles it, the crate decodes and executes it, and a model of this folder says what must come
//! out. Models are tables keyed by mnemonic, written from the ISA document with 128-bit integers, LLVM's APFloat or the host's
//! arithmetic. [`inventory`] compares the keys with the crate's instruction tables: an instruction without model fails there,
//! and [`document`] writes them down.
//!
//! Rooms: [`input`]: operands that hurt; [`vector`]: runs vector arithmetic by the operand types of a row; [`integer`],
//! [`float`], [`division`], [`cube`], [`convert`], [`compare`], [`packed`], [`transcendental`]: its models; [`matrix`]: matrix
//! cores; [`scalar`]: scalar arithmetic; [`program`]: instructions that need a program of their own; [`memory`], [`format`],
//! [`atomic`]: data, in a [`world`] of memory and LDS.

#[allow(dead_code)]
#[path = "../llvm/known.rs"]
mod known;
#[allow(dead_code)]
#[path = "../llvm/mc.rs"]
mod mc;
#[path = "../support/mod.rs"]
mod support;
#[allow(dead_code)]
#[path = "../llvm/words.rs"]
mod words;

mod atomic;
mod compare;
mod convert;
mod cube;
mod division;
mod document;
mod float;
mod format;
mod input;
mod integer;
mod inventory;
mod matrix;
mod memory;
mod packed;
mod program;
mod scalar;
mod transcendental;
mod vector;
mod world;

use support::{Flat, CODE};
use vgpu_isa::{run, Lds, Stop, Wave};

/// Assembles each text (of any number of lines) with one call of LLVM.
fn assemble(texts: &[String]) -> Vec<Vec<u8>> {
    let lines: Vec<String> = texts.iter().flat_map(|t| t.lines().map(str::to_owned)).collect();
    let mut words = mc::assemble(&lines).into_iter().zip(&lines);
    let mut out = Vec::new();
    for text in texts {
        let mut program = Vec::new();
        for (words, line) in words.by_ref().take(text.lines().count()) {
            let words = words.unwrap_or_else(|why| panic!("{line}: {why}"));
            program.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        }
        // s_endpgm
        program.extend(0xbf81_0000_u32.to_le_bytes());
        out.push(program);
    }
    out
}

/// Runs `program` to its end on `wave`, without memory.
fn execute(wave: &mut Wave, program: &[u8]) {
    let mut memory = Flat::new(program, 0);
    wave.pc = CODE;
    let stop = run(wave, &mut Lds::new(0), &mut memory, 1000);
    assert_eq!(stop, Stop::EndPgm);
}
