// SPDX-License-Identifier: Apache-2.0 OR MIT
// vector_add [ELEMENTS] [managed]: adds two vectors on the GPU and checks every element.
#include "check.h"

#include <cstring>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Values whose sum is exact in float, different for every element modulo 2^20.
static float left(size_t i) { return float(i % 1048576); }
static float right(size_t i) { return float((i * 7) % 1048576); }

static void launch(const float *a, const float *b, float *c, size_t n) {
    const unsigned block = 256;
    hipLaunchKernelGGL(add, dim3((n + block - 1) / block), dim3(block), 0, 0, a, b, c, n);
    HIP(hipGetLastError());
}

static int with_copies(size_t n) {
    std::vector<float> a(n), b(n), c(n, -1.0f);
    for (size_t i = 0; i < n; ++i) a[i] = left(i), b[i] = right(i);
    size_t bytes = n * sizeof(float);
    float *da, *db, *dc;
    HIP(hipMalloc(&da, bytes));
    HIP(hipMalloc(&db, bytes));
    HIP(hipMalloc(&dc, bytes));
    HIP(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
    launch(da, db, dc, n);
    HIP(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    Verdict verdict;
    for (size_t i = 0; i < n; ++i) verdict.equal(i, c[i], left(i) + right(i));
    return verdict.finish("vector_add");
}

static int managed(size_t n) {
    size_t bytes = n * sizeof(float);
    float *a, *b, *c;
    HIP(hipMallocManaged(&a, bytes));
    HIP(hipMallocManaged(&b, bytes));
    HIP(hipMallocManaged(&c, bytes));
    for (size_t i = 0; i < n; ++i) a[i] = left(i), b[i] = right(i), c[i] = -1.0f;
    launch(a, b, c, n);
    HIP(hipDeviceSynchronize());
    Verdict verdict;
    for (size_t i = 0; i < n; ++i) verdict.equal(i, c[i], left(i) + right(i));
    HIP(hipFree(a));
    HIP(hipFree(b));
    HIP(hipFree(c));
    return verdict.finish("vector_add managed");
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1024;
    return argc > 2 && !std::strcmp(argv[2], "managed") ? managed(n) : with_copies(n);
}
