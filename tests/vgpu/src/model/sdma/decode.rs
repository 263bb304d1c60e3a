// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From dwords to packets (source: kernel amdgpu/vega10_sdma_pkt_open.h, ROCr sdma_registers.h).

use super::packet::{
    Atomic, AtomicOp, Compare, FillUnit, Packet, Poll, PollSource, Timestamp, Width, Window,
};

/// Why a packet cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPacket {
    /// No such opcode, or one this model does not know.
    #[error("unknown packet: op {op} sub-op {sub} (header {header:#010x})")]
    Unknown {
        /// Opcode.
        op: u8,
        /// Sub-opcode.
        sub: u8,
        /// The whole header.
        header: u32,
    },
    /// A field holds a value this model does not know.
    #[error("unknown {field} {value:#x} in packet with header {header:#010x}")]
    Field {
        /// The field's name in the packet header file.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The packet's header.
        header: u32,
    },
}

const OP_NOP: u8 = 0;
const OP_COPY: u8 = 1;
const OP_WRITE: u8 = 2;
const OP_INDIRECT: u8 = 4;
const OP_FENCE: u8 = 5;
const OP_TRAP: u8 = 6;
const OP_POLL_REGMEM: u8 = 8;
const OP_COND_EXE: u8 = 9;
const OP_ATOMIC: u8 = 10;
const OP_CONST_FILL: u8 = 11;
const OP_PTEPDE: u8 = 12;
const OP_TIMESTAMP: u8 = 13;
const OP_SRBM_WRITE: u8 = 14;

/// Dwords that [`decode`] must see of a packet with this header: all of it but the payload of NOP and WRITE.
pub fn head_dwords(header: u32) -> Result<usize, BadPacket> {
    let (op, sub) = (header as u8, (header >> 8) as u8);
    Ok(match (op, sub) {
        (OP_NOP, _) => 1,
        (OP_COPY, 0) if header >> 27 & 1 != 0 => 9,
        (OP_COPY, 0) => 7,
        (OP_COPY, 4) => 13,
        (OP_WRITE, 0) => 4,
        (OP_INDIRECT, 0) => 6,
        (OP_FENCE, 0) => 4,
        (OP_TRAP, 0) => 2,
        (OP_POLL_REGMEM, 0) => 6,
        (OP_POLL_REGMEM, 1) => 4,
        (OP_COND_EXE, 0) => 5,
        (OP_ATOMIC, 0) => 8,
        (OP_CONST_FILL, 0) => 5,
        (OP_PTEPDE, 0) => 10,
        (OP_TIMESTAMP, 0..=2) => 3,
        (OP_SRBM_WRITE, 0) => 3,
        _ => return Err(BadPacket::Unknown { op, sub, header }),
    })
}

/// The longest head of any packet, in dwords.
pub const MAX_HEAD: usize = 13;

/// Decodes the head of a packet: [`head_dwords`] dwords, padded with zeros. Returns it with the length of the whole
/// packet in dwords.
pub fn decode(d: &[u32; MAX_HEAD]) -> Result<(Packet, u64), BadPacket> {
    let header = d[0];
    let (op, sub) = (header as u8, (header >> 8) as u8);
    let mut len = head_dwords(header)? as u64;
    let zero = |field, value: u32| match value {
        0 => Ok(()),
        _ => Err(BadPacket::Field { field, value, header }),
    };
    let packet = match (op, sub) {
        (OP_NOP, _) => {
            len += u64::from(header >> 16 & 0x3fff);
            Packet::Nop
        }
        (OP_COPY, 0) => {
            zero("encrypt", header >> 16 & 1)?;
            zero("tmz", header >> 18 & 1)?;
            zero("parameter (swap)", d[2])?;
            // 30 bits of count on SDMA 4.4 (kernel sdma_v4_4_buffer_funcs: 1 GiB per packet)
            let bytes = u64::from(d[1] & 0x3fff_ffff) + 1;
            let second = (header >> 27 & 1 != 0).then(|| address(d[7], d[8]));
            Packet::CopyLinear {
                src: address(d[3], d[4]),
                dst: address(d[5], d[6]),
                second,
                bytes,
            }
        }
        (OP_COPY, 4) => {
            zero("tmz", header >> 18 & 1)?;
            zero("swap", d[12] >> 16)?;
            let element = header >> 29;
            if element > 4 {
                return Err(BadPacket::Field {
                    field: "elementsize",
                    value: element,
                    header,
                });
            }
            Packet::CopySubWindow {
                element,
                src: window(&[d[1], d[2], d[3], d[4], d[5]]),
                dst: window(&[d[6], d[7], d[8], d[9], d[10]]),
                extent: [
                    (d[11] & 0x3fff) + 1,
                    (d[11] >> 16 & 0x3fff) + 1,
                    (d[12] & 0x7ff) + 1,
                ],
            }
        }
        (OP_WRITE, 0) => {
            zero("encrypt", header >> 16 & 1)?;
            zero("tmz", header >> 18 & 1)?;
            zero("sw", d[3] >> 24 & 3)?;
            let dwords = u64::from(d[3] & 0xf_ffff) + 1;
            len += dwords;
            Packet::WriteLinear {
                dst: address(d[1], d[2]),
                dwords,
            }
        }
        (OP_INDIRECT, 0) => Packet::Indirect {
            vmid: (header >> 16 & 0xf) as u8,
            base: address(d[1], d[2]),
            dwords: d[3] & 0xf_ffff,
        },
        (OP_FENCE, 0) => Packet::Fence {
            addr: address(d[1], d[2]),
            data: d[3],
        },
        (OP_TRAP, 0) => Packet::Trap {
            context: d[1] & 0x0fff_ffff,
        },
        (OP_POLL_REGMEM, 0) if header >> 31 == 0 && d[2] >> 31 != 0 => Packet::HdpFlush,
        (OP_POLL_REGMEM, 0) => Packet::Poll(poll(d)?),
        (OP_POLL_REGMEM, 1) => Packet::RegisterToMemory {
            reg: d[1] & !3,
            dst: address(d[2], d[3]),
        },
        (OP_COND_EXE, 0) => Packet::CondExe {
            addr: address(d[1], d[2]),
            reference: d[3],
            dwords: d[4] & 0x3fff,
        },
        (OP_ATOMIC, 0) => {
            zero("tmz", header >> 18 & 1)?;
            let code = header >> 25;
            let (op, width) = atomic_op(code).ok_or(BadPacket::Field {
                field: "atomic_op",
                value: code,
                header,
            })?;
            Packet::Atomic(Atomic {
                op,
                width,
                addr: address(d[1], d[2]),
                src: address(d[3], d[4]),
                cmp: address(d[5], d[6]),
                repeat: header >> 16 & 1 != 0,
            })
        }
        (OP_CONST_FILL, 0) => {
            zero("sw", header >> 16 & 3)?;
            let last = d[4] & 0x3fff_ffff;
            // ROCr gives the offset of the last dword, kernel and thunk that of the last byte: the low bits do not count
            let (unit, bytes) = match header >> 30 {
                0 => (FillUnit::Byte, u64::from(last) + 1),
                2 => (FillUnit::Dword, u64::from(last & !3) + 4),
                value => {
                    return Err(BadPacket::Field {
                        field: "fillsize",
                        value,
                        header,
                    })
                }
            };
            Packet::ConstFill {
                dst: address(d[1], d[2]),
                data: d[3],
                unit,
                bytes,
            }
        }
        (OP_PTEPDE, 0) => Packet::PtePdeGenerate {
            dst: address(d[1], d[2]),
            mask: address(d[3], d[4]),
            value: address(d[5], d[6]),
            increment: address(d[7], d[8]),
            entries: u64::from(d[9] & 0x7_ffff) + 1,
        },
        (OP_TIMESTAMP, 0) => Packet::Timestamp(Timestamp::Set(address(d[1], d[2]))),
        (OP_TIMESTAMP, 1) => Packet::Timestamp(Timestamp::Get(address(d[1] & !7, d[2]))),
        (OP_TIMESTAMP, _) => Packet::Timestamp(Timestamp::GetGlobal(address(d[1] & !7, d[2]))),
        (OP_SRBM_WRITE, 0) => Packet::SrbmWrite {
            reg: (d[1] & 0x3_ffff) << 2,
            byte_enable: (header >> 28) as u8,
            data: d[2],
        },
        _ => return Err(BadPacket::Unknown { op, sub, header }),
    };
    Ok((packet, len))
}

fn address(lo: u32, hi: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Base, x and y, z and pitch - 1, slice pitch - 1.
fn window(d: &[u32; 5]) -> Window {
    Window {
        base: address(d[0], d[1]),
        at: [d[2] & 0x3fff, d[2] >> 16 & 0x3fff, d[3] & 0x7ff],
        pitch: u64::from(d[3] >> 13) + 1,
        slice: u64::from(d[4] & 0x0fff_ffff) + 1,
    }
}

fn poll(d: &[u32; MAX_HEAD]) -> Result<Poll, BadPacket> {
    let header = d[0];
    let compare = match header >> 28 & 7 {
        0 => Compare::Always,
        1 => Compare::Less,
        2 => Compare::LessEqual,
        3 => Compare::Equal,
        4 => Compare::NotEqual,
        5 => Compare::GreaterEqual,
        6 => Compare::Greater,
        value => {
            return Err(BadPacket::Field {
                field: "func",
                value,
                header,
            })
        }
    };
    let (memory, hdp) = (header >> 31 != 0, header >> 26 & 1 != 0);
    let source = match (memory, hdp) {
        (true, false) => PollSource::Memory(address(d[1] & !3, d[2])),
        (false, false) => PollSource::Register(d[1] & !3),
        (false, true) => PollSource::HdpFlush {
            done: d[1] & !3,
            request: d[2] & !3,
        },
        (true, true) => {
            return Err(BadPacket::Field {
                field: "hdp_flush with mem_poll",
                value: 1,
                header,
            })
        }
    };
    let retries = d[5] >> 16 & 0xfff;
    Ok(Poll {
        source,
        compare,
        reference: d[3],
        mask: d[4],
        interval: d[5] & 0xffff,
        retries: (retries != 0xfff).then_some(retries),
    })
}

/// TC opcodes: returning forms 32 bit from 0x07, 64 bit from 0x27; those without return 0x40 higher.
fn atomic_op(code: u32) -> Option<(AtomicOp, Width)> {
    let width = if code & 0x20 != 0 { Width::W64 } else { Width::W32 };
    let op = match code & 0x1f {
        0x07 => AtomicOp::Swap,
        0x08 => AtomicOp::CompareSwap,
        0x0f => AtomicOp::Add,
        0x10 => AtomicOp::Sub,
        0x11 => AtomicOp::SMin,
        0x12 => AtomicOp::UMin,
        0x13 => AtomicOp::SMax,
        0x14 => AtomicOp::UMax,
        0x15 => AtomicOp::And,
        0x16 => AtomicOp::Or,
        0x17 => AtomicOp::Xor,
        0x18 => AtomicOp::Inc,
        0x19 => AtomicOp::Dec,
        _ => return None,
    };
    Some((op, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(words: &[u32]) -> [u32; MAX_HEAD] {
        std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
    }

    #[test]
    fn nop_spans_its_count() {
        assert_eq!(decode(&head(&[5 << 16])), Ok((Packet::Nop, 6)));
        assert_eq!(decode(&head(&[0])), Ok((Packet::Nop, 1)));
    }

    #[test]
    fn copy_count_has_30_bits() {
        let (p, len) = decode(&head(&[1, 0x3fff_ffff, 0, 0x1000, 1, 0x2000, 2])).unwrap();
        assert_eq!(len, 7);
        assert_eq!(
            p,
            Packet::CopyLinear {
                src: 0x1_0000_1000,
                dst: 0x2_0000_2000,
                second: None,
                bytes: 1 << 30
            }
        );
    }

    #[test]
    fn write_counts_its_payload() {
        let (p, len) = decode(&head(&[2, 0x10, 0x80, 3])).unwrap();
        assert_eq!(
            (p, len),
            (
                Packet::WriteLinear {
                    dst: 0x80_0000_0010,
                    dwords: 4
                },
                8
            )
        );
    }

    #[test]
    fn fill_lengths_of_rocr_and_kernel_agree() {
        let rocr = decode(&head(&[11 | 2 << 30, 0, 0, 7, (16 - 1) * 4])).unwrap().0;
        let thunk = decode(&head(&[11 | 2 << 30, 0, 0, 7, 64 - 1])).unwrap().0;
        assert_eq!(rocr, thunk);
        assert_eq!(
            rocr,
            Packet::ConstFill {
                dst: 0,
                data: 7,
                unit: FillUnit::Dword,
                bytes: 64
            }
        );
    }

    #[test]
    fn user_hdp_flush_is_recognised() {
        assert_eq!(decode(&head(&[8, 0, 0x8000_0000])), Ok((Packet::HdpFlush, 6)));
    }

    #[test]
    fn rocr_signal_decrement_is_add64() {
        let (p, len) = decode(&head(&[10 | 47 << 25, 0x10, 0, !0, !0])).unwrap();
        assert_eq!(len, 8);
        let Packet::Atomic(a) = p else { panic!("{p:?}") };
        assert_eq!((a.op, a.width, a.src), (AtomicOp::Add, Width::W64, u64::MAX));
    }

    #[test]
    fn unknown_ops_name_themselves() {
        let e = decode(&head(&[7])).unwrap_err();
        assert!(e.to_string().contains("op 7"), "{e}");
        assert!(decode(&head(&[11 | 1 << 30]))
            .unwrap_err()
            .to_string()
            .contains("fillsize"));
    }

    proptest! {
        #[test]
        fn decoding_never_panics_and_heads_agree(words in proptest::array::uniform13(any::<u32>())) {
            if let Ok((_, len)) = decode(&words) {
                prop_assert!(len >= head_dwords(words[0]).unwrap() as u64);
            }
        }
    }
}
