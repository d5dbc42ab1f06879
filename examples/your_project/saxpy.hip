#include "saxpy.hpp"

#include "opus/opus.hpp"

namespace {

constexpr int block_size = 256;
constexpr int per_thread = 4;  // 16 bytes, the widest access

// Every thread has four elements. The buffers end after `count` of them: what is read beyond is 0,
// what is written there is dropped.
__global__ void saxpy_kernel(float a, const float* x, float* y, int count) {
    const auto bytes = static_cast<unsigned>(count) * 4u;
    auto g_x = opus::make_gmem(x, bytes);
    auto g_y = opus::make_gmem(y, bytes);
    const int i = (opus::block_id_x() * block_size + opus::thread_id_x()) * per_thread;
    const auto sum = a * g_x.load<per_thread>(i) + g_y.load<per_thread>(i);
    g_y.store<per_thread>(sum, i);
}

}  // namespace

hipError_t saxpy(float a, const float* x, float* y, int count) {
    constexpr int per_block = block_size * per_thread;
    const auto blocks = static_cast<unsigned>((count + per_block - 1) / per_block);
    saxpy_kernel<<<blocks, block_size>>>(a, x, y, count);
    return hipGetLastError();
}
