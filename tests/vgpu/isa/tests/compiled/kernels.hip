// SPDX-License-Identifier: Apache-2.0 OR MIT
// Kernels that use what compilers emit: see main.rs for what each must compute.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void reduce(const int *in, int *out, int n) {
    __shared__ int part[256];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (!t) atomicAdd(out, part[0]);
}

extern "C" __global__ void shuffle(const int *in, float *sum, double *dsum, unsigned *out) {
    int i = threadIdx.x;
    float v = in[i];
    for (int o = 32; o; o >>= 1) v += __shfl_xor(v, o);
    if (!(i & 63)) {
        unsafeAtomicAdd(sum, v);
        unsafeAtomicAdd(dsum, (double)v);
    }
    out[i] = __popcll(__ballot(in[i] & 1)) + __shfl_down(in[i], 3) + __shfl(in[i], 5) * 1000;
}

template <class T> __device__ void multiply(const T *a, const T *b, T *c, int n) {
    __shared__ T x[16][16], y[16][16];
    int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[threadIdx.y][threadIdx.x] = a[r * n + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + q];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += x[threadIdx.y][j] * y[j][threadIdx.x];
        __syncthreads();
    }
    c[r * n + q] = sum;
}
extern "C" __global__ void multiply_float(const float *a, const float *b, float *c, int n) { multiply(a, b, c, n); }
extern "C" __global__ void multiply_double(const double *a, const double *b, double *c, int n) { multiply(a, b, c, n); }

extern "C" __global__ void scratch(const int *in, int *out, int n) {
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = in[i * 64 + threadIdx.x];
    for (int k = 0; k < n; k++) {
        int j = in[k] & 63;
        a[j] = a[(j * 7 + k) & 63] * 3 + k;
    }
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += a[i] * (i + 1);
    out[threadIdx.x] = sum;
}

extern "C" __global__ void divide(const long long *a, const long long *b, long long *q, unsigned *r, short *h) {
    int i = threadIdx.x;
    q[i] = a[i] / b[i] + a[i] % b[i];
    unsigned x = (unsigned)a[i], y = (unsigned)b[i] | 1;
    r[i] = x / y + x % y + __popc(x) + __clz(y) + __brev(x) + __umulhi(x, y);
    h[i] = (short)a[i] / (short)(b[i] | 1) + (short)((short)a[i] * (short)b[i]);
}

extern "C" __global__ void math(const double *x, double *d, const float *y, float *f, int n) {
    int i = threadIdx.x;
    double v = x[i];
    d[i] = sqrt(v), d[i + n] = 1.0 / v, d[i + 2 * n] = sin(v), d[i + 3 * n] = exp(v), d[i + 4 * n] = log(v);
    d[i + 5 * n] = pow(v, 1.5), d[i + 6 * n] = fmod(v, 0.7), d[i + 7 * n] = tan(v), d[i + 8 * n] = floor(v) + ceil(v) + rint(v);
    float w = y[i];
    f[i] = sqrtf(w), f[i + n] = 1.0f / w, f[i + 2 * n] = sinf(w), f[i + 3 * n] = expf(w), f[i + 4 * n] = logf(w);
    f[i + 5 * n] = powf(w, 1.5f), f[i + 6 * n] = fmodf(w, 0.7f), f[i + 7 * n] = tanf(w), f[i + 8 * n] = floorf(w) + ceilf(w) + rintf(w);
}

extern "C" __global__ void halves(const __half *a, const __half *b, __half *c, const __half2 *p, __half2 *q) {
    int i = threadIdx.x;
    c[i] = a[i] * b[i] + a[i];
    c[i + 64] = __hdiv(a[i], b[i]);
    q[i] = __hfma2(p[i], p[i + 64], p[i + 128]);
}

__device__ void twice(int *p) { *p *= 2; }
__device__ void next(int *p) { *p += 1; }
__device__ void (*const table[2])(int *) = {twice, next};

extern "C" __global__ void pointers(int *p, int which) {
    __shared__ int s[64];
    int priv[2] = {5, 6};
    int i = threadIdx.x;
    s[i] = i * 10;
    table[which & 1](p + i);
    __syncthreads();
    int *any = i % 3 == 0 ? s + i : i % 3 == 1 ? p + i : priv + (i & 1);
    *any += 100;
    p[i + 64] = s[i] + priv[0] + priv[1];
}

extern "C" __global__ void atomics(unsigned *p, unsigned long long *q) {
    unsigned i = threadIdx.x;
    atomicMax(p, i), atomicMin(p + 1, i), atomicInc(p + 2, 9), atomicDec(p + 3, 9);
    atomicAnd(p + 4, ~(1u << (i & 31))), atomicOr(p + 5, 1u << (i & 31)), atomicXor(p + 6, i);
    if (atomicCAS(p + 7, i, i + 1) == i) atomicExch(p + 8, i);
    atomicAdd(q, (unsigned long long)i << 20), atomicMax(q + 1, (unsigned long long)i << 40);
}
