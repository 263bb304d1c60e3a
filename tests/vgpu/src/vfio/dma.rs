// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DMA by messages to the client: the way to guest memory that was mapped without a file. Slow (80 us and more per
//! message), so only for what has no other way.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::io::Errno;

use super::socket::{self, Message};
use super::wire::{command, flag, Header, Reader, Writer};
use crate::mem::MessageDma;

/// QEMU does not continue a partial socket write; larger messages can stop it for good.
const MAX_CHUNK: usize = 64 << 10;
/// How long the client may take to answer.
const LIMIT: Duration = Duration::from_secs(10);
/// Our message ids, apart from the client's.
const FIRST_ID: u16 = 0x8000;

/// The sending half of a connection, shared by replies and DMA requests.
pub(crate) struct Link {
    stream: UnixStream,
    /// Held while a message is sent, so that messages do not mix.
    sending: Mutex<()>,
    pending: Mutex<Pending>,
    answered: Condvar,
    protocol_thread: ThreadId,
}

#[derive(Default)]
struct Pending {
    next: u16,
    /// Answers by id; `None` while the request is under way.
    answers: HashMap<u16, Option<Result<Vec<u8>, Errno>>>,
    closed: bool,
}

impl Link {
    /// For the current thread, which will receive the answers and must not ask for DMA itself.
    pub(crate) fn new(stream: UnixStream) -> Arc<Self> {
        Arc::new(Self {
            stream,
            sending: Mutex::new(()),
            pending: Mutex::default(),
            answered: Condvar::new(),
            protocol_thread: std::thread::current().id(),
        })
    }

    /// Sends a message whole.
    pub(crate) fn send(
        &self,
        message: &[u8],
        fd: Option<std::os::fd::BorrowedFd<'_>>,
    ) -> std::io::Result<()> {
        let _one_at_a_time = self.sending.lock();
        socket::send(&self.stream, message, fd)
    }

    /// Takes an answer from the client.
    pub(crate) fn answer(&self, m: Message) {
        let result = match m.header.flags & flag::ERROR {
            0 => Ok(m.body),
            _ => Err(Errno::from_raw_os_error(
                i32::try_from(m.header.error).unwrap_or(0).max(1),
            )),
        };
        let mut pending = self.pending.lock();
        match pending.answers.get_mut(&m.header.id) {
            Some(slot) => *slot = Some(result),
            None => tracing::warn!("answer to a request that nobody waits for: id {:#x}", m.header.id),
        }
        self.answered.notify_all();
    }

    /// Fails all requests under way and all to come.
    pub(crate) fn close(&self) {
        self.pending.lock().closed = true;
        self.cancel();
    }

    fn request(&self, command: u16, body: &[u8]) -> Result<Vec<u8>, Errno> {
        if std::thread::current().id() == self.protocol_thread {
            // the answer could never be received
            return Err(Errno::DEADLK);
        }
        let id = {
            let mut pending = self.pending.lock();
            let id = (0..=u16::MAX - FIRST_ID)
                .map(|n| FIRST_ID | pending.next.wrapping_add(n))
                .find(|id| !pending.answers.contains_key(id))
                .filter(|_| !pending.closed)
                .ok_or(Errno::NOTCONN)?;
            pending.next = id.wrapping_add(1);
            pending.answers.insert(id, None);
            id
        };
        let header = Header {
            id,
            command,
            size: 0,
            flags: 0,
            error: 0,
        };
        let sent = self.send(&header.message(0, 0, body), None);
        let deadline = Instant::now() + LIMIT;
        let mut pending = self.pending.lock();
        loop {
            match pending.answers.get(&id) {
                Some(Some(_)) => break,
                _ if sent.is_err() => break,
                _ => {}
            }
            if self.answered.wait_until(&mut pending, deadline).timed_out() {
                break;
            }
        }
        pending
            .answers
            .remove(&id)
            .flatten()
            .unwrap_or(Err(Errno::TIMEDOUT))
    }
}

/// Checks the head of an answer and returns its data.
fn data_of(body: &[u8], addr: u64, len: usize, with_data: bool) -> Result<&[u8], Errno> {
    let mut r = Reader(body);
    if r.u64()? != addr || r.u64()? != len as u64 {
        return Err(Errno::PROTO);
    }
    r.rest(if with_data { len } else { 0 }).map_err(|_| Errno::PROTO)
}

impl MessageDma for Link {
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), i32> {
        let mut at = addr;
        for chunk in buf.chunks_mut(MAX_CHUNK) {
            let body = Writer::default().u64(at).u64(chunk.len() as u64).0;
            let answer = self
                .request(command::DMA_READ, &body)
                .map_err(Errno::raw_os_error)?;
            chunk.copy_from_slice(data_of(&answer, at, chunk.len(), true).map_err(Errno::raw_os_error)?);
            at = at.wrapping_add(chunk.len() as u64);
        }
        Ok(())
    }

    fn write(&self, addr: u64, data: &[u8]) -> Result<(), i32> {
        let mut at = addr;
        for chunk in data.chunks(MAX_CHUNK) {
            let body = Writer::default().u64(at).u64(chunk.len() as u64).bytes(chunk).0;
            let answer = self
                .request(command::DMA_WRITE, &body)
                .map_err(Errno::raw_os_error)?;
            data_of(&answer, at, chunk.len(), false).map_err(Errno::raw_os_error)?;
            at = at.wrapping_add(chunk.len() as u64);
        }
        Ok(())
    }

    fn cancel(&self) {
        for slot in self.pending.lock().answers.values_mut().filter(|s| s.is_none()) {
            *slot = Some(Err(Errno::CANCELED));
        }
        self.answered.notify_all();
    }
}
