// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of registers that exist several times: AMD numbers them, mostly within the name.

/// The name of the register `n` places after `first`: its first number raised by `n`. `None` if it has no number.
pub fn member(first: &str, n: u32) -> Option<String> {
    let start = first.find(|c: char| c.is_ascii_digit())?;
    let (head, rest) = first.split_at(start);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, tail) = rest.split_at(end);
    let number = number.parse::<u32>().ok()?.checked_add(n)?;
    Some(format!("{head}{number}{tail}"))
}

/// Whether two names differ at most in numbers, and in which half of a 64-bit value they name.
pub fn same_family(a: &str, b: &str) -> bool {
    let bare = |name: &str| {
        name.replace("_HI", "_LO")
            .replace(|c: char| c.is_ascii_digit(), "")
    };
    bare(a) == bare(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_count_in_their_first_number() {
        assert_eq!(
            member("VM_CONTEXT0_BASE_LO32", 15).as_deref(),
            Some("VM_CONTEXT15_BASE_LO32")
        );
        assert_eq!(
            member("ATC_VMID16_MAPPING", 1).as_deref(),
            Some("ATC_VMID17_MAPPING")
        );
        assert_eq!(member("TCP_CHAN_STEER_0", 0).as_deref(), Some("TCP_CHAN_STEER_0"));
        assert_eq!(member("CP_MQD_BASE_ADDR", 1), None);
    }

    #[test]
    fn families() {
        assert!(same_family("VM_CONTEXT0_BASE_LO32", "VM_CONTEXT3_BASE_HI32"));
        assert!(!same_family("VM_CONTEXT0_BASE_LO32", "VM_CONTEXT0_START_LO32"));
    }
}
