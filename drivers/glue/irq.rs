// SPDX-License-Identifier: GPL-2.0
//! An MSI-X (or MSI) vector with a threaded handler.
//!
//! The kernel crate has both parts, but ties them to the borrow of the bound device. Here they are kept by
//! `Devres`, so that the structure which owns the handler needs no lifetime parameter.
use kernel::{
    device::Bound,
    devres::Devres,
    irq::{Flags, ThreadedHandler, ThreadedRegistration},
    pci,
    prelude::*,
};

/// A requested interrupt. Dropping it waits for running handlers and gives the vector back.
pub(crate) struct Vector<H: ThreadedHandler + Send + 'static>(#[expect(dead_code)] Devres<Line<H>>);

/// Field order: the handler is unregistered before its vector is freed.
#[pin_data]
struct Line<H: ThreadedHandler + 'static> {
    #[pin]
    registration: ThreadedRegistration<'static, H>,
    vectors: KBox<pci::IrqVectorRegistration<'static>>,
}

// SAFETY: both parts may be released by any task; `H` itself is `Send`.
unsafe impl<H: ThreadedHandler + Send> Send for Line<H> {}
// SAFETY: nothing of a shared `Line` can be reached; the handler is `Sync` by its trait.
unsafe impl<H: ThreadedHandler> Sync for Line<H> {}

impl<H: ThreadedHandler + Send> Vector<H> {
    /// Allocates one vector (MSI-X if the device has it, else MSI) and registers `handler` on it, which may be
    /// called at once. `name` is what `/proc/interrupts` shows.
    pub(crate) fn new(
        pdev: &pci::Device<Bound>,
        name: &'static CStr,
        handler: impl PinInit<H, Error> + 'static,
    ) -> Result<Self> {
        let types = pci::IrqTypes::default()
            .with(pci::IrqType::MsiX)
            .with(pci::IrqType::Msi);
        let vectors = KBox::new(pdev.alloc_irq_vectors(1, 1, types)?, GFP_KERNEL)?;
        // SAFETY: the borrow of the bound device ends at unbind, and `Devres` drops `Line` before that.
        let vectors: KBox<pci::IrqVectorRegistration<'static>> = unsafe { core::mem::transmute(vectors) };
        // SAFETY: the box is kept next to the registration, and by field order dropped after it.
        let lent: &'static pci::IrqVectorRegistration<'static> = unsafe { &*core::ptr::from_ref(&*vectors) };
        let request = lent.index(0)?.into();
        let line = try_pin_init!(Line {
            // SAFETY: `Devres` runs the destructor, at unbind at the latest.
            registration <- unsafe {
                ThreadedRegistration::new(request, Flags::TRIGGER_NONE, name, handler)
            },
            vectors,
        });
        Ok(Self(Devres::new(pdev.as_ref(), line)?))
    }
}
