// SPDX-License-Identifier: MIT
//
// vector_add: c = a + b for vectors of any length. Each thread loads and stores 16 bytes. The last
// accesses go past the end of the vectors; the range check of the buffers handles that.
#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

constexpr int threads = 256;
constexpr int vec = 4;  // elements of one load: 16 bytes, the most that one instruction moves
constexpr int block = threads * vec;

// Grid: blocks of 1024 elements, 256 threads.
__global__ __launch_bounds__(threads) void vector_add_kernel(const float* a, const float* b,
                                                             float* c, long long n) {
    // Each workgroup has its own buffers, which begin at its first element and end with its last
    // one. So offsets are small, and the vectors may be larger than the 4 GiB that one buffer
    // reaches.
    const long long begin = static_cast<long long>(opus::block_id_x()) * block;
    const long long left = n - begin;
    const unsigned bytes = static_cast<unsigned>(left < block ? left : block) * sizeof(float);
    const auto g_a = opus::make_gmem(a + begin, bytes);
    const auto g_b = opus::make_gmem(b + begin, bytes);
    const auto g_c = opus::make_gmem(c + begin, bytes);

    // The hardware checks each dword of the 16 bytes separately: those past the end read as 0 and
    // are not written. So the kernel needs no branch and no second loop for the rest.
    const int i = opus::thread_id_x() * vec;
    g_c.store<vec>(g_a.load<vec>(i) + g_b.load<vec>(i), i);
}

examples::tensor_result vector_add(const std::vector<double>& a_values,
                                   const std::vector<double>& b_values, int iters) {
    const std::size_t n = a_values.size();
    examples::device_buffer<float> a(examples::to<float>(a_values));
    examples::device_buffer<float> b(examples::to<float>(b_values));
    examples::device_buffer<float> c(n);
    c.fill_unwritten(0xff);  // NaN: an element that no thread writes is seen
    const auto blocks = static_cast<unsigned>((n + block - 1) / block);
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "vector_add", [&] {
        vector_add_kernel<<<blocks, threads>>>(a.data(), b.data(), c.data(),
                                               static_cast<long long>(n));
    });
    result.least_bytes = 3.0 * static_cast<double>(n) * sizeof(float);
    result.add({n}, c.result());
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    examples::extent n{"-n", "Length", 512, 1 << 30};
    examples::input a{"--a", "Read a", {&n}};
    examples::input b{"--b", "Read b", {&n}};
    examples::tensor_example e;
    e.formula = "c = a + b";
    e.description = "f32 vectors of any length";
    e.extents = {&n};
    e.inputs = {&a, &b};
    e.outputs = {"c"};
    e.prepare = [&](std::mt19937_64&) {
        return "c = a + b, " + std::to_string(n.size()) + " elements of f32";
    };
    e.run = [&](int iters) { return vector_add(a.values, b.values, iters); };
    // The sum of two f32 is the same whether it is rounded to f32 directly or via f64.
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        outputs[0].exact = true;
        for (std::size_t i = 0; i < a.values.size(); ++i) {
            const double sum = a.values[i] + b.values[i];
            outputs[0].expect(i, examples::round_to(examples::element::f32, sum));
        }
    };
    return examples::tensor_main(argc, argv, e);
}
