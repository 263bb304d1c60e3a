// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The control socket: JSON lines in, JSON lines out.
//!
//! | Request | Answer |
//! |---|---|
//! | `{"cmd":"status"}` | violations and counters, see [`status`](crate::status) |
//! | `{"cmd":"counters"}` | the counters alone |
//! | `{"cmd":"page-tables"}` | tables and, by size, valid leaves of all processes that have a VMID |
//! | `{"cmd":"reset-counters"}` | `{"ok":true}` |
//! | `{"cmd":"inject","fault":"NAME,..."}` | a fault begins, see [`spec`](crate::inject::spec): `{"ok":true}` |
//! | `{"cmd":"faults"}` | the faults that are armed, and how often each acted: `[{"fault":"NAME,...","acted":N}]` |
//! | `{"cmd":"heal"}` | all faults end; answers like `faults` |
//! | `{"cmd":"aer","uncorrectable":BITS,"correctable":BITS}` | sets error status bits in configuration space |
//! | `{"cmd":"quit"}` | `{"ok":true}`, then the program ends |
//!
//! Anything else is answered with `{"error":"..."}`.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::thread;

use serde::Deserialize;
use serde_json::{json, Value};

use crate::model::gmc::Census;
use crate::pci::Function;
use crate::report::Report;
use crate::status;

/// Longest request line.
const MAX_LINE: u64 = 4096;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "cmd", rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    Status,
    Counters,
    PageTables,
    ResetCounters,
    Inject { fault: String },
    Faults,
    Heal,
    Aer { uncorrectable: u32, correctable: u32 },
    Quit,
}

/// What requests act on.
pub struct Control {
    /// Counters and violations.
    pub report: Arc<Report>,
    /// The card in its slot.
    pub function: Arc<Function>,
    /// Ends the program.
    pub quit: Box<dyn Fn() + Send + Sync>,
}

impl Control {
    /// Serves clients, each by a thread of its own, for as long as the program runs.
    pub fn serve(self: &Arc<Self>, listener: &UnixListener) -> io::Result<()> {
        loop {
            let (stream, _) = listener.accept()?;
            let control = self.clone();
            let client = move || {
                if let Err(e) = control.client(&stream) {
                    tracing::debug!("control client: {e}");
                }
            };
            thread::Builder::new()
                .name("control client".into())
                .spawn(client)?;
        }
    }

    fn client(&self, mut stream: &UnixStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = String::new();
            let limited = &mut io::Read::take(&mut reader, MAX_LINE);
            if limited.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let (answer, quit) = self.answer(&line);
            writeln!(stream, "{answer}")?;
            if quit {
                (self.quit)();
            }
        }
    }

    fn answer(&self, line: &str) -> (Value, bool) {
        let done = json!({ "ok": true });
        let request = match serde_json::from_str(line) {
            Ok(r) => r,
            Err(e) => return (json!({ "error": e.to_string() }), false),
        };
        match request {
            Request::Status => return (status::of(&self.report), false),
            Request::Counters => return (json!(self.report.status().counters), false),
            Request::PageTables => return (page_tables(&self.function.gpu().gmc.census()), false),
            Request::ResetCounters => self.report.reset_counters(),
            Request::Inject { fault } => match fault.parse() {
                Ok(spec) => self.function.gpu().inject.arm(spec),
                Err(e) => return (json!({ "error": e }), false),
            },
            Request::Faults => return (json!(self.function.gpu().inject.status()), false),
            Request::Heal => return (json!(self.function.gpu().inject.heal()), false),
            Request::Aer {
                uncorrectable,
                correctable,
            } => self.function.raise_errors(uncorrectable, correctable),
            Request::Quit => return (done, true),
        }
        (done, false)
    }
}

/// `tables`, and `leaf_BYTES` for each size.
fn page_tables(census: &Census) -> Value {
    let leaves = census
        .leaves
        .iter()
        .map(|(shift, n)| (format!("leaf_{}", 1u64 << shift), json!(n)));
    let tables = ("tables".to_owned(), json!(census.tables));
    leaves.chain([tables]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pci::{Identity, IrqMode};
    use crate::testing::TestCard;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn requests_are_answered_line_by_line() {
        let gpu = TestCard::new().gpu.clone();
        let function = Arc::new(Function::new(gpu.clone(), Identity::default(), IrqMode::Msi));
        let ended = Arc::new(AtomicBool::new(false));
        let e = ended.clone();
        let quit = Box::new(move || e.store(true, Ordering::SeqCst));
        let control = Control {
            report: gpu.report.clone(),
            function,
            quit,
        };
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || control.client(&theirs));
        let mut reader = BufReader::new(&ours);
        let mut ask = |request: &str| -> Value {
            writeln!(&ours, "{request}").unwrap();
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            serde_json::from_str(&line).unwrap()
        };
        gpu.reg_read("CPU", 0x378c);
        assert!(
            ask(r#"{"cmd":"status"}"#)["counters"]["reg_read"]
                .as_u64()
                .unwrap()
                > 0
        );
        assert_eq!(ask(r#"{"cmd":"reset-counters"}"#)["ok"], true);
        assert_eq!(ask(r#"{"cmd":"counters"}"#)["reg_read"], 0);
        assert_eq!(ask(r#"{"cmd":"inject","fault":"msi-lost,times=2"}"#)["ok"], true);
        let armed = json!([{ "fault": "msi-lost,times=2", "acted": 0 }]);
        assert_eq!(ask(r#"{"cmd":"faults"}"#), armed);
        assert_eq!(ask(r#"{"cmd":"heal"}"#), armed);
        assert_eq!(ask(r#"{"cmd":"faults"}"#), json!([]));
        assert_eq!(
            ask(r#"{"cmd":"aer","uncorrectable":4096,"correctable":0}"#)["ok"],
            true
        );
        assert_eq!(ask(r#"{"cmd":"page-tables"}"#), json!({ "tables": 0 }));
        for bad in [
            "",
            "{}",
            r#"{"cmd":"dance"}"#,
            r#"{"cmd":"inject","fault":"dance"}"#,
            r#"{"cmd":"aer"}"#,
            "[1",
        ] {
            assert!(ask(bad)["error"].is_string(), "{bad}");
        }
        assert!(!ended.load(Ordering::SeqCst));
        assert_eq!(ask(r#"{"cmd":"quit"}"#)["ok"], true);
        ours.shutdown(std::net::Shutdown::Both).unwrap();
        server.join().unwrap().unwrap();
        assert!(ended.load(Ordering::SeqCst));
    }
}
