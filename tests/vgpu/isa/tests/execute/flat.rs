// SPDX-License-Identifier: Apache-2.0 OR MIT
//! FLAT: apertures.

use super::*;

#[test]
fn lanes_go_where_their_addresses_say() {
    // a third of the lanes each: LDS, scratch, global
    let mut m = Machine::new(
        "flat_load_dword v8, v[6:7]\n\
         flat_store_dword v[6:7], v0 offset:2048",
    );
    m.wave.flat_scratch = DATA + 0x4000;
    m.fill(|i| i as u32 + 0x1000);
    for i in 0..1024 {
        m.lds.write(i * 4, (i + 0x5000).to_le_bytes());
    }
    m.set(6, |l| {
        if l % 3 == 2 {
            DATA as u32 + l as u32 * 4
        } else {
            l as u32 * 4
        }
    });
    m.set(7, |l| [1 << 16, 2 << 16, 0][l % 3]);
    let m = m.end();
    let scratch = |l: usize, offset: usize| 0x4000 + (offset / 4 * 64 + l) * 4;
    for l in 0..LANES {
        let (want, stored) = match l % 3 {
            0 => (
                l as u32 + 0x5000,
                u32::from_le_bytes(m.lds.read(2048 + l as u32 * 4)),
            ),
            1 => (
                (scratch(l, l * 4) / 4) as u32 + 0x1000,
                m.memory.dword(scratch(l, l * 4 + 2048)),
            ),
            _ => (l as u32 + 0x1000, m.memory.dword(2048 + l * 4)),
        };
        assert_eq!((m.wave.vgprs[8][l], stored), (want, l as u32), "lane {l}");
    }
}

#[test]
fn atomics_reach_lds() {
    let mut m = Machine::new(
        "flat_atomic_add v8, v[6:7], v0 glc\n\
         flat_atomic_add_f64 v[10:11], v[12:13] offset:1024",
    );
    m.set(7, |_| 1 << 16);
    m.set(6, |l| l as u32 % 4 * 4);
    m.set(11, |_| 1 << 16);
    m.set(10, |l| l as u32 * 8);
    m.set(13, |_| (2.5f64.to_bits() >> 32) as u32);
    let m = m.end();
    for i in 0..4 {
        let sum: u32 = (0..64).filter(|l| l % 4 == i).sum();
        assert_eq!(u32::from_le_bytes(m.lds.read(i * 4)), sum);
    }
    assert_eq!(m.wave.vgprs[8][4], 0);
    assert_eq!(m.wave.vgprs[8][8], 4);
    assert_eq!(f64::from_bits(u64::from_le_bytes(m.lds.read(1024))), 2.5);
}

#[test]
fn scratch_has_no_atomics() {
    let mut m = Machine::new("flat_atomic_add v[6:7], v0");
    m.set(7, |_| 2 << 16);
    assert_eq!(m.stop(), fault(2 << 48, Access::Atomic));
}

#[test]
fn outside_lds_reads_are_zero() {
    let mut m = Machine::new("flat_load_dwordx2 v[8:9], v[6:7]\nflat_store_dword v[6:7], v0 offset:8");
    m.set(7, |_| 1 << 16);
    m.set(6, |_| 4092);
    m.set(8, |_| 5);
    m.set(9, |_| 5);
    m.lds.write(4092, 77u32.to_le_bytes());
    let m = m.end();
    assert_eq!((m.wave.vgprs[8][0], m.wave.vgprs[9][0]), (77, 0));
}
