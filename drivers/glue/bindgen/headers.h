/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel headers that the module's own bindings are made from, see `parameters`. */
#include <linux/hrtimer_types.h>
#include <linux/acpi.h>
#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/gpu_buddy.h>
#include <linux/hmm.h>
#include <linux/hwmon.h>
#include <linux/io.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sysfs.h>
#include <linux/wait.h>
#include <linux/ww_mutex.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_caching.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_pool.h>
#include <drm/ttm/ttm_range_manager.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

/* Macros that bindgen cannot evaluate by itself. The prefix is cut off in the generated file. */
const u32 SHIM_TTM_TT_FLAG_ZERO_ALLOC = TTM_TT_FLAG_ZERO_ALLOC;
const u32 SHIM_DRM_EXEC_INTERRUPTIBLE_WAIT = DRM_EXEC_INTERRUPTIBLE_WAIT;
const u64 SHIM_GPU_BUDDY_CONTIGUOUS_ALLOCATION = GPU_BUDDY_CONTIGUOUS_ALLOCATION;
const u64 SHIM_GPU_BUDDY_CLEAR_ALLOCATION = GPU_BUDDY_CLEAR_ALLOCATION;
const u64 SHIM_GPU_BUDDY_CLEARED = GPU_BUDDY_CLEARED;
