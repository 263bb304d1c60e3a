// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls on device nodes, with right and with wrong arguments.

use crate::errno::Errno;
use crate::record;
use crate::refusal::paced_request;
use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::ioctl::{encode, Dir};
use amdgpu_uapi::kfd;
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;

/// An open device node.
pub struct Node(File);

impl Node {
    /// Opens a node for reading and writing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Errno> {
        Ok(Self(OpenOptions::new().read(true).write(true).open(path)?))
    }

    /// Opens `/dev/kfd`.
    pub fn kfd() -> Result<Self, Errno> {
        Self::open("/dev/kfd")
    }

    /// The same open file under another descriptor.
    pub fn try_clone(&self) -> Result<Self, Errno> {
        Ok(Self(self.0.try_clone()?))
    }

    /// A request with its proper argument, which the kernel may change.
    pub fn call<T: Abi>(&self, request: u32, argument: &mut T) -> Result<(), Errno> {
        record::request(request, argument.as_bytes_mut(), |address| {
            self.ioctl(request, address)
        })
    }

    /// A KFD request with an argument of any size, as another version of the runtime might pass it.
    pub fn call_sized(&self, nr: u8, argument: &mut [u8]) -> Result<(), Errno> {
        let request = encode(Dir::ReadWrite, kfd::IOCTL_BASE, nr, argument.len());
        record::request(request, argument, |address| self.ioctl(request, address))
    }

    /// A request with an argument at any address, also one that is not mapped.
    pub fn call_at(&self, request: u32, address: usize) -> Result<(), Errno> {
        let result = self.ioctl(request, address);
        record::request_at(request, address, result);
        result
    }

    fn ioctl(&self, request: u32, address: usize) -> Result<(), Errno> {
        // SAFETY: the kernel checks the address; what it may write is at most the size in the request, which callers
        // with a live argument take from its type.
        let call = || match unsafe { libc::ioctl(self.0.as_raw_fd(), request.into(), address) } {
            0.. => Ok(()),
            _ => Err(Errno::last()),
        };
        paced_request(request, call)
    }

    /// The file descriptor.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
