// A line of a template that is instantiated a hundred times is not warned of a hundred times.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

using size_t = decltype(sizeof(0));

// Indices of 64 bits that are copies of ones of 32, and a last stride at run time: nothing to say.
template <class T, int count>
__global__ void cache(T* p, int stride) {
    __shared__ T lds[64 * count];
    const size_t thread = thread_id_x();
    auto g = make_gmem(p);
    g.store(g.load(thread), thread + 1);
    g.store(g.load(0, thread), 0, static_cast<size_t>(block_id_x()));
    store(make_smem(lds), load(g, thread), thread);
    g.async_load(lds, thread);
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, stride), make_tuple(_, _));
    g.template store<2>(g.template load<2>(u), u);
    store<4>(g, load<4>(g, u), u);
}
template <class T>
struct rows {
    T* p;

    template <int count>
    OPUS_D void copy(long row) const {
        auto g = make_gmem(p);
        g.store(g.load(row * count), row);
    }
};
template <int... counts>
void launch_all(float* f, int* i, unsigned* u, seq<counts...>) {
    (cache<float, counts + 1><<<1, 64>>>(f, 1), ...);
    (cache<int, counts + 1><<<1, 64>>>(i, 1), ...);
    (cache<unsigned, counts + 1><<<1, 64>>>(u, 1), ...);
}
void launch(float* f, int* i, unsigned* u) {
    launch_all(f, i, u, make_index_seq<34>{});
}
template <int... counts>
__global__ void copy_rows(float* p, long row, seq<counts...>) {
    (rows<float>{p}.template copy<counts>(row), ...);
}
void launch_rows(float* p) {
    copy_rows<<<1, 64>>>(p, 1, make_index_seq<100>{});
}

// A function that is no template says it, wherever it stands, once.
__global__ void plain(float* p, long row, int stride) {
    auto g = make_gmem(p);
    g.store(g.load(0), row);  // warns: of 64 bits the low 32
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, stride), make_tuple(_, _));
    g.store<2>(1.0f, u);  // warns: write 1_I
}
