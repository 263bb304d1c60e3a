// SPDX-License-Identifier: Apache-2.0 OR MIT
// matmul [SIZE]: square matrix product in float and in double through LDS tiles; small integers keep it exact.
#include "check.h"

#include <vector>

constexpr unsigned tile = 16;

template <typename T>
__global__ void multiply(const T *a, const T *b, T *c, unsigned n) {
    __shared__ T ta[tile][tile], tb[tile][tile];
    unsigned row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    T sum = 0;
    for (unsigned t = 0; t < n; t += tile) {
        unsigned k = t + threadIdx.x, l = t + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : T(0);
        tb[threadIdx.y][threadIdx.x] = l < n && column < n ? b[l * n + column] : T(0);
        __syncthreads();
        for (unsigned i = 0; i < tile; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

template <typename T>
static int product(unsigned n, const char *name) {
    size_t count = size_t(n) * n, bytes = count * sizeof(T);
    std::vector<T> a(count), b(count), c(count);
    for (size_t i = 0; i < count; ++i) a[i] = T(int(i % 13) - 6), b[i] = T(int(i % 17) - 8);
    T *da, *db, *dc;
    HIP(hipMalloc(&da, bytes));
    HIP(hipMalloc(&db, bytes));
    HIP(hipMalloc(&dc, bytes));
    HIP(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
    unsigned blocks = (n + tile - 1) / tile;
    hipLaunchKernelGGL(multiply<T>, dim3(blocks, blocks), dim3(tile, tile), 0, 0, da, db, dc, n);
    HIP(hipGetLastError());
    HIP(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    Verdict verdict;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j) {
            T sum = 0;
            for (unsigned k = 0; k < n; ++k) sum += a[size_t(i) * n + k] * b[size_t(k) * n + j];
            verdict.equal(size_t(i) * n + j, c[size_t(i) * n + j], sum);
        }
    return verdict.finish(name);
}

int main(int argc, char **argv) {
    unsigned n = argc > 1 ? std::strtoul(argv[1], nullptr, 0) : 100;
    return product<float>(n, "matmul float") | product<double>(n, "matmul double");
}
