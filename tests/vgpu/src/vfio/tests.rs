// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The protocol over a socket pair, with a small client: what QEMU does, and what it never would.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{spawn, JoinHandle};

use proptest::prelude::*;
use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
use rustix::io::Errno;

use super::socket::{receive, send};
use super::wire::{command, flag, Header, Writer, HEADER, MAX_DATA};
use super::{serve, Ended};
use crate::device::Gpu;
use crate::mem::PhysAddr;
use crate::pci::{Function, Identity, IrqMode};
use crate::testing::{TestCard, RAM, VRAM};

struct Client {
    stream: UnixStream,
    next: u16,
    server: Option<JoinHandle<Ended>>,
    gpu: Arc<Gpu>,
}

impl Client {
    fn new() -> Self {
        let gpu = TestCard::new().gpu.clone();
        let (stream, theirs) = UnixStream::pair().unwrap();
        let f = Function::new(gpu.clone(), Identity::default(), IrqMode::MsiX);
        let server = Some(spawn(move || serve(&theirs, &f)));
        Self {
            stream,
            next: 0,
            server,
            gpu,
        }
    }

    fn send(&mut self, command: u16, flags: u32, body: &[u8], fd: Option<&OwnedFd>) -> u16 {
        self.next += 1;
        let h = Header {
            id: self.next,
            command,
            size: 0,
            flags,
            error: 0,
        };
        send(&self.stream, &h.message(flags, 0, body), fd.map(|f| f.as_fd())).unwrap();
        self.next
    }

    /// A request and its reply: the body, or the errno.
    fn ask(
        &mut self,
        command: u16,
        body: &[u8],
        fd: Option<&OwnedFd>,
    ) -> Result<(Vec<u8>, Vec<OwnedFd>), i32> {
        let id = self.send(command, 0, body, fd);
        let m = receive(self.stream.as_fd()).unwrap().expect("the server closed");
        assert_eq!(
            (m.header.id, m.header.command, m.header.flags & flag::TYPE),
            (id, command, flag::REPLY)
        );
        match m.header.flags & flag::ERROR {
            0 => Ok((m.body, m.fds)),
            _ => Err(m.header.error as i32),
        }
    }

    fn read(&mut self, region: u32, offset: u64, count: u32) -> Result<Vec<u8>, i32> {
        let body = Writer::default().u64(offset).u32(region).u32(count).0;
        self.ask(command::REGION_READ, &body, None)
            .map(|(b, _)| b[16..].to_vec())
    }

    fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), i32> {
        let body = Writer::default()
            .u64(offset)
            .u32(region)
            .u32(data.len() as u32)
            .bytes(data)
            .0;
        self.ask(command::REGION_WRITE, &body, None).map(|_| ())
    }

    fn map(&mut self, addr: u64, len: u64, flags: u32, fd: Option<&OwnedFd>) -> Result<(), i32> {
        let body = Writer::default().u32(32).u32(flags).u64(0).u64(addr).u64(len).0;
        self.ask(command::DMA_MAP, &body, fd).map(|_| ())
    }

    fn unmap(&mut self, addr: u64, len: u64, flags: u32) -> Result<(), i32> {
        let body = Writer::default().u32(24).u32(flags).u64(addr).u64(len).0;
        self.ask(command::DMA_UNMAP, &body, None).map(|_| ())
    }

    /// Closes the connection and says how the server's side ended.
    fn finish(mut self) -> Ended {
        self.stream.shutdown(std::net::Shutdown::Both).unwrap();
        self.server
            .take()
            .unwrap()
            .join()
            .expect("the server must not panic")
    }
}

fn memfd(len: u64) -> OwnedFd {
    let fd = memfd_create("guest", MemfdFlags::CLOEXEC).unwrap();
    ftruncate(&fd, len).unwrap();
    fd
}

#[test]
fn negotiation() {
    let mut c = Client::new();
    let body = Writer::default()
        .u16(0)
        .u16(1)
        .bytes(b"{\"capabilities\":{\"max_msg_fds\":8}}\0")
        .0;
    let (reply, _) = c.ask(command::VERSION, &body, None).unwrap();
    let text = std::str::from_utf8(&reply[4..reply.len() - 1]).unwrap();
    let caps: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(caps["capabilities"]["max_data_xfer_size"], MAX_DATA as u64);
    assert_eq!(reply.last(), Some(&0));
    for bad in [&[1u8, 0, 0, 0][..], &[0, 0], b"\0\0\0\0{}", b"\0\0\0\0{\0"] {
        assert_eq!(
            c.ask(command::VERSION, bad, None).unwrap_err(),
            Errno::INVAL.raw_os_error()
        );
    }
}

#[test]
fn regions_and_interrupts_are_described() {
    let mut c = Client::new();
    let (b, _) = c
        .ask(
            command::DEVICE_GET_INFO,
            &Writer::default().u32(16).u32(0).u64(0).0,
            None,
        )
        .unwrap();
    assert_eq!(b, Writer::default().u32(16).u32(3).u32(9).u32(5).0);
    let ask = |c: &mut Client, index| {
        let body = Writer::default().u32(32).u32(0).u32(index).u32(0).u64(0).u64(0).0;
        c.ask(command::DEVICE_GET_REGION_INFO, &body, None)
    };
    let (b, fds) = ask(&mut c, 0).unwrap();
    assert_eq!(
        b,
        Writer::default().u32(32).u32(7).u32(0).u32(0).u64(VRAM).u64(0).0
    );
    assert_eq!(fds.len(), 1);
    let (b, fds) = ask(&mut c, 2).unwrap();
    assert_eq!((b[4], fds.len()), (3, 0));
    assert_eq!(ask(&mut c, 9).unwrap_err(), Errno::INVAL.raw_os_error());
    let body = Writer::default().u32(16).u32(0).u32(2).u32(0).0;
    let (b, _) = c.ask(command::DEVICE_GET_IRQ_INFO, &body, None).unwrap();
    assert_eq!(b, Writer::default().u32(16).u32(9).u32(2).u32(1).0);
}

#[test]
fn accesses_reach_the_card() {
    let mut c = Client::new();
    assert_eq!(c.read(7, 0, 4).unwrap(), [0x02, 0x10, 0x0f, 0x74]);
    assert_eq!(c.read(5, 0x378c, 4).unwrap(), ((VRAM >> 20) as u32).to_le_bytes());
    assert_eq!(c.read(6, 0, 2).unwrap(), [0x55, 0xaa]);
    c.write(5, 0x3780, &[1, 0, 0, 0]).unwrap();
    assert_eq!(c.read(5, 0x3780, 4).unwrap(), [1, 0, 0, 0]);
    c.ask(command::DEVICE_RESET, &[], None).unwrap();
    assert_eq!(c.read(5, 0x3780, 4).unwrap(), [0; 4]);
    assert!(matches!(c.finish(), Ended::Closed));
}

#[test]
fn wrong_accesses_get_their_errno() {
    let mut c = Client::new();
    let (inval, perm) = (Errno::INVAL.raw_os_error(), Errno::PERM.raw_os_error());
    assert_eq!(c.read(5, 512 << 10, 4), Err(inval));
    assert_eq!(c.read(5, u64::MAX, 4), Err(inval));
    assert_eq!(c.read(0, 0, MAX_DATA as u32 + 1), Err(inval));
    assert_eq!(c.read(1, 0, 1), Err(inval));
    assert_eq!(c.write(6, 0, &[0]), Err(perm));
    // count and data do not agree
    let body = Writer::default().u64(0).u32(5).u32(8).bytes(&[0; 4]).0;
    assert_eq!(c.ask(command::REGION_WRITE, &body, None).unwrap_err(), inval);
    assert_eq!(c.ask(command::REGION_READ, &[0; 15], None).unwrap_err(), inval);
    // commands that are not supported: the body is consumed, the stream goes on
    for command in [0, 6, 14, 15, 16, 99] {
        assert_eq!(
            c.ask(command, &[7; 40], None).unwrap_err(),
            Errno::OPNOTSUPP.raw_os_error()
        );
    }
    assert_eq!(c.read(7, 0, 2).unwrap(), [0x02, 0x10]);
}

#[test]
fn guest_memory_comes_and_goes_by_range() {
    let mut c = Client::new();
    let base = 1 << 32;
    let fd = memfd(0x4000);
    c.map(base, 0x4000, 3, Some(&fd)).unwrap();
    let at = |off| PhysAddr::system(base + off);
    c.gpu.mem.write(at(0x1ffe), &[1, 2, 3, 4]).unwrap();
    let mut b = [0; 4];
    rustix::io::pread(&fd, &mut b, 0x1ffe).unwrap();
    assert_eq!(b, [1, 2, 3, 4]);
    assert_eq!(
        c.map(base + 0x3000, 0x2000, 3, Some(&fd)),
        Err(Errno::EXIST.raw_os_error())
    );
    // the middle goes, the ends stay
    c.unmap(base + 0x1000, 0x2000, 0).unwrap();
    assert!(c.gpu.mem.read(at(0x1000), &mut b).is_err());
    assert!(c.gpu.mem.read(at(0xffc), &mut b).is_ok() && c.gpu.mem.read(at(0x3000), &mut b).is_ok());
    // unmapping what is not mapped is no error
    c.unmap(base + 0x1000, 0x2000, 0).unwrap();
    assert_eq!(c.unmap(base, 0, 0), Err(Errno::INVAL.raw_os_error()));
    assert_eq!(c.unmap(base, 0x1000, 1), Err(Errno::INVAL.raw_os_error()));
    c.unmap(0, 0, 2).unwrap();
    assert!(c.gpu.mem.read(PhysAddr::system(RAM - 4), &mut b).is_err());
    // a file that is too short would fault later
    assert_eq!(
        c.map(base, 0x8000, 3, Some(&fd)),
        Err(Errno::INVAL.raw_os_error())
    );
    assert_eq!(
        c.map(base, 0x1000, 0, Some(&fd)),
        Err(Errno::INVAL.raw_os_error())
    );
    c.map(base, 0x1000, 1, Some(&fd)).unwrap();
    assert!(c.gpu.mem.write(at(0), &[0]).is_err());
}

#[test]
fn memory_without_a_file_is_reached_by_messages() {
    let mut c = Client::new();
    let base = 1u64 << 40;
    c.map(base, 1 << 20, 3, None).unwrap();
    let gpu = c.gpu.clone();
    let engine = spawn(move || {
        let mut b = vec![0; 100_000];
        gpu.mem.read(PhysAddr::system(base + 16), &mut b).unwrap();
        gpu.mem.write(PhysAddr::system(base), &[9; 8]).unwrap();
        let refused = gpu.mem.write(PhysAddr::system(base + 64), &[1]);
        (b, refused)
    });
    let next = |c: &Client| receive(c.stream.as_fd()).unwrap().unwrap();
    // reads come in pieces of at most 64 KiB
    let m = next(&c);
    assert_eq!(
        (m.header.command, &m.body),
        (command::DMA_READ, &Writer::default().u64(base + 16).u64(65536).0)
    );
    // the guest's accesses go on meanwhile
    assert_eq!(c.read(7, 0, 1).unwrap(), [0x02]);
    let body = Writer(m.body).bytes(&[1; 65536]).0;
    send(&c.stream, &m.header.message(flag::REPLY, 0, &body), None).unwrap();
    let m = next(&c);
    let body = Writer(m.body).bytes(&[2; 100_000 - 65536]).0;
    send(&c.stream, &m.header.message(flag::REPLY, 0, &body), None).unwrap();
    let m = next(&c);
    assert_eq!(
        (m.header.command, &m.body[16..]),
        (command::DMA_WRITE, &[9u8; 8][..])
    );
    send(&c.stream, &m.header.message(flag::REPLY, 0, &m.body[..16]), None).unwrap();
    let m = next(&c);
    send(
        &c.stream,
        &m.header.message(flag::REPLY | flag::ERROR, 5, &[]),
        None,
    )
    .unwrap();
    let (b, refused) = engine.join().unwrap();
    assert!(b[..65536].iter().all(|v| *v == 1) && b[65536..].iter().all(|v| *v == 2));
    assert!(refused.unwrap_err().to_string().contains("errno 5"));
}

#[test]
fn a_client_that_leaves_takes_everything_along() {
    let mut c = Client::new();
    c.write(5, 0x3780, &[1, 0, 0, 0]).unwrap();
    let gpu = c.gpu.clone();
    c.map(1 << 40, 4096, 3, None).unwrap();
    let engine = {
        let gpu = gpu.clone();
        spawn(move || gpu.mem.read(PhysAddr::system(1 << 40), &mut [0; 8]))
    };
    receive(c.stream.as_fd()).unwrap().unwrap();
    assert!(matches!(c.finish(), Ended::Closed));
    assert!(engine.join().unwrap().is_err());
    assert_eq!(gpu.reg_read("CPU", 0x3780), 0);
    assert!(gpu.mem.read(PhysAddr::system(0), &mut [0; 8]).is_err());
}

#[test]
fn impossible_messages_end_the_connection() {
    for size in [0u32, 15, 1 << 30] {
        let mut c = Client::new();
        let mut m = Header {
            id: 1,
            command: 1,
            size: 0,
            flags: 0,
            error: 0,
        }
        .message(0, 0, &[]);
        m[4..8].copy_from_slice(&size.to_le_bytes());
        c.stream.write_all(&m).unwrap();
        let mut rest = Vec::new();
        c.stream.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty());
        assert!(matches!(c.finish(), Ended::Broken(_)));
    }
    let mut c = Client::new();
    c.stream.write_all(&[1; HEADER - 3]).unwrap();
    assert!(matches!(c.finish(), Ended::Broken(_)));
}

#[test]
fn too_many_descriptors_are_refused_and_closed() {
    let c = Client::new();
    let fd = memfd(4096);
    let fds = [fd.as_fd(); 40];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(40))];
    let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
    assert!(control.push(rustix::net::SendAncillaryMessage::ScmRights(&fds)));
    let m = Header {
        id: 7,
        command: command::DMA_MAP,
        size: 0,
        flags: 0,
        error: 0,
    }
    .message(0, 0, &[0; 32]);
    let iov = [std::io::IoSlice::new(&m)];
    rustix::net::sendmsg(&c.stream, &iov, &mut control, rustix::net::SendFlags::empty()).unwrap();
    let reply = receive(c.stream.as_fd()).unwrap().unwrap();
    assert_eq!(
        (reply.header.id, reply.header.error as i32),
        (7, Errno::INVAL.raw_os_error())
    );
}

#[test]
fn messages_that_want_no_reply_get_none() {
    let mut c = Client::new();
    let body = Writer::default().u64(0x3780).u32(5).u32(4).u32(1).0;
    c.send(command::REGION_WRITE, flag::NO_REPLY, &body, None);
    assert_eq!(c.read(5, 0x3780, 4).unwrap(), [1, 0, 0, 0]);
}

/// A message as a fuzzer makes it: mostly well-formed, with any command, flags and body.
fn message() -> impl Strategy<Value = (u16, u32, Vec<u8>)> {
    let word = prop_oneof![0u64..10, Just(0x6c), Just(1 << 32), any::<u64>()];
    let body = proptest::collection::vec(word.prop_map(|w| w.to_le_bytes()), 0..8).prop_map(|w| w.concat());
    (
        0u16..20,
        prop_oneof![Just(0u32), Just(1), any::<u32>()],
        (body, 0usize..64),
    )
        .prop_map(|(c, f, (mut b, cut))| {
            b.truncate(cut);
            (c, f, b)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever messages come, the server answers each or closes, and never panics or hangs.
    #[test]
    fn survives_any_messages(messages in proptest::collection::vec(message(), 1..40)) {
        let c = Client::new();
        let fd = memfd(4096);
        for (n, (command, flags, body)) in messages.into_iter().enumerate() {
            let h = Header { id: n as u16, command, size: 0, flags, error: 0 };
            let fd = (n % 3 == 0).then(|| fd.as_fd());
            if send(&c.stream, &h.message(flags, 0, &body), fd).is_err() {
                break;
            }
            if flags & (flag::TYPE | flag::NO_REPLY) == 0 {
                match receive(c.stream.as_fd()) {
                    Ok(Some(m)) => prop_assert_eq!((m.header.id, m.header.flags & flag::TYPE), (n as u16, flag::REPLY)),
                    _ => break,
                }
            }
        }
        c.finish();
    }

    /// Whatever bytes come, the server does not panic or hang.
    #[test]
    fn survives_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut c = Client::new();
        let _ = c.stream.write_all(&bytes);
        c.finish();
    }
}
