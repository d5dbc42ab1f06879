// SPDX-License-Identifier: MIT
//
// copy: b = a for a matrix of f16 of any shape. It shows a layout: one object says which elements
// each thread moves, and load() and store() follow it. Read vector_add first.
#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp16_t;

constexpr int threads = 256;
constexpr int vec = 8;     // elements of one load: 16 bytes
constexpr int issues = 4;  // loads of a thread; all are under way before the first store waits
constexpr int block = issues * threads * vec;

// The matrix has no padding between its rows, so it is copied as one row of n elements.
// Grid: blocks of 8192 elements, 256 threads.
__global__ __launch_bounds__(threads) void copy_kernel(const fp16_t* from, fp16_t* to,
                                                       long long n) {
    using namespace opus;
    using opus::operator""_I;
    const long long begin = static_cast<long long>(block_id_x()) * block;
    const long long left = n - begin;
    const int count = static_cast<int>(left < block ? left : block);
    const unsigned bytes = static_cast<unsigned>(count / 2) * 4;  // without half a dword
    const auto g_from = make_gmem(from + begin, bytes);
    const auto g_to = make_gmem(to + begin, bytes);

    // A block is a box of 4 x 256 x 8 elements. The thread's index is its coordinate in the second
    // dimension; the thread moves all elements of the other two, which are open (_). Neighbouring
    // threads move neighbouring 16 bytes, and the first dimension is in the instructions' immediate
    // offsets: 0, 4096 bytes, ...
    const auto u = make_layout(make_tuple(number<issues>{}, number<threads>{}, number<vec>{}),
                               make_tuple(number<threads * vec>{}, number<vec>{}, 1_I),
                               make_tuple(_, thread_id_x(), _));
    g_to.store<vec>(g_from.load<vec>(u), u);

    // The range check covers whole dwords. If the number of elements is odd, the last one is half a
    // dword, which the accesses above leave out; one thread moves it separately.
    if (count % 2 != 0 && thread_id_x() == 0) {
        to[begin + count - 1] = from[begin + count - 1];
    }
}

examples::tensor_result copy(const std::vector<double>& values, int m, int n, int iters) {
    examples::device_buffer<fp16_t> a(examples::to<fp16_t>(values));
    examples::device_buffer<fp16_t> b(values.size());
    b.fill_unwritten(0xff);  // NaN: an element that no thread writes is seen
    const auto blocks = static_cast<unsigned>((values.size() + block - 1) / block);
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "copy", [&] {
        copy_kernel<<<blocks, threads>>>(a.data(), b.data(), static_cast<long long>(values.size()));
    });
    result.least_bytes = 2.0 * static_cast<double>(values.size()) * sizeof(fp16_t);
    result.add(examples::shape_of({m, n}), b.result());
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    examples::extent m{"-m", "Rows", 512, 1 << 30};
    examples::extent n{"-n", "Columns", 512, 1 << 30};
    examples::input a{"--a", "Read a", {&m, &n}};
    examples::tensor_example e;
    e.formula = "b = a";
    e.description = "f16 matrices of any shape";
    e.extents = {&m, &n};
    e.types = {examples::element::f16};
    e.inputs = {&a};
    e.outputs = {"b"};
    e.prepare = [&](std::mt19937_64&) {
        examples::check_size(m, n, 1LL << 33);  // a grid has so many blocks
        return "b = a, " + std::to_string(m.size()) + " x " + std::to_string(n.size()) +
               " elements of f16";
    };
    e.run = [&](int iters) { return copy(a.values, m.size(), n.size(), iters); };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        outputs[0].exact = true;
        for (std::size_t i = 0; i < a.values.size(); ++i) {
            outputs[0].expect(i, a.values[i]);
        }
    };
    return examples::tensor_main(argc, argv, e);
}
