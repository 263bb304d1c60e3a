// SPDX-License-Identifier: Apache-2.0 OR MIT
// streams: several streams with copies and kernels in order, joined by events across streams.
#include "check.h"

#include <vector>

__global__ void step(unsigned *data, size_t n, unsigned factor, unsigned term) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * factor + term;
}

__global__ void gather(const unsigned *const *parts, unsigned count, unsigned *out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned sum = 0;
    for (unsigned p = 0; p < count; ++p) sum += parts[p][i];
    out[i] = sum;
}

int main() {
    constexpr unsigned count = 4, rounds = 8;
    const size_t n = 20000, bytes = n * sizeof(unsigned);
    const dim3 grid((n + 255) / 256), block(256);
    hipStream_t streams[count];
    hipEvent_t done[count], start, stop;
    unsigned *device[count], *host[count];
    for (unsigned s = 0; s < count; ++s) {
        HIP(hipStreamCreate(&streams[s]));
        HIP(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
        HIP(hipMalloc(&device[s], bytes));
        HIP(hipHostMalloc(&host[s], bytes, hipHostMallocDefault));
        for (size_t i = 0; i < n; ++i) host[s][i] = unsigned(i * (s + 1));
    }
    HIP(hipEventCreate(&start));
    HIP(hipEventCreate(&stop));
    HIP(hipEventRecord(start, streams[0]));
    for (unsigned s = 0; s < count; ++s) {
        HIP(hipMemcpyAsync(device[s], host[s], bytes, hipMemcpyHostToDevice, streams[s]));
        for (unsigned r = 0; r < rounds; ++r)
            hipLaunchKernelGGL(step, grid, block, 0, streams[s], device[s], n, 3u, r + s);
        HIP(hipEventRecord(done[s], streams[s]));
    }
    // stream 0 waits for all the others
    unsigned **parts, *sum;
    HIP(hipMalloc(&parts, sizeof device));
    HIP(hipMalloc(&sum, bytes));
    HIP(hipMemcpy(parts, device, sizeof device, hipMemcpyHostToDevice));
    for (unsigned s = 1; s < count; ++s) HIP(hipStreamWaitEvent(streams[0], done[s], 0));
    hipLaunchKernelGGL(gather, grid, block, 0, streams[0], (const unsigned *const *)parts, count, sum, n);
    HIP(hipEventRecord(stop, streams[0]));
    std::vector<unsigned> got(n);
    HIP(hipMemcpyAsync(got.data(), sum, bytes, hipMemcpyDeviceToHost, streams[0]));
    HIP(hipStreamSynchronize(streams[0]));
    float ms = -1;
    HIP(hipEventElapsedTime(&ms, start, stop));
    Verdict verdict;
    for (size_t i = 0; i < n; ++i) {
        unsigned expected = 0;
        for (unsigned s = 0; s < count; ++s) {
            unsigned v = unsigned(i * (s + 1));
            for (unsigned r = 0; r < rounds; ++r) v = v * 3 + r + s;
            expected += v;
        }
        verdict.equal(i, got[i], expected);
    }
    // the clock of the GPU runs forward, and this work does not take an hour
    verdict.equal(n, ms > 0 && ms < 3600e3f, true);
    for (unsigned s = 0; s < count; ++s) {
        HIP(hipFree(device[s]));
        HIP(hipHostFree(host[s]));
        HIP(hipEventDestroy(done[s]));
        HIP(hipStreamDestroy(streams[s]));
    }
    return verdict.finish("streams");
}
