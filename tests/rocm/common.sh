# SPDX-License-Identifier: Apache-2.0 OR MIT
# For the other scripts here: a line for each check, and what a driver leaves behind.

failed=0

# check NAME COMMAND...: runs a function; what it printed is shown if it failed, and its first line if it did not.
# $about stands before the name.
check() {
    local name=$1 out status; shift
    out=$("$@" 2>&1); status=$?
    if [ $status = 0 ]; then
        echo "ok $about: $name${out:+ ($(head -n 1 <<<"$out"))}"
    else
        failed=1
        echo "not ok $about: $name: exit status $status"
        echo "$out" | tail -n 25 | sed 's/^/    /'
    fi
}

# What the driver, which is loaded but has no card, leaves behind of a card if it forgets something.
residue_of_card() {
    ls -d /sys/class/kfd/kfd/topology/nodes/1 /sys/class/drm/card* /dev/dri/* /sys/kernel/debug/dri/[0-9]* 2>/dev/null
    grep -i amdgpu /proc/interrupts /proc/iomem
    grep -v ' 0$' /sys/kernel/debug/kfd/counters 2>/dev/null
}

# KiB that the kernel has for itself.
kernel_memory() { awk '/^(Slab|VmallocUsed|PageTables|KernelStack):/ { sum += $2 } END { print sum }' /proc/meminfo; }
