// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The protocol thread's loop over one connection.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use super::dispatch::{handle, Device, Reply};
use super::dma::Link;
use super::socket::receive;
use super::wire::{command, flag};

/// How a connection ended.
#[derive(Debug)]
pub enum Ended {
    /// The client closed it.
    Closed,
    /// It could not go on: an impossible message, or the socket failed.
    Broken(io::Error),
}

/// Serves one client until it leaves. Afterwards the device has nothing of the client's any more.
pub fn serve(stream: &UnixStream, device: &dyn Device) -> Ended {
    let link = match stream.try_clone() {
        Ok(s) => Link::new(s),
        Err(e) => return Ended::Broken(e),
    };
    device.connected(link.clone());
    let end = loop {
        let message = match receive(stream.as_fd()) {
            Ok(Some(m)) => m,
            Ok(None) => break Ended::Closed,
            Err(e) => break Ended::Broken(e),
        };
        let header = message.header;
        match header.flags & flag::TYPE {
            0 => {}
            flag::REPLY => {
                link.answer(message);
                continue;
            }
            other => break Ended::Broken(io::Error::other(format!("message of type {other}"))),
        }
        if header.command == command::DEVICE_RESET {
            tracing::info!("device reset by the platform");
        }
        let (flags, error, reply) = match handle(device, message) {
            Ok(reply) => (flag::REPLY, 0, reply),
            Err(e) => {
                tracing::debug!("command {} refused: {e}", header.command);
                (
                    flag::REPLY | flag::ERROR,
                    e.raw_os_error() as u32,
                    Reply::default(),
                )
            }
        };
        if header.flags & flag::NO_REPLY != 0 {
            continue;
        }
        if let Err(e) = link.send(&header.message(flags, error, &reply.body), reply.fd) {
            break Ended::Broken(e);
        }
    };
    link.close();
    device.disconnected();
    end
}
