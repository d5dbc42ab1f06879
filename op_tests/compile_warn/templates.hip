// A template says it for each type it is instantiated with, once.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

template <class T, class Offset>
__global__ void cache(T* p, Offset i, int stride) {
    auto g = make_gmem(p);
    g.store(g.load(0), i);  // warns: loses integer precision
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, stride), make_tuple(_, _));
    g.template store<2>(T{1}, u);  // warns: write 1_I
}
void launch(float* f, long row) {
    cache<<<1, 64>>>(f, row, 1);
}

// Indices of 32 bits, and what is less.
template <class T, class Offset>
__global__ void silent(T* p, Offset i) {
    auto g = make_gmem(p);
    g.store(g.load(i), i + 1, i);
    store(g, load(g, i), 1_I);
}
void launch(float* f, int i, unsigned n, short s) {
    silent<<<1, 64>>>(f, i);
    silent<<<1, 64>>>(f, n);
    silent<<<1, 64>>>(f, s);
    silent<<<1, 64>>>(f, 7_I);
}
