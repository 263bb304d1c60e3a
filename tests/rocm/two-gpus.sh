#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# two-gpus.sh: a machine with two GPUs. A line each: ok NAME or not ok NAME.

failed=0

# check NAME COMMAND...: runs a command; what it printed is shown if it failed.
check() {
    local name=$1 out status; shift
    out=$(timeout 300 "$@" 2>&1); status=$?
    if [ $status = 0 ]; then
        echo "ok two GPUs: $name"
    else
        failed=1
        echo "not ok two GPUs: $name: exit status $status"
        echo "$out" | tail -n 25 | sed 's/^/    /'
    fi
}

# both: rocminfo has two agents of the kind.
both() { [ "$(rocminfo | grep -Ec 'Name: *gfx90a *$')" = 2 ]; }

export -f both
check "rocminfo" bash -c both
check "each, together, and copies between them" two_gpus
check "the same without SDMA" env HSA_ENABLE_SDMA=0 two_gpus
for i in 0 1; do
    check "only number $i" env ROCR_VISIBLE_DEVICES=$i vector_add 1024
    check "only number $i, by HIP" env HIP_VISIBLE_DEVICES=$i vector_add 1024
done
# what this project's driver promises beyond the kernel's, which has no such file
[ ! -e /sys/kernel/debug/kfd/counters ] || guest-peers || failed=1
exit $failed
