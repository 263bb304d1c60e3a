// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::*;
use proptest::prelude::*;

fn raw(header: u16) -> [u8; 64] {
    let mut b = [0; 64];
    b[..2].copy_from_slice(&header.to_le_bytes());
    b
}

#[test]
fn kernel_dispatch_fields() {
    let mut b = raw(2 | 1 << 8 | 2 << 9 | 1 << 11);
    b[2] = 3;
    for (at, v) in [(4, 64u16), (6, 2), (8, 1)] {
        b[at..at + 2].copy_from_slice(&v.to_le_bytes());
    }
    for (at, v) in [(12, 1000u32), (16, 4), (20, 1), (24, 16), (28, 512)] {
        b[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }
    for (at, v) in [(32, 0x1000u64), (40, 0x2000), (56, 0x3000)] {
        b[at..at + 8].copy_from_slice(&v.to_le_bytes());
    }
    let SlotContent::Packet(p) = SlotContent::decode(&b) else {
        panic!()
    };
    assert_eq!(
        p.header,
        Header {
            barrier: true,
            acquire: Scope::System,
            release: Scope::Agent
        }
    );
    assert_eq!(p.completion, 0x3000);
    let Body::Kernel(k) = p.body else { panic!() };
    assert_eq!((k.dimensions, k.workgroup, k.grid), (3, [64, 2, 1], [1000, 4, 1]));
    assert_eq!(
        (k.private_bytes, k.group_bytes, k.kernel_object, k.kernarg),
        (16, 512, 0x1000, 0x2000)
    );
}

#[test]
fn vendor_packets() {
    let mut b = raw(0);
    b[2] = 1;
    for (at, v) in [
        (4, 0xc002_3f00u32),
        (8, 0x4000),
        (12, 0x7f),
        (16, 7 | 1 << 23),
        (20, 0xa),
    ] {
        b[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }
    let SlotContent::Packet(p) = SlotContent::decode(&b) else {
        panic!()
    };
    assert_eq!(
        p.body,
        Body::Pm4Ib {
            base: 0x7f_0000_4000,
            dwords: 7
        }
    );
    b[5] = 0x10; // not an INDIRECT_BUFFER
    assert_eq!(
        SlotContent::decode(&b),
        SlotContent::Unsupported(Unsupported::Vendor(1))
    );
}

#[test]
fn other_headers() {
    assert_eq!(SlotContent::decode(&raw(1 | 1 << 8)), SlotContent::Invalid);
    assert_eq!(
        SlotContent::decode(&raw(4)),
        SlotContent::Unsupported(Unsupported::Kind(4))
    );
    assert_eq!(
        SlotContent::decode(&raw(0xff)),
        SlotContent::Unsupported(Unsupported::Kind(0xff))
    );
    assert_eq!(
        SlotContent::decode(&raw(2 | 3 << 9)),
        SlotContent::Unsupported(Unsupported::Scope(2 | 3 << 9))
    );
}

proptest! {
    #[test]
    fn any_bytes_decode(b in proptest::array::uniform32(any::<u8>()), c in proptest::array::uniform32(any::<u8>())) {
        let mut all = [0; 64];
        all[..32].copy_from_slice(&b);
        all[32..].copy_from_slice(&c);
        let _ = SlotContent::decode(&all);
    }
}
