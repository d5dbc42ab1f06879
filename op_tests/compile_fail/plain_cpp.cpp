// Plain C++: what is for kernels alone says that the file must be compiled as HIP.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

// == gmem_in_plain_cpp
// expect: opus::make_gmem: for kernels; compile this file as HIP, with -x hip and --offload-arch=
// expect: opus::thread_id_x: for kernels; compile this file as HIP, with -x hip and --offload-arch=
namespace gmem_in_plain_cpp {
__global__ void kernel(float* to, const float* from) {
    using namespace opus;
    make_gmem(to).store(make_gmem(from).load<1>(thread_id_x()), thread_id_x());
}
}  // namespace gmem_in_plain_cpp

// == mfma_in_plain_cpp
// expect: opus::mfma: for kernels; compile this file as HIP, with -x hip and --offload-arch=
namespace mfma_in_plain_cpp {
__global__ void kernel() {
    using namespace opus;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    mma(typename decltype(mma)::vtype_a{}, typename decltype(mma)::vtype_b{});
}
}  // namespace mfma_in_plain_cpp

// == kernel_names_in_plain_cpp
// expect: opus::thread_id_x: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::thread_id_y: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::thread_id_z: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_id_x: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_id_y: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_id_z: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_size_x: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_size_y: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::block_size_z: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::grid_size_x: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::grid_size_y: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::grid_size_z: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::lane_id: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::s_waitcnt: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::s_waitcnt_vmcnt: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::s_waitcnt_lgkmcnt: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::s_barrier: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::keep_order: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::wait_async: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::lds_barrier: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::sync_threads: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::set_priority: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::sched_group: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::interleave: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::warp_all: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::upd_dpp: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::mov_dpp: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::shfl: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::shfl_xor: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::shfl_up: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::shfl_down: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::ballot: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::readfirstlane: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::reduce_wave: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::reduce_block: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::scan_wave: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::scan_wave_exclusive: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::scan_block: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::scan_block_exclusive: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::make_buffer_rsrc: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::make_gmem: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::make_gmem_wide: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::make_smem: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::gmem: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::gmem_wide: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::smem: for kernels; .* as HIP, with -x hip and --offload-arch=
// expect: opus::workgroup_barrier: for kernels; .* as HIP, with -x hip and --offload-arch=
namespace kernel_names_in_plain_cpp {
// The arguments do not matter for the error.
__global__ void kernel(float* p) {
    opus::thread_id_x();
    opus::thread_id_y();
    opus::thread_id_z();
    opus::block_id_x();
    opus::block_id_y();
    opus::block_id_z();
    opus::block_size_x();
    opus::block_size_y();
    opus::block_size_z();
    opus::grid_size_x();
    opus::grid_size_y();
    opus::grid_size_z();
    opus::lane_id();
    opus::s_waitcnt(opus::number<0>{});
    opus::s_waitcnt_vmcnt(opus::number<0>{});
    opus::s_waitcnt_lgkmcnt(opus::number<0>{});
    opus::s_barrier();
    opus::keep_order();
    opus::wait_async(opus::number<0>{});
    opus::lds_barrier();
    opus::sync_threads();
    opus::set_priority(opus::number<0>{});
    opus::sched_group(0);
    opus::interleave(0);
    opus::warp_all(p);
    opus::upd_dpp(p);
    opus::mov_dpp(p);
    opus::shfl(p);
    opus::shfl_xor(p);
    opus::shfl_up(p);
    opus::shfl_down(p);
    opus::ballot(p);
    opus::readfirstlane(p);
    opus::reduce_wave(p);
    opus::reduce_block(p);
    opus::scan_wave(p);
    opus::scan_wave_exclusive(p);
    opus::scan_block(p);
    opus::scan_block_exclusive(p);
    opus::make_buffer_rsrc(p);
    opus::make_gmem(p);
    opus::make_gmem_wide(p);
    opus::make_smem(p);
}

opus::gmem<float>* g;
opus::gmem_wide<float>* w;
opus::smem<float>* s;
opus::workgroup_barrier* b;
}  // namespace kernel_names_in_plain_cpp
