#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# probe-faults.sh: whatever may fail while a card is brought up fails once, the first, the second, and so on until
# nothing is left to fail. Each time the log must name the step, nothing may stay, and in the end the card must work.
# For the test kernel, whose module has the parameter.

source "$(dirname "$0")/common.sh"
nth=/sys/module/amdgpu/parameters/fail_nth
driver=/sys/bus/pci/drivers/amdgpu
card=$(basename "$(ls -d $driver/0000:* | head -n 1)")

fail() { echo "not ok $*"; exit 1; }

[ -w $nth ] || fail "this module cannot be made to fail"
echo "$card" >$driver/unbind || fail "unbind"
left=$(residue_of_card)
[ -z "$left" ] || { sed 's/^/    /' <<<"$left"; fail "unbind leaves something behind"; }

n=0 failed=0 coped=0
while n=$((n + 1)); do
    dmesg -C
    echo $n >$nth
    if why=$({ echo "$card" >$driver/bind; } 2>&1); then
        [ "$(cat $nth)" = 0 ] || break
        # something else was done instead
        coped=$((coped + 1))
        echo "$card" >$driver/unbind || fail "unbind after failure $n"
    else
        [[ $why =~ "Input/output error"|"Cannot allocate memory" ]] || fail "failure $n makes bind say: ${why##*: }"
        [ "$(cat $nth)" = 0 ] || fail "bind failed before its failure $n: $(dmesg | tail -n 3)"
        lines=$(dmesg | grep -c 'bring-up stops at')
        [ "$lines" = 1 ] || { dmesg | sed 's/^/    /'; fail "failure $n is named by $lines lines"; }
        failed=$((failed + 1))
        dmesg | sed -n 's/.*bring-up stops at \(.*\)/# '$n': \1/p'
    fi
    left=$(residue_of_card)
    [ -z "$left" ] || { sed 's/^/    /' <<<"$left"; fail "failure $n leaves something behind"; }
    # the first ones fill caches of the kernel that stay
    [ $n != 5 ] || start=$(kernel_memory)
done
echo 0 >$nth
[ $failed -gt 40 ] || fail "only $failed things could fail"
echo "ok each of $failed failures of a bring-up is named and leaves nothing behind, nor do $coped that it copes with"
echo "figure: $((failed + coped)) injected failures survived"
grown=$(($(kernel_memory) - start))
[ $grown -lt $((n * 64)) ] || fail "kernel memory grows: $grown KiB over $n failures"
echo "ok kernel memory does not grow ($grown KiB)"
vector_add 1024 >/dev/null || fail "vector_add afterwards"
echo "ok vector_add afterwards"
