// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What counts as a failure besides the command's own status.

/// Exit statuses of `vm` that are not the command's own.
pub mod status {
    /// The guest's kernel printed a splat.
    pub const SPLAT: u8 = 121;
    /// A virtual GPU counted a violation or met something unknown.
    pub const VIOLATION: u8 = 122;
    /// The time given to the run was over.
    pub const TIMEOUT: u8 = 123;
    /// The virtual machine or the driver did not start, or the run could not be prepared.
    pub const NO_RUN: u8 = 125;
}

/// Texts by which the kernel announces that something is wrong with itself.
const SPLATS: [&str; 17] = [
    "BUG:",
    "WARNING:",
    "Oops:",
    "Kernel panic",
    "general protection fault",
    "kernel BUG at",
    "KASAN:",
    "KFENCE:",
    "UBSAN:",
    "kmemleak:",
    "possible circular locking dependency",
    "possible recursive locking",
    "inconsistent lock state",
    "suspicious RCU usage",
    "detected stall",
    "blocked for more than",
    "refcount_t:",
];

/// Lines that hold one of those texts but are no splat.
const HARMLESS: [&str; 3] = [
    // printed by every kernel that has the checker
    "kmemleak: Kernel memory leak detector initialized",
    "kmemleak: Automatic memory scanning thread started",
    "kmemleak: Automatic memory scanning thread ended",
];

/// The lines of a kernel log that announce a splat.
pub fn splats(log: &str) -> Vec<&str> {
    log.lines()
        .filter(|line| SPLATS.iter().any(|text| line.contains(text)))
        .filter(|line| !HARMLESS.iter().any(|text| line.contains(text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_splats_only() {
        let log = "[1] all well\n[2] WARNING: CPU: 0 PID: 1 at x.c:1\n[3] kmemleak: Automatic memory scanning thread started\n";
        assert_eq!(splats(log), ["[2] WARNING: CPU: 0 PID: 1 at x.c:1"]);
    }
}
