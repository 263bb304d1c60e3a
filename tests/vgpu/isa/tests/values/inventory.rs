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

/// Instructions that are refused, and what the reason must contain.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    ("s_cbranch_join", "s_cbranch_join"),
    ("s_cbranch_i_fork", "s_cbranch_i_fork"),
    ("s_cbranch_g_fork", "s_cbranch_g_fork"),
    ("s_setkill", "s_setkill"),
    ("s_endpgm_ordered_ps_done", "s_endpgm_ordered_ps_done"),
    ("s_scratch_load_dword", "s_scratch_load_dword"),
    ("s_scratch_load_dwordx2", "s_scratch_load_dwordx2"),
    ("s_scratch_load_dwordx4", "s_scratch_load_dwordx4"),
    ("s_scratch_store_dword", "s_scratch_store_dword"),
    ("s_scratch_store_dwordx2", "s_scratch_store_dwordx2"),
    ("s_scratch_store_dwordx4", "s_scratch_store_dwordx4"),
    ("ds_gws_sema_release_all", "ds_gws_sema_release_all"),
    ("ds_gws_init", "ds_gws_init"),
    ("ds_gws_sema_v", "ds_gws_sema_v"),
    ("ds_gws_sema_br", "ds_gws_sema_br"),
    ("ds_gws_sema_p", "ds_gws_sema_p"),
    ("ds_gws_barrier", "ds_gws_barrier"),
    ("load_format_x", "load_format_x"),
    ("load_format_xy", "load_format_xy"),
    ("load_format_xyz", "load_format_xyz"),
    ("load_format_xyzw", "load_format_xyzw"),
    ("store_format_x", "store_format_x"),
    ("store_format_xy", "store_format_xy"),
    ("store_format_xyz", "store_format_xyz"),
    ("store_format_xyzw", "store_format_xyzw"),
    ("load_format_d16_x", "load_format_d16_x"),
    ("load_format_d16_xy", "load_format_d16_xy"),
    ("load_format_d16_xyz", "load_format_d16_xyz"),
    ("load_format_d16_xyzw", "load_format_d16_xyzw"),
    ("store_format_d16_x", "store_format_d16_x"),
    ("store_format_d16_xy", "store_format_d16_xy"),
    ("store_format_d16_xyz", "store_format_d16_xyz"),
    ("store_format_d16_xyzw", "store_format_d16_xyzw"),
    ("load_format_d16_hi_x", "load_format_d16_hi_x"),
    ("store_format_d16_hi_x", "store_format_d16_hi_x"),
];

/// The names that the rooms really run: each iterates over the same list.
fn rooms() -> [(&'static str, BTreeSet<&'static str>); 6] {
    [
        ("vector", super::vector::names()),
        ("scalar", super::scalar::names()),
        ("program", super::program::names()),
        ("memory", super::memory::names()),
        ("atomic", super::atomic::names()),
        ("matrix", super::matrix::names()),
    ]
}

/// Run with `--nocapture` for the coverage of each encoding.
#[test]
fn every_instruction_has_a_model() {
    let rooms = rooms();
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (room, names) in &rooms {
        for name in names {
            lists.entry(name).or_default().push(room);
        }
    }
    for (name, _) in WITHOUT_VALUES.iter().chain(REFUSED) {
        lists.entry(name).or_default().push("nothing");
    }
    let (mut missing, mut known) = (Vec::new(), BTreeSet::new());
    for (enc, rows) in TABLES {
        let (mut compared, mut refused, mut empty) = (0, 0, 0);
        for op in rows {
            known.insert(op.name);
            match lists.get(op.name).map(Vec::as_slice) {
                None => missing.push(op.name),
                Some(["nothing"]) if REFUSED.iter().any(|(n, _)| *n == op.name) => refused += 1,
                Some(["nothing"]) => empty += 1,
                Some(rooms) => {
                    assert!(!rooms.contains(&"nothing"), "{} is compared and excused", op.name);
                    compared += 1;
                }
            }
        }
        println!(
            "{:6} {:4} instructions: {compared:4} compared, {empty:2} without values, {refused:2} refused by name",
            format!("{enc:?}"),
            rows.len()
        );
    }
    assert!(missing.is_empty(), "{} without model: {missing:?}", missing.len());
    let unknown: Vec<_> = lists.keys().filter(|name| !known.contains(*name)).collect();
    assert!(unknown.is_empty(), "models of nothing: {unknown:?}");
}
