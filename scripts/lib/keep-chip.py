# SPDX-License-Identifier: Apache-2.0 OR MIT
"""keep-chip.py CHIP FILE...: blanks the code objects for other chips in programs with GPU code; every byte keeps its place.

Layout (LLVM, ClangOffloadBundler): a magic text, the number of entries; per entry offset from the magic, size, length of the
name, name; all numbers 64-bit and little-endian.
"""

import mmap
import struct
import sys

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def entries(data, start):
    """The name, place and size of each code object in the bundle at `start`."""
    (count,) = struct.unpack_from("<Q", data, start + len(MAGIC))
    at = start + len(MAGIC) + 8
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        name = data[at + 24 : at + 24 + length].decode()
        at += 24 + length
        yield name, start + offset, size


def blank(data, chip):
    start = data.find(MAGIC)
    found = 0
    while start >= 0:
        for name, at, size in entries(data, start):
            target = name.rpartition("--")[2].partition(":")[0]
            if target == chip:
                found += size
            elif target:
                data[at : at + size] = bytes(size)
        start = data.find(MAGIC, start + 1)
    return found


def main(chip, files):
    for name in files:
        with open(name, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
            if MAGIC in data[:] and not blank(data, chip):
                sys.exit(f"{name} has no code for {chip}")


main(sys.argv[1], sys.argv[2:])
