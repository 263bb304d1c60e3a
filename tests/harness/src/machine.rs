// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The virtual machine: QEMU's command line.

use crate::accel;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a virtual GPU is plugged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Slots {
    /// A machine without visible root ports: the guest then believes what the card says about atomics on system
    /// memory, and they work, as on a host whose root ports route them
    Plain,
    /// A PCI Express root port: hot plug and error reporting, but QEMU's root ports refuse atomics
    RootPort,
}

impl Slots {
    fn machine(self) -> &'static str {
        match self {
            // not a PCI Express machine: QEMU passes the card's own capability on as it is
            Self::Plain => "pc,memory-backend=ram",
            Self::RootPort => "q35,memory-backend=ram",
        }
    }
}

/// A machine to start.
pub struct Machine<'a> {
    /// Kernel image.
    pub kernel: &'a Path,
    /// Initial file system.
    pub initramfs: &'a Path,
    /// Guest image (erofs), attached read-only.
    pub image: &'a Path,
    /// Guest memory, as QEMU takes it (for example `4G`).
    pub memory: &'a str,
    /// Sockets of the virtual GPUs.
    pub gpus: Vec<PathBuf>,
    /// Their control sockets, which the guest has as ports `vgpu0`, `vgpu1`, ...
    pub controls: Vec<PathBuf>,
    /// What they are plugged into.
    pub slots: Slots,
    /// Sockets of the guest's channels, port 1 first.
    pub ports: Vec<PathBuf>,
    /// A second image (erofs), attached read-only.
    pub suites: Option<&'a Path>,
    /// Host folder offered to the guest.
    pub share: Option<&'a Path>,
    /// File for the serial console.
    pub console: &'a Path,
    /// A terminal for the guest on QEMU's standard input and output.
    pub terminal: bool,
    /// Words added to the kernel's command line.
    pub kernel_args: &'a str,
}

/// Time QEMU waits for a virtual GPU's answer, ms. A busy host must not break the connection.
const ANSWER_TIMEOUT_MS: u32 = 60_000;

impl Machine<'_> {
    /// The command that runs this machine.
    pub fn command(&self) -> Command {
        // the machine must not outlive whoever started it
        let mut qemu = Command::new("setpriv");
        qemu.args(["--pdeathsig", "KILL", "qemu-system-x86_64"])
            .args(accel::qemu_args());
        qemu.args([
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
            "-no-reboot",
            "-smp",
            "2",
        ]);
        // the virtual GPU maps guest memory, so it must be shareable
        qemu.args(["-m", self.memory, "-machine", self.slots.machine()]);
        qemu.arg("-object").arg(format!(
            "memory-backend-memfd,id=ram,size={},share=on",
            self.memory
        ));
        qemu.arg("-kernel")
            .arg(self.kernel)
            .arg("-initrd")
            .arg(self.initramfs);
        qemu.arg("-append").arg(format!(
            "console=ttyS0 loglevel=4 panic=-1 oops=panic no_timer_check random.trust_cpu=on {}",
            self.kernel_args
        ));
        qemu.arg("-serial")
            .arg(format!("file:{}", self.console.display()));
        let image = self.image.display();
        qemu.arg("-drive").arg(format!(
            "if=none,id=image,format=raw,readonly=on,file.locking=off,file={image}"
        ));
        qemu.args(["-device", "virtio-blk-pci,drive=image"]);
        if let Some(image) = self.suites {
            qemu.arg("-drive").arg(format!(
                "if=none,id=suites,format=raw,readonly=on,file.locking=off,file={}",
                image.display()
            ));
            qemu.args(["-device", "virtio-blk-pci,drive=suites"]);
        }
        qemu.args(["-device", "virtio-rng-pci"]);

        qemu.args(["-device", "virtio-serial-pci,id=channels"]);
        if self.terminal {
            qemu.args(["-chardev", "stdio,id=terminal,signal=off"]);
            qemu.args(["-device", "virtconsole,bus=channels.0,nr=0,chardev=terminal"]);
        }
        for (port, socket) in (1..).zip(&self.ports) {
            qemu.arg("-chardev")
                .arg(format!("socket,id=port{port},path={}", socket.display()));
            qemu.arg("-device").arg(format!(
                "virtserialport,bus=channels.0,nr={port},chardev=port{port}"
            ));
        }
        for (index, control) in self.controls.iter().enumerate() {
            let port = self.ports.len() + 1 + index;
            qemu.arg("-chardev")
                .arg(format!("socket,id=control{index},path={}", control.display()));
            qemu.arg("-device").arg(format!(
                "virtserialport,bus=channels.0,nr={port},chardev=control{index},name=vgpu{index}"
            ));
        }
        if let Some(dir) = self.share {
            let dir = dir.display().to_string().replace(',', ",,");
            qemu.arg("-fsdev")
                .arg(format!("local,id=share,security_model=none,path={dir}"));
            qemu.args(["-device", "virtio-9p-pci,fsdev=share,mount_tag=share"]);
        }
        for (index, socket) in self.gpus.iter().enumerate() {
            let bus = match self.slots {
                Slots::Plain => "pci.0".to_owned(),
                Slots::RootPort => {
                    let slot = index + 4;
                    qemu.arg("-device").arg(format!(
                        "pcie-root-port,id=port{index},bus=pcie.0,chassis={slot},slot={slot},addr={slot:#x}"
                    ));
                    format!("port{index}")
                }
            };
            // vfio-user-pci takes its socket only in JSON form
            let device = serde_json::json!({
                "driver": "vfio-user-pci",
                "id": format!("gpu{index}"),
                "bus": bus,
                "x-msg-timeout": ANSWER_TIMEOUT_MS,
                "socket": { "type": "unix", "path": socket },
            });
            qemu.arg("-device").arg(device.to_string());
        }
        qemu
    }
}
