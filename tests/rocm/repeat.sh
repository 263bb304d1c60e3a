#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# repeat.sh [TIMES]: launches the first program again and again; nothing the driver counts may grow.

times=${1:-200}

# Everything that a launch could leave behind.
counters() {
    cat /sys/kernel/debug/kfd/counters
    echo "ttm objects: $(cat /sys/kernel/debug/ttm/buffer_objects 2>/dev/null)"
}

vector_add 1024 >/dev/null || { echo "not ok repeat: the first launch failed"; exit 1; }
before=$(counters)
for i in $(seq "$times"); do
    vector_add 1024 >/dev/null || { echo "not ok repeat: launch $i failed"; exit 1; }
done
after=$(counters)
if [ "$before" = "$after" ]; then
    echo "ok $times launches leave nothing behind"
else
    echo "not ok $times launches leave something behind"
    diff <(echo "$before") <(echo "$after") | sed 's/^/    /'
    exit 1
fi
