// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which process runs in which VMID.

/// The VMIDs of SET_RESOURCES and who has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vmids {
    mask: u16,
    users: [Option<u16>; 16],
    last: [u16; 16],
}

impl Vmids {
    /// Allows these VMIDs (bit n: VMID n) from now on; VMID 0 is never handed out. Those in use stay in use.
    pub(crate) fn allow(&mut self, mask: u16) {
        self.mask = mask & !1;
    }

    /// Number of VMIDs allowed.
    pub(crate) fn allowed(&self) -> u32 {
        self.mask.count_ones()
    }

    /// The VMID a process has.
    pub(crate) fn of(&self, pasid: u16) -> Option<u8> {
        let n = self.users.iter().position(|u| *u == Some(pasid))?;
        Some(n as u8)
    }

    /// A VMID for a process: the one it has, else the one it had last if that is free, else the first free one.
    pub(crate) fn acquire(&mut self, pasid: u16) -> Option<u8> {
        if let Some(vmid) = self.of(pasid) {
            return Some(vmid);
        }
        let free = |n: &usize| self.mask >> n & 1 == 1 && self.users.get(*n) == Some(&None);
        let again = self
            .last
            .iter()
            .position(|p| *p == pasid)
            .filter(|n| pasid != 0 && free(n));
        let n = again.or_else(|| (0..16).find(free))?;
        if let (Some(user), Some(last)) = (self.users.get_mut(n), self.last.get_mut(n)) {
            *user = Some(pasid);
            *last = pasid;
        }
        Some(n as u8)
    }

    /// Takes back the VMIDs of processes that `keep` does not want kept.
    pub(crate) fn retain(&mut self, keep: impl Fn(u16) -> bool) {
        for user in &mut self.users {
            *user = user.filter(|pasid| keep(*pasid));
        }
    }

    /// Number of VMIDs that could be acquired.
    pub(crate) fn free(&self) -> usize {
        self.users
            .iter()
            .enumerate()
            .filter(|(n, u)| self.mask >> n & 1 == 1 && u.is_none())
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_allowed_ones_only_and_prefers_the_last_one() {
        let mut v = Vmids::default();
        assert_eq!(v.acquire(1), None);
        v.allow(0xfff8 | 1);
        assert_eq!((v.allowed(), v.free()), (13, 13));
        assert_eq!(
            (v.acquire(10), v.acquire(11), v.acquire(10)),
            (Some(3), Some(4), Some(3))
        );
        v.retain(|p| p != 10);
        assert_eq!((v.of(10), v.of(11)), (None, Some(4)));
        v.retain(|_| false);
        assert_eq!(v.acquire(11), Some(4), "the one it had");
        assert_eq!(v.acquire(12), Some(3));
        assert_eq!(v.acquire(10), Some(5), "its old one is taken");
    }

    #[test]
    fn runs_out() {
        let mut v = Vmids::default();
        v.allow(0x0018);
        assert_eq!(
            (v.acquire(1), v.acquire(2), v.acquire(3)),
            (Some(3), Some(4), None)
        );
        v.allow(0x0010);
        assert_eq!(v.of(1), Some(3), "in use although no longer allowed");
        v.retain(|p| p != 1);
        assert_eq!(v.acquire(3), None);
    }
}
