// SPDX-License-Identifier: GPL-2.0
//! Read-only files of a device that exists already: beside those its bus gives it, or as sensors of the hwmon class.
//! The kernel crate has neither.
use super::{
    bindings as b, inject, raw_device,
    sysfs::{fill, track, Directory},
};
use core::ptr::{null, null_mut};
use kernel::{
    device::{Bound, Device},
    error::{from_err_ptr, to_result},
    ffi::c_char,
    prelude::*,
    str::CStrExt,
    sync::aref::ARef,
};

/// Files in a device's folder in sysfs. Dropping them takes them away, after running readers have left.
pub(crate) struct DeviceFiles<D: Directory> {
    dev: ARef<Device>,
    group: Pin<KBox<Group<D>>>,
}

impl<D: Directory> DeviceFiles<D> {
    /// Adds files, in a folder of their own if it has a name. `EEXIST` if there is one of that name.
    pub(crate) fn new(dev: &Device<Bound>, folder: Option<&'static CStr>, data: D) -> Result<Self> {
        inject::point(ENOMEM)?;
        let group = Group::new(folder, data)?;
        // SAFETY:
        // - the device is bound, so it has a folder;
        // - group and attributes are at their final place and live until `drop`, which removes the group.
        to_result(unsafe { b::sysfs_create_group(&raw mut (*raw_device(dev)).kobj, &group.group) })?;
        Ok(Self {
            dev: dev.into(),
            group,
        })
    }
}

impl<D: Directory> Drop for DeviceFiles<D> {
    fn drop(&mut self) {
        // SAFETY: `new` created the group, and nobody else removes it; the reference keeps the device.
        unsafe { b::sysfs_remove_group(&raw mut (*raw_device(&self.dev)).kobj, &self.group.group) };
    }
}

/// A hwmon device: sensors below another device. Dropping it takes it away, after running readers have left.
pub(crate) struct Hwmon<D: Directory> {
    hwmon: *mut b::device,
    /// Referred to by the device until it is unregistered.
    _group: Pin<KBox<Group<D>>>,
}

// SAFETY: a device can be unregistered from any task; `D` is `Send` and `Sync`.
unsafe impl<D: Directory> Send for Hwmon<D> {}
// SAFETY: nothing can be done with a reference.
unsafe impl<D: Directory> Sync for Hwmon<D> {}

impl<D: Directory> Hwmon<D> {
    /// Registers sensors of `dev` under a name, which has no `-`, `*` or white space.
    pub(crate) fn new(dev: &Device<Bound>, name: &'static CStr, data: D) -> Result<Self> {
        inject::point(ENOMEM)?;
        let group = Group::new(None, data)?;
        // SAFETY:
        // - the device is bound, so it can be a parent, and outlives its children;
        // - the name is static: hwmon keeps the pointer;
        // - `groups` ends with a null pointer; it, the group and the attributes are at their final place and live
        //   until `drop` has unregistered the device, after which nothing refers to them;
        // - no driver data is needed: an attribute leads to its group by itself.
        let hwmon = from_err_ptr(unsafe {
            b::hwmon_device_register_with_groups(
                raw_device(dev),
                name.as_char_ptr(),
                null_mut(),
                group.groups.as_ptr().cast_mut(),
            )
        })?;
        Ok(Self { hwmon, _group: group })
    }
}

impl<D: Directory> Drop for Hwmon<D> {
    fn drop(&mut self) {
        // SAFETY: `new` registered the device, and this is the only place that unregisters it.
        unsafe { b::hwmon_device_unregister(self.hwmon) };
    }
}

/// Attributes and what they show.
struct Group<D> {
    group: b::attribute_group,
    /// The group, and a null pointer.
    groups: [*const b::attribute_group; 2],
    /// One for each of `attributes`, and a null pointer.
    pointers: KVec<*mut b::attribute>,
    attributes: KVec<Attribute<D>>,
    data: D,
    _pin: core::marker::PhantomPinned,
}

// SAFETY: the pointers lead to parts of the group itself.
unsafe impl<D: Send> Send for Group<D> {}
// SAFETY: as above; nothing is changed once the group is made.
unsafe impl<D: Sync> Sync for Group<D> {}

/// A file.
#[repr(C)]
struct Attribute<D> {
    attribute: b::device_attribute,
    data: *const D,
    file: usize,
}

impl<D: Directory> Group<D> {
    fn new(folder: Option<&'static CStr>, data: D) -> Result<Pin<KBox<Self>>> {
        let count = D::FILES.len();
        let mut this = KBox::new(
            Self {
                group: pin_init::zeroed(),
                groups: [null(); 2],
                pointers: KVec::with_capacity(count.saturating_add(1), GFP_KERNEL)?,
                attributes: KVec::with_capacity(count, GFP_KERNEL)?,
                data,
                _pin: core::marker::PhantomPinned,
            },
            GFP_KERNEL,
        )?;
        // From here on nothing moves: the group is in its box, the vectors have room for all.
        let data = &raw const this.data;
        for (file, name) in D::FILES.iter().enumerate() {
            let mut attribute: b::device_attribute = pin_init::zeroed();
            attribute.attr.name = name.as_char_ptr();
            attribute.attr.mode = 0o444;
            attribute.__bindgen_anon_1.show = Some(Self::show);
            track(&mut attribute.attr);
            this.attributes.push(
                Attribute {
                    attribute,
                    data,
                    file,
                },
                GFP_KERNEL,
            )?;
        }
        let Self {
            pointers, attributes, ..
        } = &mut *this;
        for attribute in attributes.iter_mut() {
            pointers.push(&raw mut attribute.attribute.attr, GFP_KERNEL)?;
        }
        pointers.push(null_mut(), GFP_KERNEL)?;
        this.group.name = folder.map_or(null(), |name| name.as_char_ptr());
        this.group.__bindgen_anon_2.attrs = this.pointers.as_mut_ptr();
        this.groups = [&raw const this.group, null()];
        Ok(KBox::into_pin(this))
    }

    /// `device_attribute.show`
    ///
    /// # Safety
    ///
    /// For sysfs, which calls it for an attribute made by `new`, while that exists, with a page for the text.
    unsafe extern "C" fn show(
        _dev: *mut b::device,
        attribute: *mut b::device_attribute,
        page: *mut c_char,
    ) -> isize {
        // SAFETY: sysfs calls this for an attribute of a group that exists until the call returns; the attribute is the
        // first field of an `Attribute<D>`, and its data is in the same group.
        let (data, file) = unsafe {
            let attribute = &*attribute.cast::<Attribute<D>>();
            (&*attribute.data, attribute.file)
        };
        // SAFETY: sysfs hands over a page that nobody else uses.
        unsafe { fill(page, |text| data.show(file, text)) }
    }
}

const _: () = assert!(core::mem::offset_of!(Attribute<()>, attribute) == 0);

#[kunit_tests(amdgpu_glue_device_files)]
mod tests {
    use super::*;
    use crate::glue::sysfs::Text;
    use core::fmt::Write;

    /// Says which file it is.
    struct Numbers;

    impl Directory for Numbers {
        const FILES: &'static [&'static CStr] = &[c"temp1_input", c"temp2_input"];

        fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
            Ok(writeln!(out, "{file}")?)
        }
    }

    #[test]
    fn every_file_shows_its_own() -> Result {
        let group = Group::new(Some(c"folder"), Numbers)?;
        let mut page = KVec::<u64>::from_elem(0, kernel::page::PAGE_SIZE / 8, GFP_KERNEL)?;
        for (n, wanted) in [(0usize, b"0\n"), (1, b"1\n")] {
            let attribute = group.pointers.get(n).ok_or(EINVAL)?.cast();
            // SAFETY: an attribute of the group, and a page of its own.
            let len = unsafe { Group::<Numbers>::show(null_mut(), attribute, page.as_mut_ptr().cast()) };
            assert_eq!(len, 2);
            assert_eq!(
                page.first().map(|word| word.to_le_bytes()[..2] == wanted[..]),
                Some(true)
            );
        }
        assert!(group.pointers.get(2).is_some_and(|end| end.is_null()));
        Ok(())
    }
}
