// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names and blocks of registers by AMD's headers, which FERROCK_LINUX names.

use registers::{linux, Headers};
use trace_diff::names::{Names, Register};
use trace_diff::read::{read, Line};

/// The registers that the accesses of a trace are to, as "block name bank".
fn registers(headers: &Headers, trace: &str) -> Vec<String> {
    let mut names = Names::new(headers);
    let accesses = read(trace).unwrap().into_iter().filter_map(|line| match line {
        Line::Access(access) => Some(access),
        Line::Event(_) => None,
    });
    let named = accesses.filter_map(|access| names.register(&access));
    named
        .map(|Register { block, name, bank }| format!("{block} {name} {bank}").trim_end().to_owned())
        .collect()
}

#[test]
fn places_get_amds_names() {
    let headers = Headers::read(&linux());
    // members of families have their own numbers, and the hubs and the blocks of one table their own names
    assert_eq!(
        registers(
            &headers,
            "1 CPU W GMC VM_CONTEXT0_CNTL 0x0a20c - = 0x1\n\
             1 CPU W GMC VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 0x6b0b0 - = 0x1\n\
             1 CPU W DF, UMC THM_THERMAL_INT_ENA 0x59828 - = 0x1\n\
             1 CPU W GRBM SH_MEM_CONFIG 0x08c34 vmid3 = 0x1\n\
             1 CPU W NBIO HDP_FLUSH_REMAPPED 0x7f000 - = 0x1\n"
        ),
        [
            "GFXHUB VM_CONTEXT3_CNTL",
            "MMHUB VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32",
            "THM THM_THERMAL_INT_ENA",
            "GRBM SH_MEM_CONFIG vmid3",
            "NBIO HDP_FLUSH_REMAPPED",
        ]
    );
    // ports are named by their index, which may grow by itself; selects are no registers to compare
    assert_eq!(
        registers(
            &headers,
            "1 CPU W GRBM GC_CAC_IND_INDEX 0x0ca70 - = 0x143\n\
             1 CPU W GRBM GC_CAC_IND_DATA 0x0ca74 - = 0x1\n\
             1 CPU W GRBM GRBM_GFX_CNTL 0x08088 - = 0x1\n\
             1 CPU W RLC RLC_SRM_ARAM_ADDR 0x3b20c - = 0x10\n\
             1 CPU W RLC RLC_SRM_ARAM_DATA 0x3b210 - = 0x1\n\
             1 CPU W RLC RLC_SRM_ARAM_DATA 0x3b210 - = 0x1\n"
        ),
        [
            "GRBM GC_CAC_IND_DATA [0x143]",
            "RLC RLC_SRM_ARAM_DATA [0x10]",
            "RLC RLC_SRM_ARAM_DATA [0x11]",
        ]
    );
}
