#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# main-job.sh [quick]: the main job in the guest. Unmodified rocminfo and the HIP programs, each in the default
# environment, without SDMA and without interrupts. A line each: ok NAME or not ok NAME.

quick=${1:-}
failed=0

# check NAME COMMAND...: runs a command or function; what it printed is shown if it failed.
check() {
    local name=$1 out status; shift
    out=$(timeout 300 bash -c '"$@"' check "$@" 2>&1); status=$?
    if [ $status = 0 ]; then
        echo "ok $name"
    else
        failed=1
        echo "not ok $name: exit status $status"
        echo "$out" | tail -n 25 | sed 's/^/    /'
    fi
}

# A CPU agent, and a GPU agent of the right kind with all its compute units and a pool of VRAM.
agents() {
    local text; text=$(rocminfo) || { echo "$text"; return 1; }
    local need
    for need in 'Device Type: *CPU' 'Device Type: *GPU' 'Name: *gfx90a *$' 'Compute Unit: *104' \
        'Name: *amdgcn-amd-amdhsa--gfx90a' 'Segment: *GROUP' 'Segment: *GLOBAL; FLAGS: COARSE GRAINED' \
        'Wavefront Size: *64' 'Segment: *GLOBAL; FLAGS: FINE GRAINED'; do
        grep -Eq "$need" <<<"$text" || { echo "$text"; echo "rocminfo prints no line with: $need"; return 1; }
    done
}

# Two processes on the GPU at once.
two_processes() {
    vector_add 1000000 & local other=$!
    matmul 64; local mine=$?
    wait $other && [ $mine = 0 ]
}

export -f agents two_processes

programs() {
    local how=$1
    check "$how vector_add 1K" vector_add 1024
    [ -n "$quick" ] || check "$how vector_add 16M" vector_add 16777216
    check "$how vector_add managed" vector_add 100000 managed
    check "$how reduction" reduction
    check "$how matmul" matmul 100
    check "$how scratch and printf" scratch
    check "$how streams and events" streams
    check "$how two processes" two_processes
}

check "rocminfo" agents
programs "default:"
if [ -z "$quick" ]; then
    (export HSA_ENABLE_SDMA=0; programs "without SDMA:"; exit $failed) || failed=1
    (export HSA_ENABLE_INTERRUPT=0; programs "without interrupts:"; exit $failed) || failed=1
fi
exit $failed
