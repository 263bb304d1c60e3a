// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Data-parallel primitives: lanes of source 0 come from other lanes (source: CDNA2 ISA "Data Parallel Primitives",
//! LLVM AMDGPUUsage dpp_ctrl).

use crate::inst::Dpp;
use crate::stop::Why;
use crate::wave::LANES;

/// Where each lane reads, and which lanes are written.
pub struct Plan {
    from: [u8; LANES],
    /// Lanes whose source lane exists and is active.
    valid: u64,
    /// Lanes that the instruction writes.
    pub write: u64,
}

/// The source lane of `lane`; `None` if it lies outside.
fn source(ctrl: u16, lane: usize) -> Result<Option<usize>, Why> {
    let (row, column) = (lane & !15, lane & 15);
    let within = |column: Option<usize>| column.filter(|&c| c < 16).map(|c| row + c);
    let n = usize::from(ctrl & 15);
    Ok(match ctrl {
        // quad_perm: two bits for each lane of four
        0x000..=0x0ff => Some((lane & !3) + (usize::from(ctrl) >> (2 * (lane & 3)) & 3)),
        // row_shl, row_shr, row_ror
        0x101..=0x10f => within(Some(column + n)),
        0x111..=0x11f => within(column.checked_sub(n)),
        0x121..=0x12f => within(Some((column + 16 - n) & 15)),
        // wave_shl:1, wave_rol:1, wave_shr:1, wave_ror:1
        0x130 => Some(lane + 1).filter(|&l| l < LANES),
        0x134 => Some((lane + 1) % LANES),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + LANES - 1) % LANES),
        // row_mirror, row_half_mirror
        0x140 => Some(lane ^ 15),
        0x141 => Some(lane ^ 7),
        // row_bcast:15: the last lane of a row to the next row; row_bcast:31: lane 31 to the upper half
        0x142 => row.checked_sub(1),
        0x143 => Some(31).filter(|_| lane >= 32),
        // row_newbcast:n: lane n of each row
        0x150..=0x15f => within(Some(n)),
        _ => return Err(Why::Owned(format!("dpp_ctrl {ctrl:#x} does not exist"))),
    })
}

/// What `dpp` asks for when the lanes of `exec` are active. A source lane that is not active counts as outside.
pub fn plan(dpp: &Dpp, exec: u64) -> Result<Plan, Why> {
    let mut from = [0; LANES];
    let (mut valid, mut write) = (0, 0);
    for (lane, from) in from.iter_mut().enumerate() {
        let bit = 1 << lane;
        if let Some(source) = source(dpp.ctrl, lane)? {
            *from = source as u8;
            valid |= if (exec >> source) & 1 != 0 { bit } else { 0 };
        }
        if (dpp.row_mask >> (lane / 16)) & 1 != 0 && (dpp.bank_mask >> (lane / 4 % 4)) & 1 != 0 {
            write |= bit;
        }
    }
    if !dpp.bound_ctrl {
        write &= valid;
    }
    Ok(Plan {
        from,
        valid,
        write: write & exec,
    })
}

impl Plan {
    /// The moved lanes; 0 where there is no source.
    pub fn gather<T: Copy + Default>(&self, row: &[T; LANES]) -> [T; LANES] {
        std::array::from_fn(|lane| {
            if (self.valid >> lane) & 1 != 0 {
                row[usize::from(self.from[lane]) % LANES]
            } else {
                T::default()
            }
        })
    }
}
