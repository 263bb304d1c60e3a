// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Triggers, scopes, and that every fault by name does something.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event::{Event, Point, Verdict};
use super::{faults, Inject, Spec};
use crate::model::ih::IrqSink;
use crate::testing::TestCard;

fn armed(text: &str) -> Arc<Inject> {
    let inject = Arc::new(Inject::default());
    inject.arm(text.parse().unwrap());
    inject
}

fn packet(unit: &'static str, what: &'static str) -> Event {
    Event::new(Point::Packet, unit, what)
}

#[test]
fn faults_are_spelled_out() {
    for fault in faults::all() {
        assert!(fault.name.parse::<Spec>().is_ok(), "{}", fault.name);
        assert_eq!(faults::all().filter(|f| f.name == fault.name).count(), 1);
    }
    for bad in [
        "",
        "dance",
        "gone,",
        "gone,at=doorbell",
        "gone,at=doorbell:0",
        "gone,at=sleep:1",
        "gone,times=0",
        "gone,ms=-1",
        "gone,while=raining",
        "gone,vmid=x",
        "gone,loud=1",
    ] {
        assert!(bad.parse::<Spec>().is_err(), "{bad}");
    }
}

#[test]
fn without_a_fault_all_is_well() {
    let inject = Inject::default();
    assert_eq!(inject.at(packet("SDMA0", "FENCE")), Verdict::Go);
    assert_eq!(inject.heal(), []);
}

#[test]
fn a_trigger_counts_and_a_fault_ends() {
    let inject = armed("sdma-fence-lost,at=packet:2,times=2");
    let verdicts = [(); 4].map(|()| inject.at(packet("SDMA3", "FENCE")));
    assert_eq!(verdicts, [Verdict::Go, Verdict::Lose, Verdict::Lose, Verdict::Go]);
    assert_eq!(inject.heal()[0].acted, 2);
    assert_eq!(inject.at(packet("SDMA3", "FENCE")), Verdict::Go);
}

#[test]
fn a_scope_leaves_others_alone() {
    let inject = armed("sdma-fence-lost,unit=SDMA1,vmid=3");
    for (event, verdict) in [
        (packet("SDMA1", "FENCE").of(3), Verdict::Lose),
        (packet("SDMA1", "FENCE"), Verdict::Go),
        (packet("SDMA2", "FENCE").of(3), Verdict::Go),
        (packet("SDMA1", "TRAP").of(3), Verdict::Go),
        (packet("KIQ", "FENCE").of(3), Verdict::Go),
    ] {
        assert_eq!(inject.at(event), verdict, "{event:?}");
    }
}

#[test]
fn a_condition_switches_it_on_and_off() {
    let inject = armed("registers-ones,while=queues");
    let read = Event::new(Point::RegisterRead, "CPU", "");
    assert_eq!(inject.at(read), Verdict::Go);
    inject.set_queues(true);
    assert_eq!(inject.at(read), Verdict::Garble);
    inject.set_queues(false);
    assert_eq!(inject.at(read), Verdict::Go);
}

#[test]
fn what_is_late_comes_in_the_end() {
    let inject = armed("sdma-fence-silent,ms=30,times=1");
    let start = Instant::now();
    while inject.at(packet("SDMA0", "FENCE")) != Verdict::Go {
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    assert!(start.elapsed() >= Duration::from_millis(30));
    // once only
    assert_eq!(inject.at(packet("SDMA0", "FENCE")), Verdict::Go);
    assert_eq!(inject.heal()[0].acted, 1);
}

#[test]
fn messages_are_lost_and_repeated() {
    struct Count(AtomicU64);
    impl IrqSink for Count {
        fn signal(&self, _: u32) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            true
        }
    }
    let count = Arc::new(Count(AtomicU64::new(0)));
    let inject = armed("msi-lost,times=1");
    let sink = inject.irq_sink(count.clone());
    sink.signal(0);
    assert_eq!(count.0.load(Ordering::Relaxed), 0);
    inject.arm("msi-twice,times=1".parse().unwrap());
    sink.signal(0);
    sink.signal(0);
    assert_eq!(count.0.load(Ordering::Relaxed), 3);
}

#[test]
fn a_card_that_is_gone_is_deaf_and_dumb() {
    let card = TestCard::new();
    let read = || {
        let mut b = [0; 4];
        card.gpu.bar5_read(0x378c, &mut b);
        u32::from_le_bytes(b)
    };
    let size = read();
    card.gpu.inject.arm("gone,at=reg-read:2".parse().unwrap());
    assert_eq!((read(), read()), (size, u32::MAX));
    card.gpu.bar5_write(0x3780, &1u32.to_le_bytes());
    card.gpu.bar2_write(0, &[0; 8]);
    card.gpu.inject.heal();
    assert_eq!((read(), card.read(0x3780)), (size, 0));
    card.assert_clean();
}

#[test]
fn an_action_happens_as_often_as_asked() {
    let card = TestCard::new();
    card.gpu.inject.arm("ecc-cp,times=3".parse().unwrap());
    let deadline = Instant::now() + Duration::from_secs(20);
    let sent = || card.gpu.report.status().counters.get("iv").copied();
    while sent() != Some(3) {
        assert!(Instant::now() < deadline, "{:?}", sent());
        std::thread::sleep(Duration::from_millis(1));
    }
}
