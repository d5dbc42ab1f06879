// The same warning from the free functions with OPUS_DEBUG, wherever the layout stands.
#define OPUS_DEBUG 1
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void accesses(float* p, const fp16_t* q, int m, int n) {
    __shared__ fp16_t lds[2048];
    const auto yes = [](auto, auto) { return true; };
    auto g = make_gmem(p);
    auto h = make_gmem(q);
    auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(m, n), make_tuple(_, _));
    auto good = make_layout(make_tuple(4_I, 4_I), make_tuple(m, 1_I), make_tuple(_, _));
    auto x = load<4>(g, u);                  // warns: write 1_I
    x += load_if<4>(g, yes, u);              // warns: write 1_I
    store<4>(g, x, u);                       // warns: write 1_I
    store_if<4>(g, yes, x, u);               // warns: write 1_I
    async_load_if<2>(h, yes, lds, u, good);  // warns: write 1_I
    async_load_if<2>(h, yes, lds, good, u);  // warns: write 1_I
    async_load_if<2>(h, yes, lds, good, good);
    store<4>(g, load<4>(g, good), good);
}
