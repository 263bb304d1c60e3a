// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The register space: bank selects, what a block has to offer, and names for offsets.

mod field;
mod plain;
mod select;

pub use field::{extract, mask, place};
pub use plain::PlainRegs;
pub use select::{Bank, BankSelect, Select};

/// A hardware block as the register bus sees it. Offsets are BAR5 byte offsets, always a multiple of 4.
///
/// The bus calls these on the protocol thread and on engine threads; they must not wait for an engine.
pub trait Block: Send + Sync {
    /// The block's public name, for logs.
    fn name(&self) -> &'static str;

    /// The value of a register; `None` if this block has no such register.
    fn read_reg(&self, off: u32, sel: Select) -> Option<u32>;

    /// Writes a register; `false` if this block has no such register.
    fn write_reg(&self, off: u32, sel: Select, value: u32) -> bool;

    /// The public name of a register of this block, for logs.
    fn reg_name(&self, off: u32) -> Option<&'static str>;

    /// Which bank selects a register of this block listens to, for logs.
    fn reg_bank(&self, _off: u32) -> Bank {
        Bank::One
    }

    /// Back to the power-on state; returns when the block's own threads have stopped touching memory.
    fn reset(&self);
}

/// Looks up a name in a table made by [`registers!`](crate::registers), sorted or not.
pub fn name_in(table: &[(u32, &'static str)], off: u32) -> Option<&'static str> {
    table.iter().find(|(o, _)| *o == off).map(|(_, n)| *n)
}

/// Declares registers by public name and BAR5 byte offset: one `pub const` each, and the table `NAMES` of all.
/// Offsets and names are compared with AMD's headers (`tests/registers`).
///
/// ```
/// vgpu::registers! {
///     /// VRAM size in MiB (nbio_7_4_offset.h: mmRCC_CONFIG_MEMSIZE).
///     RCC_CONFIG_MEMSIZE = 0x378c;
/// }
/// assert_eq!(NAMES, &[(RCC_CONFIG_MEMSIZE, "RCC_CONFIG_MEMSIZE")]);
/// ```
#[macro_export]
macro_rules! registers {
    ($($(#[$doc:meta])* $name:ident = $off:expr;)*) => {
        $($(#[$doc])* #[allow(unreachable_pub, missing_docs)] pub const $name: u32 = $off;)*
        /// Offsets and public names of the registers declared here.
        #[allow(unreachable_pub)]
        pub const NAMES: &[(u32, &str)] = &[$(($name, stringify!($name))),*];
    };
}
