// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What counts as a failure besides the command's own status.

/// Exit statuses of `vm` that are not the command's own.
pub mod status {
    /// The guest's kernel printed a splat, or a checker of it found something.
    pub const SPLAT: u8 = 121;
    /// A virtual GPU counted a violation or met something unknown.
    pub const VIOLATION: u8 = 122;
    /// The time given to the run was over.
    pub const TIMEOUT: u8 = 123;
    /// The virtual machine or the driver did not start, or the run could not be prepared.
    pub const NO_RUN: u8 = 125;
}

/// How the kernel marks what belongs to the module under test.
const MODULE: &str = "[amdgpu]";

/// Texts by which the kernel announces that something is wrong with itself.
const SPLATS: [&str; 27] = [
    // KASAN, KFENCE, sleeping in atomic context, and lockdep when its tables are full, too
    "BUG:",
    // SLUB: "BUG kmalloc-64 (Not tainted): Object already free"
    "] BUG ",
    // lockdep, ODEBUG and DMA-API, too
    "WARNING:",
    "Oops:",
    "Kernel panic",
    "general protection fault",
    "kernel BUG at",
    // Rust
    "panicked at",
    "KASAN:",
    "KFENCE:",
    "UBSAN:",
    "kmemleak:",
    "possible circular locking dependency",
    "possible recursive locking",
    "inconsistent lock state",
    "suspicious RCU usage",
    "trying to register non-static key",
    "detected stall",
    "rcu: INFO: ",
    "blocked for more than",
    "blocked in I/O wait for more than",
    "refcount_t:",
    "list_add corruption",
    "list_add double add",
    "list_del corruption",
    "insecure W+X mapping",
    "Checked W+X mappings: FAILED",
];

/// Lines that hold one of those texts but are no splat.
const HARMLESS: [&str; 4] = [
    // printed by every kernel that has the checker
    "kmemleak: Kernel memory leak detector initialized",
    "kmemleak: Automatic memory scanning thread started",
    "kmemleak: Automatic memory scanning thread ended",
    // which of them are the module's, [`leaks`] tells
    "new suspected memory leaks",
];

/// The lines of a kernel log that announce a splat.
pub fn splats(log: &str) -> Vec<&str> {
    log.lines()
        .filter(|line| SPLATS.iter().any(|text| line.contains(text)))
        .filter(|line| !HARMLESS.iter().any(|text| line.contains(text)))
        // the kernel has data races of its own, which are its own
        .filter(|line| !line.contains("BUG: KCSAN:") || line.contains(MODULE))
        .collect()
}

/// The objects in the text of `/sys/kernel/debug/kmemleak` that the module allocated and lost, a text each.
///
/// An address without a name is of a module that is not loaded any more; no other than ours is ever unloaded.
pub fn leaks(text: &str) -> Vec<String> {
    let mut objects: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        match objects.last_mut() {
            Some(object) if !line.starts_with("unreferenced object") => object.push(line),
            _ => objects.push(vec![line]),
        }
    }
    objects.retain(|object| object.iter().any(|line| of_module(line)));
    objects.iter().map(|lines| lines.join("\n")).collect()
}

/// Whether a line of a backtrace is in the module.
fn of_module(line: &str) -> bool {
    line.contains(MODULE) || line.starts_with("    ") && line.trim_start().starts_with("0xffffffff")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_splats_only() {
        let log = "[1] all well\n[2] WARNING: CPU: 0 PID: 1 at x.c:1\n[3] kmemleak: Automatic memory scanning thread started\n";
        assert_eq!(splats(log), ["[2] WARNING: CPU: 0 PID: 1 at x.c:1"]);
    }

    /// The first line of each checker's report, as the sources print it.
    #[test]
    fn knows_every_checker() {
        for text in [
            "BUG: KASAN: slab-use-after-free in _RNvCs1_6amdgpu4work+0x12/0x40 [amdgpu]",
            "BUG: KASAN: vmalloc-out-of-bounds in memcpy_toio+0x12/0x40",
            "BUG: KFENCE: use-after-free read in amdgpu_shim_x+0x1/0x2 [amdgpu]",
            "UBSAN: shift-out-of-bounds in drivers/glue/c/helpers.c:12:3",
            "BUG: KCSAN: data-race in first [amdgpu] / second [amdgpu]",
            "kmemleak: Cannot allocate a kmemleak_object structure",
            "kmemleak: Kernel memory leak detector disabled",
            "WARNING: possible circular locking dependency detected",
            "WARNING: lock held when returning to user space!",
            "INFO: trying to register non-static key.",
            "BUG: MAX_LOCKDEP_ENTRIES too low!",
            "BUG: sleeping function called from invalid context at mm/slub.c:1",
            "WARNING: suspicious RCU usage",
            "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            "INFO: task insmod:77 blocked for more than 120 seconds.",
            "INFO: task insmod:77 blocked in I/O wait for more than 120 seconds.",
            "ODEBUG: free active (active state 0) object: x object type: work_struct",
            "list_del corruption. next->prev should be x, but was y",
            "refcount_t: underflow; use-after-free.",
            "BUG kmalloc-64 (Tainted: G           OE): Object already free",
            "x86/mm: Checked W+X mappings: FAILED, 3 W+X pages found.",
            "rust_kernel: panicked at drivers/gpu/x.rs:1:2:",
        ] {
            let log = format!("[    1.234567][  T123] {text}\n");
            assert_eq!(splats(&log).len(), 1, "{text}");
        }
    }

    #[test]
    fn leaves_the_rest_alone() {
        for text in [
            "x86/mm: Checked W+X mappings: passed, no W+X pages found.",
            "kmemleak: Kernel memory leak detector initialized (mem pool available: 15673)",
            "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
            "kasan: KernelAddressSanitizer initialized",
            "kfence: initialized - using 2097152 bytes for 255 objects at 0x1-0x2",
            "DMA-API: preallocated 65536 debug entries",
            "FAULT_INJECTION: forcing a failure.\nname failslab, interval 1, probability 0, space 0, times 1",
            "BUG: KCSAN: data-race in tick_nohz_next_event / tick_sched_do_timer",
            "LSM: DEBUG",
        ] {
            let log = format!("[    1.234567][  T123] {text}\n");
            assert_eq!(splats(&log), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn tells_whose_leak_it_is() {
        let kernel = "unreferenced object 0xffff888001234560 (size 64):\n  comm \"swapper\", pid 1, jiffies 1\n  \
             hex dump (first 32 bytes):\n    00 00 00 00  ....\n  backtrace (crc 0):\n    kmalloc+0x1/0x2\n    start_kernel+0x1/0x2\n";
        let module =
            "unreferenced object 0xffff888001234560 (size 16):\n  comm \"insmod\", pid 7, jiffies 2\n  \
             backtrace (crc 1):\n    kmalloc+0x1/0x2\n    _RNvCs1_6amdgpu4work+0x12/0x40 [amdgpu]\n";
        let unloaded = module.replace("_RNvCs1_6amdgpu4work+0x12/0x40 [amdgpu]", "0xffffffffc0001234");
        assert_eq!(leaks(""), Vec::<String>::new());
        assert_eq!(leaks(kernel), Vec::<String>::new());
        let found = leaks(&format!("{kernel}{module}{kernel}{unloaded}"));
        assert_eq!(found, [module.trim_end(), unloaded.trim_end()]);
    }
}
