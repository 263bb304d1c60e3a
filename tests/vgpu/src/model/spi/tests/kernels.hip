// SPDX-License-Identifier: Apache-2.0 OR MIT
// Device code for the dispatcher's tests.
#include <hip/hip_runtime.h>

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void reduce(const int *in, int n, unsigned long long *sum, double *real, int *top) {
    __shared__ long long part[256];
    int t = threadIdx.x;
    long long s = 0;
    int m = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        s += in[i];
        m = max(m, in[i]);
    }
    part[t] = s;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    atomicMax(top, m);
    if (t == 0) {
        atomicAdd(sum, (unsigned long long)part[0]);
        atomicAdd(real, (double)part[0]);
    }
}

template <typename T> __device__ void multiply(const T *a, const T *b, T *c, int n) {
    __shared__ T left[16][16], right[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    T s = 0;
    for (int k = 0; k < n; k += 16) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * n + column] = s;
}

extern "C" __global__ void multiply_float(const float *a, const float *b, float *c, int n) { multiply(a, b, c, n); }
extern "C" __global__ void multiply_double(const double *a, const double *b, double *c, int n) { multiply(a, b, c, n); }

// an array that is indexed at run time lives in scratch memory
extern "C" __global__ void scratch(int *out, int n) {
    int values[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; ++k) values[k] = i * k;
    int at = i & 63, s = 0;
    for (int k = 0; k < n; ++k) {
        s += values[at];
        values[at] ^= k;
        at = (at * 5 + 1) & 63;
    }
    out[i] = s;
}

__device__ __noinline__ int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}

// every lane loops for another number of rounds, through a real call
extern "C" __global__ void diverge(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = collatz(i + 1);
    switch (i % 4) {
        case 0: v += 1000; break;
        case 1: v *= 3; break;
        case 2: v = -v; break;
    }
    out[i] = v;
}

// reads and writes LDS, scratch and global memory through generic pointers
extern "C" __global__ void generic(int *out) {
    __shared__ int shared[64];
    int own[4] = {1, 2, 3, 4};
    int i = threadIdx.x;
    shared[i] = 10 * i;
    __syncthreads();
    int *choice[3] = {out + i, shared + (i ^ 1), own + (i & 3)};
    volatile int *p = choice[i % 3];
    int v = *p;
    *p = v + 1;
    __syncthreads();
    out[64 + i] = v + 100000 * own[i & 3] + 10000000 * (shared[i] & 7);
}
