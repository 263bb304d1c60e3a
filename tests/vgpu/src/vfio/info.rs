// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Negotiation, and what the device consists of.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::dispatch::{Device, IrqAction, Reply, SetIrqs};
use super::wire::{Reader, Writer, MAX_DATA, MAX_FDS};

/// Region indices of a PCI device (VFIO_PCI_NUM_REGIONS).
pub(crate) const REGIONS: u32 = 9;
/// Interrupt indices of a PCI device (VFIO_PCI_NUM_IRQS).
pub(crate) const IRQS: u32 = 5;

/// VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI.
const DEVICE_FLAGS: u32 = 1 | 2;
/// Bytes of a region information without capabilities.
const REGION_INFO: u32 = 32;
/// VFIO_REGION_INFO_FLAG_READ, _WRITE, _MMAP.
const REGION_READ: u32 = 1;
const REGION_WRITE: u32 = 2;
const REGION_MMAP: u32 = 4;

/// Answers with what this side can do. The client's major version must be ours; its capabilities are JSON.
pub(crate) fn version<'a>(mut r: Reader<'_>) -> Result<Reply<'a>, Errno> {
    let (major, _minor) = (r.u16()?, r.u16()?);
    if major != 0 {
        return Err(Errno::INVAL);
    }
    if !r.0.is_empty() {
        let text = std::ffi::CStr::from_bytes_with_nul(r.0).map_err(|_| Errno::INVAL)?;
        serde_json::from_slice::<serde_json::Value>(text.to_bytes()).map_err(|_| Errno::INVAL)?;
    }
    let ours = serde_json::json!({
        "capabilities": { "max_msg_fds": MAX_FDS, "max_data_xfer_size": MAX_DATA, "pgsizes": 4096 }
    });
    Ok(Writer::default()
        .u16(0)
        .u16(0)
        .bytes(ours.to_string().as_bytes())
        .bytes(&[0])
        .into())
}

/// Reads `argsz`, which says how much the client can take, and checks that it can take `need` bytes.
fn argsz(r: &mut Reader<'_>, need: u32) -> Result<u32, Errno> {
    let size = r.u32()?;
    (size >= need).then_some(size).ok_or(Errno::INVAL)
}

pub(crate) fn device<'a>(mut r: Reader<'_>) -> Result<Reply<'a>, Errno> {
    const SIZE: u32 = 16;
    argsz(&mut r, SIZE)?;
    r.rest(12)?;
    Ok(Writer::default()
        .u32(SIZE)
        .u32(DEVICE_FLAGS)
        .u32(REGIONS)
        .u32(IRQS)
        .into())
}

pub(crate) fn region<'a>(device: &'a dyn Device, mut r: Reader<'_>) -> Result<Reply<'a>, Errno> {
    argsz(&mut r, REGION_INFO)?;
    let (_flags, index) = (r.u32()?, r.u32()?);
    r.rest(20)?;
    if index >= REGIONS {
        return Err(Errno::INVAL);
    }
    let region = device.region(index);
    let flag = |on: bool, f: u32| if on { f } else { 0 };
    let flags = flag(region.read, REGION_READ)
        | flag(region.write, REGION_WRITE)
        | flag(region.file.is_some(), REGION_MMAP);
    let w = Writer::default()
        .u32(REGION_INFO)
        .u32(flags)
        .u32(index)
        .u32(0)
        .u64(region.size)
        .u64(0);
    Ok(Reply {
        body: w.0,
        fd: region.file,
    })
}

pub(crate) fn irq<'a>(device: &dyn Device, mut r: Reader<'_>) -> Result<Reply<'a>, Errno> {
    const SIZE: u32 = 16;
    argsz(&mut r, SIZE)?;
    let (_flags, index) = (r.u32()?, r.u32()?);
    r.rest(4)?;
    if index >= IRQS {
        return Err(Errno::INVAL);
    }
    let info = device.irq(index);
    Ok(Writer::default()
        .u32(SIZE)
        .u32(info.flags)
        .u32(index)
        .u32(info.count)
        .into())
}

pub(crate) fn set_irqs<'a>(
    device: &dyn Device,
    mut r: Reader<'_>,
    fds: Vec<OwnedFd>,
) -> Result<Reply<'a>, Errno> {
    const DATA: u32 = 0b111;
    const DATA_NONE: u32 = 1;
    const DATA_BOOL: u32 = 2;
    const DATA_EVENTFD: u32 = 4;
    let (_argsz, flags, index, start, count) = (r.u32()?, r.u32()?, r.u32()?, r.u32()?, r.u32()?);
    if index >= IRQS {
        return Err(Errno::INVAL);
    }
    let vectors = device.irq(index).count;
    if start.checked_add(count).is_none_or(|end| end > vectors) {
        return Err(Errno::INVAL);
    }
    let action = match flags & !DATA {
        8 => IrqAction::Mask,
        16 => IrqAction::Unmask,
        32 => IrqAction::Trigger,
        _ => return Err(Errno::INVAL),
    };
    let (bools, fds) = match flags & DATA {
        DATA_NONE => (None, None),
        DATA_BOOL => (Some(r.0.get(..count as usize).ok_or(Errno::INVAL)?), None),
        DATA_EVENTFD if fds.len() <= count as usize => {
            let mut fds: Vec<Option<OwnedFd>> = fds.into_iter().map(Some).collect();
            fds.resize_with(count as usize, || None);
            (None, Some(fds))
        }
        _ => return Err(Errno::INVAL),
    };
    device.set_irqs(SetIrqs {
        index,
        start,
        count,
        action,
        bools,
        fds,
    })?;
    Ok(Reply::default())
}
