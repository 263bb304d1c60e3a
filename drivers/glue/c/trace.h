/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, in /sys/kernel/tracing/events/kfd. drivers/glue/trace.rs is their Rust side: each event there has the
 * arguments that it has here.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kfd

#if !defined(AMDGPU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define AMDGPU_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(kfd_alloc,
	TP_PROTO(u32 gpu_id, u64 va, u64 bytes, u64 flags),
	TP_ARGS(gpu_id, va, bytes, flags),
	TP_STRUCT__entry(__field(u32, gpu_id) __field(u64, va) __field(u64, bytes) __field(u64, flags)),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->va = va;
		__entry->bytes = bytes;
		__entry->flags = flags;
	),
	TP_printk("gpu_id=%#x va=%#llx bytes=%#llx flags=%#llx",
		  __entry->gpu_id, __entry->va, __entry->bytes, __entry->flags)
);

DECLARE_EVENT_CLASS(kfd_range,
	TP_PROTO(u32 pasid, u64 va, u64 bytes),
	TP_ARGS(pasid, va, bytes),
	TP_STRUCT__entry(__field(u32, pasid) __field(u64, va) __field(u64, bytes)),
	TP_fast_assign(
		__entry->pasid = pasid;
		__entry->va = va;
		__entry->bytes = bytes;
	),
	TP_printk("pasid=%#x va=%#llx bytes=%#llx", __entry->pasid, __entry->va, __entry->bytes)
);

DEFINE_EVENT(kfd_range, kfd_map, TP_PROTO(u32 pasid, u64 va, u64 bytes), TP_ARGS(pasid, va, bytes));
DEFINE_EVENT(kfd_range, kfd_unmap, TP_PROTO(u32 pasid, u64 va, u64 bytes), TP_ARGS(pasid, va, bytes));

TRACE_EVENT(kfd_flush,
	TP_PROTO(u32 pasid),
	TP_ARGS(pasid),
	TP_STRUCT__entry(__field(u32, pasid)),
	TP_fast_assign(__entry->pasid = pasid;),
	TP_printk("pasid=%#x", __entry->pasid)
);

TRACE_EVENT(kfd_queue,
	TP_PROTO(u64 process, u64 queue, bool created),
	TP_ARGS(process, queue, created),
	TP_STRUCT__entry(__field(u64, process) __field(u64, queue) __field(bool, created)),
	TP_fast_assign(
		__entry->process = process;
		__entry->queue = queue;
		__entry->created = created;
	),
	TP_printk("process=%llu queue=%llu %s", __entry->process, __entry->queue,
		  __entry->created ? "created" : "destroyed")
);

TRACE_EVENT(kfd_run_list,
	TP_PROTO(u32 processes, u32 queues, u32 dwords),
	TP_ARGS(processes, queues, dwords),
	TP_STRUCT__entry(__field(u32, processes) __field(u32, queues) __field(u32, dwords)),
	TP_fast_assign(
		__entry->processes = processes;
		__entry->queues = queues;
		__entry->dwords = dwords;
	),
	TP_printk("processes=%u queues=%u dwords=%u", __entry->processes, __entry->queues, __entry->dwords)
);

TRACE_EVENT(kfd_interrupt,
	TP_PROTO(u32 client, u32 source, u32 ring, u32 vmid, u32 pasid, u32 data),
	TP_ARGS(client, source, ring, vmid, pasid, data),
	TP_STRUCT__entry(__field(u32, client) __field(u32, source) __field(u32, ring) __field(u32, vmid)
			 __field(u32, pasid) __field(u32, data)),
	TP_fast_assign(
		__entry->client = client;
		__entry->source = source;
		__entry->ring = ring;
		__entry->vmid = vmid;
		__entry->pasid = pasid;
		__entry->data = data;
	),
	TP_printk("client=%#x source=%u ring=%#x vmid=%u pasid=%#x data=%#x", __entry->client, __entry->source,
		  __entry->ring, __entry->vmid, __entry->pasid, __entry->data)
);

TRACE_EVENT(kfd_fault,
	TP_PROTO(u64 number, u32 pasid, u32 vmid, u64 va, bool write, u32 status),
	TP_ARGS(number, pasid, vmid, va, write, status),
	TP_STRUCT__entry(__field(u64, number) __field(u64, va) __field(u32, pasid) __field(u32, vmid)
			 __field(u32, status) __field(bool, write)),
	TP_fast_assign(
		__entry->number = number;
		__entry->va = va;
		__entry->pasid = pasid;
		__entry->vmid = vmid;
		__entry->status = status;
		__entry->write = write;
	),
	TP_printk("number=%llu pasid=%#x vmid=%u va=%#llx %s status=%#010x", __entry->number, __entry->pasid,
		  __entry->vmid, __entry->va, __entry->write ? "write" : "read", __entry->status)
);

TRACE_EVENT(kfd_evict,
	TP_PROTO(u64 process, bool stopped),
	TP_ARGS(process, stopped),
	TP_STRUCT__entry(__field(u64, process) __field(bool, stopped)),
	TP_fast_assign(
		__entry->process = process;
		__entry->stopped = stopped;
	),
	TP_printk("process=%llu %s", __entry->process, __entry->stopped ? "stopped" : "restored")
);

TRACE_EVENT(kfd_reset,
	TP_PROTO(u32 pasid, u32 doorbell),
	TP_ARGS(pasid, doorbell),
	TP_STRUCT__entry(__field(u32, pasid) __field(u32, doorbell)),
	TP_fast_assign(
		__entry->pasid = pasid;
		__entry->doorbell = doorbell;
	),
	TP_printk("pasid=%#x doorbell=%#x", __entry->pasid, __entry->doorbell)
);

#endif /* AMDGPU_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
