// SPDX-License-Identifier: Apache-2.0 OR MIT
// reduction [ELEMENTS]: sum and maximum through LDS and atomics; checked against the same on the host.
#include "check.h"

#include <vector>

constexpr unsigned block = 256;

__global__ void reduce(const unsigned *in, size_t n, unsigned long long *sum, unsigned *maximum, double *real) {
    __shared__ unsigned long long sums[block];
    __shared__ unsigned maxima[block];
    unsigned t = threadIdx.x;
    unsigned long long s = 0;
    unsigned m = 0;
    for (size_t i = size_t(blockIdx.x) * block + t; i < n; i += size_t(gridDim.x) * block) {
        s += in[i];
        m = max(m, in[i]);
    }
    sums[t] = s;
    maxima[t] = m;
    __syncthreads();
    for (unsigned half = block / 2; half; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
            maxima[t] = max(maxima[t], maxima[t + half]);
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(sum, sums[0]);
        atomicMax(maximum, maxima[0]);
        atomicAdd(real, double(sums[0]));
    }
}

__global__ void histogram(const unsigned *in, size_t n, unsigned *bins) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * block + threadIdx.x; i < n; i += size_t(gridDim.x) * block)
        atomicAdd(&local[in[i] % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 100003;
    std::vector<unsigned> in(n), bins(64, 0);
    unsigned x = 12345, biggest = 0;
    unsigned long long total = 0;
    for (auto &v : in) {
        x = x * 1664525u + 1013904223u;
        v = x >> 4;
        total += v;
        biggest = v > biggest ? v : biggest;
        ++bins[v % 64];
    }
    unsigned *din, *dmax, *dbins;
    unsigned long long *dsum;
    double *dreal;
    HIP(hipMalloc(&din, n * sizeof(unsigned)));
    HIP(hipMalloc(&dmax, sizeof(unsigned)));
    HIP(hipMalloc(&dbins, 64 * sizeof(unsigned)));
    HIP(hipMalloc(&dsum, sizeof(*dsum)));
    HIP(hipMalloc(&dreal, sizeof(*dreal)));
    HIP(hipMemcpy(din, in.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
    HIP(hipMemset(dmax, 0, sizeof(unsigned)));
    HIP(hipMemset(dbins, 0, 64 * sizeof(unsigned)));
    HIP(hipMemset(dsum, 0, sizeof(*dsum)));
    HIP(hipMemset(dreal, 0, sizeof(*dreal)));
    hipLaunchKernelGGL(reduce, dim3(32), dim3(block), 0, 0, din, n, dsum, dmax, dreal);
    hipLaunchKernelGGL(histogram, dim3(16), dim3(block), 0, 0, din, n, dbins);
    HIP(hipGetLastError());
    unsigned long long sum = 0;
    unsigned maximum = 0, got[64];
    double real = 0;
    HIP(hipMemcpy(&sum, dsum, sizeof sum, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(&maximum, dmax, sizeof maximum, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(&real, dreal, sizeof real, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(got, dbins, sizeof got, hipMemcpyDeviceToHost));
    Verdict verdict;
    verdict.equal(0, sum, total);
    verdict.equal(1, maximum, biggest);
    verdict.equal(2, real, double(total));
    for (size_t i = 0; i < 64; ++i) verdict.equal(3 + i, got[i], bins[i]);
    return verdict.finish("reduction");
}
