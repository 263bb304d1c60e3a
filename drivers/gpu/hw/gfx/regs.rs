// SPDX-License-Identifier: GPL-2.0
//! Registers of the graphics and compute block of gfx90a (AMD's header: gc_9_4_2; bases 0x2000, 0xa000).
//!
//! Registers marked *banked* exist once per VMID or hardware queue, or per shader array, and are reached through
//! [`GRBM_GFX_CNTL`] or [`GRBM_GFX_INDEX`]; see `grbm.rs`.

// the names of the data fabric are AMD's
#![allow(non_upper_case_globals)]

use kernel::io::register;

register! {
    /// Register bus.
    pub(super) GRBM_CNTL(u32) @ 0x00008000 {
        /// Clocks after which an access without answer is given up.
        7:0 read_timeout;
    }

    /// Which hardware queue and VMID banked registers belong to.
    pub(super) GRBM_GFX_CNTL(u32) @ 0x00008088 {
        10:8 queueid;
        7:4 vmid;
        /// Micro engine: 1 and 2 are MEC 1 and 2.
        3:2 meid;
        1:0 pipeid;
    }

    /// Compute micro engines: running, halted, reset.
    pub(super) CP_MEC_CNTL(u32) @ 0x00008234 {
        30:30 mec_me1_halt;
        28:28 mec_me2_halt;
        21:21 mec_me2_pipe1_reset;
        20:20 mec_me2_pipe0_reset;
        19:19 mec_me1_pipe3_reset;
        18:18 mec_me1_pipe2_reset;
        17:17 mec_me1_pipe1_reset;
        16:16 mec_me1_pipe0_reset;
        4:4 mec_invalidate_icache;
    }

    /// Banked by shader array: compute units that are fused off.
    pub(super) CC_GC_SHADER_ARRAY_CONFIG(u32) @ 0x000089bc {
        31:16 inactive_cus;
    }

    /// Banked by shader array: compute units that are switched off besides.
    pub(super) GC_USER_SHADER_ARRAY_CONFIG(u32) @ 0x000089c0 {
        31:16 inactive_cus;
    }

    /// Banked by VMID: where flat addresses lead to LDS and scratch memory.
    pub(super) SH_MEM_BASES(u32) @ 0x00008c28 {
        /// Bits 63:48 of the LDS aperture.
        31:16 shared_base;
        /// Bits 63:48 of the scratch aperture.
        15:0 private_base;
    }

    /// Banked by VMID: how shaders access memory.
    pub(super) SH_MEM_CONFIG(u32) @ 0x00008c34 {
        /// Accesses that fault are not retried.
        12:12 retry_disable;
        /// 3: any alignment is allowed.
        4:3 alignment_mode;
        0:0 address_mode;
    }

    /// Shader instruction issue, continued.
    pub(super) SQ_CONFIG1(u32) @ 0x00008de8 {
        12:12 disable_xnack_check_in_retry_disable;
    }

    /// Texture addresser.
    pub(super) TA_CNTL_AUX(u32) @ 0x00009508 {
        31:0 value;
    }

    /// How addresses are spread over channels and banks.
    pub(super) GB_ADDR_CONFIG(u32) @ 0x000098f8 {
        31:0 value;
    }

    /// Which memory channel an address hash leads to.
    pub(super) TCP_CHAN_STEER_0(u32) @ 0x0000ac0c {
        29:0 value;
    }
    /// More of the same.
    pub(super) TCP_CHAN_STEER_1(u32) @ 0x0000ac10 {
        29:0 value;
    }
    /// More of the same.
    pub(super) TCP_CHAN_STEER_2(u32) @ 0x0000ac24 {
        29:0 value;
    }
    /// More of the same.
    pub(super) TCP_CHAN_STEER_3(u32) @ 0x0000ac28 {
        29:0 value;
    }
    /// More of the same.
    pub(super) TCP_CHAN_STEER_4(u32) @ 0x0000ac2c {
        29:0 value;
    }
    /// More of the same.
    pub(super) TCP_CHAN_STEER_5(u32) @ 0x0000ac30 {
        9:0 value;
    }

    /// Which ranges of an address are hashed into its channel.
    pub(super) TCP_ADDR_CONFIG(u32) @ 0x0000ac14 {
        13:13 enable1ghash;
        12:12 enable2mhash;
        11:11 enable64khash;
    }

    /// Cache interconnect.
    pub(super) TCI_CNTL_3(u32) @ 0x0000ad74 {
        7:0 value;
    }

    /// Doorbells that wake the MEC for kernel queues: the first, as a byte offset.
    pub(super) CP_MEC_DOORBELL_RANGE_LOWER(u32) @ 0x0000c170 {
        27:2 doorbell_range_lower;
    }

    /// The last, as a byte offset.
    pub(super) CP_MEC_DOORBELL_RANGE_UPPER(u32) @ 0x0000c174 {
        27:2 doorbell_range_upper;
    }

    /// Polling of write pointers in memory, for queues without doorbell.
    pub(super) CP_PQ_WPTR_POLL_CNTL(u32) @ 0x0000c20c {
        31:31 en;
    }

    /// Timers of the scheduler.
    pub(super) CP_IQ_WAIT_TIME2(u32) @ 0x0000c2c0 {
        31:24 deq_retry;
        23:16 sem_rearm;
        15:8 sch_wave;
        /// Wait before a queue is tried again that could not be connected, in units of 1024 clocks.
        7:0 que_sleep;
    }

    /// Banked by micro engine and pipe: interrupts of compute queues.
    pub(super) CPC_INT_CNTL(u32) @ 0x0000c2d0 {
        26:26 time_stamp_int_enable;
        24:24 opcode_error_int_enable;
        23:23 priv_reg_int_enable;
    }

    /// Doorbells of compute queues.
    pub(super) CP_PQ_STATUS(u32) @ 0x0000c2e0 {
        1:1 doorbell_enable;
        0:0 doorbell_updated;
    }

    /// Banked by VMID: what a debugger may do at wave launch.
    pub(super) SPI_GDBG_PER_VMID_CNTL(u32) @ 0x0000c74c {
        3:3 trap_en;
    }

    /// What a wave that traps finds, for debuggers.
    pub(super) SPI_GDBG_TRAP_DATA0(u32) @ 0x0000c760 {
        31:0 data;
    }

    /// More of the same.
    pub(super) SPI_GDBG_TRAP_DATA1(u32) @ 0x0000c764 {
        31:0 data;
    }

    /// First of the registers of a hardware queue, banked by queue. They lie in the order of the descriptor's
    /// dwords 128 to 183.
    pub(super) CP_MQD_BASE_ADDR(u32)[56, stride = 4] @ 0x0000c914 {
        31:0 value;
    }

    /// Banked by queue: the queue runs.
    pub(super) CP_HQD_ACTIVE(u32) @ 0x0000c91c {
        0:0 active;
    }

    /// Banked by queue: request to stop.
    pub(super) CP_HQD_DEQUEUE_REQUEST(u32) @ 0x0000c974 {
        /// 1: when the packet that runs is done; 2: at once, killing waves.
        2:0 dequeue_req;
    }

    /// Slowing down on request, continued.
    pub(super) GC_THROTTLE_CTRL1(u32) @ 0x0000ca48 {
        /// The board may ask for it.
        20:20 pwrbrk_stall_en;
    }

    /// Slowing down on request.
    pub(super) GC_THROTTLE_CTRL(u32) @ 0x0000ca6c {
        3:3 pattern_mode;
    }

    /// Index of GC_CAC_IND_DATA.
    pub(super) GC_CAC_IND_INDEX(u32) @ 0x0000ca70 {
        31:0 gc_cac_ind_addr;
    }

    /// Registers of the activity monitor.
    pub(super) GC_CAC_IND_DATA(u32) @ 0x0000ca74 {
        31:0 gc_cac_ind_data;
    }

    /// First translation cache of the vector memory units.
    pub(super) TCP_UTCL1_CNTL1(u32) @ 0x0000cad4 {
        31:0 value;
    }

    /// Global data share of VMIDs: where it begins.
    pub(super) GDS_VMID0_BASE(u32)[16, stride = 8] @ 0x0000cc00 {
        15:0 base;
    }

    /// Global data share of VMIDs: its size.
    pub(super) GDS_VMID0_SIZE(u32)[16, stride = 8] @ 0x0000cc04 {
        16:0 size;
    }

    /// Global wave sync of VMIDs.
    pub(super) GDS_GWS_VMID0(u32)[16, stride = 4] @ 0x0000cc80 {
        22:16 size;
        5:0 base;
    }

    /// Ordered append units of VMIDs.
    pub(super) GDS_OA_VMID0(u32)[16, stride = 4] @ 0x0000ccc0 {
        15:0 mask;
    }

    /// A register that means nothing: the ring test writes it.
    pub(super) SCRATCH_REG0(u32) @ 0x00030100 {
        31:0 scratch_reg0;
    }

    /// Which shader array banked registers belong to.
    pub(super) GRBM_GFX_INDEX(u32) @ 0x00030800 {
        31:31 se_broadcast_writes;
        30:30 instance_broadcast_writes;
        29:29 sh_broadcast_writes;
        23:16 se_index;
        15:8 sh_index;
        7:0 instance_index;
    }

    /// The RLC's processor.
    pub(super) RLC_CNTL(u32) @ 0x0003b000 {
        0:0 rlc_enable_f32;
    }

    /// Clock gating of the whole block.
    pub(super) RLC_CGCG_CGLS_CTRL(u32) @ 0x0003b124 {
        1:1 cgls_en;
        0:0 cgcg_en;
    }

    /// Banked by shader array: compute units whose registers are being written over the serial bus.
    pub(super) RLC_SERDES_CU_MASTER_BUSY(u32) @ 0x0003b184 {
        31:0 busy_busy;
    }

    /// The same for everything else.
    pub(super) RLC_SERDES_NONCU_MASTER_BUSY(u32) @ 0x0003b188 {
        19:19 tc1_master_busy;
        18:18 tc0_master_busy;
        16:16 gc_master_busy;
        15:0 se_master_busy;
    }

    /// Save and restore machine.
    pub(super) RLC_SRM_CNTL(u32) @ 0x0003b200 {
        0:0 srm_enable;
    }

    /// GPU clock (100 MHz) as last captured, bits 31:0.
    pub(super) RLC_GPU_CLOCK_COUNT_LSB(u32) @ 0x0003b090 {
        31:0 gpu_clocks_lsb;
    }

    /// GPU clock as last captured, bits 63:32.
    pub(super) RLC_GPU_CLOCK_COUNT_MSB(u32) @ 0x0003b094 {
        31:0 gpu_clocks_msb;
    }

    /// Captures the GPU clock.
    pub(super) RLC_CAPTURE_GPU_CLOCK_COUNT(u32) @ 0x0003b098 {
        0:0 capture;
    }

    /// Memory accesses of the streaming performance monitor.
    pub(super) RLC_SPM_MC_CNTL(u32) @ 0x0003b1c4 {
        3:0 rlc_spm_vmid;
    }

    /// Hardware queues of the schedulers, which the RLC keeps powered.
    pub(super) RLC_CP_SCHEDULERS(u32) @ 0x0003b2a8 {
        /// Valid, micro engine, pipe and queue of the KIQ.
        7:0 scheduler0;
    }

    /// First range of VRAM in the data fabric (AMD's header: df_3_6).
    pub(super) DF_GCM_AON0_DramMegaBaseAddress0(u32) @ 0x0001c190 {
        /// Number of channels, as a code.
        6:2 intlvnumchan;
    }

    /// What holds for the whole data fabric.
    pub(super) DF_CS_UMC_AON0_DfGlobalCtrl(u32) @ 0x0001c3f8 {
        22:22 glbhashintlvctl1g;
        21:21 glbhashintlvctl2m;
        20:20 glbhashintlvctl64k;
    }

    /// Package (AMD's header: smuio_13_0_2).
    pub(super) SMUIO_MCM_CONFIG(u32) @ 0x0005a090 {
        /// Bit 0: VRAM is reached by the CPU over XGMI instead of PCIe.
        14:10 topology_id;
        /// Which of the two dies of the package this is.
        0:0 die_id;
    }
}
