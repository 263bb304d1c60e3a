// SPDX-License-Identifier: Apache-2.0 OR MIT
//! IT opcodes of compute engines (soc15d.h: PACKET3_*).

macro_rules! opcodes {
    ($($name:ident = $value:expr;)*) => {
        $(pub(crate) const $name: u8 = $value;)*

        /// The public name of an opcode this model knows.
        pub(crate) fn name(opcode: u8) -> Option<&'static str> {
            match opcode {
                $($name => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

opcodes! {
    NOP = 0x10;
    DISPATCH_DIRECT = 0x15;
    DISPATCH_INDIRECT = 0x16;
    ATOMIC_MEM = 0x1e;
    WRITE_DATA = 0x37;
    WAIT_REG_MEM = 0x3c;
    INDIRECT_BUFFER = 0x3f;
    COPY_DATA = 0x40;
    EVENT_WRITE = 0x46;
    RELEASE_MEM = 0x49;
    DMA_DATA = 0x50;
    ACQUIRE_MEM = 0x58;
    SET_CONFIG_REG = 0x68;
    SET_SH_REG = 0x76;
    SET_UCONFIG_REG = 0x79;
    INVALIDATE_TLBS = 0x98;
    SET_RESOURCES = 0xa0;
    MAP_PROCESS = 0xa1;
    MAP_QUEUES = 0xa2;
    UNMAP_QUEUES = 0xa3;
    QUERY_STATUS = 0xa4;
    RUN_LIST = 0xa5;
}
