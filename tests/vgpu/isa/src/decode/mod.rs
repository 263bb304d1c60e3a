// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Words to instructions.

use crate::inst::Inst;
use crate::stop::Why;

/// Decodes the instruction at the start of `words`, which must reach as far as the code does (three dwords are enough).
pub fn decode(words: &[u32]) -> Result<Inst, Why> {
    let first = *words.first().ok_or(Why::Borrowed("no instruction word"))?;
    Err(Why::Owned(format!("unknown encoding {first:#010x}")))
}
