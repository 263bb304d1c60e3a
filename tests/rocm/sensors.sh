#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# sensors.sh: what management programs show of the card, with any driver: rocm-smi's line, the files behind it, and that
# they follow the load. A line each: ok NAME or not ok NAME.

source "$(dirname "$0")/common.sh"
about=sensors
card=/sys/class/drm/card0/device
hwmon=$(echo $card/hwmon/hwmon*)

# is FILE PATTERN: the file's whole text is one line of that form.
is() {
    local text; text=$(cat "$1") || return 1
    [[ $text =~ ^($2)$ ]] || { echo "$1: '$text' is not $2"; return 1; }
}

# between FILE LOW HIGH: the file's number is in that range.
between() {
    is "$1" '-?[0-9]+' && [ "$(cat "$1")" -ge "$2" ] && [ "$(cat "$1")" -le "$3" ] && return
    echo "$1: $(cat "$1") is not in $2..$3"
    return 1
}

# rocm-smi's line of the card: identity, temperature, power, partitions, clocks, fan, level, limit, VRAM, load.
line() {
    local out text=' *[0-9]+ +[0-9]+ +0x740f, *[0-9]+ +[0-9.]+°C +[0-9.]+W +N/A, N/A, 0 +[0-9]+Mhz +[0-9]+Mhz +0% +auto +300.0W +[0-9]+% +[0-9]+% *'
    out=$(rocm-smi) || { echo "$out"; return 1; }
    grep -Ex "$text" <<<"$out" | xargs | grep . || { echo "$out"; return 1; }
}

temperatures() {
    is "$hwmon/name" amdgpu && is "$hwmon/temp1_label" edge && is "$hwmon/temp2_label" junction &&
        is "$hwmon/temp3_label" mem || return 1
    local n
    for n in 1 2 3; do between "$hwmon/temp${n}_input" 20000 110000 || return 1; done
    # the board's limits
    is "$hwmon/temp2_crit" 100000 && is "$hwmon/temp3_crit" 95000
}

power() {
    is "$hwmon/power1_label" PPT && is "$hwmon/power1_cap" 300000000 && is "$hwmon/power1_cap_max" 300000000 &&
        between "$hwmon/power1_average" 10000000 300000000
}

# A level of each clock has a star, and it is the clock that the sensors show.
clocks() {
    is "$hwmon/freq1_label" sclk && is "$hwmon/freq2_label" mclk || return 1
    local n clock level
    for n in 1:sclk 2:mclk; do
        clock=${n#*:}
        level=$(sed -nE 's/^[0-9S]: ([0-9]+)Mhz \*$/\1/p' "$card/pp_dpm_$clock")
        [ $((level * 1000000)) = "$(cat "$hwmon/freq${n%:*}_input")" ] ||
            { cat "$card/pp_dpm_$clock" "$hwmon/freq${n%:*}_input"; return 1; }
    done
    grep -q '\*$' "$card/pp_dpm_socclk"
}

memory() {
    local total; total=$(cat $card/mem_info_vram_total)
    between $card/mem_info_vram_total $((1 << 30)) $((1 << 40)) && is $card/mem_info_vis_vram_total "$total" &&
        between $card/mem_info_vram_used 1 "$total" && is $card/mem_info_vis_vram_used '[0-9]+' &&
        between $card/mem_info_gtt_used 1 "$(cat $card/mem_info_gtt_total)"
}

identity() {
    local file
    is $card/unique_id '[0-9a-f]{16}' || return 1
    for file in mec mec2 rlc sdma sdma2 smc sos; do
        is "$card/fw_version/${file}_fw_version" '0x[0-9a-f]{8}' || return 1
        [ $(($(cat "$card/fw_version/${file}_fw_version"))) != 0 ] || { echo "$file: 0"; return 1; }
    done
}

# A number of the binary record, of BYTES bytes at an offset.
record() { od -An -t "u$2" -j "$1" -N "$2" $card/gpu_metrics | xargs; }

measurements() {
    [ "$(record 0 2) $(record 2 1) $(record 3 1)" = "120 1 3" ] || { od -t x1 $card/gpu_metrics; return 1; }
    local before after
    before=$(record 96 8); sleep 1; after=$(record 96 8)
    # the card's clock counts 10 ns; the machine may be slow, but not the card
    [ $((after - before)) -ge 90000000 ] || { echo "from $before to $after in a second"; return 1; }
}

# Load, power, graphics clock and used VRAM rise while a program runs, and the energy counter goes on.
under_load() {
    local -A idle high
    local -a files=($card/gpu_busy_percent $hwmon/power1_average $hwmon/freq1_input $card/mem_info_vram_used)
    local file value pid deadline=$((SECONDS + 120)) energy
    energy=$(record 24 8)
    for file in "${files[@]}"; do idle[$file]=$(cat "$file") high[$file]=0; done
    # a group of its own, so that the program ends with the loop
    setsid bash -c 'while matmul 200; do :; done' >/tmp/load.out 2>&1 & pid=$!
    while [ $SECONDS -lt $deadline ]; do
        local moved=1
        for file in "${files[@]}"; do
            value=$(cat "$file") || { kill -- -$pid; return 1; }
            [ "$value" -gt "${high[$file]}" ] && high[$file]=$value
            [ "${high[$file]}" -gt "${idle[$file]}" ] || moved=
        done
        [ -z "$moved" ] || break
        sleep 0.1
    done
    kill -- -$pid; wait $pid 2>/dev/null
    for file in "${files[@]}"; do
        [ "${high[$file]}" -gt "${idle[$file]}" ] ||
            { echo "$file stays at ${idle[$file]}"; cat /tmp/load.out; return 1; }
    done
    [ "$(record 24 8)" -gt "$energy" ] || { echo "energy stays at $energy"; return 1; }
    echo "load ${high[$card/gpu_busy_percent]} %, $((high[$hwmon/power1_average] / 1000000)) W," \
        "$((high[$hwmon/freq1_input] / 1000000)) MHz"
}

# Back to what an idle card shows.
after_load() {
    local deadline=$((SECONDS + 60))
    while [ $SECONDS -lt $deadline ]; do
        [ "$(cat $card/gpu_busy_percent)" = 0 ] && return
        sleep 0.2
    done
    cat $card/gpu_busy_percent
    return 1
}

check "rocm-smi" line
check "temperatures" temperatures
check "power" power
check "clocks" clocks
check "memory" memory
check "identity" identity
check "record of measurements" measurements
check "under load" under_load
check "idle again" after_load
exit $failed
