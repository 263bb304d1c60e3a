// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ABI tests that run in the guest.
