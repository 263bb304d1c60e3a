// SPDX-License-Identifier: GPL-2.0
//! What an interrupt means to the driver.

use super::{Client, Fault, Iv};
use crate::bits::{extract, field};

/// Meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// End of a dispatch or a RELEASE_MEM of a compute queue; `event` as the packet or the signal gave it.
    CpEndOfPipe {
        /// Event id of the process, 0 for none.
        event: u32,
    },
    /// The KIQ wrote a fence with interrupt.
    KiqFence,
    /// A queue met a packet that the command processor does not know, or that is not allowed there.
    CpBadOpcode {
        /// Doorbell of the queue within the process's page (10 bits).
        doorbell: u32,
        /// Error code (16 bits).
        code: u32,
    },
    /// A queue touched a register it must not.
    CpPrivilegedRegister,
    /// A queue used an instruction it must not.
    CpPrivilegedInstruction,
    /// A doorbell rang for which no queue is mapped.
    CpUnattachedDoorbell,
    /// TRAP packet of an SDMA queue.
    SdmaTrap {
        /// Engine.
        engine: u8,
        /// 0 is the kernel's ring; user queues are counted from 1.
        ring: u8,
        /// 28 bits of the packet: an event id of the process.
        context: u32,
    },
    /// An SDMA engine reports an error.
    SdmaError {
        /// Engine.
        engine: u8,
        /// In words.
        what: &'static str,
    },
    /// A wave sent a message or met an error.
    Sq(SqMessage),
    /// A translation failed.
    PageFault(Fault),
    /// Entries arrived in IH ring 1 or 2.
    OtherRing {
        /// Which.
        ring: u8,
    },
    /// None of the above.
    Unknown,
}

impl Cause {
    pub(super) fn of(iv: &Iv) -> Self {
        if let Some(engine) = iv.client.sdma_engine() {
            return match iv.source {
                224 => Cause::SdmaTrap {
                    engine,
                    ring: iv.ring_id,
                    context: extract::<27, 0>(iv.data[0]),
                },
                220 => Cause::SdmaError {
                    engine,
                    what: "uncorrectable memory error",
                },
                242 => Cause::SdmaError {
                    engine,
                    what: "address outside the VM",
                },
                244 => Cause::SdmaError {
                    engine,
                    what: "invalid doorbell",
                },
                246 => Cause::SdmaError {
                    engine,
                    what: "poll timeout",
                },
                247 => Cause::SdmaError {
                    engine,
                    what: "register write refused",
                },
                _ => Cause::Unknown,
            };
        }
        match (iv.client, iv.source) {
            (Client::GRBM_CP, 178) => Cause::KiqFence,
            (Client::GRBM_CP, 181) => Cause::CpEndOfPipe { event: iv.data[0] },
            (Client::GRBM_CP, 183) => Cause::CpBadOpcode {
                doorbell: extract::<9, 0>(iv.data[0]),
                code: extract::<25, 10>(iv.data[0]),
            },
            (Client::GRBM_CP, 184) => Cause::CpPrivilegedRegister,
            (Client::GRBM_CP, 185) => Cause::CpPrivilegedInstruction,
            (Client::GRBM_CP, 200) => Cause::CpUnattachedDoorbell,
            (client, 239) if client == Client::GRBM_CP || client.is_shader_engine() => {
                Cause::Sq(SqMessage::decode(iv.data[0], iv.data[1]))
            }
            (Client::UTCL2 | Client::VMC, 0) => Cause::PageFault(Fault::of(iv)),
            (Client::IH, 0) => Cause::OtherRing { ring: iv.ring_id },
            _ => Cause::Unknown,
        }
    }
}

/// What the sequencer of a compute unit has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqMessage {
    /// Performance or trace housekeeping.
    Auto,
    /// `s_sendmsg MSG_INTERRUPT` of a wave of the process: an event.
    Wave {
        /// Low 24 bits of M0.
        data: u32,
    },
    /// The same by the trap handler: an exception of a queue.
    Trap {
        /// Doorbell of the queue within the process's page (10 bits).
        doorbell: u32,
        /// Exception code as the trap handler encodes it (9 bits).
        code: u32,
    },
    /// The hardware found an error in a wave.
    Error {
        /// 0 fatal memory error, 1 illegal instruction, 2 memory violation, 3 uncorrectable memory error.
        kind: u32,
    },
}

impl SqMessage {
    fn decode(word0: u32, word1: u32) -> Self {
        let data =
            field::<23, 16>(word1) | field::<15, 12>(extract::<31, 28>(word0)) | extract::<11, 0>(word0);
        match extract::<27, 26>(word0) {
            0 => SqMessage::Auto,
            1 if extract::<13, 13>(word0) == 1 => SqMessage::Trap {
                doorbell: extract::<9, 0>(data),
                code: extract::<18, 10>(data),
            },
            1 => SqMessage::Wave { data },
            _ => SqMessage::Error {
                kind: extract::<23, 20>(data),
            },
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_iv_cause))]
mod tests {
    use super::*;

    fn iv(client: u8, source: u8, ring: u8, data: [u32; 4]) -> Iv {
        let w0 = u32::from(client) | u32::from(source) << 8 | u32::from(ring) << 16;
        Iv::decode(&[w0, 0, 0, 0x8001, data[0], data[1], data[2], data[3]])
    }

    #[test]
    fn command_processor() {
        assert_eq!(
            iv(0x14, 181, 4, [77, 0, 0, 0]).cause(),
            Cause::CpEndOfPipe { event: 77 }
        );
        assert_eq!(
            iv(0x14, 183, 4, [0x1002, 0, 0, 0]).cause(),
            Cause::CpBadOpcode { doorbell: 2, code: 4 }
        );
        assert_eq!(iv(0x14, 99, 0, [0; 4]).cause(), Cause::Unknown);
    }

    #[test]
    fn sdma_engines_have_scattered_ids() {
        for (engine, client) in [8, 9, 1, 4, 5].into_iter().enumerate() {
            let cause = iv(client, 224, 2, [0xffff_fff1, 0, 0, 0]).cause();
            assert_eq!(
                cause,
                Cause::SdmaTrap {
                    engine: engine as u8,
                    ring: 2,
                    context: 0x0fff_fff1
                }
            );
        }
    }

    #[test]
    fn sequencer_messages() {
        // data 0x123456 is split over both words
        let wave = |flags: u32| iv(0x0a, 239, 0, [0x3000_0456 | flags, 0x12, 0, 0]).cause();
        assert_eq!(wave(1 << 26), Cause::Sq(SqMessage::Wave { data: 0x12_3456 }));
        assert_eq!(
            wave(1 << 26 | 1 << 13),
            Cause::Sq(SqMessage::Trap {
                doorbell: 0x56,
                code: 0x8d
            })
        );
        assert_eq!(wave(2 << 26), Cause::Sq(SqMessage::Error { kind: 1 }));
        assert_eq!(wave(0), Cause::Sq(SqMessage::Auto));
    }

    #[test]
    fn other_rings() {
        assert_eq!(iv(0, 0, 1, [0; 4]).cause(), Cause::OtherRing { ring: 1 });
    }
}
