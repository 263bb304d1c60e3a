// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::image::tests::image;
use super::*;
use crate::mem::PhysAddr;
use crate::testing::{TestCard, FB, GART};

/// Where things are in guest memory: images of up to 1 MiB, the ring, a command buffer, a fence, a shared buffer.
const IMAGE: u64 = 0x10_0000;
const RING: u64 = 0x20_0000;
const COMMAND: u64 = 0x20_1000;
const FENCE: u64 = 0x20_2000;
const SHARED: u64 = 0x20_3000;
/// Where the TMR is in VRAM.
const TMR: u64 = 0x20_0000;

struct Driver {
    card: TestCard,
    wptr: u32,
    fence: u32,
}

impl Driver {
    fn new(profile: Profile) -> Self {
        Self {
            card: TestCard::in_profile(profile),
            wptr: 0,
            fence: 0,
        }
    }

    fn load(&self, size: usize, version: u32) {
        self.card
            .gpu
            .mem
            .write(PhysAddr::system(IMAGE), &image(size, version))
            .unwrap();
    }

    fn boot(&self, command: u32) -> u32 {
        self.card
            .write(regs::MP0_SMN_C2PMSG_36, ((GART + IMAGE) >> 20) as u32);
        self.card.write(regs::MP0_SMN_C2PMSG_35, command);
        self.card.read(regs::MP0_SMN_C2PMSG_35)
    }

    fn start_os(&self) {
        for (command, size) in [(0x8_0000, 0xe30), (0x1_0000, 0x2_1890), (0x2_0000, 0x1_6480)] {
            self.load(size, 0x27_0087);
            assert_eq!(self.boot(command), READY);
        }
        while self.card.read(regs::MP0_SMN_C2PMSG_81) == 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    fn make_ring(&self) {
        assert_eq!(self.card.read(regs::MP0_SMN_C2PMSG_64), READY);
        self.card.write(regs::MP0_SMN_C2PMSG_69, (GART + RING) as u32);
        self.card
            .write(regs::MP0_SMN_C2PMSG_70, ((GART + RING) >> 32) as u32);
        self.card.write(regs::MP0_SMN_C2PMSG_71, 0x1000);
        self.card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
        assert_eq!(self.card.read(regs::MP0_SMN_C2PMSG_64), READY);
    }

    /// Sends a command; gives the words of its response.
    fn send(&mut self, id: u32, arguments: &[u32]) -> Vec<u32> {
        let mut command = vec![0; 256];
        command[2] = id;
        command[7..7 + arguments.len()].copy_from_slice(arguments);
        self.card.put_words(PhysAddr::system(COMMAND), &command);
        self.fence += 1;
        let (c, f) = (GART + COMMAND, GART + FENCE);
        let mut frame = vec![0; 16];
        frame[..6].copy_from_slice(&[
            c as u32,
            (c >> 32) as u32,
            0,
            f as u32,
            (f >> 32) as u32,
            self.fence,
        ]);
        self.card
            .put_words(PhysAddr::system(RING + u64::from(self.wptr) * 4), &frame);
        self.wptr = (self.wptr + 16) % 0x400;
        self.card.write(regs::MP0_SMN_C2PMSG_67, self.wptr);
        assert_eq!(self.card.get_words(PhysAddr::system(FENCE), 1), [self.fence]);
        self.card.get_words(PhysAddr::system(COMMAND + 864), 5)
    }

    fn load_fw(&mut self, size: u32, fw_type: u32) -> Vec<u32> {
        let at = GART + IMAGE;
        self.send(6, &[at as u32, (at >> 32) as u32, size, fw_type])
    }

    fn setup_tmr(&mut self, size: u32) -> Vec<u32> {
        let at = FB + TMR;
        self.send(5, &[at as u32, (at >> 32) as u32, size, 2, TMR as u32, 0])
    }

    fn violations(&self) -> u64 {
        self.card.gpu.report.violations_of("psp-protocol")
    }
}

#[test]
fn a_card_starts_as_the_kernel_starts_it() {
    let mut d = Driver::new(Profile::PowerOn);
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_81), 0);
    assert_eq!(d.card.read(0x03b1_0024), 0, "no system management yet");
    d.start_os();
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_58), 0x27_0087);
    d.make_ring();
    d.load(0x400, 1);
    assert_eq!(
        d.load_fw(0x400, 18)[0],
        0,
        "system management goes before the TMR"
    );
    assert_eq!(d.card.read(0x03b1_0024), 1);
    assert_eq!(d.setup_tmr(0x10_0000)[0], 0);
    assert_eq!(
        d.load_fw(0x400, 4)[..4],
        [0, 0, (FB + TMR) as u32, (FB >> 32) as u32]
    );
    assert_eq!(d.load_fw(0x400, 5)[2], (FB + TMR) as u32 + 0x1000);
    assert_eq!(d.load_fw(0x400, 67)[0], 0);
    let shared = GART + SHARED;
    let ta = [
        (GART + IMAGE) as u32,
        (GART >> 32) as u32,
        0x400,
        shared as u32,
        (shared >> 32) as u32,
        0x1000,
    ];
    let session = d.send(1, &ta)[1];
    assert_eq!(d.send(3, &[session, 1])[0], 0);
    assert_eq!(d.card.get_words(PhysAddr::system(SHARED), 4)[3], 1);
    assert_eq!(d.send(2, &[session])[0], 0);
    assert_eq!(d.send(7, &[])[0], 0);
    d.card.assert_clean();
    d.card.gpu.reset();
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_81), 0, "powered on again");
}

#[test]
fn the_sign_of_life_changes_only_after_a_first_look() {
    let d = Driver::new(Profile::PowerOn);
    for command in [0x8_0000, 0x1_0000, 0x2_0000] {
        d.load(0x400, 1);
        assert_eq!(d.boot(command), READY);
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_81), 0);
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_81), SOS_ALIVE);
}

#[test]
fn components_out_of_order_or_broken_are_refused() {
    let d = Driver::new(Profile::PowerOn);
    d.load(0x400, 1);
    assert_eq!(d.boot(0x2_0000), READY | 1, "no system driver");
    assert_eq!(d.boot(0x1_0000), READY | 1, "no key database");
    assert_eq!(d.boot(0x9_0000), READY | 1, "no such component");
    d.card.put_words(PhysAddr::system(IMAGE), &[0; 256]);
    assert_eq!(d.boot(0x8_0000), READY | 1, "not an image");
    d.card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
    assert_eq!(d.card.gpu.report.counter("psp_image_refused").get(), 1);
    assert_eq!(d.violations(), 4, "nobody makes rings yet");
}

#[test]
fn bad_commands_get_a_status_and_a_fence() {
    let mut d = Driver::new(Profile::PowerOn);
    d.start_os();
    d.make_ring();
    d.load(0x400, 1);
    assert_ne!(d.load_fw(0x400, 4)[0], 0, "no TMR");
    assert_ne!(d.setup_tmr(0x1001)[0], 0, "not whole pages");
    assert_eq!(d.setup_tmr(0x1000)[0], 0);
    assert_ne!(d.setup_tmr(0x1000)[0], 0, "there is one");
    assert_ne!(d.load_fw(0x3ff, 4)[0], 0, "a size that the image does not have");
    assert_ne!(d.load_fw(0x400, 13)[0], 0, "no video engine");
    assert_eq!(d.load_fw(0x400, 4)[0], 0);
    assert_ne!(d.load_fw(0x400, 5)[0], 0, "the TMR is full");
    assert_ne!(d.send(3, &[77, 1])[0], 0, "no such session");
    assert_eq!(d.violations(), 7);
    assert_ne!(d.send(0x4c, &[])[0], 0);
    assert_eq!(d.card.gpu.report.violations_of("psp-command"), 1);
}

#[test]
fn engines_do_not_run_without_firmware() {
    let d = Driver::new(Profile::PowerOn);
    // CP_MEC_CNTL, SDMA0_F32_CNTL, RLC_CNTL, a message for the SMU
    d.card.write(0x8234, 0);
    d.card.write(0x4980 + 0x2a * 4, 0);
    d.card.write(0x3b000, 1);
    assert_eq!(d.card.gpu.report.violations_of("firmware-missing"), 3);
    assert_eq!(d.card.read(0x3b000), 0);
    d.card.write(0x58a68, 0);
    d.card.write(0x58a08, 1);
    assert_eq!(d.card.read(0x58a68), 0);
    assert_eq!(d.card.gpu.report.violations_of("smu-protocol"), 1);
}

#[test]
fn a_ring_is_made_once_and_unmade() {
    let d = Driver::new(Profile::Running);
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_81), SOS_ALIVE);
    d.make_ring();
    d.card.assert_clean();
    d.card.write(regs::MP0_SMN_C2PMSG_64, 2 << 16);
    assert_eq!(d.card.read(regs::MP0_SMN_C2PMSG_64), READY | REFUSED);
    d.card.write(regs::MP0_SMN_C2PMSG_64, 3 << 16);
    d.make_ring();
    assert_eq!(d.violations(), 1);
}

#[test]
fn what_is_not_modelled_says_so() {
    let d = Driver::new(Profile::Running);
    d.card.write(regs::MP0_SMN_C2PMSG_67, 16);
    d.card.write(regs::MP0_SMN_C2PMSG_35, 0x10000);
    assert_eq!(d.violations(), 2);
    d.card.write(regs::MP0_SMN_C2PMSG_64, 9 << 16);
    assert_eq!(d.card.gpu.report.violations_of("psp-command"), 1);
}
