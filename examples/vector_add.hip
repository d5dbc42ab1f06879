// SPDX-License-Identifier: MIT
//
// vector_add: c = a + b for vectors of any length. Each thread loads and stores 16 bytes; that the
// last ones go past the end of the vectors is left to the range check of the buffers.
#include "common/stream_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

constexpr int threads = 256;
constexpr int vec = 4;  // elements of one load: 16 bytes, the most that one instruction moves
constexpr int block = threads * vec;

// Grid: blocks of 1024 elements, 256 threads.
__global__ __launch_bounds__(threads) void vector_add_kernel(const float* a, const float* b,
                                                             float* c, long long n) {
    // Each workgroup has buffers of its own, which begin at its first element and end with its last
    // one. So offsets are small, and the vectors may have more than the 4 GiB of one buffer.
    const long long begin = static_cast<long long>(opus::block_id_x()) * block;
    const long long left = n - begin;
    const unsigned bytes = static_cast<unsigned>(left < block ? left : block) * sizeof(float);
    const auto g_a = opus::make_gmem(a + begin, bytes);
    const auto g_b = opus::make_gmem(b + begin, bytes);
    const auto g_c = opus::make_gmem(c + begin, bytes);

    // Each dword of the 16 bytes is checked by itself: those past the end are read as 0, and not
    // written. So there is no branch here, and no second loop for the rest.
    const int i = opus::thread_id_x() * vec;
    g_c.store<vec>(g_a.load<vec>(i) + g_b.load<vec>(i), i);
}

examples::stream_result vector_add(const examples::stream_problem& p) {
    examples::device_buffer<float> a(examples::to<float>(p.inputs[0]));
    examples::device_buffer<float> b(examples::to<float>(p.inputs[1]));
    examples::device_buffer<float> c(p.size);
    c.fill_bytes(0xff);  // NaN: an element that no thread writes is seen
    const auto blocks = static_cast<unsigned>((p.size + block - 1) / block);
    const double time = examples::time_launches(p.iters, "vector_add", [&] {
        vector_add_kernel<<<blocks, threads>>>(a.data(), b.data(), c.data(),
                                               static_cast<long long>(p.size));
    });
    return {c.to_host(), time};
}

}  // namespace

int main(int argc, char** argv) {
    examples::stream_example e;
    e.description = "f32 vectors of any length";
    e.inputs = {"a", "b"};
    e.output = "c";
    e.dims = {"n"};
    e.equation = "c = a + b";
    // The sum of two f32 is the same whether it is rounded to f32 at once or by way of f64.
    e.expected = [](const examples::stream_problem& p, std::size_t i) {
        return p.inputs[0][i] + p.inputs[1][i];
    };
    return examples::stream_main(argc, argv, e, vector_add);
}
