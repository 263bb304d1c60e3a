// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of an SDMA 4.4.0 engine (sdma_4_4_0_offset.h, sdma_4_4_0_sh_mask.h). Offsets here are dwords from the engine's
//! base; queue registers are dwords from the queue's RB_CNTL.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Number of engines.
pub const ENGINES: usize = 5;
/// Queues per engine: GFX, PAGE, RLC0 to RLC7.
pub const QUEUES: usize = 10;
/// Index of the kernel's ring.
pub const GFX: usize = 0;
/// Index of the first queue for user processes.
pub const RLC0: usize = 2;
/// User queues per engine.
pub const RLC_QUEUES: usize = 8;

/// Dword offset of each engine in the register space (regSDMAn_UCODE_ADDR + SDMA0 segment 0x1260).
const BASES: [u32; ENGINES] = [0x1260, 0x1860, 0x1e000, 0x1e400, 0x1e800];
/// Dwords of one engine's register block.
const SPAN: u32 = 0x400;
/// Dword offset of the first queue (regSDMA0_GFX_RB_CNTL).
const QUEUE_BASE: u32 = 0x80;
/// Dwords from one queue to the next (regSDMA0_RLC1_RB_CNTL - regSDMA0_RLC0_RB_CNTL).
pub const QUEUE_STRIDE: u32 = 0x58;

/// A register of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Register of the engine as a whole.
    Global(u32),
    /// Register of a queue.
    Queue {
        /// Index of the queue.
        queue: usize,
        /// Dwords from its RB_CNTL.
        reg: u32,
    },
}

/// Finds engine and register of a BAR5 byte offset; `None` if no such register exists.
pub fn locate(off: u32) -> Option<(usize, Place)> {
    let dword = off / 4;
    let engine = BASES
        .iter()
        .position(|base| (*base..*base + SPAN).contains(&dword))?;
    let rel = dword - BASES.get(engine)?;
    let place = match rel.checked_sub(QUEUE_BASE) {
        None => {
            name(GLOBAL, rel)?;
            Place::Global(rel)
        }
        Some(q) => {
            let (queue, reg) = ((q / QUEUE_STRIDE) as usize, q % QUEUE_STRIDE);
            if queue >= QUEUES || (reg == queue::CONTEXT_CNTL && queue != GFX) {
                return None;
            }
            name(QUEUE, reg)?;
            Place::Queue { queue, reg }
        }
    };
    Some((engine, place))
}

/// BAR5 byte offset of an engine's global register.
pub fn global_offset(engine: usize, reg: u32) -> Option<u32> {
    Some((BASES.get(engine)? + reg) * 4)
}

/// BAR5 byte offset of a queue register.
pub fn queue_offset(engine: usize, queue: usize, reg: u32) -> Option<u32> {
    let queue = u32::try_from(queue).ok().filter(|q| (*q as usize) < QUEUES)?;
    Some((BASES.get(engine)? + QUEUE_BASE + queue * QUEUE_STRIDE + reg) * 4)
}

/// The public name of the register at a BAR5 byte offset.
pub fn reg_name(off: u32) -> Option<&'static str> {
    static NAMES: OnceLock<HashMap<u32, String>> = OnceLock::new();
    NAMES.get_or_init(all_names).get(&off).map(String::as_str)
}

fn all_names() -> HashMap<u32, String> {
    let mut names = HashMap::new();
    for engine in 0..ENGINES {
        for (reg, n) in GLOBAL {
            names.extend(global_offset(engine, *reg).map(|off| (off, format!("SDMA{engine}_{n}"))));
        }
        for queue in 0..QUEUES {
            for (reg, n) in QUEUE {
                let off = queue_offset(engine, queue, *reg).filter(|off| locate(*off).is_some());
                names.extend(off.map(|off| (off, format!("SDMA{engine}_{}_{n}", queue_name(queue)))));
            }
        }
    }
    names
}

/// GFX, PAGE, RLC0 to RLC7.
pub fn queue_name(queue: usize) -> &'static str {
    [
        "GFX", "PAGE", "RLC0", "RLC1", "RLC2", "RLC3", "RLC4", "RLC5", "RLC6", "RLC7",
    ]
    .get(queue)
    .copied()
    .unwrap_or("?")
}

fn name(table: &[(u32, &'static str)], reg: u32) -> Option<&'static str> {
    table.iter().find(|(r, _)| *r == reg).map(|(_, n)| *n)
}

/// Registers of an engine that do something here.
pub mod global {
    /// TRAP_ENABLE 0, UTC_L1_ENABLE 1, AUTO_CTXSW_ENABLE 18.
    pub const CNTL: u32 = 0x1c;
    /// IDLE 0; the other bits are those of an idle engine.
    pub const STATUS_REG: u32 = 0x25;
    /// HALT 0, RESET 8.
    pub const F32_CNTL: u32 = 0x2a;
    /// FREEZE 4, FROZEN 5.
    pub const FREEZE: u32 = 0x2b;
    /// Value before the last atomic, low half.
    pub const ATOMIC_PREOP_LO: u32 = 0x3a;
    /// Value before the last atomic, high half.
    pub const ATOMIC_PREOP_HI: u32 = 0x3b;

    /// CNTL.TRAP_ENABLE.
    pub const TRAP_ENABLE: u32 = 1 << 0;
    /// F32_CNTL.HALT.
    pub const HALT: u32 = 1 << 0;
    /// FREEZE.FREEZE.
    pub const FREEZE_REQ: u32 = 1 << 4;
    /// FREEZE.FROZEN.
    pub const FROZEN: u32 = 1 << 5;
    /// STATUS_REG of an idle engine (sdma0_4_0_default.h: mmSDMA0_STATUS_REG_DEFAULT); IDLE is bit 0.
    pub const STATUS_IDLE: u32 = 0x46de_e557;
}

/// Registers of a queue that do something here, and their fields.
pub mod queue {
    /// RB_ENABLE 0, RB_SIZE 5:1 (log2 dwords), RPTR_WRITEBACK_ENABLE 12, RB_PRIV 23, RB_VMID 27:24.
    pub const RB_CNTL: u32 = 0x00;
    /// Ring address >> 8, bits 31:0.
    pub const RB_BASE: u32 = 0x01;
    /// Ring address >> 8, high bits.
    pub const RB_BASE_HI: u32 = 0x02;
    /// Read pointer in bytes, low half.
    pub const RB_RPTR: u32 = 0x03;
    /// Read pointer in bytes, high half.
    pub const RB_RPTR_HI: u32 = 0x04;
    /// Write pointer in bytes, low half.
    pub const RB_WPTR: u32 = 0x05;
    /// Write pointer in bytes, high half.
    pub const RB_WPTR_HI: u32 = 0x06;
    /// ENABLE 0, F32_POLL_ENABLE 2.
    pub const RB_WPTR_POLL_CNTL: u32 = 0x07;
    /// Where the read pointer is written back, high half.
    pub const RB_RPTR_ADDR_HI: u32 = 0x08;
    /// Where the read pointer is written back, low half.
    pub const RB_RPTR_ADDR_LO: u32 = 0x09;
    /// IB_ENABLE 0, SWITCH_INSIDE_IB 8, CMD_VMID 19:16 (VMID of the running indirect buffer).
    pub const IB_CNTL: u32 = 0x0a;
    /// Dwords of the running indirect buffer that are done.
    pub const IB_OFFSET: u32 = 0x0c;
    /// Running indirect buffer, low half.
    pub const IB_BASE_LO: u32 = 0x0d;
    /// Running indirect buffer, high half.
    pub const IB_BASE_HI: u32 = 0x0e;
    /// Its length in dwords; 0 if none runs.
    pub const IB_SIZE: u32 = 0x0f;
    /// SELECTED 0, IDLE 2, EXCEPTION 6:4.
    pub const CONTEXT_STATUS: u32 = 0x11;
    /// ENABLE 28, CAPTURED 30.
    pub const DOORBELL: u32 = 0x12;
    /// RESUME_CTX 16; only the GFX queue has it.
    pub const CONTEXT_CNTL: u32 = 0x13;
    /// OFFSET 27:2: the doorbell's byte offset in BAR2.
    pub const DOORBELL_OFFSET: u32 = 0x2b;
    /// IB_PREEMPT 0.
    pub const PREEMPT: u32 = 0x30;
    /// Memory shadow of the write pointer, high half.
    pub const RB_WPTR_POLL_ADDR_HI: u32 = 0x32;
    /// Memory shadow of the write pointer, low half.
    pub const RB_WPTR_POLL_ADDR_LO: u32 = 0x33;
    /// AQL_ENABLE 0.
    pub const RB_AQL_CNTL: u32 = 0x34;
    /// ENABLE 0: the write pointer may go backwards.
    pub const MINOR_PTR_UPDATE: u32 = 0x35;
    /// Bytes done of an interrupted packet, low half (the engine's own encoding).
    pub const MIDCMD_DATA0: u32 = 0x40;
    /// Bytes done of an interrupted packet, high half (the engine's own encoding).
    pub const MIDCMD_DATA1: u32 = 0x41;
    /// DATA_VALID 0: an interrupted packet is to be continued.
    pub const MIDCMD_CNTL: u32 = 0x4b;

    /// RB_CNTL.RB_ENABLE.
    pub const RB_ENABLE: u32 = 1 << 0;
    /// RB_CNTL.RPTR_WRITEBACK_ENABLE.
    pub const RPTR_WRITEBACK_ENABLE: u32 = 1 << 12;
    /// Fields of RB_CNTL that this model does not know: byte swaps.
    pub const RB_SWAPS: u32 = 1 << 9 | 1 << 13;
    /// IB_CNTL.IB_ENABLE.
    pub const IB_ENABLE: u32 = 1 << 0;
    /// CONTEXT_STATUS.SELECTED.
    pub const SELECTED: u32 = 1 << 0;
    /// CONTEXT_STATUS.IDLE.
    pub const IDLE: u32 = 1 << 2;
    /// CONTEXT_STATUS.EXCEPTION: the queue stopped on an error.
    pub const EXCEPTION: u32 = 1 << 4;
    /// DOORBELL.ENABLE.
    pub const DOORBELL_ENABLE: u32 = 1 << 28;
    /// DOORBELL.CAPTURED.
    pub const DOORBELL_CAPTURED: u32 = 1 << 30;
}

/// Power-on values that are not 0 (sdma0_4_0_default.h, the closest public list).
pub const GLOBAL_DEFAULTS: &[(u32, u32)] = &[
    (0x1a, 0x0003_c000),
    (0x1b, 0xff00_0100),
    (0x1c, 0x0000_0002),
    (0x1d, 0x0083_1f07),
    (0x1e, 0x0010_0012),
    (0x1f, 0x0010_0012),
    (0x26, 0x0000_03ff),
    (0x27, 0x0000_0003),
    (0x2a, 0x0000_0001),
    (0x2c, 0x0001_0002),
    (0x2d, 0x0001_0002),
    (0x33, 0x03ff_03ff),
    (0x34, 0x0000_0001),
    (0x35, 0x0000_0404),
    (0x39, 0x0000_0200),
    (0x3c, 0xd000_3019),
    (0x3d, 0xfffb_e1fe),
    (0x3e, 0x2010_01ff),
    (0x3f, 0x5030_01ff),
    (0x40, 0x0000_0600),
    (0x47, 0x0001_0001),
    (0x48, 0x0000_03e0),
    (0x4a, 0xc000_0006),
    (0x4c, 0x0010_0000),
    (0x4f, 0x0001_0002),
    (0x5d, 0x0000_85c0),
];

/// Power-on values of a queue's registers that are not 0 (sdma0_4_0_default.h).
pub const QUEUE_DEFAULTS: &[(u32, u32)] = &[
    (queue::RB_CNTL, 0x0004_0000),
    (queue::RB_WPTR_POLL_CNTL, 0x0040_1000),
    (queue::IB_CNTL, 0x0000_0100),
    (queue::CONTEXT_STATUS, queue::IDLE),
    (0x31, 0x0000_000f),
    (queue::RB_AQL_CNTL, 0x0000_4000),
];

const GLOBAL: &[(u32, &str)] = &[
    (0x00, "UCODE_ADDR"),
    (0x01, "UCODE_DATA"),
    (0x0a, "VF_ENABLE"),
    (0x19, "CONTEXT_GROUP_BOUNDARY"),
    (0x1a, "POWER_CNTL"),
    (0x1b, "CLK_CTRL"),
    (0x1c, "CNTL"),
    (0x1d, "CHICKEN_BITS"),
    (0x1e, "GB_ADDR_CONFIG"),
    (0x1f, "GB_ADDR_CONFIG_READ"),
    (0x20, "RB_RPTR_FETCH_HI"),
    (0x21, "SEM_WAIT_FAIL_TIMER_CNTL"),
    (0x22, "RB_RPTR_FETCH"),
    (0x23, "IB_OFFSET_FETCH"),
    (0x24, "PROGRAM"),
    (0x25, "STATUS_REG"),
    (0x26, "STATUS1_REG"),
    (0x27, "RD_BURST_CNTL"),
    (0x28, "HBM_PAGE_CONFIG"),
    (0x29, "UCODE_CHECKSUM"),
    (0x2a, "F32_CNTL"),
    (0x2b, "FREEZE"),
    (0x2c, "PHASE0_QUANTUM"),
    (0x2d, "PHASE1_QUANTUM"),
    (0x33, "BA_THRESHOLD"),
    (0x34, "ID"),
    (0x35, "VERSION"),
    (0x36, "EDC_COUNTER"),
    (0x37, "EDC_COUNTER2"),
    (0x38, "STATUS2_REG"),
    (0x39, "ATOMIC_CNTL"),
    (0x3a, "ATOMIC_PREOP_LO"),
    (0x3b, "ATOMIC_PREOP_HI"),
    (0x3c, "UTCL1_CNTL"),
    (0x3d, "UTCL1_WATERMK"),
    (0x3e, "UTCL1_RD_STATUS"),
    (0x3f, "UTCL1_WR_STATUS"),
    (0x40, "UTCL1_INV0"),
    (0x41, "UTCL1_INV1"),
    (0x42, "UTCL1_INV2"),
    (0x43, "UTCL1_RD_XNACK0"),
    (0x44, "UTCL1_RD_XNACK1"),
    (0x45, "UTCL1_WR_XNACK0"),
    (0x46, "UTCL1_WR_XNACK1"),
    (0x47, "UTCL1_TIMEOUT"),
    (0x48, "UTCL1_PAGE"),
    (0x49, "POWER_CNTL_IDLE"),
    (0x4a, "RELAX_ORDERING_LUT"),
    (0x4b, "CHICKEN_BITS_2"),
    (0x4c, "STATUS3_REG"),
    (0x4d, "PHYSICAL_ADDR_LO"),
    (0x4e, "PHYSICAL_ADDR_HI"),
    (0x4f, "PHASE2_QUANTUM"),
    (0x50, "ERROR_LOG"),
    (0x51, "PUB_DUMMY_REG0"),
    (0x52, "PUB_DUMMY_REG1"),
    (0x53, "PUB_DUMMY_REG2"),
    (0x54, "PUB_DUMMY_REG3"),
    (0x55, "F32_COUNTER"),
    (0x57, "PERFCNT_PERFCOUNTER0_CFG"),
    (0x58, "PERFCNT_PERFCOUNTER1_CFG"),
    (0x59, "PERFCNT_PERFCOUNTER_RSLT_CNTL"),
    (0x5a, "PERFCNT_MISC_CNTL"),
    (0x5b, "PERFCNT_PERFCOUNTER_LO"),
    (0x5c, "PERFCNT_PERFCOUNTER_HI"),
    (0x5d, "CRD_CNTL"),
    (0x5f, "ULV_CNTL"),
    (0x60, "EA_DBIT_ADDR_DATA"),
    (0x61, "EA_DBIT_ADDR_INDEX"),
    (0x63, "STATUS4_REG"),
    (0x64, "SCRATCH_RAM_DATA"),
    (0x65, "SCRATCH_RAM_ADDR"),
    (0x66, "CE_CTRL"),
    (0x67, "RAS_STATUS"),
    (0x68, "CLK_STATUS"),
];

const QUEUE: &[(u32, &str)] = &[
    (0x00, "RB_CNTL"),
    (0x01, "RB_BASE"),
    (0x02, "RB_BASE_HI"),
    (0x03, "RB_RPTR"),
    (0x04, "RB_RPTR_HI"),
    (0x05, "RB_WPTR"),
    (0x06, "RB_WPTR_HI"),
    (0x07, "RB_WPTR_POLL_CNTL"),
    (0x08, "RB_RPTR_ADDR_HI"),
    (0x09, "RB_RPTR_ADDR_LO"),
    (0x0a, "IB_CNTL"),
    (0x0b, "IB_RPTR"),
    (0x0c, "IB_OFFSET"),
    (0x0d, "IB_BASE_LO"),
    (0x0e, "IB_BASE_HI"),
    (0x0f, "IB_SIZE"),
    (0x10, "SKIP_CNTL"),
    (0x11, "CONTEXT_STATUS"),
    (0x12, "DOORBELL"),
    (0x13, "CONTEXT_CNTL"),
    (0x28, "STATUS"),
    (0x29, "DOORBELL_LOG"),
    (0x2a, "WATERMARK"),
    (0x2b, "DOORBELL_OFFSET"),
    (0x2c, "CSA_ADDR_LO"),
    (0x2d, "CSA_ADDR_HI"),
    (0x2f, "IB_SUB_REMAIN"),
    (0x30, "PREEMPT"),
    (0x31, "DUMMY_REG"),
    (0x32, "RB_WPTR_POLL_ADDR_HI"),
    (0x33, "RB_WPTR_POLL_ADDR_LO"),
    (0x34, "RB_AQL_CNTL"),
    (0x35, "MINOR_PTR_UPDATE"),
    (0x40, "MIDCMD_DATA0"),
    (0x41, "MIDCMD_DATA1"),
    (0x42, "MIDCMD_DATA2"),
    (0x43, "MIDCMD_DATA3"),
    (0x44, "MIDCMD_DATA4"),
    (0x45, "MIDCMD_DATA5"),
    (0x46, "MIDCMD_DATA6"),
    (0x47, "MIDCMD_DATA7"),
    (0x48, "MIDCMD_DATA8"),
    (0x49, "MIDCMD_DATA9"),
    (0x4a, "MIDCMD_DATA10"),
    (0x4b, "MIDCMD_CNTL"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_offsets_of_the_headers() {
        // (regSDMA2_GFX_RB_CNTL 0x1ce20, regSDMA4_RLC7_RB_CNTL 0x1d938) + segment 0x1260
        assert_eq!(
            locate((0x1260 + 0x1ce20) * 4),
            Some((2, Place::Queue { queue: GFX, reg: 0 }))
        );
        assert_eq!(
            locate((0x1260 + 0x1d938) * 4),
            Some((4, Place::Queue { queue: 9, reg: 0 }))
        );
        assert_eq!(reg_name((0x1260 + 0x1d938) * 4), Some("SDMA4_RLC7_RB_CNTL"));
        assert_eq!(queue_offset(1, RLC0, 0), Some((0x1260 + 0x730) * 4));
        assert_eq!(reg_name(0x4980 + 0x2a * 4), Some("SDMA0_F32_CNTL"));
    }

    #[test]
    fn holes_are_no_registers() {
        assert_eq!(locate(0x4980 + 0x02 * 4), None);
        assert_eq!(locate(0x4980 + (0x130 + 0x13) * 4), None);
        assert_eq!(locate(0x4980 + 0x3ff * 4), None);
        assert_eq!(locate(0), None);
    }

    #[test]
    fn defaults_are_of_known_registers() {
        assert!(GLOBAL_DEFAULTS.iter().all(|(r, _)| name(GLOBAL, *r).is_some()));
        assert!(QUEUE_DEFAULTS.iter().all(|(r, _)| name(QUEUE, *r).is_some()));
    }
}
