// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the PCIe link says of itself on the system management network: width, speed, and two event counters.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::regs::{extract, name_in, place};
use crate::report::{Counter, Report};

crate::registers! {
    /// Width of the link.
    PCIE_LC_LINK_WIDTH_CNTL = 0x11140288;
    /// Speed of the link.
    PCIE_LC_SPEED_CNTL = 0x11140290;
    /// Speeds beyond the standard; 0: not in use.
    PCIE_ESM_CTRL = 0x111003d0;
    /// Starts, stops and clears all event counters.
    PCIE_PERF_COUNT_CNTL = 0x11180200;
    /// Which events are counted, and the upper bits of the counts.
    PCIE_PERF_CNTL_TXCLK3 = 0x1118021c;
    /// Count of the first event.
    PCIE_PERF_COUNT0_TXCLK3 = 0x11180220;
    /// Count of the second event.
    PCIE_PERF_COUNT1_TXCLK3 = 0x11180224;
}

crate::fields! {
    LINK_WIDTH_RD = PCIE_LC_LINK_WIDTH_CNTL.LC_LINK_WIDTH_RD[6:4];
    CURRENT_DATA_RATE = PCIE_LC_SPEED_CNTL.LC_CURRENT_DATA_RATE[7:5];
    /// The counters count.
    COUNT_EN = PCIE_PERF_COUNT_CNTL.GLOBAL_COUNT_EN[0:0];
    /// What they have counted can be read from now on.
    SHADOW_WR = PCIE_PERF_COUNT_CNTL.GLOBAL_SHADOW_WR[1:1];
    /// They begin anew.
    COUNT_RESET = PCIE_PERF_COUNT_CNTL.GLOBAL_COUNT_RESET[2:2];
    EVENT0_SEL = PCIE_PERF_CNTL_TXCLK3.EVENT0_SEL[7:0];
    EVENT1_SEL = PCIE_PERF_CNTL_TXCLK3.EVENT1_SEL[15:8];
    COUNTER0_UPPER = PCIE_PERF_CNTL_TXCLK3.COUNTER0_UPPER[23:16];
    COUNTER1_UPPER = PCIE_PERF_CNTL_TXCLK3.COUNTER1_UPPER[31:24];
}

/// 16 lanes, and 16 GT/s, as the capability in configuration space has them (kernel smu_v13_0.c: link_width, link_speed).
const X16: u32 = 6;
const GEN4: u32 = 3;

/// Requests received, and posted requests sent (kernel soc15.c: vega20_get_pcie_usage).
const RECEIVED: u32 = 40;
const POSTED: u32 = 108;
/// Bytes in a posted request: the payload that every bus allows.
const PAYLOAD: u64 = 128;

/// The link.
pub(super) struct Link {
    accesses: [Counter; 3],
    written: Counter,
    report: Arc<Report>,
    counting: Mutex<Counting>,
}

/// The two counters.
#[derive(Default)]
struct Counting {
    /// Numbers of the events.
    events: [u32; 2],
    /// What the model's own counters said when counting began.
    begin: [u64; 2],
    /// What the device shows.
    shown: [u64; 2],
}

impl Link {
    pub(super) fn new(report: Arc<Report>) -> Self {
        Self {
            accesses: ["reg_read", "reg_write", "doorbell"].map(|name| report.counter(name)),
            written: report.counter("dma_write_bytes"),
            report,
            counting: Mutex::default(),
        }
    }

    /// How often an event has happened since the card exists.
    fn count(&self, event: u32) -> u64 {
        match event {
            // none is chosen after a reset
            0 => 0,
            RECEIVED => self.accesses.iter().map(Counter::get).sum(),
            POSTED => self.written.get().div_ceil(PAYLOAD),
            _ => {
                self.report.unknown("pcie-event", format!("event {event}"));
                0
            }
        }
    }

    pub(super) fn read(&self, off: u32) -> Option<u32> {
        let c = self.counting.lock();
        let upper = |n: u64| (n >> 32) as u32;
        Some(match off {
            PCIE_LC_LINK_WIDTH_CNTL => place(X16, LINK_WIDTH_RD),
            PCIE_LC_SPEED_CNTL => place(GEN4, CURRENT_DATA_RATE),
            PCIE_ESM_CTRL | PCIE_PERF_COUNT_CNTL => 0,
            PCIE_PERF_CNTL_TXCLK3 => {
                place(c.events[0], EVENT0_SEL)
                    | place(c.events[1], EVENT1_SEL)
                    | place(upper(c.shown[0]), COUNTER0_UPPER)
                    | place(upper(c.shown[1]), COUNTER1_UPPER)
            }
            PCIE_PERF_COUNT0_TXCLK3 => c.shown[0] as u32,
            PCIE_PERF_COUNT1_TXCLK3 => c.shown[1] as u32,
            _ => return None,
        })
    }

    pub(super) fn write(&self, off: u32, value: u32) -> bool {
        let mut c = self.counting.lock();
        match off {
            PCIE_PERF_CNTL_TXCLK3 => c.events = [extract(value, EVENT0_SEL), extract(value, EVENT1_SEL)],
            PCIE_PERF_COUNT_CNTL => {
                let now = c.events.map(|event| self.count(event));
                if value & (COUNT_EN | COUNT_RESET) != 0 {
                    c.begin = now;
                }
                if value & SHADOW_WR != 0 {
                    c.shown = [0, 1].map(|n| now[n].saturating_sub(c.begin[n]));
                }
            }
            _ if name_in(NAMES, off).is_some() => {
                self.report
                    .violation("read-only-register", format!("{off:#x} = {value:#x}"));
            }
            _ => return false,
        }
        true
    }

    pub(super) fn name(&self, off: u32) -> Option<&'static str> {
        name_in(NAMES, off)
    }

    pub(super) fn reset(&self) {
        *self.counting.lock() = Counting::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    #[test]
    fn it_says_how_wide_and_fast_it_is() {
        let card = TestCard::new();
        assert_eq!(extract(card.read(PCIE_LC_LINK_WIDTH_CNTL), LINK_WIDTH_RD), 6);
        assert_eq!(extract(card.read(PCIE_LC_SPEED_CNTL), CURRENT_DATA_RATE), 3);
        assert_eq!(card.read(PCIE_ESM_CTRL), 0);
        card.assert_clean();
        card.write(PCIE_LC_SPEED_CNTL, 0);
        assert_eq!(card.gpu.report.violations_of("read-only-register"), 1);
    }

    #[test]
    fn it_counts_what_comes_and_what_goes() {
        let card = TestCard::new();
        card.write(PCIE_PERF_CNTL_TXCLK3, RECEIVED | POSTED << 8);
        card.write(PCIE_PERF_COUNT_CNTL, COUNT_EN | COUNT_RESET);
        for _ in 0..5 {
            card.read(PCIE_ESM_CTRL);
        }
        card.gpu.report.counter("dma_write_bytes").add(3 * PAYLOAD);
        card.write(PCIE_PERF_COUNT_CNTL, SHADOW_WR);
        // the last write is one of those that came
        assert_eq!(card.read(PCIE_PERF_COUNT0_TXCLK3), 6);
        assert_eq!(card.read(PCIE_PERF_COUNT1_TXCLK3), 3);
        assert_eq!(card.read(PCIE_PERF_CNTL_TXCLK3), RECEIVED | POSTED << 8);
        card.gpu.reset();
        assert_eq!(card.read(PCIE_PERF_COUNT0_TXCLK3), 0);
        card.assert_clean();
        card.write(PCIE_PERF_CNTL_TXCLK3, 1);
        card.write(PCIE_PERF_COUNT_CNTL, COUNT_EN);
        assert_eq!(card.gpu.report.violations_of("pcie-event"), 1);
    }
}
