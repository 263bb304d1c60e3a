// SPDX-License-Identifier: Apache-2.0 OR MIT
// two_gpus: both GPUs of a machine, by themselves, on memory that they share, and copies between them.
#include "check.h"

#include <vector>

static constexpr size_t COUNT = 100000;

__host__ __device__ static unsigned value(int device, size_t i) { return unsigned(i) * 3 + unsigned(device) + 1; }

__global__ void fill(unsigned *out, size_t first, size_t end, int device) {
    size_t i = first + size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < end) out[i] = value(device, i);
}

static void launch(int device, unsigned *out, size_t first, size_t end) {
    const unsigned block = 256;
    HIP(hipSetDevice(device));
    hipLaunchKernelGGL(fill, dim3((end - first + block - 1) / block), dim3(block), 0, 0, out, first, end, device);
    HIP(hipGetLastError());
}

static void finish_both() {
    for (int device : {0, 1}) {
        HIP(hipSetDevice(device));
        HIP(hipDeviceSynchronize());
    }
}

// Each GPU writes one half, at the address where it sees the memory.
static void halves(Verdict &verdict, unsigned *memory, unsigned *seen) {
    for (size_t i = 0; i < COUNT; ++i) memory[i] = 0;
    launch(0, seen, 0, COUNT / 2);
    launch(1, seen, COUNT / 2, COUNT);
    finish_both();
    for (size_t i = 0; i < COUNT; ++i) verdict.equal(i, memory[i], value(i < COUNT / 2 ? 0 : 1, i));
}

// Says what comes next, so that it is known where a GPU faults.
static void step(const char *what) {
    std::printf("%s\n", what);
    std::fflush(stdout);
}

int main() {
    int devices = 0;
    HIP(hipGetDeviceCount(&devices));
    if (devices != 2) {
        std::printf("%d devices instead of 2\n", devices);
        return 1;
    }
    const size_t bytes = COUNT * sizeof(unsigned);
    Verdict verdict;
    unsigned *own[2];
    std::vector<unsigned> back(COUNT);

    step("memory of each GPU");
    for (int device : {0, 1}) {
        HIP(hipSetDevice(device));
        HIP(hipMalloc(&own[device], bytes));
        launch(device, own[device], 0, COUNT);
    }
    finish_both();
    for (int device : {0, 1}) {
        HIP(hipMemcpy(back.data(), own[device], bytes, hipMemcpyDeviceToHost));
        for (size_t i = 0; i < COUNT; ++i) verdict.equal(i, back[i], value(device, i));
    }
    step("copy between GPUs");
    HIP(hipMemcpyPeer(own[1], 1, own[0], 0, bytes));
    HIP(hipMemcpy(back.data(), own[1], bytes, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < COUNT; ++i) verdict.equal(i, back[i], value(0, i));

    step("pinned memory");
    unsigned *pinned;
    HIP(hipHostMalloc(&pinned, bytes, hipHostMallocPortable));
    halves(verdict, pinned, pinned);
    HIP(hipHostFree(pinned));

    step("managed memory");
    unsigned *managed;
    HIP(hipMallocManaged(&managed, bytes));
    halves(verdict, managed, managed);
    HIP(hipFree(managed));

    step("registered memory");
    HIP(hipHostRegister(back.data(), bytes, hipHostRegisterPortable));
    unsigned *seen;
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&seen), back.data(), 0));
    halves(verdict, back.data(), seen);
    HIP(hipHostUnregister(back.data()));

    for (unsigned *memory : own) HIP(hipFree(memory));
    return verdict.finish("two_gpus");
}
