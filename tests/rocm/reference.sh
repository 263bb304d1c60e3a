#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# reference.sh [quick]: the distribution's own driver, loaded without parameters, on the virtual GPU: what it says of
# the card, its own tests of rings and buffers, and the main job. A line each: ok NAME or not ok NAME.

quick=${1:-}
source "$(dirname "$0")/common.sh"
about=reference
debugfs=/sys/kernel/debug/dri/0

# The driver's lines in the kernel log.
log() { dmesg | grep -E '\] (\[drm|amdgpu|kfd|\[ttm)'; }

# Lines by which driver or kernel say that something is wrong.
bad_lines() {
    dmesg --level=emerg,alert,crit,err | grep -vE ' (ACPI|acpi)'
    log | grep -E '\*ERROR\*|[Ff]ail|[Tt]imeout|timed out|[Ii]nvalid|hang|reset begin|cut here'
    dmesg | grep -E 'WARNING:|BUG:|Oops:|Call Trace'
}

no_errors() { local bad; bad=$(bad_lines | sort -u); [ -z "$bad" ] || { echo "$bad"; return 1; }; }

# That the check above can fail: it must find a line of the form in which the driver reports errors.
errors_are_found() {
    local fake='amdgpu: [drm:reference] *ERROR* written to see that it is found'
    echo "<3>$fake" > /dev/kmsg
    no_errors | grep -qF "$fake"
}

unmodified() {
    local taint; taint=$(cat /sys/module/amdgpu/taint)
    [ -z "$taint" ] || { echo "the module is tainted: $taint"; return 1; }
    local file; file=$(modinfo -n amdgpu)
    case $file in */kernel/drivers/gpu/drm/amd/amdgpu/*) ;; *) echo "the module is $file"; return 1 ;; esac
    uname -r
}

blocks() {
    local name found
    found=$(log | sed -nE 's/.*detected ip block number [0-9]+ <([a-z0-9]+)_.*/\1/p' | tr '\n' ' ')
    [ "$found" = "common gmc ih psp smu gfx sdma vcn jpeg " ] || { echo "blocks: $found"; return 1; }
    log | grep -q 'SMU is initialized successfully' || { echo "SMU is not initialised"; return 1; }
    # what the security processor was given, as the driver reads it back
    for name in SOS SMC MEC RLC SDMA0 SDMA4; do
        grep -Eq "^$name .*version: 0x0*[1-9a-f]" $debugfs/amdgpu_firmware_info ||
            { cat $debugfs/amdgpu_firmware_info; echo "no firmware of $name"; return 1; }
    done
    echo "$found"
}

# Eight compute rings, KIQ and five SDMA engines; the video engines are harvested.
rings() {
    local found; found=$(log | sed -nE 's/.*: ring ([a-z_0-9.]+) uses VM inv.*/\1/p' | sort -u)
    [ "$(wc -l <<<"$found")" = 14 ] || { echo "$found"; return 1; }
    echo "14: $(tr '\n' ' ' <<<"$found")"
}

# The driver's test of indirect buffers on every ring, asked for once more.
buffers() { local out; out=$(cat $debugfs/amdgpu_test_ib) && echo "$out" | tail -n 1 && grep -q 'passed' <<<"$out"; }

kfd_node() {
    local node=/sys/class/kfd/kfd/topology/nodes/1/properties need
    for need in 'gfx_target_version 90010' 'simd_count 416' 'num_sdma_engines 2' 'num_sdma_xgmi_engines 3' 'device_id 29711'; do
        grep -qx "$need" $node || { cat $node; echo "not there: $need"; return 1; }
    done
    [ -c /dev/kfd ] && [ -c /dev/dri/renderD128 ]
}

# Device memory for shared virtual memory (CONFIG_HSA_AMD_SVM).
svm() { log | sed -nE 's/.*(HMM registered [0-9]+MB device memory).*/\1/p' | grep .; }

agents() {
    rocminfo | awk -F': +' '/ Name: *gfx90a *$/ { name = $2; next } name != "" && /Marketing Name:/ { print name, $2; exit }' |
        xargs | grep gfx90a
}

management() {
    local out; out=$(rocm-smi) || { echo "$out"; return 1; }
    # the line of the card: device, node, temperature, power, clocks, ...
    out=$(grep -E '^0 ' <<<"$out") || { rocm-smi; return 1; }
    local need
    for need in '°C' W Mhz %; do grep -q "[0-9]$need" <<<"$out" || { echo "$out"; echo "no value in $need"; return 1; }; done
    xargs <<<"$out"
}

vectors() { timeout 120 vector_add 1024; }

card=/sys/class/drm/card0/device
# What the card averages begins with the last time it was asked.
forget_load() { cat $card/gpu_busy_percent >/dev/null; sleep 2; cat $card/gpu_busy_percent >/dev/null; }

# What the card says of its load while a program runs, and what it says without one.
sensors() {
    local idle busy victim
    forget_load
    reading() { echo "$(cat $card/gpu_busy_percent)% $(cat $card/hwmon/hwmon*/freq1_input) Hz $(cat $card/hwmon/hwmon*/power1_average) uW"; }
    idle=$(reading)
    begin_work 300 || return 1
    busy=$(reading)
    wait $victim || { cat /tmp/victim.out; return 1; }
    echo "idle $idle, busy $busy"
    [ "${idle%%%*}" -lt 20 ] && [ "${busy%%%*}" -gt 30 ]
}

# All that rocm-smi can show, and the link: its speed, and how much was received and sent in a second.
everything() {
    local out; out=$(rocm-smi -a 2>&1) || { echo "$out"; return 1; }
    local link received sent payload
    link="$(cat $card/current_link_speed), x$(cat $card/current_link_width)"
    read -r received sent payload <$card/pcie_bw
    echo "$(grep -c '^GPU' <<<"$out") values; $link: $received received, $sent sent of up to $payload bytes"
    grep -q 'End of ROCm SMI Log' <<<"$out" && [ "$received" -gt 0 ] && [ "$payload" -ge 128 ]
}

# begin_work SIZE: starts a program that keeps the card busy, and waits until it does.
begin_work() {
    forget_load
    timeout 600 matmul "$1" >/tmp/victim.out 2>&1 & victim=$!
    local n
    for n in $(seq 600); do
        [ "$(cat $card/gpu_busy_percent)" -le 30 ] || return 0
        kill -0 $victim 2>/dev/null || { cat /tmp/victim.out; return 1; }
        sleep 0.2
    done
    echo "the card does not become busy"; return 1
}

# A reset of the whole card (mode 1) while a program runs on it, as the driver does it after a hang: the program ends
# with an error, and the next one runs.
recovery() {
    local victim resets; resets=$(log | grep -Ec 'GPU reset\([0-9]+\) succeeded')
    begin_work 3000 || return 1
    cat $debugfs/amdgpu_gpu_recover
    wait $victim && { echo "the program was not disturbed"; return 1; }
    [ "$(log | grep -Ec 'GPU reset\([0-9]+\) succeeded')" = $((resets + 1)) ] || { log | tail -n 25; return 1; }
    log | sed '1,/GPU reset succeeded, trying to resume/d' | grep -E '\*ERROR\*|[Ff]ail|timed out' && return 1
    cat $debugfs/amdgpu_test_ib | tail -n 1 | grep passed && vectors
}

check "the distribution's module, unmodified" unmodified
check "nothing is wrong after loading" no_errors
check "blocks" blocks
check "rings" rings
check "indirect buffers" buffers
check "KFD node" kfd_node
check "memory for SVM" svm
check "rocminfo" agents
check "rocm-smi" management
check "rocm-smi -a" everything
if [ -n "$quick" ]; then
    check "vector_add" vectors
else
    main-job.sh || failed=1
fi
check "nothing is wrong at the end" no_errors
[ -n "$quick" ] || check "sensors" sensors
[ -n "$quick" ] || check "reset under a running program" recovery
check "an error would have been seen" errors_are_found
exit $failed
