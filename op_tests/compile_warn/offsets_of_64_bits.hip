// Offsets of 64 bits at run time are cut as C++ cuts them, and -Wshorten-64-to-32 says where: once for
// each kind of call of a free function.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

using size_t = decltype(sizeof(0));

__global__ void members(float* p, long i, size_t n) {
    __shared__ float lds[256];
    const auto row = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    const auto yes = [](auto) { return true; };
    auto g = make_gmem(p, n);
    auto s = make_smem(lds);
    float x = g.load(i)[0];             // warns: loses integer precision
    x += g._load<4>(i * 4)[0];          // warns: loses integer precision
    x += g.load<4>(0, n)[0];            // warns: loses integer precision
    x += g.load<4>(row, i)[0];          // warns: loses integer precision
    x += g.load_if<4>(yes, row, i)[0];  // warns: loses integer precision
    x += s.load(i)[0];                  // warns: loses integer precision
    s.store(x, n);                      // warns: loses integer precision
    g.store<4>(x, 0, i);                // warns: loses integer precision
    g.store<4>(x, row, i);              // warns: loses integer precision
    g.store_if<4>(yes, x, row, i);      // warns: loses integer precision
    g.async_load(lds, i);               // warns: loses integer precision
    g.async_load(lds, 0, i);            // warns: loses integer precision
    g.atomic_add(x, i);                 // warns: loses integer precision
    x += g.load(0x100000000)[0];        // warns: changes value
    x += make_gmem_wide(p).load(i)[0];  // warns: loses integer precision
}

__global__ void free_functions(float* p, long i, size_t n) {
    __shared__ float lds[256];
    const auto row = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    const auto yes = [](auto) { return true; };
    auto g = make_gmem(p);
    float x = load(g, i)[0];                  // warns: loses integer precision
    x += load<4>(g, row, n)[0];               // warns: loses integer precision
    x += load_if<4>(g, yes, row, i)[0];       // warns: loses integer precision
    store<4>(g, x, i);                        // warns: loses integer precision
    store_if<4>(g, yes, x, row, i);           // warns: loses integer precision
    async_load(g, lds, i);                    // warns: loses integer precision
    atomic_add(g, x, 0, i);                   // warns: loses integer precision
    store(make_smem(lds), x, i);              // warns: loses integer precision
    async_load_if(g, yes, lds, row, row, i);  // warns: loses integer precision
}

__global__ void free_atomics(int* p, long i) {
    __shared__ int lds[256];
    auto g = make_gmem(p);
    auto s = make_smem(lds);
    atomic_add(g, 1, i);  // warns: loses integer precision
    atomic_max(g, 1, i);  // warns: loses integer precision
    atomic_min(g, 1, i);  // warns: loses integer precision
    atomic_and(s, 1, i);  // warns: loses integer precision
    atomic_or(s, 1, i);   // warns: loses integer precision
}

__global__ void free_transposed_read(fp16_t* p, long i) {
    __shared__ fp16_t lds[1024];
    const auto x = tr_load<4>(make_smem(lds), i);  // warns: loses integer precision
    store<4>(make_gmem(p), x, 0);
}

// What is stored may have 64 bits, and so may the wave-uniform offset of a gmem_wide.
__global__ void silent(long* p, long i) {
    auto g = make_gmem(p, i);
    g.store(i, 0);
    store(g, i, static_cast<int>(i));
    auto w = make_gmem_wide(p);
    w.store(w.load(0, i), 1, i);
    store(w, load(w, 0, i), 1, i);
}
