// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device offers to the protocol, and how requests reach it.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;

use super::info;
use super::socket::Message;
use super::wire::{command, Reader, Writer, MAX_DATA};
use crate::mem::MessageDma;

/// A region: what is behind it and how it may be accessed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region<'a> {
    /// Bytes; 0 if the region does not exist.
    pub size: u64,
    /// Reads allowed.
    pub read: bool,
    /// Writes allowed.
    pub write: bool,
    /// A file that the client maps instead of sending messages.
    pub file: Option<BorrowedFd<'a>>,
}

/// An interrupt index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IrqInfo {
    /// VFIO_IRQ_INFO_* flags.
    pub flags: u32,
    /// Vectors; 0 if the index does not exist.
    pub count: u32,
}

/// VFIO_IRQ_INFO_EVENTFD.
pub const IRQ_EVENTFD: u32 = 1;
/// VFIO_IRQ_INFO_NORESIZE.
pub const IRQ_NORESIZE: u32 = 8;

/// What is to happen to interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqAction {
    /// Hold them back.
    Mask,
    /// Let them pass.
    Unmask,
    /// Connect them to event descriptors, or raise them.
    Trigger,
}

/// A VFIO_USER_DEVICE_SET_IRQS request.
#[derive(Debug)]
pub struct SetIrqs<'a> {
    /// Interrupt index (0 INTx, 1 MSI, 2 MSI-X, 3 error, 4 request).
    pub index: u32,
    /// First vector.
    pub start: u32,
    /// Vectors; 0 with [`IrqAction::Trigger`] and no data: disconnect all.
    pub count: u32,
    /// What to do.
    pub action: IrqAction,
    /// One byte per vector, if the request came with them: act on those that are not 0.
    pub bools: Option<&'a [u8]>,
    /// One descriptor per vector, if the request came with them; missing ones disconnect.
    pub fds: Option<Vec<Option<OwnedFd>>>,
}

/// A PCI device behind the protocol. Methods run on the protocol thread and must answer at once: the guest's vCPU, and
/// with it the whole machine, waits.
pub trait Device: Send + Sync {
    /// A region by VFIO index.
    fn region(&self, index: u32) -> Region<'_>;
    /// An interrupt index.
    fn irq(&self, index: u32) -> IrqInfo;
    /// Reads a region; the range is inside it.
    fn read(&self, region: u32, offset: u64, buf: &mut [u8]) -> Result<(), Errno>;
    /// Writes a region; the range is inside it.
    fn write(&self, region: u32, offset: u64, data: &[u8]) -> Result<(), Errno>;
    /// Guest memory becomes reachable; without a file, by messages only.
    fn dma_map(&self, addr: u64, len: u64, file: Option<(OwnedFd, u64)>, writable: bool)
        -> Result<(), Errno>;
    /// Guest memory is no longer reachable; `None`: all of it. Returns when no access is under way.
    fn dma_unmap(&self, range: Option<(u64, u64)>) -> Result<(), Errno>;
    /// Changes interrupts.
    fn set_irqs(&self, request: SetIrqs<'_>) -> Result<(), Errno>;
    /// Back to the power-on state.
    fn reset(&self) -> Result<(), Errno>;
    /// A client is there; `messages` reaches guest memory that was mapped without a file.
    fn connected(&self, messages: Arc<dyn MessageDma>);
    /// The client is gone, and all it gave.
    fn disconnected(&self);
}

/// A reply: its body, and a descriptor to go with it.
#[derive(Default)]
pub(crate) struct Reply<'a> {
    pub(crate) body: Vec<u8>,
    pub(crate) fd: Option<BorrowedFd<'a>>,
}

impl From<Writer> for Reply<'_> {
    fn from(w: Writer) -> Self {
        Self { body: w.0, fd: None }
    }
}

/// Has the device handle a request. The message was read whole, whatever becomes of it.
pub(crate) fn handle(device: &dyn Device, m: Message) -> Result<Reply<'_>, Errno> {
    if m.too_many_fds {
        return Err(Errno::INVAL);
    }
    let mut r = Reader(&m.body);
    match m.header.command {
        command::VERSION => info::version(r),
        command::DEVICE_GET_INFO => info::device(r),
        command::DEVICE_GET_REGION_INFO => info::region(device, r),
        command::DEVICE_GET_IRQ_INFO => info::irq(device, r),
        command::DEVICE_SET_IRQS => info::set_irqs(device, r, m.fds),
        command::DMA_MAP => dma_map(device, r, m.fds),
        command::DMA_UNMAP => dma_unmap(device, r),
        command::REGION_READ => {
            let (offset, region, count) = (r.u64()?, r.u32()?, r.u32()?);
            r.rest(0)?;
            let len = inside(device, region, offset, count, |r| r.read)?;
            let w = Writer::default().u64(offset).u32(region).u32(count);
            let mut body = w.0;
            let start = body.len();
            body.resize(start + len, 0);
            let (_, data) = body.split_at_mut(start);
            device.read(region, offset, data)?;
            Ok(Reply { body, fd: None })
        }
        command::REGION_WRITE => {
            let (offset, region, count) = (r.u64()?, r.u32()?, r.u32()?);
            let len = inside(device, region, offset, count, |r| r.write)?;
            device.write(region, offset, r.rest(len)?)?;
            Ok(Writer::default().u64(offset).u32(region).u32(count).into())
        }
        command::DEVICE_RESET => {
            r.rest(0)?;
            device.reset()?;
            Ok(Reply::default())
        }
        other => {
            tracing::debug!("command {other} is not supported");
            Err(Errno::OPNOTSUPP)
        }
    }
}

/// Checks that a range is inside a region that allows the access; its length.
fn inside(
    device: &dyn Device,
    region: u32,
    offset: u64,
    count: u32,
    allows: impl Fn(&Region<'_>) -> bool,
) -> Result<usize, Errno> {
    let r = device.region(region);
    let len = usize::try_from(count)
        .ok()
        .filter(|n| *n <= MAX_DATA)
        .ok_or(Errno::INVAL)?;
    let end = offset.checked_add(u64::from(count)).ok_or(Errno::INVAL)?;
    if end > r.size {
        return Err(Errno::INVAL);
    }
    allows(&r).then_some(len).ok_or(Errno::PERM)
}

fn dma_map<'a>(device: &dyn Device, mut r: Reader<'_>, mut fds: Vec<OwnedFd>) -> Result<Reply<'a>, Errno> {
    const READ: u32 = 1;
    const WRITE: u32 = 2;
    let (_argsz, flags, offset, addr, len) = (r.u32()?, r.u32()?, r.u64()?, r.u64()?, r.u64()?);
    r.rest(0)?;
    if fds.len() > 1 || flags & !(READ | WRITE) != 0 || flags & READ == 0 {
        return Err(Errno::INVAL);
    }
    device.dma_map(addr, len, fds.pop().map(|fd| (fd, offset)), flags & WRITE != 0)?;
    Ok(Reply::default())
}

fn dma_unmap<'a>(device: &dyn Device, mut r: Reader<'_>) -> Result<Reply<'a>, Errno> {
    const ALL: u32 = 1 << 1;
    let (argsz, flags, addr, len) = (r.u32()?, r.u32()?, r.u64()?, r.u64()?);
    r.rest(0)?;
    let range = match (flags, addr, len) {
        (0, addr, len) => Some((addr, len)),
        (ALL, 0, 0) => None,
        _ => return Err(Errno::INVAL),
    };
    device.dma_unmap(range)?;
    Ok(Writer::default().u32(argsz).u32(flags).u64(addr).u64(len).into())
}
