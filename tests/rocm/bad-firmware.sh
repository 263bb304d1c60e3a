#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# bad-firmware.sh: each firmware file is missing, empty, cut off, too long or damaged in its header or in that of an image,
# which the security processor looks at, one after the other. Each time the card is refused, one line in the log says which
# file it was and why, and nothing stays.

source "$(dirname "$0")/common.sh"
driver=/sys/bus/pci/drivers/amdgpu
card=$(basename "$(ls -d $driver/0000:* | head -n 1)")
good=$(readlink -f /lib/firmware/amdgpu)
bad=$(mktemp -d)

# refused NAME FILE: the card must be refused because of this file.
refused() {
    local lines left status=ok
    dmesg -C
    if { echo "$card" >$driver/bind; } 2>/dev/null; then
        echo "$card" >$driver/unbind
        status="the card is taken"
    elif lines=$(dmesg | grep -c "firmware amdgpu/$2: "); [ "$lines" != 1 ]; then
        status="$lines lines name the file"
    elif left=$(residue_of_card); [ -n "$left" ]; then
        status="something is left: $left"
    fi
    if [ "$status" = ok ]; then
        echo "ok firmware: $2 $1"
    else
        failed=1
        echo "not ok firmware: $2 $1: $status"
        dmesg | sed 's/^/    /'
    fi
    cp "$good/$2" "$bad/$2"
}

# Writes bytes (as printf's escapes) over those at an offset of a file.
patch() { printf '%b' "$3" | dd of="$bad/$1" bs=1 seek="$2" conv=notrunc status=none; }

echo "$card" >$driver/unbind || { echo "not ok unbind"; exit 1; }
cp "$good"/* "$bad"
ln -sfn "$bad" /lib/firmware/amdgpu
for kind in sos smc sdma mec rlc; do
    file=aldebaran_$kind.bin
    size=$(stat -c %s "$bad/$file") || { echo "not ok $file"; exit 1; }
    rm "$bad/$file"
    refused "missing" $file
    : >"$bad/$file"
    refused "empty" $file
    truncate -s 31 "$bad/$file"
    refused "shorter than a header" $file
    truncate -s $((size - 4)) "$bad/$file"
    refused "cut off" $file
    truncate -s $((size + 4)) "$bad/$file"
    refused "too long" $file
    # common_firmware_header: header_size_bytes, header_version_major, ucode_size_bytes, ucode_array_offset_bytes
    patch $file 4 '\xff\xff\xff\x7f'
    refused "with a header beyond its end" $file
    patch $file 8 '\x77\x00'
    refused "with an unknown layout" $file
    patch $file 20 '\xff\xff\xff\xff'
    refused "with an image larger than itself" $file
    patch $file 24 '\xf0\xff\xff\xff'
    refused "with an image beyond its end" $file
    # all of them: there are some for other cards
    for at in $(LC_ALL=C grep -abo '\$PS1' "$bad/$file" | cut -d: -f1); do patch $file "$at" 'ABCD'; done
    refused "with images that are not signed" $file
done
ln -sfn "$good" /lib/firmware/amdgpu
[ $failed = 0 ] || exit 1
echo "$card" >$driver/bind && vector_add 1024 >/dev/null || { echo "not ok vector_add with good files"; exit 1; }
echo "ok vector_add with good files"
