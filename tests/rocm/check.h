// SPDX-License-Identifier: Apache-2.0 OR MIT
// Shared by the HIP programs: every call is checked, every value is compared, the first differences are named.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define HIP(call)                                                                              \
    do {                                                                                       \
        hipError_t error_ = (call);                                                            \
        if (error_ != hipSuccess) {                                                            \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

// Counts wrong values and prints the first few.
struct Verdict {
    size_t compared = 0;
    size_t wrong = 0;

    template <typename T>
    void equal(size_t index, T got, T expected) {
        ++compared;
        if (got == expected) return;
        if (++wrong <= 5)
            std::printf("  [%zu]: got %.17g, expected %.17g\n", index, double(got), double(expected));
    }

    // Prints the result line and returns the exit status.
    int finish(const char *name) const {
        std::printf("%s: %zu of %zu values right\n", name, compared - wrong, compared);
        return wrong == 0 && compared > 0 ? 0 : 1;
    }
};
