// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every row of the instruction tables has a model here, or a reason why there is nothing to compare.

use std::collections::{BTreeMap, BTreeSet};
use vgpu_isa::table::TABLES;

/// Instructions without values, and why.
pub(crate) const WITHOUT_VALUES: &[(&str, &str)] = &[
    ("s_nop", WAIT),
    ("s_waitcnt", WAIT),
    ("s_setprio", "a hint to the scheduler"),
    ("s_wakeup", "ends a sleep, which ends by itself here"),
    ("s_incperflevel", TRACE),
    ("s_decperflevel", TRACE),
    ("s_ttracedata", TRACE),
    ("v_nop", WAIT),
    ("ds_nop", WAIT),
    ("v_clrexcp", "clears exception flags, which are not recorded"),
    ("s_dcache_inv", CACHE),
    ("s_dcache_wb", CACHE),
    ("s_dcache_inv_vol", CACHE),
    ("s_dcache_wb_vol", CACHE),
    ("s_dcache_discard", CACHE),
    ("s_dcache_discard_x2", CACHE),
    ("s_atc_probe", CACHE),
    ("s_atc_probe_buffer", CACHE),
    ("wbl2", CACHE),
    ("invl2", CACHE),
    ("wbinvl1", CACHE),
    ("wbinvl1_vol", CACHE),
];

const WAIT: &str = "takes time, which is not modelled";
const TRACE: &str = "feeds performance counters or traces, which do not exist";
const CACHE: &str = "moves data between caches, which do not exist: memory is always current";

/// Instructions that are refused by name, and why.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    (
        "s_setkill",
        "lets a debugger's command end the wave; there is no such command",
    ),
    ("s_endpgm_ordered_ps_done", "ends pixel shaders that run in order"),
    ("ds_gws_sema_release_all", GWS),
    ("ds_gws_init", GWS),
    ("ds_gws_sema_v", GWS),
    ("ds_gws_sema_br", GWS),
    ("ds_gws_sema_p", GWS),
    ("ds_gws_barrier", GWS),
];

const GWS: &str =
    "global wave sync, which a queue must be granted (AMDKFD_IOC_ALLOC_QUEUE_GWS); the virtual GPU has none";

/// The names that the rooms really run: each iterates over the same list.
fn rooms() -> [(&'static str, BTreeSet<&'static str>); 7] {
    [
        ("vector", super::vector::names()),
        ("scalar", super::scalar::names()),
        ("program", super::program::names()),
        ("memory", super::memory::names()),
        ("format", super::format::names()),
        ("atomic", super::atomic::names()),
        ("matrix", super::matrix::names()),
    ]
}

/// What is done about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is executed and compared with a model.
    Compared,
    /// It is executed; there is no value to compare.
    Empty,
    /// It is refused.
    Refused,
}

/// What is done about each instruction, by its name in the tables.
pub(crate) fn states() -> BTreeMap<&'static str, State> {
    let mut states = BTreeMap::new();
    for (_, names) in rooms() {
        states.extend(names.into_iter().map(|name| (name, State::Compared)));
    }
    for (list, state) in [(WITHOUT_VALUES, State::Empty), (REFUSED, State::Refused)] {
        for (name, _) in list {
            let before = states.insert(*name, state);
            assert_eq!(before, None, "{name} is compared and excused");
        }
    }
    states
}

#[test]
fn every_instruction_has_a_model() {
    let states = states();
    let rows: BTreeSet<&str> = TABLES
        .iter()
        .flat_map(|(_, rows)| rows.iter().map(|op| op.name))
        .collect();
    let missing: Vec<_> = rows.iter().filter(|name| !states.contains_key(*name)).collect();
    assert!(missing.is_empty(), "{} without model: {missing:?}", missing.len());
    let unknown: Vec<_> = states.keys().filter(|name| !rows.contains(*name)).collect();
    assert!(unknown.is_empty(), "models of nothing: {unknown:?}");
}
