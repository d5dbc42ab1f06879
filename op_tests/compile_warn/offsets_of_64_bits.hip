// Offsets of 64 bits at run time are cut, with a warning where the caller stands, once.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

using size_t = decltype(sizeof(0));

__global__ void members(float* p, long i, size_t n) {
    __shared__ float lds[256];
    const auto row = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    auto g = make_gmem(p, n);
    auto s = make_smem(lds);
    float x = g.load(i)[0];                                   // warns: of 64 bits the low 32
    x += g._load<4>(i * 4)[0];                                // warns: opus::gmem, opus::smem
    x += g.load<4>(0, n)[0];                                  // warns: gmem_wide
    x += g.load<4>(row, i)[0];                                // warns: static_cast<int>
    x += g.load_if<4>([](auto) { return true; }, row, i)[0];  // warns: of 64 bits the low 32
    x += s.load(i)[0];                                        // warns: of 64 bits the low 32
    s.store(x, n);                                            // warns: of 64 bits the low 32
    g.store<4>(x, 0, i);                                      // warns: of 64 bits the low 32
    g.store<4>(x, row, i);                                    // warns: of 64 bits the low 32
    g.store_if<4>([](auto) { return true; }, x, row, i);      // warns: of 64 bits the low 32
    g.async_load(lds, i);                                     // warns: of 64 bits the low 32
    g.async_load(lds, 0, i);                                  // warns: of 64 bits the low 32
    g.atomic_add(x, i);                                       // warns: of 64 bits the low 32
}

__global__ void free_functions(float* p, long i, size_t n) {
    __shared__ float lds[256];
    const auto row = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    auto g = make_gmem(p);
    float x = load(g, i)[0];                                        // warns: of 64 bits the low 32
    x += load<4>(g, row, n)[0];                                     // warns: of 64 bits the low 32
    x += load_if<4>(g, [](auto) { return true; }, row, i)[0];       // warns: of 64 bits the low 32
    store<4>(g, x, i);                                              // warns: of 64 bits the low 32
    store_if<4>(g, [](auto) { return true; }, x, row, i);           // warns: of 64 bits the low 32
    async_load(g, lds, i);                                          // warns: of 64 bits the low 32
    atomic_add(g, x, 0, i);                                         // warns: of 64 bits the low 32
    store(make_smem(lds), x, i);                                    // warns: of 64 bits the low 32
    async_load_if(g, [](auto) { return true; }, lds, row, row, i);  // warns: of 64 bits the low 32
}

__global__ void free_atomics(int* p, long i) {
    __shared__ int lds[256];
    auto g = make_gmem(p);
    auto s = make_smem(lds);
    atomic_add(g, 1, i);  // warns: of 64 bits the low 32
    atomic_max(g, 1, i);  // warns: of 64 bits the low 32
    atomic_min(g, 1, i);  // warns: of 64 bits the low 32
    atomic_and(s, 1, i);  // warns: of 64 bits the low 32
    atomic_or(s, 1, i);   // warns: of 64 bits the low 32
}

__global__ void free_transposed_read(fp16_t* p, long i) {
    __shared__ fp16_t lds[1024];
    const auto x = tr_load<4>(make_smem(lds), i);  // warns: of 64 bits the low 32
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
