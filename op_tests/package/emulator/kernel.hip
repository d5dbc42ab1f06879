// out[n] = 3 * in[n] + n, exchanged through LDS within each group of 256.
__attribute__((global)) void triple(int* out, const int* in) {
    __attribute__((shared)) int lds[256];
    const unsigned thread = __builtin_amdgcn_workitem_id_x();
    const unsigned first = __builtin_amdgcn_workgroup_id_x() * 256;
    lds[255 - thread] = in[first + 255 - thread];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[first + thread] = 3 * lds[thread] + static_cast<int>(first + thread);
}
