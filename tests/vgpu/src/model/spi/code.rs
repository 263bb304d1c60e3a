// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction cache: pages of code, decoded as far as they were executed, per VMID.
//!
//! An invalidation does not throw decoded pages away. It makes the next use compare them with memory, so that a queue that
//! invalidates before every dispatch does not decode the same kernel again and again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;
use vgpu_isa::code::PAGE;
use vgpu_isa::CodePage;

/// Bytes behind a page that its last instruction may reach into.
const TAIL: usize = 8;
/// Pages kept per VMID; beyond it the cache starts over.
const CAPACITY: usize = 4096;

struct Cached {
    page: Arc<CodePage>,
    bytes: Vec<u8>,
    checked: u64,
}

/// Code of all address spaces.
pub(super) struct CodeCache {
    vmids: [Mutex<HashMap<u64, Cached>>; 16],
    generation: AtomicU64,
}

impl CodeCache {
    /// An empty cache.
    pub(super) fn new() -> Self {
        Self {
            vmids: Default::default(),
            generation: AtomicU64::new(0),
        }
    }

    /// Later uses see memory as it is now. Waves keep the page they are in until they leave it.
    pub(super) fn invalidate(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The page of code around `va`. `read` fetches from memory; if the page itself cannot be read, that is the error; where
    /// the next page cannot be read, its words are missing.
    pub(super) fn page<E>(
        &self,
        vmid: u8,
        va: u64,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<(), E>,
    ) -> Result<Arc<CodePage>, E> {
        let base = va & !(PAGE - 1);
        let generation = self.generation.load(Ordering::Acquire);
        let pages = self.vmids.get(usize::from(vmid & 15));
        if let Some(cached) = pages.and_then(|p| {
            p.lock()
                .get(&base)
                .filter(|c| c.checked == generation)
                .map(|c| c.page.clone())
        }) {
            return Ok(cached);
        }
        let mut bytes = vec![0; PAGE as usize + TAIL];
        let (own, tail) = bytes.split_at_mut(PAGE as usize);
        read(base, own)?;
        if read(base.wrapping_add(PAGE), tail).is_err() {
            bytes.truncate(PAGE as usize);
        }
        let Some(pages) = pages else {
            return Ok(Arc::new(decoded(base, &bytes)));
        };
        let mut pages = pages.lock();
        if pages.len() >= CAPACITY {
            pages.clear();
        }
        match pages.get_mut(&base) {
            Some(cached) if cached.bytes == bytes => {
                cached.checked = generation;
                Ok(cached.page.clone())
            }
            _ => {
                let page = Arc::new(decoded(base, &bytes));
                pages.insert(
                    base,
                    Cached {
                        page: page.clone(),
                        bytes,
                        checked: generation,
                    },
                );
                Ok(page)
            }
        }
    }
}

fn decoded(base: u64, bytes: &[u8]) -> CodePage {
    let words = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    CodePage::new(base, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_code_survives_an_invalidation() {
        let cache = CodeCache::new();
        let mut reads = 0;
        let mut fetch = |value: u8| {
            cache.page(3, 0x1234, |_, buf| {
                reads += 1;
                buf.fill(value);
                Ok::<(), ()>(())
            })
        };
        let first = fetch(1).unwrap();
        assert_eq!(first.base(), 0x1000);
        assert!(
            Arc::ptr_eq(&first, &fetch(2).unwrap()),
            "not looked at again without an invalidation"
        );
        cache.invalidate();
        assert!(Arc::ptr_eq(&first, &fetch(1).unwrap()));
        cache.invalidate();
        assert!(!Arc::ptr_eq(&first, &fetch(2).unwrap()));
        assert_eq!(reads, 6);
    }

    #[test]
    fn address_spaces_are_apart_and_a_missing_next_page_is_no_error() {
        let cache = CodeCache::new();
        let read = |fail: u64| move |va: u64, _: &mut [u8]| if va == fail { Err(()) } else { Ok(()) };
        let a = cache.page(1, 0, read(0x1000)).unwrap();
        let b = cache.page(2, 0, read(0x1000)).unwrap();
        assert!(!Arc::ptr_eq(&a, &b));
        assert_eq!(cache.page(3, 0, read(0)).err(), Some(()));
    }
}
