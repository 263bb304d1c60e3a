// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A fault as it is asked for: `NAME[,KEY=VALUE]...`, the same text at boot and at run time.
//!
//! | Key | Trigger |
//! |---|---|
//! | `at=POINT:N` | from the N-th event of this kind on, counted from now; otherwise at once |
//! | `times=N` | that often; otherwise until it is healed (an action: once) |
//! | `ms=N` | what is held back comes N ms late; of an action: the pause between two times |
//! | `while=queues`, `while=no-queues` | only while queues of processes are mapped, or none |
//!
//! | Key | Scope |
//! |---|---|
//! | `unit=NAME` | only there (SDMA1, HIQ, MMHUB, ...) |
//! | `what=NAME` | only these packets or commands |
//! | `vmid=N`, `vmid=process` | only for this address space, only for those of processes |

use std::str::FromStr;
use std::time::Duration;

use super::event::{Event, Point, POINTS};
use super::faults::{self, Fault};

/// A condition of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum While {
    /// Queues of processes are mapped, or none is.
    Queues(bool),
}

/// A fault with its trigger and its scope.
#[derive(Clone, Debug)]
pub struct Spec {
    /// As it was written.
    pub text: String,
    pub(super) fault: &'static Fault,
    pub(super) at: Option<(Point, u64)>,
    pub(super) times: Option<u64>,
    pub(super) late: Option<Duration>,
    pub(super) condition: Option<While>,
    unit: Option<String>,
    what: Option<String>,
    vmid: Option<Vmid>,
}

/// Address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vmid {
    One(u8),
    Process,
}

impl Spec {
    /// Whether an event is in its scope.
    pub(super) fn covers(&self, event: &Event) -> bool {
        self.unit.as_ref().is_none_or(|unit| unit == event.unit)
            && self.what.as_ref().is_none_or(|what| what == event.what)
            && self.vmid.is_none_or(|vmid| match vmid {
                Vmid::One(vmid) => vmid == event.vmid,
                Vmid::Process => event.vmid != 0,
            })
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let fault = faults::named(name)
            .ok_or_else(|| format!("'{name}' is no fault; there are: {}", faults::names().join(" ")))?;
        let mut spec = Self {
            text: text.to_owned(),
            fault,
            at: None,
            times: None,
            late: None,
            condition: None,
            unit: None,
            what: None,
            vmid: None,
        };
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not KEY=VALUE"))?;
            match key {
                "at" => spec.at = Some(at(value)?),
                "times" => spec.times = Some(number(value)?),
                "ms" => spec.late = Some(Duration::from_millis(number(value)?)),
                "while" => {
                    spec.condition = Some(match value {
                        "queues" => While::Queues(true),
                        "no-queues" => While::Queues(false),
                        _ => return Err(format!("'{value}' is not queues or no-queues")),
                    })
                }
                "unit" => spec.unit = Some(value.to_owned()),
                "what" => spec.what = Some(value.to_owned()),
                "vmid" => {
                    spec.vmid = Some(match value {
                        "process" => Vmid::Process,
                        number => Vmid::One(number.parse().map_err(|_| format!("'{value}' is no VMID"))?),
                    });
                }
                _ => return Err(format!("'{key}' is not at, times, ms, while, unit, what or vmid")),
            }
        }
        Ok(spec)
    }
}

fn at(value: &str) -> Result<(Point, u64), String> {
    let (name, nth) = value
        .split_once(':')
        .ok_or_else(|| format!("'{value}' is not POINT:N"))?;
    let point = Point::named(name)
        .ok_or_else(|| format!("'{name}' is no kind of event; there are: {}", POINTS.join(" ")))?;
    Ok((point, number(nth)?))
}

/// A number from 1.
fn number(value: &str) -> Result<u64, String> {
    let number = value.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| format!("'{value}' is not a number from 1"))
}
