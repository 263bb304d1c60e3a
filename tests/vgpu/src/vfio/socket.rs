// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole messages with file descriptors over a stream socket.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

use super::wire::{Header, HEADER, MAX_FDS};

/// A message as received.
pub(crate) struct Message {
    pub(crate) header: Header,
    pub(crate) body: Vec<u8>,
    pub(crate) fds: Vec<OwnedFd>,
    /// More file descriptors came than a message may have; the others are closed.
    pub(crate) too_many_fds: bool,
}

/// Receives one message; `None` at the end of the stream. A header whose size no message can have is an error: what
/// follows it cannot be told from the next message.
pub(crate) fn receive(socket: BorrowedFd<'_>) -> io::Result<Option<Message>> {
    let mut fds = Vec::new();
    let mut too_many_fds = false;
    let mut header = [0; HEADER];
    match fill(socket, &mut header, &mut fds, &mut too_many_fds)? {
        0 => return Ok(None),
        HEADER => {}
        _ => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    let header = Header::decode(&header);
    let len = header.body_len().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("message of {} bytes", header.size),
        )
    })?;
    let mut body = vec![0; len];
    if fill(socket, &mut body, &mut fds, &mut too_many_fds)? != len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(Message {
        header,
        body,
        fds,
        too_many_fds,
    }))
}

/// Reads until `buf` is full or the stream ends; returns the bytes read.
fn fill(
    socket: BorrowedFd<'_>,
    buf: &mut [u8],
    fds: &mut Vec<OwnedFd>,
    too_many: &mut bool,
) -> io::Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let Some(rest) = buf.get_mut(done..) else { break };
        let got = match recvmsg(
            socket,
            &mut [IoSliceMut::new(rest)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        ) {
            Err(rustix::io::Errno::INTR) => continue,
            got => got?,
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                fds.extend(received);
            }
        }
        *too_many |= got.flags.contains(ReturnFlags::CTRUNC) || fds.len() > MAX_FDS;
        fds.truncate(MAX_FDS);
        if got.bytes == 0 {
            break;
        }
        done += got.bytes;
    }
    Ok(done)
}

/// Sends one message whole, with at most one file descriptor.
pub(crate) fn send(socket: impl AsFd, message: &[u8], fd: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut sent = 0;
    let fd: Option<[BorrowedFd<'_>; 1]> = fd.map(|fd| [fd]);
    while let Some(rest) = message.get(sent..).filter(|r| !r.is_empty()) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        // descriptors travel with the first byte
        if let Some(fds) = fd.as_ref().filter(|_| sent == 0) {
            control.push(SendAncillaryMessage::ScmRights(fds));
        }
        match sendmsg(&socket, &[IoSlice::new(rest)], &mut control, SendFlags::NOSIGNAL) {
            Ok(n) => sent += n,
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
