#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# suites.sh [quick | WORD...]: the tests of Debian's ROCm libraries, from the image at /suites: a named subset, or all
# programs whose names hold one of the words. A line each when it has ended (ok NAME or not ok NAME), then a table.
# SUITES_TIMEOUT is the time for one program in seconds.

folder=/suites/usr/libexec/rocm
limit=${SUITES_TIMEOUT:-900}
export LD_LIBRARY_PATH=/suites/usr/lib/x86_64-linux-gnu

# What takes little time and much of the instruction set: moves between lanes, LDS, atomics, typed buffers, 64-bit integers,
# double precision.
quick=(
    librocprim-tests/test_basic
    librocprim-tests/test_intrinsics
    librocprim-tests/test_thread
    librocprim-tests/test_warp_load
    librocprim-tests/test_texture_cache_iterator
    librocrand1-tests/test_rocrand_kernel_philox4x32_10
    libhipcub-tests/test_hipcub_thread
    libhipcub-tests/test_hipcub_warp_exchange
    librocthrust-tests/test_thrust_tuple_transform
)

# chosen WORD...: the programs to run.
chosen() {
    if [ "$*" = quick ]; then
        printf '%s\n' "${quick[@]}"
        return
    fi
    local pattern; pattern=$(IFS='|'; echo "$*")
    (cd $folder && ls -d */test_*) | grep -E -- "$pattern"
}

# passed FILE, failed FILE: counts by googletest, or by Thrust's own framework.
passed() {
    local n; n=$(grep -c '^\[       OK \]' "$1")
    [ "$n" != 0 ] || n=$(sed -nE 's/^Totals: .* and ([0-9]+) passes.*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }')
    echo "$n"
}
failed() {
    local n; n=$(grep -cE '^\[  FAILED  \] .* \([0-9]+ ms\)$' "$1")
    [ "$n" != 0 ] || n=$(sed -nE 's/^Totals: ([0-9]+) failures.* ([0-9]+) errors.*/\1 \2/p' "$1" | awk '{ n += $1 + $2 } END { print n + 0 }')
    echo "$n"
}

mapfile -t programs <<<"$(chosen "$@")"
[ -n "${programs[0]}" ] || { echo "not ok suites: no program has such a name"; exit 1; }
table=$(printf '%-62s %7s %7s %7s  %s' program passed failed seconds state)
bad=0
for i in "${!programs[@]}"; do
    name=${programs[i]}; start=$SECONDS
    (cd /tmp && timeout -k 10 "$limit" "$folder/$name") >/tmp/suites.out 2>&1; status=$?
    good=$(passed /tmp/suites.out); wrong=$(failed /tmp/suites.out); took=$((SECONDS - start))
    state=passed
    # a program without a test of its own says nothing
    [ "$good" != 0 ] || state="no test ran"
    [ $status = 0 ] || state="exit status $status"
    [ $status != 124 ] && [ $status != 137 ] || state="timed out"
    [ "$wrong" = 0 ] || state=failed
    place="$((i + 1)) of ${#programs[@]}"
    if [ "$state" = passed ]; then
        echo "ok $name: $good tests in $took s ($place)"
    else
        bad=1
        echo "not ok $name: $state, $good passed, $wrong failed in $took s ($place)"
        grep -E '^\[  FAILED  \]|Failure|error' /tmp/suites.out | head -n 20 | sed 's/^/    /'
        tail -n 5 /tmp/suites.out | sed 's/^/    /'
    fi
    table+=$'\n'$(printf '%-62s %7s %7s %7s  %s' "$name" "$good" "$wrong" "$took" "$state")
done
echo
echo "$table"
exit $bad
