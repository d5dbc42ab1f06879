// The kernels of examples/gemm_mx.
#define main gemm_mx_main
#include "../../examples/gemm_mx.hip"
#undef main
