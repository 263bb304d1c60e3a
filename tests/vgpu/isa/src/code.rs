// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoded instructions, kept per page of code.

use crate::decode;
use crate::inst::Inst;
use crate::stop::Why;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of code that are kept together.
pub const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 4;
/// Words of the next page that an instruction at the end of this one may reach into.
const TAIL: usize = 2;

/// One page of code, decoded as far as it has been executed.
pub struct CodePage {
    base: u64,
    words: Vec<u32>,
    insts: Box<[OnceLock<Result<Inst, Why>>]>,
}

impl CodePage {
    /// A page at `base` (aligned to [`PAGE`]). `words` are its 1024 dwords, followed by the first of the next page as far
    /// as that is mapped.
    pub fn new(base: u64, words: Vec<u32>) -> Self {
        let insts = (0..WORDS.min(words.len())).map(|_| OnceLock::new()).collect();
        Self { base, words, insts }
    }

    /// Address of the first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The instruction at `pc`; `None` if `pc` lies outside the page.
    #[inline]
    pub fn inst(&self, pc: u64) -> Option<&Result<Inst, Why>> {
        let index = pc.wrapping_sub(self.base) / 4;
        let index = usize::try_from(index).ok()?;
        let cell = self.insts.get(index)?;
        Some(cell.get_or_init(|| decode::decode(self.words.get(index..).unwrap_or_default())))
    }

    /// Up to three words at `pc`, for messages.
    pub fn words_at(&self, pc: u64) -> [u32; 3] {
        let index = usize::try_from(pc.wrapping_sub(self.base) / 4).unwrap_or(usize::MAX);
        std::array::from_fn(|i| self.words.get(index.saturating_add(i)).copied().unwrap_or(0))
    }
}

/// The pages of one address space that have been executed, shared by all its waves.
#[derive(Default)]
pub struct CodeCache {
    pages: Mutex<HashMap<u64, Arc<CodePage>>>,
}

impl CodeCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The page around `va`. `read` fills a buffer from memory; it is called for the page itself, whose failure is
    /// returned, and for the first words of the next one, whose failure only means that nothing is there.
    pub fn page<E>(
        &self,
        va: u64,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<(), E>,
    ) -> Result<Arc<CodePage>, E> {
        let base = va & !(PAGE - 1);
        if let Some(page) = self
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&base)
        {
            return Ok(page.clone());
        }
        let mut bytes = vec![0; PAGE as usize + TAIL * 4];
        let (own, tail) = bytes.split_at_mut(PAGE as usize);
        read(base, own)?;
        if read(base.wrapping_add(PAGE), tail).is_err() {
            bytes.truncate(PAGE as usize);
        }
        let words = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let page = Arc::new(CodePage::new(base, words));
        self.pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(base, page.clone());
        Ok(page)
    }

    /// Forgets everything: code may have changed. Waves that run keep their page until they leave it or execute
    /// `s_icache_inv`, as the hardware's instruction buffers do.
    pub fn invalidate(&self) {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
