#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# fault.sh: kernels that do what no kernel may. The runtime must say so and abort soon, the driver's log must name
# process, PASID and address, everything must come back, and the next program must run. A line each.
#
# A trap and a false assertion end in a page fault, too: without first-level trap handler (cwsr_enable=0) the
# runtime's own handler runs without what it needs and reads where nothing is, as it does under the kernel's driver.

failed=0

# What exists on the GPU.
counters() { cat /sys/kernel/debug/kfd/counters; }

# The driver's lines in the kernel log, without time.
log() { dmesg | sed -nE 's/^\[[^]]*\] (amdgpu.*)/\1/p'; }

# fails WHAT ADDRESS: runs a bad kernel and checks what comes of it; tells what is wrong.
fails() {
    local what=$1 address=$2 before after old out status need
    before=$(counters)
    old=$(log | wc -l)
    # what the shell says of an abort goes to the file as well
    { timeout -s KILL 60 fault "$what"; } >/tmp/fault.out 2>&1
    status=$?
    out=$(cat /tmp/fault.out)
    after=$(counters)
    [ $status = 134 ] || { echo "$out"; echo "exit status $status instead of SIGABRT"; return 1; }
    grep -q "Memory access fault by GPU node-1.* on address $address\. Reason: Page not present" <<<"$out" ||
        { echo "$out"; echo "the runtime does not tell of a fault at $address"; return 1; }
    [ "$what" != assert ] || grep -q "Device-side assertion .answer == 42. failed" <<<"$out" ||
        { echo "$out"; echo "the assertion is not told"; return 1; }
    local lines; lines=$(log | tail -n +$((old + 1)))
    local hex=$address; [ "$hex" != "(nil)" ] || hex=0x0
    local fault="page fault [0-9]+: "
    for need in "${fault}process: fault\[[0-9]+\] on GPU 0x[0-9a-f]+, PASID 0x[0-9a-f]+, VMID [0-9]+$" \
        "${fault}address: $hex, (read|write|atomic) by .+ \([a-z]+hub 0x[0-9a-f]+\)$" \
        "${fault}cause: nothing is mapped there; status 0x[0-9a-f]{8}, missing: valid " \
        "${fault}mapped: nothing$" \
        "${fault}nearest: [A-Za-z]+ 0x[0-9a-f]+\.\.0x[0-9a-f]+, (begins|ends) " \
        "${fault}freed: " \
        "${fault}queues: [1-9][0-9]* \([0-9]+ (AQL|SDMA).*\), stopped for good$"; do
        [ "$(grep -Ec "$need" <<<"$lines")" = 1 ] ||
            { echo "$lines"; echo "not exactly one line in the log with: $need"; return 1; }
    done
    # debugfs keeps the same lines
    [ "$(grep -o "page fault .*" <<<"$lines")" = "$(tail -n 7 /sys/kernel/debug/kfd/faults)" ] ||
        { echo "$lines"; tail -n 7 /sys/kernel/debug/kfd/faults; echo "the log and debugfs differ"; return 1; }
    [ "$before" = "$after" ] ||
        { diff <(echo "$before") <(echo "$after"); echo "something is left behind"; return 1; }
    vector_add 1024 >/tmp/next.out 2>&1 || { cat /tmp/next.out; echo "the next program fails"; return 1; }
}

# check NAME WHAT ADDRESS
check() {
    local out
    if out=$(fails "$2" "$3" 2>&1); then
        echo "ok fault: $1"
    else
        failed=1
        echo "not ok fault: $1"
        echo "$out" | tail -n 30 | sed 's/^/    /'
    fi
}

# a first program fills what the driver keeps for good
vector_add 1024 >/dev/null 2>&1
check "a read of an unmapped address" read 0x123456789000
check "a write of an unmapped address" write 0x123456789000
check "a trap" trap "(nil)"
check "a false assertion" assert "(nil)"
exit $failed
