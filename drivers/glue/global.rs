// SPDX-License-Identifier: GPL-2.0
//! A value that callbacks of the kernel find without being handed it: there is one while the module is loaded.
//!
//! The kernel crate's `SetOnce` keeps its value for good, and its `global_lock!` must be initialised by unsafe code.
use super::bindings as b;
use core::{
    ptr::null_mut,
    sync::atomic::{AtomicPtr, Ordering},
};
use kernel::{
    prelude::*,
    sync::{rcu, Arc, ArcBorrow},
};

/// A place for one shared value.
pub(crate) struct Global<T: 'static>(AtomicPtr<T>);

impl<T: Send + Sync + 'static> Global<T> {
    /// An empty place.
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// Puts a value there, until the result is dropped. `EBUSY` if there is one.
    pub(crate) fn set(&'static self, value: Arc<T>) -> Result<Occupied<T>> {
        let new = value.into_raw().cast_mut();
        match self
            .0
            .compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Relaxed)
        {
            Ok(_) => Ok(Occupied(self)),
            Err(_) => {
                // SAFETY: not stored: it is still ours.
                drop(unsafe { Arc::from_raw(new) });
                Err(EBUSY)
            }
        }
    }

    /// The value, if there is one.
    pub(crate) fn get(&self) -> Option<Arc<T>> {
        let _reading = rcu::read_lock();
        let value = self.0.load(Ordering::Acquire);
        if value.is_null() {
            return None;
        }
        // SAFETY: the pointer is that of a live `Arc`, whose reference is not given up while we are in a read section.
        Some(unsafe { ArcBorrow::from_raw(value) }.into())
    }
}

/// A value at its place. Dropping this takes it away; whoever has got it before may keep it.
pub(crate) struct Occupied<T: Send + Sync + 'static>(&'static Global<T>);

impl<T: Send + Sync + 'static> Drop for Occupied<T> {
    fn drop(&mut self) {
        let value = self.0 .0.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: a plain call, in a context that may sleep. Afterwards nobody is about to take a reference.
        unsafe { b::synchronize_rcu() };
        // SAFETY: stored by `set`, and taken away here, once.
        drop(unsafe { Arc::from_raw(value) });
    }
}

#[kunit_tests(amdgpu_glue_global)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

    /// How many values are gone.
    static GONE: AtomicU32 = AtomicU32::new(0);

    struct Value(u32);

    impl Drop for Value {
        fn drop(&mut self) {
            GONE.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_value_is_found_while_it_is_there() -> Result {
        static PLACE: Global<Value> = Global::new();
        let before = GONE.load(Ordering::Relaxed);
        let gone = || GONE.load(Ordering::Relaxed) - before;
        assert!(PLACE.get().is_none());
        let occupied = PLACE.set(Arc::new(Value(7), GFP_KERNEL)?)?;
        let other = PLACE.set(Arc::new(Value(8), GFP_KERNEL)?);
        assert!(matches!(other, Err(e) if e == EBUSY));
        assert_eq!(gone(), 1);
        let found = PLACE.get().ok_or(ENOENT)?;
        drop(occupied);
        assert!(PLACE.get().is_none());
        assert_eq!((found.0, gone()), (7, 1));
        drop(found);
        assert_eq!(gone(), 2);
        drop(PLACE.set(Arc::new(Value(9), GFP_KERNEL)?)?);
        assert_eq!(gone(), 3);
        Ok(())
    }
}
