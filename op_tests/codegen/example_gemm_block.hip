// The kernels of examples/gemm_block.
#define main gemm_block_main
#include "../../examples/gemm_block.hip"
#undef main
