// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes one packet. Nothing here waits: a packet that is not through says how it wants to be tried again.

use parking_lot::Mutex;

use super::super::bus::{Bus, MemFault};
use super::super::dispatch_request::{Completion, QueueIdent};
use super::super::queue::flight::{Flight, Seq};
use super::super::regs::{sh_register, Effect, RegFile};
use super::super::slot::Slot;
use super::{acquire, atomic, copy, dispatch, dma, opcode, release, set_reg, wait, write_data, Body, Eop};
use crate::regs::Select;

/// What is to happen after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It is done; go on behind it.
    Next,
    /// It needs more steps; come back to it at once.
    Again,
    /// It waits for memory or a register; come back to it later.
    Poll,
    /// It waits until the queue's kernels have ended.
    UntilIdle,
    /// It is done; go on in this indirect buffer, then behind it.
    Call(IbCall),
    /// It is for the scheduler firmware, which decides when it is done.
    Scheduler,
}

/// An indirect buffer to execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IbCall {
    /// Address of the first dword.
    pub(crate) base: u64,
    /// Dwords; may be 0.
    pub(crate) dwords: u32,
    /// Address space of the buffer and of what it accesses.
    pub(crate) vmid: u8,
    /// Leave the buffer this packet is in, instead of coming back to it.
    pub(crate) chain: bool,
}

/// Why a packet cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The header is none.
    Header(u32),
    /// There is no such opcode, or this queue may not use it.
    Opcode(u8),
    /// Shorter than its fields.
    Length,
    /// Runs over the end of its indirect buffer.
    Truncated,
    /// A field has a value this model does not know.
    Field {
        /// Public name of the field.
        name: &'static str,
        /// Its value.
        value: u32,
    },
    /// An unprivileged queue touches this register (dword index).
    Privilege(u32),
    /// A launch that cannot be.
    Launch(&'static str),
    /// A memory access failed; reported already.
    Fault(u64),
}

impl Bad {
    pub(super) fn field(name: &'static str, value: u32) -> Self {
        Self::Field { name, value }
    }
}

impl From<MemFault> for Bad {
    fn from(f: MemFault) -> Self {
        Self::Fault(f.va)
    }
}

/// What a packet works on: the queue it is in and the card.
pub(crate) struct Machine<'a> {
    /// The card.
    pub(crate) bus: &'a dyn Bus,
    /// The CP's own registers.
    pub(crate) regs: &'a Mutex<RegFile>,
    /// Where the queue is.
    pub(crate) slot: Slot,
    /// How the queue is named elsewhere.
    pub(crate) ident: QueueIdent,
    /// Address space of the stream the packet is in.
    pub(crate) vmid: u8,
    /// PASID of the queue.
    pub(crate) pasid: u16,
    /// Whether privileged registers and packets are allowed.
    pub(crate) privileged: bool,
    /// Whether the packet is in an indirect buffer.
    pub(crate) in_ib: bool,
    /// What the queue has started.
    pub(crate) flight: &'a mut Flight<Eop>,
    /// How far the packet got in earlier tries; 0 at the first.
    pub(crate) progress: &'a mut u64,
    /// What the last atomic with return found.
    pub(crate) atomic_return: &'a mut u64,
    /// Collects what register writes start.
    pub(crate) effects: &'a mut Vec<Effect>,
    /// Makes the completion of a kernel of this queue.
    pub(crate) completion: &'a dyn Fn(Seq) -> Completion,
}

impl Machine<'_> {
    fn select(&self) -> Select {
        Select {
            me: self.slot.me(),
            pipe: self.slot.pipe(),
            queue: self.slot.queue(),
            vmid: self.vmid,
            ..Select::default()
        }
    }

    /// Registers any queue may touch: user configuration and performance counters, 0x30000..0x38000.
    fn check(&self, dword: u32) -> Result<u32, Bad> {
        if self.privileged || (0xc000..0xe000).contains(&dword) {
            return Ok(dword.wrapping_mul(4));
        }
        Err(Bad::Privilege(dword))
    }

    /// Reads a register by dword index.
    pub(super) fn reg_read(&self, dword: u32) -> Result<u32, Bad> {
        let off = self.check(dword)?;
        let own = self.regs.lock().read(off, self.select());
        Ok(own.unwrap_or_else(|| self.bus.reg_read(off)))
    }

    /// Writes a register by dword index.
    pub(super) fn reg_write(&mut self, dword: u32, value: u32) -> Result<(), Bad> {
        let off = self.check(dword)?;
        let own = self.regs.lock().write(off, self.select(), value);
        match own {
            Some(effect) => self.effects.push(effect),
            None => self.bus.reg_write(off, value),
        }
        Ok(())
    }

    /// Writes one of the queue's own dispatch registers by dword index.
    pub(super) fn sh_write(&mut self, dword: u32, value: u32) -> Result<(), Bad> {
        let off = dword.wrapping_mul(4);
        let n = sh_register(off).ok_or(Bad::field("reg_offset", dword))?;
        if let Some(r) = self.regs.lock().bank_mut(self.slot).compute.0.get_mut(n) {
            *r = value;
        }
        Ok(())
    }
}

/// Executes a packet with this opcode and payload.
pub(crate) fn execute(m: &mut Machine<'_>, op: u8, b: Body<'_>) -> Result<Flow, Bad> {
    match op {
        opcode::NOP => Ok(Flow::Next),
        opcode::WRITE_DATA => write_data::write_data(m, b),
        opcode::WAIT_REG_MEM => wait::wait_reg_mem(m, b),
        opcode::COPY_DATA => copy::copy_data(m, b),
        opcode::INDIRECT_BUFFER => indirect_buffer(m, b),
        opcode::EVENT_WRITE => acquire::event_write(m, b),
        opcode::RELEASE_MEM => release::release_mem(m, b),
        opcode::ACQUIRE_MEM => acquire::acquire_mem(m, b),
        opcode::SET_SH_REG => set_reg::set_sh_reg(m, b),
        opcode::SET_UCONFIG_REG => set_reg::set_uconfig_reg(m, b),
        opcode::SET_CONFIG_REG => set_reg::set_config_reg(m, b),
        opcode::DISPATCH_DIRECT => dispatch::direct(m, b),
        opcode::DISPATCH_INDIRECT => dispatch::indirect(m, b),
        opcode::ATOMIC_MEM => atomic::atomic_mem(m, b),
        opcode::DMA_DATA => dma::dma_data(m, b),
        opcode::INVALIDATE_TLBS if m.privileged => acquire::invalidate_tlbs(m, b),
        opcode::SET_RESOURCES
        | opcode::MAP_PROCESS
        | opcode::MAP_QUEUES
        | opcode::UNMAP_QUEUES
        | opcode::QUERY_STATUS
        | opcode::RUN_LIST
            if m.privileged && !m.in_ib =>
        {
            Ok(Flow::Scheduler)
        }
        _ => Err(Bad::Opcode(op)),
    }
}

/// INDIRECT_BUFFER: base, size in dwords, and for kernel queues a VMID (soc15d.h: PACKET3_INDIRECT_BUFFER).
fn indirect_buffer(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 3 {
        return Err(Bad::Length);
    }
    let chain = b.bits(2, 20, 20) == 1;
    if b.bits(2, 23, 23) == 0 {
        return Err(Bad::field("valid", 0));
    }
    if m.in_ib && !chain {
        // compute engines know one level of buffers
        return Err(Bad::field("chain", 0));
    }
    let vmid = match b.bits(2, 27, 24) as u8 {
        0 => m.vmid,
        v if m.privileged || v == m.vmid => v,
        v => return Err(Bad::field("vmid", v.into())),
    };
    let base = u64::from(b.bits(1, 15, 0)) << 32 | u64::from(b.dw(0) & !3);
    Ok(Flow::Call(IbCall {
        base,
        dwords: b.bits(2, 19, 0),
        vmid,
        chain,
    }))
}
