// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares two access traces of the virtual GPU: what one driver does to the card and the other does not.
//!
//! Of registers the values written last are compared, whatever the order; of messages, commands and packets which there
//! are, and of handshakes their order as well. What differs must be in a list ([`list`]), with its reason.

pub mod compare;
pub mod fold;
pub mod list;
pub mod names;
pub mod print;
pub mod read;
