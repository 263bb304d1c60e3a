// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Command processor: the two compute micro engines (MEC) with their queues.

pub mod dispatch_request;
