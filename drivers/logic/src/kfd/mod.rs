// SPDX-License-Identifier: GPL-2.0
//! What `/dev/kfd` is asked and what it answers, as far as no kernel service is needed for it.
//!
//! Arguments of userspace are converted once, by the types here, into requests that cannot be wrong; whatever is
//! refused says which field, what it was and what it should have been ([`Refusal`]).
//!
//! | room | for |
//! |---|---|
//! | `refusal` | why a call fails, for the caller and for the log |
//! | `memory`, `queue` | checked requests |
//! | `handle`, `gpu_id` | names that userspace gets |
//! | `aperture` | where things lie in a process's address space |
//! | `save_area` | how large a context save area must be |
//! | `event` | the life of an event, and the numbers of events |
//! | `topology` | the texts in sysfs |

pub mod aperture;
pub mod event;
pub mod gpu_id;
pub mod handle;
pub mod memory;
pub mod queue;
mod refusal;
pub mod save_area;
pub mod topology;

pub use refusal::{Errno, Expected, Refusal};

/// Bytes of a page of CPU and GPU.
pub const PAGE: u64 = crate::pagetable::PAGE;

/// `bytes` rounded up to whole pages; `None` if that does not fit.
pub const fn page_align(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(PAGE)
}

/// Behind the last byte a user address may have (x86-64: TASK_SIZE_MAX with four-level page tables).
const USER_END: u64 = (1 << 47) - PAGE;

/// Whether `len` bytes from `addr` can be addresses of userspace at all.
pub const fn is_user(addr: u64, len: u64) -> bool {
    match addr.checked_add(len) {
        Some(end) => end <= USER_END,
        None => false,
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd))]
mod tests {
    use super::*;

    #[test]
    fn user_addresses() {
        assert!(is_user(0, 8) && is_user(0x7fff_ffff_eff8, 8));
        assert!(!is_user(0x7fff_ffff_effc, 8) && !is_user(u64::MAX - 3, 8) && !is_user(1 << 63, 8));
    }

    #[test]
    fn pages() {
        assert_eq!(page_align(1), Some(4096));
        assert_eq!(page_align(4096), Some(4096));
        assert_eq!(page_align(u64::MAX), None);
    }
}
