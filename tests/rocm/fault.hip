// SPDX-License-Identifier: Apache-2.0 OR MIT
// fault read|write|trap|assert: a kernel does what no kernel may. The runtime must tell and abort: this program never
// ends by itself.
#include "check.h"

#include <cassert>
#include <cstdint>
#include <cstring>

// An address where nothing is mapped.
static uint64_t *const nowhere = reinterpret_cast<uint64_t *>(0x123456789000);

__global__ void read_nowhere(const uint64_t *from, uint64_t *to) { *to = *from; }

__global__ void write_nowhere(uint64_t *to) { *to = 1; }

__global__ void trap() { __builtin_trap(); }

__global__ void false_assertion(int answer) { assert(answer == 42); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "read";
    uint64_t *result;
    HIP(hipMalloc(&result, sizeof *result));
    if (!std::strcmp(what, "read")) {
        read_nowhere<<<1, 1>>>(nowhere, result);
    } else if (!std::strcmp(what, "write")) {
        write_nowhere<<<1, 1>>>(nowhere);
    } else if (!std::strcmp(what, "trap")) {
        trap<<<1, 1>>>();
    } else if (!std::strcmp(what, "assert")) {
        false_assertion<<<1, 1>>>(41);
    } else {
        std::printf("fault: there is no %s\n", what);
        return 2;
    }
    hipError_t error = hipDeviceSynchronize();
    std::printf("fault: %s went by: %s\n", what, hipGetErrorString(error));
    return 3;
}
