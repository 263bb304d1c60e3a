// SPDX-License-Identifier: GPL-2.0
//! Directories of read-only text files in sysfs (kobjects with attributes), of which the kernel crate has nothing.
use super::bindings as b;
use core::{fmt::Write, ptr::NonNull};
use kernel::{error::to_result, ffi::c_char, page::PAGE_SIZE, prelude::*, str::CStrExt, types::Opaque};

/// What a directory shows.
pub(crate) trait Directory: Send + Sync + 'static {
    /// The names of its files.
    const FILES: &'static [&'static CStr];

    /// Writes the text of the file `FILES[file]`. May sleep. The error becomes that of the reader's `read()`.
    fn show(&self, file: usize, out: &mut Text<'_>) -> Result;
}

/// The text of one file, at most a page.
pub(crate) struct Text<'a> {
    page: &'a mut [u8],
    used: usize,
}

impl Text<'_> {
    /// Appends bytes that are no text, or fails without a change if the page cannot hold them.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> core::fmt::Result {
        let end = self.used.checked_add(bytes.len()).ok_or(core::fmt::Error)?;
        self.page
            .get_mut(self.used..end)
            .ok_or(core::fmt::Error)?
            .copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }
}

impl Write for Text<'_> {
    /// Appends, or fails without a change if the page cannot hold the text.
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}

/// A place under which a directory can be created.
pub(crate) trait Parent {
    #[doc(hidden)]
    fn raw_kobject(&self) -> NonNull<Opaque<b::kobject>>;
}

/// A directory in sysfs. Dropping it removes it, after running readers have left.
///
/// The directories below it should be dropped first; if they are not, they stay usable but cannot be reached.
pub(crate) struct Kobject<D: Directory>(NonNull<Node<D>>);

/// A kobject and what it shows, freed by the kobject's last reference.
#[repr(C)]
struct Node<D> {
    kobject: Opaque<b::kobject>,
    /// One per file, referred to by sysfs while the directory exists.
    attributes: KVec<b::attribute>,
    data: D,
}

// SAFETY: a kobject can be used from any task; `D` is `Send` and `Sync`.
unsafe impl<D: Directory> Send for Kobject<D> {}
// SAFETY: as above.
unsafe impl<D: Directory> Sync for Kobject<D> {}

impl<D: Directory> Kobject<D> {
    /// Creates the directory `name` with its files below `parent`. Fails with `EEXIST` if there is one.
    pub(crate) fn new(parent: &impl Parent, name: &CStr, data: D) -> Result<Self> {
        let mut attributes = KVec::with_capacity(D::FILES.len(), GFP_KERNEL)?;
        for file in D::FILES {
            #[allow(clippy::needless_update, reason = "lockdep adds fields")]
            let mut attribute = b::attribute {
                name: file.as_char_ptr(),
                mode: 0o444,
                ..pin_init::zeroed()
            };
            track(&mut attribute);
            attributes.push(attribute, GFP_KERNEL)?;
        }
        let node = Node {
            kobject: Opaque::zeroed(),
            attributes,
            data,
        };
        let node = NonNull::from(KBox::leak(KBox::new(node, GFP_KERNEL)?));
        let kobject = node.cast::<b::kobject>().as_ptr();
        // SAFETY:
        // - `kobject` is the zeroed first field of a leaked node, which `release` frees with the last reference,
        //   also on failure, where the reference is ours to drop;
        // - the type is static, the parent's kobject is alive, and the name is printed by "%s" into a copy.
        let added = to_result(unsafe {
            b::kobject_init_and_add(
                kobject,
                &Types::<D>::KTYPE.0,
                parent.raw_kobject().cast::<b::kobject>().as_ptr(),
                c"%s".as_char_ptr(),
                name.as_char_ptr(),
            )
        });
        // From here on dropping `this` removes the directory and its files.
        let this = Self(node);
        added?;
        for attribute in &this.node().attributes {
            // SAFETY: the kobject has been added, and the attribute lives until its release.
            to_result(unsafe { b::sysfs_create_file_ns(kobject, attribute, core::ptr::null()) })?;
        }
        Ok(this)
    }

    /// Moves the directory, with all that is in it, below another parent, in one step.
    pub(crate) fn move_to(&self, parent: &impl Parent) -> Result {
        // SAFETY: both exist; the new parent's reference is taken by the call.
        to_result(unsafe {
            b::kobject_move(
                self.0.cast().as_ptr(),
                parent.raw_kobject().cast::<b::kobject>().as_ptr(),
            )
        })
    }

    /// What the directory shows.
    pub(crate) fn data(&self) -> &D {
        &self.node().data
    }

    fn node(&self) -> &Node<D> {
        // SAFETY: the reference held by `self` keeps the node, which is never borrowed mutably.
        unsafe { self.0.as_ref() }
    }
}

impl<D: Directory> Parent for Kobject<D> {
    fn raw_kobject(&self) -> NonNull<Opaque<b::kobject>> {
        self.0.cast()
    }
}

impl<D: Directory> Drop for Kobject<D> {
    fn drop(&mut self) {
        // SAFETY: the kobject was initialised by `new`, and this is the last use of its first reference.
        // `kobject_del` waits for readers and does nothing if adding had failed.
        unsafe {
            b::kobject_del(self.0.cast().as_ptr());
            b::kobject_put(self.0.cast().as_ptr());
        }
    }
}

/// Fills a page for sysfs: the number of bytes written, or an error number.
///
/// # Safety
///
/// `page` is [`PAGE_SIZE`] bytes, aligned, that nobody else uses until this returns.
pub(super) unsafe fn fill(page: *mut c_char, show: impl FnOnce(&mut Text<'_>) -> Result) -> isize {
    // SAFETY: as the caller promises; written before it is borrowed.
    let page = unsafe {
        core::ptr::write_bytes(page, 0, PAGE_SIZE);
        core::slice::from_raw_parts_mut(page, PAGE_SIZE)
    };
    let mut text = Text { page, used: 0 };
    match show(&mut text) {
        Ok(()) => text.used as isize,
        Err(e) => e.to_errno() as isize,
    }
}

/// Gives the attribute a lock class: sysfs tracks attributes that are not static by a key of their own.
#[cfg(CONFIG_DEBUG_LOCK_ALLOC)]
pub(super) fn track(attribute: &mut b::attribute) {
    attribute.key = kernel::static_lock_class!().as_ptr();
}
#[cfg(not(CONFIG_DEBUG_LOCK_ALLOC))]
pub(super) fn track(_: &mut b::attribute) {}

/// The C tables for directories of type `D`.
struct Types<D>(core::marker::PhantomData<D>);

impl<D: Directory> Types<D> {
    const OPS: &'static super::Table<b::sysfs_ops> = &super::Table(b::sysfs_ops {
        show: Some(Self::show),
        store: None,
    });
    const KTYPE: &'static super::Table<b::kobj_type> = &super::Table(b::kobj_type {
        release: Some(Self::release),
        sysfs_ops: &Self::OPS.0,
        ..pin_init::zeroed()
    });

    /// `sysfs_ops.show`
    ///
    /// # Safety
    ///
    /// For sysfs, which calls it for a kobject and an attribute made by `new`, with a page for the text.
    unsafe extern "C" fn show(
        kobject: *mut b::kobject,
        attribute: *mut b::attribute,
        page: *mut c_char,
    ) -> isize {
        // SAFETY: sysfs calls this for a kobject of this type that exists until the call returns.
        let node = unsafe { &*kobject.cast::<Node<D>>() };
        let Some(file) = node.attributes.iter().position(|a| core::ptr::eq(a, attribute)) else {
            return EIO.to_errno() as isize;
        };
        // SAFETY: sysfs hands over a page that nobody else uses.
        unsafe { fill(page, |text| node.data.show(file, text)) }
    }

    /// `kobj_type.release`
    ///
    /// # Safety
    ///
    /// For kobjects, once, after the last reference to one made by `new`.
    unsafe extern "C" fn release(kobject: *mut b::kobject) {
        // SAFETY: `Kobject::new` leaked the node, and this was its last reference.
        drop(unsafe { KBox::from_raw(kobject.cast::<Node<D>>()) });
    }
}

const _: () = assert!(core::mem::offset_of!(Node<()>, kobject) == 0);

#[kunit_tests(amdgpu_glue_sysfs)]
mod tests {
    use super::*;
    use crate::glue::chardev;
    use kernel::sync::Arc;

    #[test]
    fn text_ends_with_the_page() -> Result {
        let mut page = KVec::from_elem(0u8, 8, GFP_KERNEL)?;
        let mut text = Text {
            page: &mut page,
            used: 0,
        };
        assert!(text.write_str("12345").is_ok());
        assert!(text.write_str("6789").is_err());
        assert!(text.write_fmt(fmt!("{}", 678)).is_ok());
        assert_eq!(text.used, 8);
        assert!(text.write_str("9").is_err());
        assert_eq!(&page[..], b"12345678");
        Ok(())
    }

    /// A device and a directory that show nothing of use.
    struct Nothing;

    impl chardev::Driver for Nothing {
        const NAME: &'static CStr = c"amdgpu-kunit";
        type File = ();

        fn open(&self) -> Result<KBox<()>> {
            Err(ENODEV)
        }

        fn ioctl(&self, _: &(), _: u32, _: usize) -> Result<kernel::ffi::c_long> {
            Err(ENOTTY)
        }

        fn mmap(&self, _: &(), _: &chardev::Area<'_>) -> Result {
            Err(ENODEV)
        }

        fn fault(&self, _: &(), _: chardev::Fault) -> Result<chardev::Inserted> {
            Err(ENODEV)
        }

        fn release(&self, _: KBox<()>) {}
    }

    impl Directory for Nothing {
        const FILES: &'static [&'static CStr] = &[c"one", c"two"];

        fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
            Ok(out.write_fmt(fmt!("{}\n", file))?)
        }
    }

    #[test]
    fn directories_come_and_go() -> Result {
        for _ in 0..2 {
            let mappings = Arc::new(chardev::Mappings::new(c"kunit")?, GFP_KERNEL)?;
            let device = KBox::pin_init(chardev::Registration::new(Nothing, mappings), GFP_KERNEL)?;
            let top = Kobject::new(&*device, c"top", Nothing)?;
            let nodes = [
                Kobject::new(&top, c"0", Nothing)?,
                Kobject::new(&top, c"1", Nothing)?,
            ];
            // also in the wrong order
            drop(top);
            drop(nodes);
        }
        Ok(())
    }
}
