// The kernels of examples/gemm_fp8.
#define main gemm_fp8_main
#include "../../examples/gemm_fp8.hip"
#undef main
