// The kernels of examples/mla_decode in a graph: nothing is cleared between replays, and the lengths
// may change.
#include <gtest/gtest.h>

#include "small.hpp"

#define main mla_decode_main_of_the_example
#include "mla_decode.hip"
#undef main

#include <cmath>
#include <cstddef>
#include <vector>

// Not in hip_minimal.hpp.
extern "C" {
hipError_t hipStreamBeginCapture(hipStream_t, int);
hipError_t hipStreamEndCapture(hipStream_t, void**);
hipError_t hipGraphInstantiate(void**, void*, void*, char*, std::size_t);
hipError_t hipGraphLaunch(void*, hipStream_t);
hipError_t hipGraphExecDestroy(void*);
hipError_t hipGraphDestroy(void*);
}

namespace {

decode_problem make(std::vector<int> lengths, bool fp8) {
    decode_problem p;
    p.lengths = std::move(lengths);
    p.tokens = 2;
    p.heads = 10;
    p.page = 16;
    p.part_keys = 32;
    p.fp8 = fp8;
    std::mt19937_64 random(5);
    complete(p, {}, random);
    return p;
}

// How many elements of o are not what the reference says, and 0 if all are.
int wrong(const decode_problem& p, const std::vector<bf16_t>& o) {
    std::vector<examples::tensor_output> outputs(1);
    outputs[0].values = examples::to_doubles(o);
    outputs[0].expected.resize(o.size());
    outputs[0].tolerance.resize(o.size());
    expect_attention(p, outputs);
    int n = 0;
    for (std::size_t i = 0; i < o.size(); ++i) {
        n += std::fabs(outputs[0].values[i] - outputs[0].expected[i]) <= outputs[0].tolerance[i]
                 ? 0
                 : 1;
    }
    return n;
}

template <class Kv>
void replay() {
    constexpr int relaxed = 2;
    decode_problem p = make({200, 33, 2, 64}, opus::is_same_v<Kv, fp8_t>);
    decode_run<Kv> run(p);
    hipStream_t stream = nullptr;
    void* graph = nullptr;
    void* executable = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(stream, relaxed), hipSuccess);
    run.launch(stream);
    ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    const auto result = [&] {
        run.o.fill_bytes(0xff);
        EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
        EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
        return run.o.to_host();
    };
    const std::vector<bf16_t> first = result();
    EXPECT_EQ(wrong(p, first), 0);
    EXPECT_EQ(result(), first);

    // Shorter ones, with one part, where there were several, and several, where there are fewer now.
    const std::vector<int> lengths{65, 7, 2, 33};
    ASSERT_EQ(hipMemcpy(run.lengths.data(), lengths.data(), lengths.size() * sizeof(int),
                        hipMemcpyHostToDevice),
              hipSuccess);
    const std::vector<bf16_t> second = result();
    const int table_pages = p.table_pages();
    std::vector<int> table;
    const int fewer = (*std::max_element(lengths.begin(), lengths.end()) - 1) / p.page + 1;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
        const auto begin = p.table.begin() + static_cast<std::ptrdiff_t>(s) * table_pages;
        table.insert(table.end(), begin, begin + fewer);
    }
    p.lengths = lengths;
    p.table = table;
    EXPECT_EQ(wrong(p, second), 0);
    EXPECT_EQ(result(), second);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST(mla_decode_kernel, can_be_replayed) {
    replay<bf16_t>();
}
TEST(mla_decode_kernel, can_be_replayed_in_fp8) {
    replay<fp8_t>();
}

}  // namespace
