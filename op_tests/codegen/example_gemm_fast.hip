// The kernels of examples/gemm_fast.
#define main gemm_fast_main
#include "../../examples/gemm_fast.hip"
