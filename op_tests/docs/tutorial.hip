// The kernels of docs/tutorial.md, run. Elements are small whole numbers, so every sum is exact. With a
// step's name as its argument the program runs that kernel once with 2048 x 2048 x 2048 and compares
// nothing: test_tutorial.cpp takes its profile and its timeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "tutorial_blocks.hpp"  // what the page shows

namespace {

using examples::device_buffer;

std::size_t size_of(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        value = static_cast<T>(static_cast<float>(random() % 9) - 4);
    }
    return values;
}

struct problem {
    int m, n, k;
    device_buffer<fp16_t> a, b, d;
    device_buffer<float> c, bias;

    problem(int m_, int n_, int k_, const std::vector<fp16_t>& of_a,
            const std::vector<fp16_t>& of_b, const std::vector<float>& of_bias)
        : m(m_),
          n(n_),
          k(k_),
          a(of_a),
          b(of_b),
          d(size_of(m, n)),
          c(size_of(m, n)),
          bias(of_bias) {}

    dim3 grid(int block) const {
        return dim3(static_cast<unsigned>((n + block - 1) / block),
                    static_cast<unsigned>((m + block - 1) / block));
    }
};

struct step {
    const char* name;
    int m, n, k;  // to compare
    void (*launch)(problem&);
    bool has_epilogue;
};

const step steps[] = {
    {"one_instruction", 32, 32, 8,
     [](problem& p) { one_instruction<<<1, 64>>>(p.a.data(), p.b.data(), p.c.data()); }, false},
    {"one_tile", 96, 64, 40,
     [](problem& p) { one_tile<<<p.grid(32), 64>>>(p.a.data(), p.b.data(), p.c.data(), p.n, p.k); },
     false},
    {"any_size", 70, 33, 36,
     [](problem& p) {
         any_size<4><<<p.grid(32), 64>>>(p.a.data(), p.b.data(), p.c.data(), p.m, p.n, p.k);
     },
     false},
    {"any_size_odd", 45, 70, 37,
     [](problem& p) {
         any_size<1><<<p.grid(32), 64>>>(p.a.data(), p.b.data(), p.c.data(), p.m, p.n, p.k);
     },
     false},
    {"through_lds", 256, 384, 192,
     [](problem& p) {
         through_lds<<<p.grid(128), 256>>>(p.a.data(), p.b.data(), p.c.data(), p.n, p.k);
     },
     false},
    {"swizzled", 256, 384, 192,
     [](problem& p) {
         swizzled<<<p.grid(128), 256>>>(p.a.data(), p.b.data(), p.c.data(), p.n, p.k);
     },
     false},
    {"two_buffers", 256, 384, 192,
     [](problem& p) {
         two_buffers<<<p.grid(128), 256>>>(p.a.data(), p.b.data(), p.c.data(), p.n, p.k);
     },
     false},
    {"by_dma", 256, 384, 192,
     [](problem& p) { by_dma<<<p.grid(128), 256>>>(p.a.data(), p.b.data(), p.c.data(), p.n, p.k); },
     false},
    {"with_epilogue", 256, 384, 192,
     [](problem& p) {
         with_epilogue<<<p.grid(128), 256>>>(p.a.data(), p.b.data(), p.bias.data(), p.d.data(), p.n,
                                             p.k);
     },
     true},
};

void run(const step& s, problem& p) {
    s.launch(p);
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

class tutorial : public testing::TestWithParam<step> {};

TEST_P(tutorial, computes_the_product) {
    const step& s = GetParam();
    for (const int k : {s.k, s.name == std::string("one_instruction") ? s.k : s.k * 3}) {
        const auto a = numbers<fp16_t>(size_of(s.m, k), 1);
        const auto b = numbers<fp16_t>(size_of(s.n, k), 2);
        const auto bias = numbers<float>(size_of(s.n, 1), 3);
        problem p(s.m, s.n, k, a, b, bias);
        run(s, p);
        const auto c = p.c.to_host();
        const auto d = p.d.to_host();
        for (int i = 0; i < s.m; ++i) {
            for (int j = 0; j < s.n; ++j) {
                float sum = 0;
                for (int l = 0; l < k; ++l) {
                    sum += static_cast<float>(a[size_of(i, k) + size_of(l, 1)]) *
                           static_cast<float>(b[size_of(j, k) + size_of(l, 1)]);
                }
                const std::size_t at = size_of(i, s.n) + size_of(j, 1);
                if (s.has_epilogue) {
                    sum = std::max(sum + bias[size_of(j, 1)], 0.0f);
                    ASSERT_EQ(static_cast<float>(d[at]), sum) << i << ", " << j << ", k " << k;
                } else {
                    ASSERT_EQ(c[at], sum) << i << ", " << j << ", k " << k;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(steps, tutorial, testing::ValuesIn(steps),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc == 1) {
        return RUN_ALL_TESTS();
    }
    for (const step& s : steps) {
        if (s.name == std::string(argv[1])) {
            constexpr int size = 2048;
            const std::vector<fp16_t> zeros(size_of(size, size));
            problem p(size, size, size, zeros, zeros, std::vector<float>(size));
            run(s, p);
            return 0;
        }
    }
    std::fprintf(stderr, "no step %s\n", argv[1]);
    return 2;
}
