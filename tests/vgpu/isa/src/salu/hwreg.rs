// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hardware registers behind `s_getreg` and `s_setreg`.

use crate::mode::Mode;
use crate::stop::Why;
use crate::wave::{status, Wave};

/// Numbers and names of the registers of gfx9 (source: LLVM AMDGPU assembler, "hwreg").
pub static NAMES: &[(u16, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (4, "HW_REG_HW_ID"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
];

/// STATUS bits that a wave may change itself: all while the trap handler runs, otherwise SCC and SPI/user priority.
const STATUS_USER: u32 = status::SCC | 0b11 << 3;

/// The field that an immediate selects: register in bits 5:0, offset in 10:6, width minus 1 in 15:11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Register number.
    pub id: u16,
    /// First bit.
    pub offset: u32,
    /// Bits, 1 to 32.
    pub width: u32,
}

impl Field {
    /// Splits the immediate.
    pub fn new(imm: u16) -> Self {
        Self {
            id: imm & 0x3f,
            offset: u32::from(imm >> 6 & 0x1f),
            width: u32::from(imm >> 11) + 1,
        }
    }

    /// The field's bits, at 0.
    fn mask(self) -> u32 {
        u32::MAX >> (32 - self.width)
    }
}

/// Reads the field `imm`.
pub fn get(wave: &Wave, imm: u16) -> Result<u32, Why> {
    let field = Field::new(imm);
    Ok(read(wave, field.id)? >> field.offset & field.mask())
}

/// Writes the field `imm`.
pub fn set(wave: &mut Wave, imm: u16, value: u32) -> Result<(), Why> {
    let field = Field::new(imm);
    let mask = field.mask() << field.offset;
    let new = read(wave, field.id)? & !mask | value << field.offset & mask;
    match field.id {
        1 => wave.mode = Mode(new),
        2 => {
            let privileged = wave.status_bits & status::PRIV != 0;
            let writable = if privileged { u32::MAX } else { STATUS_USER };
            let kept = wave.status_bits & !writable;
            wave.status_bits = kept | new & writable & !(status::SCC | status::EXECZ | status::VCCZ);
            wave.scc = new & status::SCC != 0;
        }
        3 => wave.trapsts = new,
        7 => wave.ib_sts = new,
        id => return Err(Why::Owned(format!("{} cannot be written", name(id)))),
    }
    Ok(())
}

fn read(wave: &Wave, id: u16) -> Result<u32, Why> {
    Ok(match id {
        1 => wave.mode.0,
        2 => wave.status(),
        3 => wave.trapsts,
        4 => wave.hw_id,
        5 => gpr_alloc(wave),
        6 => wave.lds_alloc,
        7 => wave.ib_sts,
        15 => wave.shared_base & 0xffff_0000 | wave.private_base >> 16,
        16 => wave.tba as u32,
        17 => (wave.tba >> 32) as u32,
        18 => wave.tma as u32,
        19 => (wave.tma >> 32) as u32,
        _ => return Err(Why::Owned(format!("{} does not exist", name(id)))),
    })
}

/// GPR_ALLOC of gfx90a: VGPR_SIZE 11:6 in units of 8, ACCV_OFFSET 17:12 in units of 4, SGPR_SIZE 26:24 in units of 16, minus 1
/// each (source: kernel cwsr_trap_handler_gfx9.asm). Every wave has 112 scalar registers, VCC and its like included.
fn gpr_alloc(wave: &Wave) -> u32 {
    let units = |registers: usize, unit: usize| (registers.div_ceil(unit) as u32).saturating_sub(1) & 0x3f;
    units(wave.vgprs.len(), 8) << 6 | units(wave.accum_offset, 4) << 12 | 6 << 24
}

/// How messages and the assembler call register `id`.
pub fn name(id: u16) -> String {
    match NAMES.iter().find(|(n, _)| *n == id) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("{id}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imm(id: u16, offset: u16, width: u16) -> u16 {
        id | offset << 6 | (width - 1) << 11
    }

    #[test]
    fn fields_of_mode() {
        let mut w = Wave::new(0, 8, 8);
        w.mode = Mode(0x2f0);
        assert_eq!(get(&w, imm(1, 4, 4)), Ok(0xf));
        assert_eq!(get(&w, imm(1, 0, 32)), Ok(0x2f0));
        set(&mut w, imm(1, 0, 4), 0xffff).unwrap();
        assert_eq!(w.mode.0, 0x2ff);
        set(&mut w, imm(1, 4, 2), 0).unwrap();
        assert_eq!(w.mode.0, 0x2cf);
        // a field may reach past the top
        assert_eq!(get(&w, imm(1, 31, 32)), Ok(0));
        set(&mut w, imm(1, 31, 32), 3).unwrap();
        assert_eq!(w.mode.0, 0x8000_02cf);
    }

    #[test]
    fn status_is_guarded() {
        let mut w = Wave::new(0, 8, 8);
        set(&mut w, imm(2, 0, 32), u32::MAX).unwrap();
        assert!(w.scc);
        assert_eq!(w.status_bits, status::VALID | 0b11 << 3);
        w.status_bits |= status::PRIV;
        set(&mut w, imm(2, 13, 1), 1).unwrap();
        assert_ne!(w.status_bits & status::HALT, 0);
    }

    #[test]
    fn read_only_and_unknown() {
        let mut w = Wave::new(0, 24, 24);
        w.tba = 0x1234_5678_9abc;
        assert_eq!(get(&w, imm(17, 0, 32)), Ok(0x1234));
        assert_eq!(get(&w, imm(15, 0, 32)), Ok(0x0001_0002));
        assert_eq!(get(&w, imm(5, 6, 6)), Ok(2));
        assert_eq!(get(&w, imm(5, 12, 6)), Ok(5));
        assert_eq!(get(&w, imm(5, 24, 3)), Ok(6));
        assert!(set(&mut w, imm(4, 0, 32), 0)
            .unwrap_err()
            .contains("HW_REG_HW_ID"));
        assert!(get(&w, imm(20, 0, 32)).unwrap_err().contains("20"));
    }
}
