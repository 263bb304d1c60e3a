// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report as JSON, for the status file and the control socket.

use serde_json::{json, Value};

use crate::report::{Report, Status};

/// `violations`: a line for each text kept; `kinds`: exact numbers; `counters`; `clean`: whether there was no violation.
pub fn of(report: &Report) -> Value {
    let Status {
        violations,
        kinds,
        counters,
    } = report.status();
    let lines: Vec<String> = kinds
        .iter()
        .flat_map(|(kind, k)| {
            let more = k.count.saturating_sub(k.first.len() as u64);
            let rest = (more > 0).then(|| format!("{kind}: {more} more"));
            k.first
                .iter()
                .map(move |text| format!("{kind}: {text}"))
                .chain(rest)
        })
        .collect();
    let numbers: Value = kinds
        .iter()
        .map(|(kind, k)| (kind.to_string(), json!(k.count)))
        .collect();
    json!({ "clean": violations == 0, "violations": lines, "kinds": numbers, "counters": counters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_violation_is_a_line_or_in_the_rest() {
        let r = Report::default();
        assert_eq!(of(&r)["clean"], true);
        for i in 0..40 {
            r.violation("unknown-register", format!("{i}"));
        }
        r.count("msi", 3);
        let v = of(&r);
        assert_eq!(v["clean"], false);
        assert_eq!(v["violations"].as_array().unwrap().len(), 33);
        assert_eq!(v["violations"][32], "unknown-register: 8 more");
        assert_eq!(
            (&v["kinds"]["unknown-register"], &v["counters"]["msi"]),
            (&json!(40), &json!(3))
        );
    }
}
