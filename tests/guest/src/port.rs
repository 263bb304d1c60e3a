// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine's ports that lead out of it: `vgpu0`, `vgpu1` to the virtual GPUs, `machine` to QEMU. Lines there and
//! back, of JSON.

use crate::errno::Errno;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// Where the machine's ports are described.
const PORTS: &str = "/sys/class/virtio-ports";

/// An open port. Nobody else can open it meanwhile.
pub struct Port {
    to: File,
    from: BufReader<File>,
}

impl Port {
    /// Opens the port with this name; `ENODEV` if there is none.
    pub fn open(name: &str) -> Result<Self, Errno> {
        let mut entries = fs::read_dir(PORTS)?.flatten();
        let named =
            |path: &Path| fs::read_to_string(path.join("name")).is_ok_and(|found| found.trim() == name);
        let port = entries
            .find(|entry| named(&entry.path()))
            .ok_or(Errno(libc::ENODEV))?;
        let device = Path::new("/dev").join(port.file_name());
        let to = File::options().read(true).write(true).open(device)?;
        let from = BufReader::new(to.try_clone()?);
        Ok(Self { to, from })
    }

    /// Sends a line.
    pub fn tell(&mut self, line: &str) -> Result<(), Errno> {
        Ok(writeln!(self.to, "{line}")?)
    }

    /// The next line that comes.
    pub fn hear(&mut self) -> Result<String, Errno> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Sends a line and yields the answer.
    pub fn ask(&mut self, line: &str) -> Result<String, Errno> {
        self.tell(line)?;
        self.hear()
    }

    /// A fault of the virtual GPU begins.
    #[track_caller]
    pub fn inject(&mut self, fault: &str) {
        let request = format!("{{\"cmd\":\"inject\",\"fault\":\"{fault}\"}}");
        assert_eq!(self.ask(&request).unwrap(), "{\"ok\":true}", "{fault}");
    }

    /// All faults of the virtual GPU end. Fails if one of them did nothing.
    #[track_caller]
    pub fn heal(&mut self) {
        let answer = self.heal_quietly();
        assert!(
            !answer.contains("\"acted\":0"),
            "a fault never happened: {answer}"
        );
    }

    /// All faults of the virtual GPU end, whether they have done something or not, which the answer says.
    #[track_caller]
    pub fn heal_quietly(&mut self) -> String {
        self.ask("{\"cmd\":\"heal\"}").unwrap()
    }
}
