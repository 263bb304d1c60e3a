#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# reload.sh [TIMES]: unloads and loads the driver again and again; nothing of it may stay.

source "$(dirname "$0")/common.sh"
times=${1:-10}
module=/run/ferrock/amdgpu.ko

# What a driver leaves behind if it forgets something.
residue() {
    ls /sys/class/kfd /sys/class/drm/card* /dev/kfd /dev/dri/* /sys/kernel/debug/kfd /sys/kernel/debug/dri/[0-9]* \
        /sys/module/amdgpu 2>/dev/null
    grep -i amdgpu /proc/interrupts /proc/iomem /proc/devices
    grep -Ew 'kfd' /proc/devices
}

exec 9<>/dev/kfd
if rmmod amdgpu 2>/dev/null; then
    echo "not ok unloading is refused while a file is open"
    exit 1
fi
echo "ok unloading is refused while a file is open"
exec 9>&-

guest-unbind || exit 1
vector_add 1024 >/dev/null || { echo "not ok vector_add after unbind and bind"; exit 1; }
echo "ok vector_add after unbind and bind"

# the first rounds fill caches of the kernel that stay
for i in $(seq "$times"); do
    rmmod amdgpu || { echo "not ok unload $i"; exit 1; }
    left=$(residue)
    [ -z "$left" ] || { echo "not ok unload $i leaves something behind"; sed 's/^/    /' <<<"$left"; exit 1; }
    insmod $module || { echo "not ok load $i"; exit 1; }
    vector_add 1024 >/dev/null || { echo "not ok vector_add after load $i"; exit 1; }
    [ "$i" != 3 ] || start=$(kernel_memory)
done
grown=$(($(kernel_memory) - ${start:-0}))
echo "ok $times times unloaded, loaded and used again"
# a page of the kernel per round is more than noise allows
if [ "$times" -gt 5 ] && [ $grown -gt $((times * 256)) ]; then
    echo "not ok kernel memory grows: $grown KiB since round 3"
    exit 1
fi
echo "ok kernel memory does not grow ($grown KiB since round 3)"
