// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of an SDMA 4.4.0 engine (sdma_4_4_0_offset.h, sdma_4_4_0_sh_mask.h). Offsets here are dwords from the engine's
//! base; queue registers are dwords from the queue's RB_CNTL.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::regs::name_in;

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
            name_in(global::NAMES, rel)?;
            Place::Global(rel)
        }
        Some(q) => {
            let (queue, reg) = ((q / QUEUE_STRIDE) as usize, q % QUEUE_STRIDE);
            if queue >= QUEUES || (reg == queue::CONTEXT_CNTL && queue != GFX) {
                return None;
            }
            name_in(queue::NAMES, reg)?;
            Place::Queue { queue, reg }
        }
    };
    Some((engine, place))
}

/// Dwords from an engine's base where earlier generations have registers and this one has none. The kernel reads them when
/// it dumps the state of a card that hangs: its list is of SDMA 4.2 (sdma_v4_0.c: sdma_reg_list_4_0, sdma0_4_2_offset.h:
/// VM_CNTL, PAGE queue at 0xe0, RLC0 at 0x140). A read of a place without a register is answered with 0.
const HOLES: &[u32] = &[
    0x04, 0xec, 0xed, 0xee, 0x111, 0x143, 0x144, 0x145, 0x146, 0x14c, 0x14d, 0x14e,
];

/// Whether there is no register at a BAR5 byte offset, but the kernel reads it all the same.
pub fn is_hole(off: u32) -> bool {
    let dword = off / 4;
    BASES
        .iter()
        .any(|base| dword.checked_sub(*base).is_some_and(|rel| HOLES.contains(&rel)))
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
        for (reg, n) in global::NAMES {
            names.extend(global_offset(engine, *reg).map(|off| (off, format!("SDMA{engine}_{n}"))));
        }
        for queue in 0..QUEUES {
            for (reg, n) in queue::NAMES {
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

/// Registers of an engine, in dwords from its base.
pub mod global {
    crate::registers! {
        UCODE_ADDR = 0x00;
        UCODE_DATA = 0x01;
        VF_ENABLE = 0x0a;
        CONTEXT_GROUP_BOUNDARY = 0x19;
        POWER_CNTL = 0x1a;
        CLK_CTRL = 0x1b;
        /// TRAP_ENABLE 0, UTC_L1_ENABLE 1, AUTO_CTXSW_ENABLE 18.
        CNTL = 0x1c;
        CHICKEN_BITS = 0x1d;
        GB_ADDR_CONFIG = 0x1e;
        GB_ADDR_CONFIG_READ = 0x1f;
        RB_RPTR_FETCH_HI = 0x20;
        SEM_WAIT_FAIL_TIMER_CNTL = 0x21;
        RB_RPTR_FETCH = 0x22;
        IB_OFFSET_FETCH = 0x23;
        PROGRAM = 0x24;
        /// IDLE 0; the other bits are those of an idle engine.
        STATUS_REG = 0x25;
        STATUS1_REG = 0x26;
        RD_BURST_CNTL = 0x27;
        HBM_PAGE_CONFIG = 0x28;
        UCODE_CHECKSUM = 0x29;
        /// HALT 0, RESET 8.
        F32_CNTL = 0x2a;
        /// FREEZE 4, FROZEN 5.
        FREEZE = 0x2b;
        PHASE0_QUANTUM = 0x2c;
        PHASE1_QUANTUM = 0x2d;
        EDC_CONFIG = 0x32;
        BA_THRESHOLD = 0x33;
        ID = 0x34;
        VERSION = 0x35;
        EDC_COUNTER = 0x36;
        EDC_COUNTER2 = 0x37;
        STATUS2_REG = 0x38;
        ATOMIC_CNTL = 0x39;
        /// Value before the last atomic, low half.
        ATOMIC_PREOP_LO = 0x3a;
        /// Value before the last atomic, high half.
        ATOMIC_PREOP_HI = 0x3b;
        UTCL1_CNTL = 0x3c;
        UTCL1_WATERMK = 0x3d;
        UTCL1_RD_STATUS = 0x3e;
        UTCL1_WR_STATUS = 0x3f;
        UTCL1_INV0 = 0x40;
        UTCL1_INV1 = 0x41;
        UTCL1_INV2 = 0x42;
        UTCL1_RD_XNACK0 = 0x43;
        UTCL1_RD_XNACK1 = 0x44;
        UTCL1_WR_XNACK0 = 0x45;
        UTCL1_WR_XNACK1 = 0x46;
        UTCL1_TIMEOUT = 0x47;
        UTCL1_PAGE = 0x48;
        POWER_CNTL_IDLE = 0x49;
        RELAX_ORDERING_LUT = 0x4a;
        CHICKEN_BITS_2 = 0x4b;
        STATUS3_REG = 0x4c;
        PHYSICAL_ADDR_LO = 0x4d;
        PHYSICAL_ADDR_HI = 0x4e;
        PHASE2_QUANTUM = 0x4f;
        ERROR_LOG = 0x50;
        PUB_DUMMY_REG0 = 0x51;
        PUB_DUMMY_REG1 = 0x52;
        PUB_DUMMY_REG2 = 0x53;
        PUB_DUMMY_REG3 = 0x54;
        F32_COUNTER = 0x55;
        PERFCNT_PERFCOUNTER0_CFG = 0x57;
        PERFCNT_PERFCOUNTER1_CFG = 0x58;
        PERFCNT_PERFCOUNTER_RSLT_CNTL = 0x59;
        PERFCNT_MISC_CNTL = 0x5a;
        PERFCNT_PERFCOUNTER_LO = 0x5b;
        PERFCNT_PERFCOUNTER_HI = 0x5c;
        CRD_CNTL = 0x5d;
        ULV_CNTL = 0x5f;
        EA_DBIT_ADDR_DATA = 0x60;
        EA_DBIT_ADDR_INDEX = 0x61;
        STATUS4_REG = 0x63;
        SCRATCH_RAM_DATA = 0x64;
        SCRATCH_RAM_ADDR = 0x65;
        CE_CTRL = 0x66;
        RAS_STATUS = 0x67;
        CLK_STATUS = 0x68;
    }

    crate::fields! {
        TRAP_ENABLE = SDMA0_CNTL.TRAP_ENABLE[0:0];
        HALT = SDMA0_F32_CNTL.HALT[0:0];
        FREEZE_REQ = SDMA0_FREEZE.FREEZE[4:4];
        FROZEN = SDMA0_FREEZE.FROZEN[5:5];
    }

    /// STATUS_REG of an idle engine (sdma0_4_0_default.h: mmSDMA0_STATUS_REG_DEFAULT); IDLE is bit 0.
    pub const STATUS_IDLE: u32 = 0x46de_e557;
}

/// Registers of a queue, in dwords from its RB_CNTL.
pub mod queue {
    crate::registers! {
        /// RB_ENABLE 0, RB_SIZE 5:1 (log2 dwords), RPTR_WRITEBACK_ENABLE 12, RB_PRIV 23, RB_VMID 27:24.
        RB_CNTL = 0x00;
        /// Ring address >> 8, bits 31:0.
        RB_BASE = 0x01;
        /// Ring address >> 8, high bits.
        RB_BASE_HI = 0x02;
        /// Read pointer in bytes, low half.
        RB_RPTR = 0x03;
        /// Read pointer in bytes, high half.
        RB_RPTR_HI = 0x04;
        /// Write pointer in bytes, low half.
        RB_WPTR = 0x05;
        /// Write pointer in bytes, high half.
        RB_WPTR_HI = 0x06;
        /// ENABLE 0, F32_POLL_ENABLE 2.
        RB_WPTR_POLL_CNTL = 0x07;
        /// Where the read pointer is written back, high half.
        RB_RPTR_ADDR_HI = 0x08;
        /// Where the read pointer is written back, low half.
        RB_RPTR_ADDR_LO = 0x09;
        /// IB_ENABLE 0, SWITCH_INSIDE_IB 8, CMD_VMID 19:16 (VMID of the running indirect buffer).
        IB_CNTL = 0x0a;
        IB_RPTR = 0x0b;
        /// Dwords of the running indirect buffer that are done.
        IB_OFFSET = 0x0c;
        /// Running indirect buffer, low half.
        IB_BASE_LO = 0x0d;
        /// Running indirect buffer, high half.
        IB_BASE_HI = 0x0e;
        /// Its length in dwords; 0 if none runs.
        IB_SIZE = 0x0f;
        SKIP_CNTL = 0x10;
        /// SELECTED 0, IDLE 2, EXCEPTION 6:4.
        CONTEXT_STATUS = 0x11;
        /// ENABLE 28, CAPTURED 30.
        DOORBELL = 0x12;
        /// RESUME_CTX 16; only the GFX queue has it.
        CONTEXT_CNTL = 0x13;
        STATUS = 0x28;
        DOORBELL_LOG = 0x29;
        WATERMARK = 0x2a;
        /// OFFSET 27:2: the doorbell's byte offset in BAR2.
        DOORBELL_OFFSET = 0x2b;
        CSA_ADDR_LO = 0x2c;
        CSA_ADDR_HI = 0x2d;
        IB_SUB_REMAIN = 0x2f;
        /// IB_PREEMPT 0.
        PREEMPT = 0x30;
        DUMMY_REG = 0x31;
        /// Memory shadow of the write pointer, high half.
        RB_WPTR_POLL_ADDR_HI = 0x32;
        /// Memory shadow of the write pointer, low half.
        RB_WPTR_POLL_ADDR_LO = 0x33;
        /// AQL_ENABLE 0.
        RB_AQL_CNTL = 0x34;
        /// ENABLE 0: the write pointer may go backwards.
        MINOR_PTR_UPDATE = 0x35;
        /// Bytes done of an interrupted packet, low half (the engine's own encoding).
        MIDCMD_DATA0 = 0x40;
        /// Bytes done of an interrupted packet, high half (the engine's own encoding).
        MIDCMD_DATA1 = 0x41;
        MIDCMD_DATA2 = 0x42;
        MIDCMD_DATA3 = 0x43;
        MIDCMD_DATA4 = 0x44;
        MIDCMD_DATA5 = 0x45;
        MIDCMD_DATA6 = 0x46;
        MIDCMD_DATA7 = 0x47;
        MIDCMD_DATA8 = 0x48;
        MIDCMD_DATA9 = 0x49;
        MIDCMD_DATA10 = 0x4a;
        /// DATA_VALID 0: an interrupted packet is to be continued.
        MIDCMD_CNTL = 0x4b;
    }

    crate::fields! {
        RB_ENABLE = SDMA0_GFX_RB_CNTL.RB_ENABLE[0:0];
        /// log2 of the dwords.
        RB_SIZE = SDMA0_GFX_RB_CNTL.RB_SIZE[5:1];
        RB_SWAP_ENABLE = SDMA0_GFX_RB_CNTL.RB_SWAP_ENABLE[9:9];
        RPTR_WRITEBACK_ENABLE = SDMA0_GFX_RB_CNTL.RPTR_WRITEBACK_ENABLE[12:12];
        RPTR_WRITEBACK_SWAP_ENABLE = SDMA0_GFX_RB_CNTL.RPTR_WRITEBACK_SWAP_ENABLE[13:13];
        RB_VMID = SDMA0_GFX_RB_CNTL.RB_VMID[27:24];
        IB_ENABLE = SDMA0_GFX_IB_CNTL.IB_ENABLE[0:0];
        /// VMID of the running indirect buffer.
        CMD_VMID = SDMA0_GFX_IB_CNTL.CMD_VMID[19:16];
        SELECTED = SDMA0_GFX_CONTEXT_STATUS.SELECTED[0:0];
        IDLE = SDMA0_GFX_CONTEXT_STATUS.IDLE[2:2];
        EXCEPTIONS = SDMA0_GFX_CONTEXT_STATUS.EXCEPTION[6:4];
        DOORBELL_ENABLE = SDMA0_GFX_DOORBELL.ENABLE[28:28];
        DOORBELL_CAPTURED = SDMA0_GFX_DOORBELL.CAPTURED[30:30];
        /// BAR2 dword index.
        DOORBELL_INDEX = SDMA0_GFX_DOORBELL_OFFSET.OFFSET[27:2];
        AQL_ENABLE = SDMA0_GFX_RB_AQL_CNTL.AQL_ENABLE[0:0];
        /// The write pointer may go backwards.
        MINOR_PTR_UPDATE_ENABLE = SDMA0_GFX_MINOR_PTR_UPDATE.ENABLE[0:0];
        /// An interrupted packet is to be continued.
        DATA_VALID = SDMA0_GFX_MIDCMD_CNTL.DATA_VALID[0:0];
    }

    /// Fields of RB_CNTL that this model does not know: byte swaps.
    pub const RB_SWAPS: u32 = RB_SWAP_ENABLE | RPTR_WRITEBACK_SWAP_ENABLE;
    /// CONTEXT_STATUS.EXCEPTION: the queue stopped on an error.
    pub const EXCEPTION: u32 = crate::regs::place(1, EXCEPTIONS);
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
    fn what_the_kernel_dumps_without_a_register_is_known() {
        // engine 4, the last of the list
        let at = |rel: u32| (0x1e800 + rel) * 4;
        assert!(HOLES.iter().all(|rel| locate(at(*rel)).is_none()));
        assert!(is_hole(at(0x14e)) && is_hole(0x4980 + 0x04 * 4));
        assert!(!is_hole(at(0x14f)) && !is_hole(at(0x80)) && !is_hole(0));
    }

    #[test]
    fn defaults_are_of_known_registers() {
        assert!(GLOBAL_DEFAULTS
            .iter()
            .all(|(r, _)| name_in(global::NAMES, *r).is_some()));
        assert!(QUEUE_DEFAULTS
            .iter()
            .all(|(r, _)| name_in(queue::NAMES, *r).is_some()));
    }
}
