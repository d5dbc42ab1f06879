// The kernel of examples/gemm_pipelined for both element types.
#define main gemm_pipelined_main
#include "../../examples/gemm_pipelined.hip"
#undef main

namespace {
template __global__ void gemm_pipelined_kernel<opus::bf16_t>(const opus::bf16_t*,
                                                             const opus::bf16_t*, opus::fp32_t*,
                                                             int, int, int);
}  // namespace
