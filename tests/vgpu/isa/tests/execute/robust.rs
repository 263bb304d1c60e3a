// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Guest code must never panic the executor.

use super::*;
use proptest::prelude::*;

/// Words that are likely to be instructions of every encoding.
fn word() -> impl Strategy<Value = u32> {
    let prefix = prop::sample::select(vec![
        (0x0000_0000u32, 0x8000_0000u32),
        (0x7e00_0000, 0xfe00_0000),
        (0x7c00_0000, 0xfe00_0000),
        (0x8000_0000, 0xc000_0000),
        (0xb000_0000, 0xf000_0000),
        (0xbe80_0000, 0xff80_0000),
        (0xbf00_0000, 0xff80_0000),
        (0xbf80_0000, 0xff80_0000),
        (0xc000_0000, 0xfc00_0000),
        (0xd000_0000, 0xfc00_0000),
        (0xd380_0000, 0xff80_0000),
        (0xd800_0000, 0xfc00_0000),
        (0xdc00_0000, 0xfc00_0000),
        (0xe000_0000, 0xfc00_0000),
        (0xe800_0000, 0xfc00_0000),
        (0, 0),
    ]);
    (prefix, any::<u32>(), any::<u32>(), any::<bool>()).prop_map(|((prefix, mask), word, thin, sparse)| {
        let word = if sparse { word & thin } else { word };
        word & !mask | prefix
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn garbage_stops_with_a_reason(
        words in prop::collection::vec(word(), 1..40),
        exec in prop::sample::select(vec![u64::MAX, 0, 1, 0x8000_0000_0000_0001, 0xf0f0]),
        registers in 0usize..40,
        accum in 0usize..48,
        fill in any::<u32>(),
        mode in any::<u32>(),
    ) {
        let program: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut memory = Flat::new(&program, 4096);
        let mut lds = Lds::new(256);
        let mut wave = Wave::new(CODE, registers, accum);
        wave.exec = exec;
        wave.mode.0 = mode;
        wave.m0 = fill;
        wave.sgprs = std::array::from_fn(|i| fill.wrapping_mul(i as u32));
        for row in &mut wave.vgprs {
            *row = std::array::from_fn(|l| fill.wrapping_add(l as u32 * 4));
        }
        for _ in 0..8 {
            match run(&mut wave, &mut lds, &mut memory, 200) {
                Stop::Illegal(illegal) => {
                    prop_assert!(!illegal.to_string().is_empty());
                    break;
                }
                Stop::EndPgm | Stop::Fault(_) | Stop::Trap { .. } | Stop::Halt => break,
                Stop::Barrier | Stop::Sleep { .. } | Stop::Yield | Stop::SendMsg { .. } => {}
            }
        }
    }
}
