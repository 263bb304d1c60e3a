// SPDX-License-Identifier: GPL-2.0
//! Queues.

use super::{read_array, Call, Outcome};
use crate::gpu::kfd::{failure::Explain, queues};
use amdgpu_logic::kfd::queue::{cu_mask_words, QueueRequest, QueueUpdate};
use amdgpu_uapi::kfd::{
    mmap,
    queue::{CreateQueue, DestroyQueue, SetCuMask, UpdateQueue},
};

/// CREATE_QUEUE.
pub(super) fn create(call: &Call<'_>, args: &mut CreateQueue) -> Outcome {
    let request = QueueRequest::new(args)?;
    let device = call.device("gpu_id", args.gpu_id)?;
    let (id, doorbell) = queues::create(call.process, device, &request)?;
    args.queue_id = id;
    args.doorbell_offset = mmap::offset(mmap::kind::DOORBELL, args.gpu_id, doorbell.into());
    Ok(())
}

/// DESTROY_QUEUE.
pub(super) fn destroy(call: &Call<'_>, args: &mut DestroyQueue) -> Outcome {
    queues::destroy(call.process, args.queue_id)
}

/// UPDATE_QUEUE.
pub(super) fn update(call: &Call<'_>, args: &mut UpdateQueue) -> Outcome {
    queues::update(call.process, args.queue_id, &QueueUpdate::new(args)?)
}

/// SET_CU_MASK.
pub(super) fn set_cu_mask(call: &Call<'_>, args: &mut SetCuMask) -> Outcome {
    let words = cu_mask_words(args.num_cu_mask)?;
    let mask = read_array::<u32>(args.cu_mask_ptr, words).explain("cu_mask_ptr cannot be read")?;
    queues::set_cu_mask(call.process, args.queue_id, &mask)
}
