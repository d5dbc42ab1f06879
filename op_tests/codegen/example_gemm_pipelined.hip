// The kernels of examples/gemm_pipelined.
#define main gemm_pipelined_main
#include "../../examples/gemm_pipelined.hip"
#undef main
