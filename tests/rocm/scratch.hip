// SPDX-License-Identifier: Apache-2.0 OR MIT
// scratch: a kernel whose private array lives in scratch memory, and device printf.
#include "check.h"

#include <vector>

constexpr unsigned words = 512;

// The index is only known at run time, so the array cannot live in registers.
__global__ void permute(unsigned *out, unsigned n, unsigned step) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned own[words];
    for (unsigned i = 0; i < words; ++i) own[i] = id * words + i;
    for (unsigned i = 0; i < words; ++i) {
        unsigned j = (i * step + id) % words, t = own[i];
        own[i] = own[j];
        own[j] = t;
    }
    unsigned hash = 0;
    for (unsigned i = 0; i < words; ++i) hash = hash * 31 + own[i];
    out[id] = hash;
}

__global__ void speak(unsigned n) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) printf("work-item %u says %d %s %.3f\n", id, -int(id), "hello", id / 8.0);
}

static unsigned expected(unsigned id, unsigned step) {
    unsigned own[words], hash = 0;
    for (unsigned i = 0; i < words; ++i) own[i] = id * words + i;
    for (unsigned i = 0; i < words; ++i) {
        unsigned j = (i * step + id) % words, t = own[i];
        own[i] = own[j];
        own[j] = t;
    }
    for (unsigned i = 0; i < words; ++i) hash = hash * 31 + own[i];
    return hash;
}

int main() {
    const unsigned n = 1000, step = 37;
    unsigned *out;
    HIP(hipMalloc(&out, n * sizeof(unsigned)));
    hipLaunchKernelGGL(permute, dim3((n + 63) / 64), dim3(64), 0, 0, out, n, step);
    HIP(hipGetLastError());
    std::vector<unsigned> got(n);
    HIP(hipMemcpy(got.data(), out, n * sizeof(unsigned), hipMemcpyDeviceToHost));
    hipLaunchKernelGGL(speak, dim3(1), dim3(64), 0, 0, 8u);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    HIP(hipFree(out));
    Verdict verdict;
    for (unsigned i = 0; i < n; ++i) verdict.equal(i, got[i], expected(i, step));
    return verdict.finish("scratch");
}
