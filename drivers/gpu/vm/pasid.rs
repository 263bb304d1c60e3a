// SPDX-License-Identifier: GPL-2.0
//! PASIDs, the numbers by which interrupts and flushes name an address space.

use kernel::{bitmap::BitmapVec, new_spinlock, prelude::*, sync::Arc, sync::SpinLock};

/// Numbers that address spaces can have: 0 means none, and the hardware compares 16 bits.
const FIRST: usize = 1;
const COUNT: usize = 1 << 16;

/// The PASIDs of one GPU.
#[pin_data]
pub(crate) struct Pasids {
    #[pin]
    inner: SpinLock<Inner>,
}

struct Inner {
    taken: BitmapVec,
    /// Where to look next: a number rests as long as possible, so that late interrupts do not hit its next owner.
    next: usize,
}

impl Pasids {
    pub(crate) fn new() -> Result<Arc<Self>> {
        let taken = BitmapVec::new(COUNT, GFP_KERNEL)?;
        Arc::pin_init(
            pin_init!(Self { inner <- new_spinlock!(Inner { taken, next: FIRST }) }),
            GFP_KERNEL,
        )
    }

    /// A number that nobody has; `EBUSY` if there is none.
    pub(super) fn take(self: &Arc<Self>) -> Result<Pasid> {
        let mut inner = self.inner.lock();
        let free = inner
            .taken
            .next_zero_bit(inner.next)
            .or_else(|| inner.taken.next_zero_bit(FIRST))
            .ok_or(EBUSY)?;
        inner.taken.set_bit(free);
        let next = free.saturating_add(1);
        inner.next = if next < COUNT { next } else { FIRST };
        drop(inner);
        Ok(Pasid {
            pool: self.clone(),
            number: u16::try_from(free)?,
        })
    }
}

/// A taken number; free again when dropped.
pub(super) struct Pasid {
    pool: Arc<Pasids>,
    number: u16,
}

impl Pasid {
    pub(super) fn number(&self) -> u16 {
        self.number
    }
}

impl Drop for Pasid {
    fn drop(&mut self) {
        self.pool.inner.lock().taken.clear_bit(usize::from(self.number));
    }
}

#[kunit_tests(amdgpu_vm_pasid)]
mod tests {
    use super::*;

    #[test]
    fn a_number_rests_after_use() -> Result {
        let pool = Pasids::new()?;
        let first = pool.take()?;
        let number = first.number();
        assert_eq!(usize::from(number), FIRST);
        drop(first);
        assert!(pool.take()?.number() > number);
        Ok(())
    }

    #[test]
    fn all_numbers_are_given_out_once() -> Result {
        let pool = Pasids::new()?;
        let mut taken = KVVec::with_capacity(COUNT, GFP_KERNEL)?;
        while let Ok(pasid) = pool.take() {
            taken.push(pasid, GFP_KERNEL)?;
        }
        assert_eq!(taken.len(), COUNT - FIRST);
        taken.truncate(COUNT - FIRST - 1);
        assert!(pool.take().is_ok());
        Ok(())
    }
}
