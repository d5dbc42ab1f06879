// Memory and a kernel on the device, for tests of the runtime from the outside.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "hip.hpp"
#include "kernels.hpp"

// Device memory of ints that are zero at first.
struct ints {
    explicit ints(std::size_t n) : count(n) {
        void* p = nullptr;
        EXPECT_EQ(hipMalloc(&p, n * sizeof(int)), hipSuccess);
        EXPECT_EQ(hipMemset(p, 0, n * sizeof(int)), hipSuccess);
        data = static_cast<int*>(p);
    }
    ~ints() { EXPECT_EQ(hipFree(data), hipSuccess); }
    int operator[](std::size_t n) const {
        int value = -1;
        EXPECT_EQ(hipMemcpy(&value, data + n, sizeof value, hipMemcpyDeviceToHost), hipSuccess);
        return value;
    }
    int* data = nullptr;
    std::size_t count;
};

// `exchange` of kernels.s, for groups of 256.
struct exchange_kernel {
    exchange_kernel() {
        const auto image = read_kernels(tested_arch());
        EXPECT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
        EXPECT_EQ(hipModuleGetFunction(&function, module, "exchange"), hipSuccess);
    }
    ~exchange_kernel() { EXPECT_EQ(hipModuleUnload(module), hipSuccess); }
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
};
