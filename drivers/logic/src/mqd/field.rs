// SPDX-License-Identifier: GPL-2.0
//! Where things are in a descriptor. Names and places: kernel `include/v9_structs.h`, `struct v9_mqd` and
//! `struct v9_sdma_mqd`.

/// A dword of a queue descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field(usize);

impl Field {
    pub(super) const fn new(dword: usize) -> Self {
        assert!(dword < super::SIZE / 4);
        Self(dword)
    }

    /// Index of the dword.
    pub const fn dword(self) -> usize {
        self.0
    }

    /// Byte offset in the descriptor.
    pub const fn byte(self) -> usize {
        self.0.wrapping_mul(4)
    }
}

macro_rules! fields {
    ($($dword:literal $name:ident)*) => {
        $(pub(in crate::mqd) const $name: Field = Field::new($dword);)*
    };
}

/// Descriptor of a compute queue.
pub(super) mod cp {
    use super::Field;

    fields! {
        0 HEADER
        11 COMPUTE_PIPELINESTAT_ENABLE
        20 COMPUTE_PGM_RSRC2
        22 COMPUTE_RESOURCE_LIMITS
        23 COMPUTE_STATIC_THREAD_MGMT_SE0
        24 COMPUTE_STATIC_THREAD_MGMT_SE1
        26 COMPUTE_STATIC_THREAD_MGMT_SE2
        27 COMPUTE_STATIC_THREAD_MGMT_SE3
        39 COMPUTE_STATIC_THREAD_MGMT_SE4
        40 COMPUTE_STATIC_THREAD_MGMT_SE5
        41 COMPUTE_STATIC_THREAD_MGMT_SE6
        42 COMPUTE_STATIC_THREAD_MGMT_SE7
        128 CP_MQD_BASE_ADDR_LO
        129 CP_MQD_BASE_ADDR_HI
        130 CP_HQD_ACTIVE
        131 CP_HQD_VMID
        132 CP_HQD_PERSISTENT_STATE
        133 CP_HQD_PIPE_PRIORITY
        135 CP_HQD_QUANTUM
        136 CP_HQD_PQ_BASE_LO
        137 CP_HQD_PQ_BASE_HI
        138 CP_HQD_PQ_RPTR
        139 CP_HQD_PQ_RPTR_REPORT_ADDR_LO
        140 CP_HQD_PQ_RPTR_REPORT_ADDR_HI
        141 CP_HQD_PQ_WPTR_POLL_ADDR_LO
        142 CP_HQD_PQ_WPTR_POLL_ADDR_HI
        143 CP_HQD_PQ_DOORBELL_CONTROL
        145 CP_HQD_PQ_CONTROL
        149 CP_HQD_IB_CONTROL
        160 CP_HQD_HQ_STATUS0
        162 CP_MQD_CONTROL
        165 CP_HQD_EOP_BASE_ADDR_LO
        166 CP_HQD_EOP_BASE_ADDR_HI
        167 CP_HQD_EOP_CONTROL
        171 CP_HQD_CTX_SAVE_BASE_ADDR_LO
        172 CP_HQD_CTX_SAVE_BASE_ADDR_HI
        174 CP_HQD_CNTL_STACK_OFFSET
        175 CP_HQD_CNTL_STACK_SIZE
        176 CP_HQD_WG_STATE_OFFSET
        177 CP_HQD_CTX_SAVE_SIZE
        181 CP_HQD_AQL_CONTROL
        182 CP_HQD_PQ_WPTR_LO
        183 CP_HQD_PQ_WPTR_HI
    }
}

/// Descriptor of an SDMA queue.
pub(super) mod sdma {
    use super::Field;

    fields! {
        0 RB_CNTL
        1 RB_BASE
        2 RB_BASE_HI
        8 RB_RPTR_ADDR_HI
        9 RB_RPTR_ADDR_LO
        10 IB_CNTL
        22 DOORBELL_OFFSET
        27 DUMMY_REG
        126 ENGINE_ID
        127 QUEUE_ID
    }
}
