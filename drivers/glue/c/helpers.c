// SPDX-License-Identifier: GPL-2.0
/*
 * What Rust cannot call: inline functions and macros of the kernel, one out-of-line function each, called
 * amdgpu_shim_NAME here and NAME in Rust. No logic lives here.
 */
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/devcoredump.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/gpu_buddy.h>
#include <linux/highmem.h>
#include <linux/hmm.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mmzone.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/topology.h>
#include <linux/wait.h>
#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

/* --- TTM */

int amdgpu_shim_ttm_bo_reserve(struct ttm_buffer_object *bo, bool interruptible, bool no_wait,
			       struct ww_acquire_ctx *ticket)
{
	return ttm_bo_reserve(bo, interruptible, no_wait, ticket);
}

void amdgpu_shim_ttm_bo_unreserve(struct ttm_buffer_object *bo)
{
	ttm_bo_unreserve(bo);
}

void amdgpu_shim_ttm_bo_move_null(struct ttm_buffer_object *bo, struct ttm_resource *new_mem)
{
	ttm_bo_move_null(bo, new_mem);
}

void amdgpu_shim_ttm_set_driver_manager(struct ttm_device *bdev, int type,
					struct ttm_resource_manager *manager)
{
	ttm_set_driver_manager(bdev, type, manager);
}

void amdgpu_shim_ttm_resource_manager_set_used(struct ttm_resource_manager *man, bool used)
{
	ttm_resource_manager_set_used(man, used);
}

void amdgpu_shim_ttm_resource_manager_cleanup(struct ttm_resource_manager *man)
{
	ttm_resource_manager_cleanup(man);
}

bool amdgpu_shim_ttm_tt_is_populated(struct ttm_tt *tt)
{
	return ttm_tt_is_populated(tt);
}

bool amdgpu_shim_ttm_tt_is_swapped(const struct ttm_tt *tt)
{
	return ttm_tt_is_swapped(tt);
}

/* --- gpu_buddy */

u64 amdgpu_shim_gpu_buddy_block_offset(const struct gpu_buddy_block *block)
{
	return gpu_buddy_block_offset(block);
}

u64 amdgpu_shim_gpu_buddy_block_size(struct gpu_buddy *mm, struct gpu_buddy_block *block)
{
	return gpu_buddy_block_size(mm, block);
}

bool amdgpu_shim_gpu_buddy_block_is_clear(struct gpu_buddy_block *block)
{
	return gpu_buddy_block_is_clear(block);
}

/* --- DRM, dma-resv */

void amdgpu_shim_drm_gem_object_get(struct drm_gem_object *obj)
{
	drm_gem_object_get(obj);
}

void amdgpu_shim_drm_gem_object_put(struct drm_gem_object *obj)
{
	drm_gem_object_put(obj);
}

struct drm_gem_object *amdgpu_shim_drm_gem_next_object(struct drm_file *file, int *handle)
{
	struct drm_gem_object *obj;

	spin_lock(&file->table_lock);
	obj = idr_get_next(&file->object_idr, handle);
	if (obj)
		drm_gem_object_get(obj);
	spin_unlock(&file->table_lock);
	return obj;
}

u64 amdgpu_shim_drm_vma_node_offset_addr(struct drm_vma_offset_node *node)
{
	return drm_vma_node_offset_addr(node);
}

void amdgpu_shim_dma_resv_unlock(struct dma_resv *resv)
{
	dma_resv_unlock(resv);
}

/* --- memory management */

struct mm_struct *amdgpu_shim_current_mm(void)
{
	return current->mm;
}

void amdgpu_shim_mmap_read_lock(struct mm_struct *mm)
{
	mmap_read_lock(mm);
}

int amdgpu_shim_mmap_read_lock_killable(struct mm_struct *mm)
{
	return mmap_read_lock_killable(mm);
}

void amdgpu_shim_mmap_read_unlock(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
}

struct page *amdgpu_shim_hmm_pfn_to_page(unsigned long hmm_pfn)
{
	return hmm_pfn_to_page(hmm_pfn);
}

unsigned int amdgpu_shim_hmm_pfn_to_map_order(unsigned long hmm_pfn)
{
	return hmm_pfn_to_map_order(hmm_pfn);
}

bool amdgpu_shim_mmu_notifier_range_blockable(const struct mmu_notifier_range *range)
{
	return mmu_notifier_range_blockable(range);
}

void amdgpu_shim_mmu_interval_set_seq(struct mmu_interval_notifier *interval_sub, unsigned long cur_seq)
{
	mmu_interval_set_seq(interval_sub, cur_seq);
}

bool amdgpu_shim_mmu_interval_read_retry(struct mmu_interval_notifier *interval_sub, unsigned long seq)
{
	return mmu_interval_read_retry(interval_sub, seq);
}

void amdgpu_shim_vma_set_device_pages(struct vm_area_struct *vma, const struct vm_operations_struct *ops)
{
	vm_flags_set(vma, VM_PFNMAP);
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vma->vm_ops = ops;
}

struct file *amdgpu_shim_empty_private_file(const char *name)
{
	return shmem_kernel_file_setup(name, 0, EMPTY_VMA_FLAGS);
}

/* --- DMA */

unsigned long amdgpu_shim_page_to_pfn(const struct page *page)
{
	return page_to_pfn(page);
}

struct page *amdgpu_shim_pfn_to_page(unsigned long pfn)
{
	return pfn_to_page(pfn);
}

dma_addr_t amdgpu_shim_dma_map_page(struct device *dev, struct page *page, size_t offset, size_t size,
				    enum dma_data_direction dir)
{
	return dma_map_page(dev, page, offset, size, dir);
}

void amdgpu_shim_dma_unmap_page(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
	dma_unmap_page(dev, addr, size, dir);
}

int amdgpu_shim_dma_mapping_error(struct device *dev, dma_addr_t addr)
{
	return dma_mapping_error(dev, addr);
}

/* --- I/O memory */

void amdgpu_shim_memcpy_toio(void __iomem *to, const void *from, size_t count)
{
	memcpy_toio(to, from, count);
}

void amdgpu_shim_memcpy_fromio(void *to, const void __iomem *from, size_t count)
{
	memcpy_fromio(to, from, count);
}

void amdgpu_shim_memset_io(void __iomem *to, int value, size_t count)
{
	memset_io(to, value, count);
}

void amdgpu_shim_copy_page_to_io(void __iomem *to, struct page *from)
{
	void *mapped = kmap_local_page(from);

	memcpy_toio(to, mapped, PAGE_SIZE);
	kunmap_local(mapped);
}

void amdgpu_shim_copy_page_from_io(struct page *to, const void __iomem *from)
{
	void *mapped = kmap_local_page(to);

	memcpy_fromio(mapped, from, PAGE_SIZE);
	kunmap_local(mapped);
}

/* --- tasks and waiting */

void amdgpu_shim_cond_resched(void)
{
	cond_resched();
}

bool amdgpu_shim_fatal_signal_pending_current(void)
{
	return fatal_signal_pending(current);
}

bool amdgpu_shim_signal_pending_current(void)
{
	return signal_pending(current);
}

void amdgpu_shim_init_waitqueue_head(struct wait_queue_head *wq, const char *name, struct lock_class_key *key)
{
	__init_waitqueue_head(wq, name, key);
}

void amdgpu_shim_wake_up_all(struct wait_queue_head *wq)
{
	wake_up_all(wq);
}

/* --- the process that calls */

bool amdgpu_shim_in_compat_syscall(void)
{
	return in_compat_syscall();
}

void amdgpu_shim_current_comm(char comm[TASK_COMM_LEN])
{
	strscpy_pad(comm, current->comm, TASK_COMM_LEN);
}

/* --- the machine */

u64 amdgpu_shim_node_memory(int node)
{
	u64 pages = 0;
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++)
		pages += zone_managed_pages(&NODE_DATA(node)->node_zones[zone]);
	return pages << PAGE_SHIFT;
}

bool amdgpu_shim_node_online(int node)
{
	return node_online(node);
}

unsigned int amdgpu_shim_node_cpus(int node)
{
	return cpumask_weight(cpumask_of_node(node));
}

u32 amdgpu_shim_node_first_apic_id(int node)
{
	return cpu_data(cpumask_first(cpumask_of_node(node))).topo.apicid;
}

bool amdgpu_shim_boot_cpu_is_amd(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_AMD;
}

int amdgpu_shim_pci_domain(struct pci_dev *pdev)
{
	return pci_domain_nr(pdev->bus);
}

int amdgpu_shim_dev_to_node(struct device *dev)
{
	return dev_to_node(dev);
}

void amdgpu_shim_coredump(struct device *dev, void *data, size_t bytes)
{
	dev_coredumpv(dev, data, bytes, GFP_KERNEL);
}
