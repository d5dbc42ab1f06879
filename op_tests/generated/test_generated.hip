// Kernels of generated.hpp, of the seeds OPUS_GENERATED_SEEDS, a list. The emulator's default checks
// must find nothing in them, and each stores the bits that it stores with waits behind every step.
// (CMakeLists.txt gives the program to the lint, too.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "generated.hpp"

// A vector instruction reads what a matrix instruction has just written, out of the compiler's sight:
// what the checks and the lint must find.
__global__ void known_hazard(float* p) {
    using namespace opus;
    const mfma_f32_16x16x16_f16 mma;
    const auto a = make_repeated_vector<4>(static_cast<fp16_t>(p[lane_id()]));
    const auto c = mma(a, a);
    float x = 0;
    asm volatile("v_mov_b32 %0, %1" : "=v"(x) : "v"(c[0]));
    p[lane_id()] = x;
}

namespace {

using words = std::vector<unsigned>;

void check(hipError_t status, const std::string& what) {
    ASSERT_EQ(status, hipSuccess) << what << ": " << hipGetErrorString(status);
}

struct memory {
    unsigned* in = nullptr;
    unsigned* out = nullptr;
    unsigned* counters = nullptr;

    memory() {
        words tame(generated_impl::in_words);
        for (unsigned i = 0; i < tame.size(); ++i) {
            tame[i] = (generated_impl::mix(i, 99) & 0xbbbbbbbbu) | 0x04040404u;
        }
        check(hipMalloc(reinterpret_cast<void**>(&in), tame.size() * 4), "hipMalloc");
        check(hipMalloc(reinterpret_cast<void**>(&out), generated_impl::out_words * 4),
              "hipMalloc");
        check(hipMalloc(reinterpret_cast<void**>(&counters), generated_impl::counter_words * 4),
              "hipMalloc");
        check(hipMemcpy(in, tame.data(), tame.size() * 4, hipMemcpyHostToDevice), "hipMemcpy");
    }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    ~memory() {
        EXPECT_EQ(hipFree(in), hipSuccess);
        EXPECT_EQ(hipFree(out), hipSuccess);
        EXPECT_EQ(hipFree(counters), hipSuccess);
    }

    // What the kernel stores, and the counters behind that.
    words run(void (*kernel)(const unsigned*, unsigned*, unsigned*, int, int)) const {
        words result(generated_impl::out_words + generated_impl::counter_words);
        check(hipMemset(out, 0xee, generated_impl::out_words * 4), "hipMemset");
        check(hipMemset(counters, 0, generated_impl::counter_words * 4), "hipMemset");
        kernel<<<1, generated_impl::threads>>>(in, out, counters, 3, 1);
        check(hipGetLastError(), "launch");
        check(hipDeviceSynchronize(), "hipDeviceSynchronize");
        check(hipMemcpy(result.data(), out, generated_impl::out_words * 4, hipMemcpyDeviceToHost),
              "hipMemcpy");
        check(hipMemcpy(result.data() + generated_impl::out_words, counters,
                        generated_impl::counter_words * 4, hipMemcpyDeviceToHost),
              "hipMemcpy");
        return result;
    }
};

template <unsigned Seed>
void run_seed(const memory& m) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    const words as_written = m.run(generated<Seed, false>);
    const words careful = m.run(generated<Seed, true>);
    int stored = 0;
    int different = 0;
    for (size_t i = 0; i < as_written.size(); ++i) {
        stored += as_written[i] != 0xeeeeeeee;
        if (as_written[i] != careful[i] && ++different <= 3) {
            ADD_FAILURE() << std::hex << "word 0x" << i << " is 0x" << as_written[i]
                          << ", with waits 0x" << careful[i];
        }
    }
    EXPECT_EQ(different, 0);
    // The state at the end, and perhaps more.
    EXPECT_GE(stored, generated_impl::threads * 76);
}

template <unsigned... Seeds>
void run_seeds() {
    const memory m;
    (run_seed<Seeds>(m), ...);
}

TEST(generated, finds_nothing_and_stores_the_same_bits) {
    run_seeds<OPUS_GENERATED_SEEDS>();
}

TEST(generated, a_known_hazard_is_found) {
    float* p = nullptr;
    check(hipMalloc(reinterpret_cast<void**>(&p), 256), "hipMalloc");
    check(hipMemset(p, 0, 256), "hipMemset");
    const auto launch = [&] {
        known_hazard<<<1, 64>>>(p);
        (void)hipDeviceSynchronize();
        std::exit(0);
    };
    EXPECT_EXIT(launch(), testing::ExitedWithCode(70),
                "a vector instruction reads what a matrix instruction writes");
    check(hipFree(p), "hipFree");
}

}  // namespace
