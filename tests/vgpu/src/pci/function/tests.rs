// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The function behind the protocol's interface.

use super::*;
use crate::testing::{TestCard, VRAM};
use crate::vfio::Device;

fn function(irq: IrqMode) -> (TestCard, Function) {
    let card = TestCard::new();
    let f = Function::new(card.gpu.clone(), Identity::default(), irq);
    (card, f)
}

#[test]
fn regions() {
    let (_, f) = function(IrqMode::MsiX);
    let size = |i| f.region(i).size;
    assert_eq!(
        (size(0), size(1), size(2), size(3), size(4)),
        (VRAM, 0, 2 << 20, 0, 0)
    );
    assert_eq!(
        (size(5), size(6), size(7), size(8)),
        (512 << 10, f.rom.len() as u64, 4096, 0)
    );
    assert!(f.region(0).file.is_some() && f.region(2).file.is_none() && !f.region(6).write);
    assert_eq!((f.irq(0).count, f.irq(1).count, f.irq(2).count), (0, 0, 1));
}

#[test]
fn bar0_is_vram() {
    let (card, f) = function(IrqMode::Msi);
    f.write(0, 0x1000, &[1, 2, 3]).unwrap();
    assert_eq!(card.get(PhysAddr::vram(0x1000)), 0x0003_0201);
    let mut b = [0; 3];
    f.read(0, 0x1000, &mut b).unwrap();
    assert_eq!(b, [1, 2, 3]);
}

#[test]
fn a_function_level_reset_clears_the_card() {
    let (card, f) = function(IrqMode::Msi);
    card.put(PhysAddr::vram(0x1000), 7);
    card.write(0x3780, 1);
    f.write(7, 0x6c, &0xa81fu16.to_le_bytes()).unwrap();
    assert_eq!((card.get(PhysAddr::vram(0x1000)), card.read(0x3780)), (0, 0));
}
