// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Declarations that AMD's headers lack. One that they have after all, or that nobody declares, is an error.

use std::collections::BTreeSet;

/// What is excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// A register: its offset is not compared.
    Register(&'static str),
    /// A member of several registers that are not numbered: there is no register.
    Member(&'static str, u32),
    /// A field of a register.
    Field(&'static str, &'static str),
}

/// A register whose offset is not in the headers; block and register whose fields it has; where the offset is from.
const REGISTERS: &[(&str, &str, &str, &str)] = &[
    (
        "BIF_SDMA2_DOORBELL_RANGE",
        "NBIO",
        "BIF_SDMA0_DOORBELL_RANGE",
        "computed by nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range",
    ),
    (
        "BIF_SDMA3_DOORBELL_RANGE",
        "NBIO",
        "BIF_SDMA0_DOORBELL_RANGE",
        "computed by nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range",
    ),
    (
        "BIF_SDMA4_DOORBELL_RANGE",
        "NBIO",
        "BIF_SDMA0_DOORBELL_RANGE",
        "computed by nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range",
    ),
];

/// A hole between registers that are declared as one array; why it is there.
const MEMBERS: &[(&str, u32, &str)] = &[(
    "CP_MQD_BASE_ADDR",
    16,
    "v9_structs.h: dword 144 of the descriptor is reserved",
)];

/// A register and a field of it that the headers lack or have otherwise; where it is from.
const FIELDS: &[(&str, &str, &str)] = &[
    (
        "TCP_CHAN_STEER_1",
        "value",
        "the header leaves out channel 11, which gfx_v9_4_2.c: golden_settings_gc_9_4_2_alde sets in bits 29:25",
    ),
    (
        "DF_GCM_AON0_DramMegaBaseAddress0",
        "intlvnumchan",
        "df_3_6_sh_mask.h: ALDEBARAN_DF_CS_UMC_AON0_DramBaseAddress0, by which df_v3_6.c reads it",
    ),
];

/// The exceptions, and which of them were met.
#[derive(Default)]
pub(crate) struct Exceptions {
    met: BTreeSet<Subject>,
}

impl Exceptions {
    /// Whether the declaration is excepted.
    pub(crate) fn covers(&mut self, subject: Subject) -> bool {
        let listed = match subject {
            Subject::Register(name) => REGISTERS.iter().any(|(register, ..)| *register == name),
            Subject::Member(name, n) => MEMBERS.iter().any(|(r, m, _)| (*r, *m) == (name, n)),
            Subject::Field(name, field) => FIELDS.iter().any(|(r, f, _)| (*r, *f) == (name, field)),
        };
        if listed {
            self.met.insert(subject);
        }
        listed
    }

    /// Block and register whose fields an excepted register has.
    pub(crate) fn fields_of(&mut self, name: &'static str) -> Option<(&'static str, &'static str)> {
        self.covers(Subject::Register(name));
        let listed = REGISTERS.iter().find(|(register, ..)| *register == name);
        listed.map(|(_, block, like, _)| (*block, *like))
    }

    /// An error for each exception that no declaration needs.
    pub(crate) fn unused(&self) -> Vec<String> {
        let registers = REGISTERS.iter().map(|(name, ..)| Subject::Register(name));
        let members = MEMBERS.iter().map(|(name, n, _)| Subject::Member(name, *n));
        let fields = FIELDS.iter().map(|(name, field, _)| Subject::Field(name, field));
        registers
            .chain(members)
            .chain(fields)
            .filter(|subject| !self.met.contains(subject))
            .map(|subject| format!("{subject:?}: an exception that nothing needs"))
            .collect()
    }
}
