// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether the host can run a guest with hardware virtualisation.

use std::fs;

/// Whether KVM can run an ordinary guest here: `/dev/kvm` opens and the processor has VMX or SVM.
///
/// A node that opens is not enough: some hosts offer one that only runs guests of a special kind.
pub fn kvm_works() -> bool {
    let openable = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/kvm")
        .is_ok();
    openable && fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| has_virtualisation(&text))
}

/// Whether the text of `/proc/cpuinfo` lists VMX or SVM among the flags.
fn has_virtualisation(cpuinfo: &str) -> bool {
    cpuinfo
        .lines()
        .filter(|line| line.starts_with("flags"))
        .any(|line| line.split_whitespace().any(|flag| flag == "vmx" || flag == "svm"))
}

/// QEMU's arguments for the best accelerator there is.
///
/// Under TCG `la57=off`: with five-level paging early interrupts were seen to fault on valid addresses.
pub fn qemu_args() -> [&'static str; 4] {
    if kvm_works() {
        ["-accel", "kvm", "-cpu", "host"]
    } else {
        ["-accel", "tcg,thread=multi", "-cpu", "max,la57=off"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_for_whole_flags() {
        assert!(has_virtualisation("processor: 0\nflags\t\t: fpu svm\n"));
        assert!(!has_virtualisation("flags\t\t: fpu svm_lock\nmodel name: vmx\n"));
    }
}
