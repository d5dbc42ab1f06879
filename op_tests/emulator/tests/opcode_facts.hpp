// What gfx950's instructions are, by AMD's machine-readable specification of CDNA4: encoding,
// opcode, name and operands, one row per opcode. It shares nothing with LLVM, which the emulator
// decodes with.
// Source: AMD's amdgpu_isa_cdna4.xml as tinygrad publishes it (tinygrad/runtime/autogen/amd/cdna,
// enum.py, operands.py and ins.py, commit a9069c177a9d); the facts alone, in a form of our own.
//
// A line in capitals starts an encoding. A row is OPCODE[/OPCODE AS VOP3] NAME [FIELD:CLASSBITS]...
// The row of an instruction that is VOP3, too, has the operands of the shorter form: as VOP3, src0
// and src1 take what class n does, and a compare has vdst:s64.
// vcc without a field is implied (guide 12.7, 12.9), k is the literal that an
// instruction always has.
// Operands are in the order in which assemblers write them.
// Classes: v vector register, a accumulation register, w either, x either or an inline constant;
// r vector or scalar register or constant or literal, n the same without literals; s scalar
// register, c the same or a constant or a literal, e without literals, l the number of a lane; i
// immediate, o offset of a scalar memory instruction (register or immediate).
#pragma once

#include <string_view>

namespace emu {

// clang-format off
constexpr std::string_view opcode_facts[] = {
R"(SOP1
0 s_mov_b32 sdst:s32 ssrc0:c32
1 s_mov_b64 sdst:s64 ssrc0:c64
2 s_cmov_b32 sdst:s32 ssrc0:c32
3 s_cmov_b64 sdst:s64 ssrc0:c64
4 s_not_b32 sdst:s32 ssrc0:c32
5 s_not_b64 sdst:s64 ssrc0:c64
6 s_wqm_b32 sdst:s32 ssrc0:c32
7 s_wqm_b64 sdst:s64 ssrc0:c64
8 s_brev_b32 sdst:s32 ssrc0:c32
9 s_brev_b64 sdst:s64 ssrc0:c64
10 s_bcnt0_i32_b32 sdst:s32 ssrc0:c32
11 s_bcnt0_i32_b64 sdst:s32 ssrc0:c64
12 s_bcnt1_i32_b32 sdst:s32 ssrc0:c32
13 s_bcnt1_i32_b64 sdst:s32 ssrc0:c64
14 s_ff0_i32_b32 sdst:s32 ssrc0:c32
15 s_ff0_i32_b64 sdst:s32 ssrc0:c64
16 s_ff1_i32_b32 sdst:s32 ssrc0:c32
17 s_ff1_i32_b64 sdst:s32 ssrc0:c64
18 s_flbit_i32_b32 sdst:s32 ssrc0:c32
19 s_flbit_i32_b64 sdst:s32 ssrc0:c64
20 s_flbit_i32 sdst:s32 ssrc0:c32
21 s_flbit_i32_i64 sdst:s32 ssrc0:c64
22 s_sext_i32_i8 sdst:s32 ssrc0:c8
23 s_sext_i32_i16 sdst:s32 ssrc0:c16
24 s_bitset0_b32 sdst:s32 ssrc0:c32
25 s_bitset0_b64 sdst:s64 ssrc0:c32
26 s_bitset1_b32 sdst:s32 ssrc0:c32
27 s_bitset1_b64 sdst:s64 ssrc0:c32
28 s_getpc_b64 sdst:s64
29 s_setpc_b64 ssrc0:s64
30 s_swappc_b64 sdst:s64 ssrc0:s64
31 s_rfe_b64 ssrc0:s64
32 s_and_saveexec_b64 sdst:s64 ssrc0:c64
33 s_or_saveexec_b64 sdst:s64 ssrc0:c64
34 s_xor_saveexec_b64 sdst:s64 ssrc0:c64
35 s_andn2_saveexec_b64 sdst:s64 ssrc0:c64
36 s_orn2_saveexec_b64 sdst:s64 ssrc0:c64
37 s_nand_saveexec_b64 sdst:s64 ssrc0:c64
38 s_nor_saveexec_b64 sdst:s64 ssrc0:c64
39 s_xnor_saveexec_b64 sdst:s64 ssrc0:c64
40 s_quadmask_b32 sdst:s32 ssrc0:c32
41 s_quadmask_b64 sdst:s64 ssrc0:c64
42 s_movrels_b32 sdst:s32 ssrc0:s32
43 s_movrels_b64 sdst:s64 ssrc0:s64
44 s_movreld_b32 sdst:s32 ssrc0:c32
45 s_movreld_b64 sdst:s64 ssrc0:c64
46 s_cbranch_join ssrc0:s32
48 s_abs_i32 sdst:s32 ssrc0:c32
50 s_set_gpr_idx_idx ssrc0:c32
51 s_andn1_saveexec_b64 sdst:s64 ssrc0:c64
52 s_orn1_saveexec_b64 sdst:s64 ssrc0:c64
53 s_andn1_wrexec_b64 sdst:s64 ssrc0:c64
54 s_andn2_wrexec_b64 sdst:s64 ssrc0:c64
55 s_bitreplicate_b64_b32 sdst:s64 ssrc0:c32)",
R"(SOP2
0 s_add_u32 sdst:s32 ssrc0:c32 ssrc1:c32
1 s_sub_u32 sdst:s32 ssrc0:c32 ssrc1:c32
2 s_add_i32 sdst:s32 ssrc0:c32 ssrc1:c32
3 s_sub_i32 sdst:s32 ssrc0:c32 ssrc1:c32
4 s_addc_u32 sdst:s32 ssrc0:c32 ssrc1:c32
5 s_subb_u32 sdst:s32 ssrc0:c32 ssrc1:c32
6 s_min_i32 sdst:s32 ssrc0:c32 ssrc1:c32
7 s_min_u32 sdst:s32 ssrc0:c32 ssrc1:c32
8 s_max_i32 sdst:s32 ssrc0:c32 ssrc1:c32
9 s_max_u32 sdst:s32 ssrc0:c32 ssrc1:c32
10 s_cselect_b32 sdst:s32 ssrc0:c32 ssrc1:c32
11 s_cselect_b64 sdst:s64 ssrc0:c64 ssrc1:c64
12 s_and_b32 sdst:s32 ssrc0:c32 ssrc1:c32
13 s_and_b64 sdst:s64 ssrc0:c64 ssrc1:c64
14 s_or_b32 sdst:s32 ssrc0:c32 ssrc1:c32
15 s_or_b64 sdst:s64 ssrc0:c64 ssrc1:c64
16 s_xor_b32 sdst:s32 ssrc0:c32 ssrc1:c32
17 s_xor_b64 sdst:s64 ssrc0:c64 ssrc1:c64
18 s_andn2_b32 sdst:s32 ssrc0:c32 ssrc1:c32
19 s_andn2_b64 sdst:s64 ssrc0:c64 ssrc1:c64
20 s_orn2_b32 sdst:s32 ssrc0:c32 ssrc1:c32
21 s_orn2_b64 sdst:s64 ssrc0:c64 ssrc1:c64
22 s_nand_b32 sdst:s32 ssrc0:c32 ssrc1:c32
23 s_nand_b64 sdst:s64 ssrc0:c64 ssrc1:c64
24 s_nor_b32 sdst:s32 ssrc0:c32 ssrc1:c32
25 s_nor_b64 sdst:s64 ssrc0:c64 ssrc1:c64
26 s_xnor_b32 sdst:s32 ssrc0:c32 ssrc1:c32
27 s_xnor_b64 sdst:s64 ssrc0:c64 ssrc1:c64
28 s_lshl_b32 sdst:s32 ssrc0:c32 ssrc1:c32
29 s_lshl_b64 sdst:s64 ssrc0:c64 ssrc1:c32
30 s_lshr_b32 sdst:s32 ssrc0:c32 ssrc1:c32
31 s_lshr_b64 sdst:s64 ssrc0:c64 ssrc1:c32
32 s_ashr_i32 sdst:s32 ssrc0:c32 ssrc1:c32
33 s_ashr_i64 sdst:s64 ssrc0:c64 ssrc1:c32
34 s_bfm_b32 sdst:s32 ssrc0:c32 ssrc1:c32
35 s_bfm_b64 sdst:s64 ssrc0:c32 ssrc1:c32
36 s_mul_i32 sdst:s32 ssrc0:c32 ssrc1:c32
37 s_bfe_u32 sdst:s32 ssrc0:c32 ssrc1:c32
38 s_bfe_i32 sdst:s32 ssrc0:c32 ssrc1:c32
39 s_bfe_u64 sdst:s64 ssrc0:c64 ssrc1:c32
40 s_bfe_i64 sdst:s64 ssrc0:c64 ssrc1:c32
41 s_cbranch_g_fork ssrc0:e64 ssrc1:e64
42 s_absdiff_i32 sdst:s32 ssrc0:c32 ssrc1:c32
43 s_rfe_restore_b64 ssrc0:c64 ssrc1:c32
44 s_mul_hi_u32 sdst:s32 ssrc0:c32 ssrc1:c32
45 s_mul_hi_i32 sdst:s32 ssrc0:c32 ssrc1:c32
46 s_lshl1_add_u32 sdst:s32 ssrc0:c32 ssrc1:c32
47 s_lshl2_add_u32 sdst:s32 ssrc0:c32 ssrc1:c32
48 s_lshl3_add_u32 sdst:s32 ssrc0:c32 ssrc1:c32
49 s_lshl4_add_u32 sdst:s32 ssrc0:c32 ssrc1:c32
50 s_pack_ll_b32_b16 sdst:s32 ssrc0:c16 ssrc1:c16
51 s_pack_lh_b32_b16 sdst:s32 ssrc0:c16 ssrc1:c32
52 s_pack_hh_b32_b16 sdst:s32 ssrc0:c32 ssrc1:c32)",
R"(SOPC
0 s_cmp_eq_i32 ssrc0:c32 ssrc1:c32
1 s_cmp_lg_i32 ssrc0:c32 ssrc1:c32
2 s_cmp_gt_i32 ssrc0:c32 ssrc1:c32
3 s_cmp_ge_i32 ssrc0:c32 ssrc1:c32
4 s_cmp_lt_i32 ssrc0:c32 ssrc1:c32
5 s_cmp_le_i32 ssrc0:c32 ssrc1:c32
6 s_cmp_eq_u32 ssrc0:c32 ssrc1:c32
7 s_cmp_lg_u32 ssrc0:c32 ssrc1:c32
8 s_cmp_gt_u32 ssrc0:c32 ssrc1:c32
9 s_cmp_ge_u32 ssrc0:c32 ssrc1:c32
10 s_cmp_lt_u32 ssrc0:c32 ssrc1:c32
11 s_cmp_le_u32 ssrc0:c32 ssrc1:c32
12 s_bitcmp0_b32 ssrc0:c32 ssrc1:c32
13 s_bitcmp1_b32 ssrc0:c32 ssrc1:c32
14 s_bitcmp0_b64 ssrc0:c64 ssrc1:c32
15 s_bitcmp1_b64 ssrc0:c64 ssrc1:c32
16 s_setvskip ssrc0:c32 ssrc1:c32
17 s_set_gpr_idx_on ssrc0:c32 ssrc1:i32
18 s_cmp_eq_u64 ssrc0:c64 ssrc1:c64
19 s_cmp_lg_u64 ssrc0:c64 ssrc1:c64)",
R"(SOPK
0 s_movk_i32 sdst:s32 simm16:i16
1 s_cmovk_i32 sdst:s32 simm16:i16
2 s_cmpk_eq_i32 sdst:s32 simm16:i16
3 s_cmpk_lg_i32 sdst:s32 simm16:i16
4 s_cmpk_gt_i32 sdst:s32 simm16:i16
5 s_cmpk_ge_i32 sdst:s32 simm16:i16
6 s_cmpk_lt_i32 sdst:s32 simm16:i16
7 s_cmpk_le_i32 sdst:s32 simm16:i16
8 s_cmpk_eq_u32 sdst:s32 simm16:i16
9 s_cmpk_lg_u32 sdst:s32 simm16:i16
10 s_cmpk_gt_u32 sdst:s32 simm16:i16
11 s_cmpk_ge_u32 sdst:s32 simm16:i16
12 s_cmpk_lt_u32 sdst:s32 simm16:i16
13 s_cmpk_le_u32 sdst:s32 simm16:i16
14 s_addk_i32 sdst:s32 simm16:i16
15 s_mulk_i32 sdst:s32 simm16:i16
16 s_cbranch_i_fork sdst:s64 simm16:i16
17 s_getreg_b32 sdst:s32 simm16:i16
18 s_setreg_b32 simm16:i16 sdst:s32
20 s_setreg_imm32_b32 simm16:i16 k:k32
21 s_call_b64 sdst:s64 simm16:i16)",
R"(SOPP
0 s_nop simm16:i16
1 s_endpgm
2 s_branch simm16:i16
3 s_wakeup
4 s_cbranch_scc0 simm16:i16
5 s_cbranch_scc1 simm16:i16
6 s_cbranch_vccz simm16:i16
7 s_cbranch_vccnz simm16:i16
8 s_cbranch_execz simm16:i16
9 s_cbranch_execnz simm16:i16
10 s_barrier
11 s_setkill simm16:i16
12 s_waitcnt simm16:i16
13 s_sethalt simm16:i16
14 s_sleep simm16:i16
15 s_setprio simm16:i16
16 s_sendmsg simm16:i16
17 s_sendmsghalt simm16:i16
18 s_trap simm16:i16
19 s_icache_inv
20 s_incperflevel simm16:i16
21 s_decperflevel simm16:i16
22 s_ttracedata
23 s_cbranch_cdbgsys simm16:i16
24 s_cbranch_cdbguser simm16:i16
25 s_cbranch_cdbgsys_or_user simm16:i16
26 s_cbranch_cdbgsys_and_user simm16:i16
27 s_endpgm_saved
28 s_set_gpr_idx_off
29 s_set_gpr_idx_mode simm16:i16
30 s_endpgm_ordered_ps_done
31 s_set_valu_coexec_mode simm16:i16)",
R"(SMEM
0 s_load_dword sdata:s32 sbase:s64 soffset:o32
1 s_load_dwordx2 sdata:s64 sbase:s64 soffset:o32
2 s_load_dwordx4 sdata:s128 sbase:s64 soffset:o32
3 s_load_dwordx8 sdata:s256 sbase:s64 soffset:o32
4 s_load_dwordx16 sdata:s512 sbase:s64 soffset:o32
5 s_scratch_load_dword sdata:s32 sbase:s64 soffset:o32
6 s_scratch_load_dwordx2 sdata:s64 sbase:s64 soffset:o32
7 s_scratch_load_dwordx4 sdata:s128 sbase:s64 soffset:o32
8 s_buffer_load_dword sdata:s32 sbase:s128 soffset:o32
9 s_buffer_load_dwordx2 sdata:s64 sbase:s128 soffset:o32
10 s_buffer_load_dwordx4 sdata:s128 sbase:s128 soffset:o32
11 s_buffer_load_dwordx8 sdata:s256 sbase:s128 soffset:o32
12 s_buffer_load_dwordx16 sdata:s512 sbase:s128 soffset:o32
16 s_store_dword sdata:s32 sbase:s64 soffset:o32
17 s_store_dwordx2 sdata:s64 sbase:s64 soffset:o32
18 s_store_dwordx4 sdata:s128 sbase:s64 soffset:o32
21 s_scratch_store_dword sdata:s32 sbase:s64 soffset:o32
22 s_scratch_store_dwordx2 sdata:s64 sbase:s64 soffset:o32
23 s_scratch_store_dwordx4 sdata:s128 sbase:s64 soffset:o32
24 s_buffer_store_dword sdata:s32 sbase:s128 soffset:o32
25 s_buffer_store_dwordx2 sdata:s64 sbase:s128 soffset:o32
26 s_buffer_store_dwordx4 sdata:s128 sbase:s128 soffset:o32
32 s_dcache_inv
33 s_dcache_wb
34 s_dcache_inv_vol
35 s_dcache_wb_vol
36 s_memtime sdata:s64
37 s_memrealtime sdata:s64
38 s_atc_probe sdata:i8 sbase:s64 soffset:o32
39 s_atc_probe_buffer sdata:i8 sbase:s128 soffset:o32
40 s_dcache_discard sbase:s64 soffset:o32
41 s_dcache_discard_x2 sbase:s64 soffset:o32
64 s_buffer_atomic_swap sdata:s32 sbase:s128 soffset:o32
65 s_buffer_atomic_cmpswap sdata:s64 sbase:s128 soffset:o32
66 s_buffer_atomic_add sdata:s32 sbase:s128 soffset:o32
67 s_buffer_atomic_sub sdata:s32 sbase:s128 soffset:o32
68 s_buffer_atomic_smin sdata:s32 sbase:s128 soffset:o32
69 s_buffer_atomic_umin sdata:s32 sbase:s128 soffset:o32
70 s_buffer_atomic_smax sdata:s32 sbase:s128 soffset:o32
71 s_buffer_atomic_umax sdata:s32 sbase:s128 soffset:o32
72 s_buffer_atomic_and sdata:s32 sbase:s128 soffset:o32
73 s_buffer_atomic_or sdata:s32 sbase:s128 soffset:o32
74 s_buffer_atomic_xor sdata:s32 sbase:s128 soffset:o32
75 s_buffer_atomic_inc sdata:s32 sbase:s128 soffset:o32
76 s_buffer_atomic_dec sdata:s32 sbase:s128 soffset:o32
96 s_buffer_atomic_swap_x2 sdata:s64 sbase:s128 soffset:o32
97 s_buffer_atomic_cmpswap_x2 sdata:s128 sbase:s128 soffset:o32
98 s_buffer_atomic_add_x2 sdata:s64 sbase:s128 soffset:o32
99 s_buffer_atomic_sub_x2 sdata:s64 sbase:s128 soffset:o32
100 s_buffer_atomic_smin_x2 sdata:s64 sbase:s128 soffset:o32
101 s_buffer_atomic_umin_x2 sdata:s64 sbase:s128 soffset:o32
102 s_buffer_atomic_smax_x2 sdata:s64 sbase:s128 soffset:o32
103 s_buffer_atomic_umax_x2 sdata:s64 sbase:s128 soffset:o32
104 s_buffer_atomic_and_x2 sdata:s64 sbase:s128 soffset:o32
105 s_buffer_atomic_or_x2 sdata:s64 sbase:s128 soffset:o32
106 s_buffer_atomic_xor_x2 sdata:s64 sbase:s128 soffset:o32
107 s_buffer_atomic_inc_x2 sdata:s64 sbase:s128 soffset:o32
108 s_buffer_atomic_dec_x2 sdata:s64 sbase:s128 soffset:o32
128 s_atomic_swap sdata:s32 sbase:s64 soffset:o32
129 s_atomic_cmpswap sdata:s64 sbase:s64 soffset:o32
130 s_atomic_add sdata:s32 sbase:s64 soffset:o32
131 s_atomic_sub sdata:s32 sbase:s64 soffset:o32
132 s_atomic_smin sdata:s32 sbase:s64 soffset:o32
133 s_atomic_umin sdata:s32 sbase:s64 soffset:o32
134 s_atomic_smax sdata:s32 sbase:s64 soffset:o32
135 s_atomic_umax sdata:s32 sbase:s64 soffset:o32
136 s_atomic_and sdata:s32 sbase:s64 soffset:o32
137 s_atomic_or sdata:s32 sbase:s64 soffset:o32
138 s_atomic_xor sdata:s32 sbase:s64 soffset:o32
139 s_atomic_inc sdata:s32 sbase:s64 soffset:o32
140 s_atomic_dec sdata:s32 sbase:s64 soffset:o32
160 s_atomic_swap_x2 sdata:s64 sbase:s64 soffset:o32
161 s_atomic_cmpswap_x2 sdata:s128 sbase:s64 soffset:o32
162 s_atomic_add_x2 sdata:s64 sbase:s64 soffset:o32
163 s_atomic_sub_x2 sdata:s64 sbase:s64 soffset:o32
164 s_atomic_smin_x2 sdata:s64 sbase:s64 soffset:o32
165 s_atomic_umin_x2 sdata:s64 sbase:s64 soffset:o32
166 s_atomic_smax_x2 sdata:s64 sbase:s64 soffset:o32
167 s_atomic_umax_x2 sdata:s64 sbase:s64 soffset:o32
168 s_atomic_and_x2 sdata:s64 sbase:s64 soffset:o32
169 s_atomic_or_x2 sdata:s64 sbase:s64 soffset:o32
170 s_atomic_xor_x2 sdata:s64 sbase:s64 soffset:o32
171 s_atomic_inc_x2 sdata:s64 sbase:s64 soffset:o32
172 s_atomic_dec_x2 sdata:s64 sbase:s64 soffset:o32)",
R"(VOP1
0/320 v_nop
1/321 v_mov_b32 vdst:v32 src0:r32
2/322 v_readfirstlane_b32 vdst:s32 src0:v32
3/323 v_cvt_i32_f64 vdst:v32 src0:r64
4/324 v_cvt_f64_i32 vdst:v64 src0:r32
5/325 v_cvt_f32_i32 vdst:v32 src0:r32
6/326 v_cvt_f32_u32 vdst:v32 src0:r32
7/327 v_cvt_u32_f32 vdst:v32 src0:r32
8/328 v_cvt_i32_f32 vdst:v32 src0:r32
10/330 v_cvt_f16_f32 vdst:v16 src0:r32
11/331 v_cvt_f32_f16 vdst:v32 src0:r16
12/332 v_cvt_rpi_i32_f32 vdst:v32 src0:r32
13/333 v_cvt_flr_i32_f32 vdst:v32 src0:r32
14/334 v_cvt_off_f32_i4 vdst:v32 src0:r32
15/335 v_cvt_f32_f64 vdst:v32 src0:r64
16/336 v_cvt_f64_f32 vdst:v64 src0:r32
17/337 v_cvt_f32_ubyte0 vdst:v32 src0:r32
18/338 v_cvt_f32_ubyte1 vdst:v32 src0:r32
19/339 v_cvt_f32_ubyte2 vdst:v32 src0:r32
20/340 v_cvt_f32_ubyte3 vdst:v32 src0:r32
21/341 v_cvt_u32_f64 vdst:v32 src0:r64
22/342 v_cvt_f64_u32 vdst:v64 src0:r32
23/343 v_trunc_f64 vdst:v64 src0:r64
24/344 v_ceil_f64 vdst:v64 src0:r64
25/345 v_rndne_f64 vdst:v64 src0:r64
26/346 v_floor_f64 vdst:v64 src0:r64
27/347 v_fract_f32 vdst:v32 src0:r32
28/348 v_trunc_f32 vdst:v32 src0:r32
29/349 v_ceil_f32 vdst:v32 src0:r32
30/350 v_rndne_f32 vdst:v32 src0:r32
31/351 v_floor_f32 vdst:v32 src0:r32
32/352 v_exp_f32 vdst:v32 src0:r32
33/353 v_log_f32 vdst:v32 src0:r32
34/354 v_rcp_f32 vdst:v32 src0:r32
35/355 v_rcp_iflag_f32 vdst:v32 src0:r32
36/356 v_rsq_f32 vdst:v32 src0:r32
37/357 v_rcp_f64 vdst:v64 src0:r64
38/358 v_rsq_f64 vdst:v64 src0:r64
39/359 v_sqrt_f32 vdst:v32 src0:r32
40/360 v_sqrt_f64 vdst:v64 src0:r64
41/361 v_sin_f32 vdst:v32 src0:r32
42/362 v_cos_f32 vdst:v32 src0:r32
43/363 v_not_b32 vdst:v32 src0:r32
44/364 v_bfrev_b32 vdst:v32 src0:r32
45/365 v_ffbh_u32 vdst:v32 src0:r32
46/366 v_ffbl_b32 vdst:v32 src0:r32
47/367 v_ffbh_i32 vdst:v32 src0:r32
48/368 v_frexp_exp_i32_f64 vdst:v32 src0:r64
49/369 v_frexp_mant_f64 vdst:v64 src0:r64
50/370 v_fract_f64 vdst:v64 src0:r64
51/371 v_frexp_exp_i32_f32 vdst:v32 src0:r32
52/372 v_frexp_mant_f32 vdst:v32 src0:r32
53/373 v_clrexcp
55/375 v_screen_partition_4se_b32 vdst:v32 src0:r32
56/376 v_mov_b64 vdst:v64 src0:r64
57/377 v_cvt_f16_u16 vdst:v16 src0:r16
58/378 v_cvt_f16_i16 vdst:v16 src0:r16
59/379 v_cvt_u16_f16 vdst:v16 src0:r16
60/380 v_cvt_i16_f16 vdst:v16 src0:r16
61/381 v_rcp_f16 vdst:v16 src0:r16
62/382 v_sqrt_f16 vdst:v16 src0:r16
63/383 v_rsq_f16 vdst:v16 src0:r16
64/384 v_log_f16 vdst:v16 src0:r16
65/385 v_exp_f16 vdst:v16 src0:r16
66/386 v_frexp_mant_f16 vdst:v16 src0:r16
67/387 v_frexp_exp_i16_f16 vdst:v16 src0:r16
68/388 v_floor_f16 vdst:v16 src0:r16
69/389 v_ceil_f16 vdst:v16 src0:r16
70/390 v_trunc_f16 vdst:v16 src0:r16
71/391 v_rndne_f16 vdst:v16 src0:r16
72/392 v_fract_f16 vdst:v16 src0:r16
73/393 v_sin_f16 vdst:v16 src0:r16
74/394 v_cos_f16 vdst:v16 src0:r16
75/395 v_exp_legacy_f32 vdst:v32 src0:r32
76/396 v_log_legacy_f32 vdst:v32 src0:r32
77/397 v_cvt_norm_i16_f16 vdst:v16 src0:r16
78/398 v_cvt_norm_u16_f16 vdst:v16 src0:r16
79/399 v_sat_pk_u8_i16 vdst:v16 src0:r32
81/401 v_swap_b32 vdst:v32 src0:v32
82/402 v_accvgpr_mov_b32 vdst:a32 src0:a32
84/404 v_cvt_f32_fp8 vdst:v32 src0:r8
85/405 v_cvt_f32_bf8 vdst:v32 src0:r8
86/406 v_cvt_pk_f32_fp8 vdst:v64 src0:r16
87/407 v_cvt_pk_f32_bf8 vdst:v64 src0:r16
88/408 v_prng_b32 vdst:v32 src0:r32
89/409 v_permlane16_swap_b32 vdst:v32 src0:v32
90/410 v_permlane32_swap_b32 vdst:v32 src0:v32
91/411 v_cvt_f32_bf16 vdst:v32 src0:r16)",
R"(VOP2
0 v_cndmask_b32 vdst:v32 src0:r32 vsrc1:v32 vcc:s64
1/257 v_add_f32 vdst:v32 src0:r32 vsrc1:v32
2/258 v_sub_f32 vdst:v32 src0:r32 vsrc1:v32
3/259 v_subrev_f32 vdst:v32 src0:r32 vsrc1:v32
4/260 v_fmac_f64 vdst:v64 src0:r64 vsrc1:v64
5/261 v_mul_f32 vdst:v32 src0:r32 vsrc1:v32
6/262 v_mul_i32_i24 vdst:v32 src0:r32 vsrc1:v32
7/263 v_mul_hi_i32_i24 vdst:v32 src0:r32 vsrc1:v32
8/264 v_mul_u32_u24 vdst:v32 src0:r32 vsrc1:v32
9/265 v_mul_hi_u32_u24 vdst:v32 src0:r32 vsrc1:v32
10/266 v_min_f32 vdst:v32 src0:r32 vsrc1:v32
11/267 v_max_f32 vdst:v32 src0:r32 vsrc1:v32
12/268 v_min_i32 vdst:v32 src0:r32 vsrc1:v32
13/269 v_max_i32 vdst:v32 src0:r32 vsrc1:v32
14/270 v_min_u32 vdst:v32 src0:r32 vsrc1:v32
15/271 v_max_u32 vdst:v32 src0:r32 vsrc1:v32
16/272 v_lshrrev_b32 vdst:v32 src0:r32 vsrc1:v32
17/273 v_ashrrev_i32 vdst:v32 src0:r32 vsrc1:v32
18/274 v_lshlrev_b32 vdst:v32 src0:r32 vsrc1:v32
19/275 v_and_b32 vdst:v32 src0:r32 vsrc1:v32
20/276 v_or_b32 vdst:v32 src0:r32 vsrc1:v32
21/277 v_xor_b32 vdst:v32 src0:r32 vsrc1:v32
22/278 v_dot2c_f32_bf16 vdst:v32 src0:r32 vsrc1:v32
23 v_fmamk_f32 vdst:v32 src0:r32 k:k32 vsrc1:v32
24 v_fmaak_f32 vdst:v32 src0:r32 vsrc1:v32 k:k32
25 v_add_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32
26 v_sub_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32
27 v_subrev_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32
28 v_addc_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32 vcc:s64
29 v_subb_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32 vcc:s64
30 v_subbrev_co_u32 vdst:v32 vcc:s64 src0:r32 vsrc1:v32 vcc:s64
31/287 v_add_f16 vdst:v16 src0:r16 vsrc1:v16
32/288 v_sub_f16 vdst:v16 src0:r16 vsrc1:v16
33/289 v_subrev_f16 vdst:v16 src0:r16 vsrc1:v16
34/290 v_mul_f16 vdst:v16 src0:r16 vsrc1:v16
35/291 v_mac_f16 vdst:v16 src0:r16 vsrc1:v16
36 v_madmk_f16 vdst:v16 src0:r16 k:k32 vsrc1:v16
37 v_madak_f16 vdst:v16 src0:r16 vsrc1:v16 k:k32
38/294 v_add_u16 vdst:v16 src0:r16 vsrc1:v16
39/295 v_sub_u16 vdst:v16 src0:r16 vsrc1:v16
40/296 v_subrev_u16 vdst:v16 src0:r16 vsrc1:v16
41/297 v_mul_lo_u16 vdst:v16 src0:r16 vsrc1:v16
42/298 v_lshlrev_b16 vdst:v16 src0:r16 vsrc1:v16
43/299 v_lshrrev_b16 vdst:v16 src0:r16 vsrc1:v16
44/300 v_ashrrev_i16 vdst:v16 src0:r16 vsrc1:v16
45/301 v_max_f16 vdst:v16 src0:r16 vsrc1:v16
46/302 v_min_f16 vdst:v16 src0:r16 vsrc1:v16
47/303 v_max_u16 vdst:v16 src0:r16 vsrc1:v16
48/304 v_max_i16 vdst:v16 src0:r16 vsrc1:v16
49/305 v_min_u16 vdst:v16 src0:r16 vsrc1:v16
50/306 v_min_i16 vdst:v16 src0:r16 vsrc1:v16
51/307 v_ldexp_f16 vdst:v16 src0:r16 vsrc1:v16
52/308 v_add_u32 vdst:v32 src0:r32 vsrc1:v32
53/309 v_sub_u32 vdst:v32 src0:r32 vsrc1:v32
54/310 v_subrev_u32 vdst:v32 src0:r32 vsrc1:v32
55/311 v_dot2c_f32_f16 vdst:v32 src0:r32 vsrc1:v32
56/312 v_dot2c_i32_i16 vdst:v32 src0:r32 vsrc1:v32
57/313 v_dot4c_i32_i8 vdst:v32 src0:r32 vsrc1:v32
58/314 v_dot8c_i32_i4 vdst:v32 src0:r32 vsrc1:v32
59/315 v_fmac_f32 vdst:v32 src0:r32 vsrc1:v32
60/316 v_pk_fmac_f16 vdst:v32 src0:r32 vsrc1:v32
61/317 v_xnor_b32 vdst:v32 src0:r32 vsrc1:v32)",
R"(VOPC
16/16 v_cmp_class_f32 vcc:s64 src0:r32 vsrc1:v32
17/17 v_cmpx_class_f32 vcc:s64 src0:r32 vsrc1:v32
18/18 v_cmp_class_f64 vcc:s64 src0:r64 vsrc1:v32
19/19 v_cmpx_class_f64 vcc:s64 src0:r64 vsrc1:v32
20/20 v_cmp_class_f16 vcc:s64 src0:r16 vsrc1:v16
21/21 v_cmpx_class_f16 vcc:s64 src0:r16 vsrc1:v16
32/32 v_cmp_f_f16 vcc:s64 src0:r16 vsrc1:v16
33/33 v_cmp_lt_f16 vcc:s64 src0:r16 vsrc1:v16
34/34 v_cmp_eq_f16 vcc:s64 src0:r16 vsrc1:v16
35/35 v_cmp_le_f16 vcc:s64 src0:r16 vsrc1:v16
36/36 v_cmp_gt_f16 vcc:s64 src0:r16 vsrc1:v16
37/37 v_cmp_lg_f16 vcc:s64 src0:r16 vsrc1:v16
38/38 v_cmp_ge_f16 vcc:s64 src0:r16 vsrc1:v16
39/39 v_cmp_o_f16 vcc:s64 src0:r16 vsrc1:v16
40/40 v_cmp_u_f16 vcc:s64 src0:r16 vsrc1:v16
41/41 v_cmp_nge_f16 vcc:s64 src0:r16 vsrc1:v16
42/42 v_cmp_nlg_f16 vcc:s64 src0:r16 vsrc1:v16
43/43 v_cmp_ngt_f16 vcc:s64 src0:r16 vsrc1:v16
44/44 v_cmp_nle_f16 vcc:s64 src0:r16 vsrc1:v16
45/45 v_cmp_neq_f16 vcc:s64 src0:r16 vsrc1:v16
46/46 v_cmp_nlt_f16 vcc:s64 src0:r16 vsrc1:v16
47/47 v_cmp_tru_f16 vcc:s64 src0:r16 vsrc1:v16
48/48 v_cmpx_f_f16 vcc:s64 src0:r16 vsrc1:v16
49/49 v_cmpx_lt_f16 vcc:s64 src0:r16 vsrc1:v16
50/50 v_cmpx_eq_f16 vcc:s64 src0:r16 vsrc1:v16
51/51 v_cmpx_le_f16 vcc:s64 src0:r16 vsrc1:v16
52/52 v_cmpx_gt_f16 vcc:s64 src0:r16 vsrc1:v16
53/53 v_cmpx_lg_f16 vcc:s64 src0:r16 vsrc1:v16
54/54 v_cmpx_ge_f16 vcc:s64 src0:r16 vsrc1:v16
55/55 v_cmpx_o_f16 vcc:s64 src0:r16 vsrc1:v16
56/56 v_cmpx_u_f16 vcc:s64 src0:r16 vsrc1:v16
57/57 v_cmpx_nge_f16 vcc:s64 src0:r16 vsrc1:v16
58/58 v_cmpx_nlg_f16 vcc:s64 src0:r16 vsrc1:v16
59/59 v_cmpx_ngt_f16 vcc:s64 src0:r16 vsrc1:v16
60/60 v_cmpx_nle_f16 vcc:s64 src0:r16 vsrc1:v16
61/61 v_cmpx_neq_f16 vcc:s64 src0:r16 vsrc1:v16
62/62 v_cmpx_nlt_f16 vcc:s64 src0:r16 vsrc1:v16
63/63 v_cmpx_tru_f16 vcc:s64 src0:r16 vsrc1:v16
64/64 v_cmp_f_f32 vcc:s64 src0:r32 vsrc1:v32
65/65 v_cmp_lt_f32 vcc:s64 src0:r32 vsrc1:v32
66/66 v_cmp_eq_f32 vcc:s64 src0:r32 vsrc1:v32
67/67 v_cmp_le_f32 vcc:s64 src0:r32 vsrc1:v32
68/68 v_cmp_gt_f32 vcc:s64 src0:r32 vsrc1:v32
69/69 v_cmp_lg_f32 vcc:s64 src0:r32 vsrc1:v32
70/70 v_cmp_ge_f32 vcc:s64 src0:r32 vsrc1:v32
71/71 v_cmp_o_f32 vcc:s64 src0:r32 vsrc1:v32
72/72 v_cmp_u_f32 vcc:s64 src0:r32 vsrc1:v32
73/73 v_cmp_nge_f32 vcc:s64 src0:r32 vsrc1:v32
74/74 v_cmp_nlg_f32 vcc:s64 src0:r32 vsrc1:v32
75/75 v_cmp_ngt_f32 vcc:s64 src0:r32 vsrc1:v32
76/76 v_cmp_nle_f32 vcc:s64 src0:r32 vsrc1:v32
77/77 v_cmp_neq_f32 vcc:s64 src0:r32 vsrc1:v32
78/78 v_cmp_nlt_f32 vcc:s64 src0:r32 vsrc1:v32
79/79 v_cmp_tru_f32 vcc:s64 src0:r32 vsrc1:v32
80/80 v_cmpx_f_f32 vcc:s64 src0:r32 vsrc1:v32
81/81 v_cmpx_lt_f32 vcc:s64 src0:r32 vsrc1:v32
82/82 v_cmpx_eq_f32 vcc:s64 src0:r32 vsrc1:v32
83/83 v_cmpx_le_f32 vcc:s64 src0:r32 vsrc1:v32
84/84 v_cmpx_gt_f32 vcc:s64 src0:r32 vsrc1:v32
85/85 v_cmpx_lg_f32 vcc:s64 src0:r32 vsrc1:v32
86/86 v_cmpx_ge_f32 vcc:s64 src0:r32 vsrc1:v32
87/87 v_cmpx_o_f32 vcc:s64 src0:r32 vsrc1:v32
88/88 v_cmpx_u_f32 vcc:s64 src0:r32 vsrc1:v32
89/89 v_cmpx_nge_f32 vcc:s64 src0:r32 vsrc1:v32
90/90 v_cmpx_nlg_f32 vcc:s64 src0:r32 vsrc1:v32
91/91 v_cmpx_ngt_f32 vcc:s64 src0:r32 vsrc1:v32
92/92 v_cmpx_nle_f32 vcc:s64 src0:r32 vsrc1:v32
93/93 v_cmpx_neq_f32 vcc:s64 src0:r32 vsrc1:v32
94/94 v_cmpx_nlt_f32 vcc:s64 src0:r32 vsrc1:v32
95/95 v_cmpx_tru_f32 vcc:s64 src0:r32 vsrc1:v32
96/96 v_cmp_f_f64 vcc:s64 src0:r64 vsrc1:v64
97/97 v_cmp_lt_f64 vcc:s64 src0:r64 vsrc1:v64
98/98 v_cmp_eq_f64 vcc:s64 src0:r64 vsrc1:v64
99/99 v_cmp_le_f64 vcc:s64 src0:r64 vsrc1:v64
100/100 v_cmp_gt_f64 vcc:s64 src0:r64 vsrc1:v64
101/101 v_cmp_lg_f64 vcc:s64 src0:r64 vsrc1:v64
102/102 v_cmp_ge_f64 vcc:s64 src0:r64 vsrc1:v64
103/103 v_cmp_o_f64 vcc:s64 src0:r64 vsrc1:v64
104/104 v_cmp_u_f64 vcc:s64 src0:r64 vsrc1:v64
105/105 v_cmp_nge_f64 vcc:s64 src0:r64 vsrc1:v64
106/106 v_cmp_nlg_f64 vcc:s64 src0:r64 vsrc1:v64
107/107 v_cmp_ngt_f64 vcc:s64 src0:r64 vsrc1:v64
108/108 v_cmp_nle_f64 vcc:s64 src0:r64 vsrc1:v64
109/109 v_cmp_neq_f64 vcc:s64 src0:r64 vsrc1:v64
110/110 v_cmp_nlt_f64 vcc:s64 src0:r64 vsrc1:v64
111/111 v_cmp_tru_f64 vcc:s64 src0:r64 vsrc1:v64
112/112 v_cmpx_f_f64 vcc:s64 src0:r64 vsrc1:v64
113/113 v_cmpx_lt_f64 vcc:s64 src0:r64 vsrc1:v64
114/114 v_cmpx_eq_f64 vcc:s64 src0:r64 vsrc1:v64
115/115 v_cmpx_le_f64 vcc:s64 src0:r64 vsrc1:v64
116/116 v_cmpx_gt_f64 vcc:s64 src0:r64 vsrc1:v64
117/117 v_cmpx_lg_f64 vcc:s64 src0:r64 vsrc1:v64
118/118 v_cmpx_ge_f64 vcc:s64 src0:r64 vsrc1:v64
119/119 v_cmpx_o_f64 vcc:s64 src0:r64 vsrc1:v64
120/120 v_cmpx_u_f64 vcc:s64 src0:r64 vsrc1:v64
121/121 v_cmpx_nge_f64 vcc:s64 src0:r64 vsrc1:v64
122/122 v_cmpx_nlg_f64 vcc:s64 src0:r64 vsrc1:v64
123/123 v_cmpx_ngt_f64 vcc:s64 src0:r64 vsrc1:v64
124/124 v_cmpx_nle_f64 vcc:s64 src0:r64 vsrc1:v64
125/125 v_cmpx_neq_f64 vcc:s64 src0:r64 vsrc1:v64
126/126 v_cmpx_nlt_f64 vcc:s64 src0:r64 vsrc1:v64
127/127 v_cmpx_tru_f64 vcc:s64 src0:r64 vsrc1:v64
160/160 v_cmp_f_i16 vcc:s64 src0:r16 vsrc1:v16
161/161 v_cmp_lt_i16 vcc:s64 src0:r16 vsrc1:v16
162/162 v_cmp_eq_i16 vcc:s64 src0:r16 vsrc1:v16
163/163 v_cmp_le_i16 vcc:s64 src0:r16 vsrc1:v16
164/164 v_cmp_gt_i16 vcc:s64 src0:r16 vsrc1:v16
165/165 v_cmp_ne_i16 vcc:s64 src0:r16 vsrc1:v16
166/166 v_cmp_ge_i16 vcc:s64 src0:r16 vsrc1:v16
167/167 v_cmp_t_i16 vcc:s64 src0:r16 vsrc1:v16
168/168 v_cmp_f_u16 vcc:s64 src0:r16 vsrc1:v16
169/169 v_cmp_lt_u16 vcc:s64 src0:r16 vsrc1:v16
170/170 v_cmp_eq_u16 vcc:s64 src0:r16 vsrc1:v16
171/171 v_cmp_le_u16 vcc:s64 src0:r16 vsrc1:v16
172/172 v_cmp_gt_u16 vcc:s64 src0:r16 vsrc1:v16
173/173 v_cmp_ne_u16 vcc:s64 src0:r16 vsrc1:v16
174/174 v_cmp_ge_u16 vcc:s64 src0:r16 vsrc1:v16
175/175 v_cmp_t_u16 vcc:s64 src0:r16 vsrc1:v16
176/176 v_cmpx_f_i16 vcc:s64 src0:r16 vsrc1:v16
177/177 v_cmpx_lt_i16 vcc:s64 src0:r16 vsrc1:v16
178/178 v_cmpx_eq_i16 vcc:s64 src0:r16 vsrc1:v16
179/179 v_cmpx_le_i16 vcc:s64 src0:r16 vsrc1:v16
180/180 v_cmpx_gt_i16 vcc:s64 src0:r16 vsrc1:v16
181/181 v_cmpx_ne_i16 vcc:s64 src0:r16 vsrc1:v16
182/182 v_cmpx_ge_i16 vcc:s64 src0:r16 vsrc1:v16
183/183 v_cmpx_t_i16 vcc:s64 src0:r16 vsrc1:v16
184/184 v_cmpx_f_u16 vcc:s64 src0:r16 vsrc1:v16
185/185 v_cmpx_lt_u16 vcc:s64 src0:r16 vsrc1:v16
186/186 v_cmpx_eq_u16 vcc:s64 src0:r16 vsrc1:v16
187/187 v_cmpx_le_u16 vcc:s64 src0:r16 vsrc1:v16
188/188 v_cmpx_gt_u16 vcc:s64 src0:r16 vsrc1:v16
189/189 v_cmpx_ne_u16 vcc:s64 src0:r16 vsrc1:v16
190/190 v_cmpx_ge_u16 vcc:s64 src0:r16 vsrc1:v16
191/191 v_cmpx_t_u16 vcc:s64 src0:r16 vsrc1:v16
192/192 v_cmp_f_i32 vcc:s64 src0:r32 vsrc1:v32
193/193 v_cmp_lt_i32 vcc:s64 src0:r32 vsrc1:v32
194/194 v_cmp_eq_i32 vcc:s64 src0:r32 vsrc1:v32
195/195 v_cmp_le_i32 vcc:s64 src0:r32 vsrc1:v32
196/196 v_cmp_gt_i32 vcc:s64 src0:r32 vsrc1:v32
197/197 v_cmp_ne_i32 vcc:s64 src0:r32 vsrc1:v32
198/198 v_cmp_ge_i32 vcc:s64 src0:r32 vsrc1:v32
199/199 v_cmp_t_i32 vcc:s64 src0:r32 vsrc1:v32
200/200 v_cmp_f_u32 vcc:s64 src0:r32 vsrc1:v32
201/201 v_cmp_lt_u32 vcc:s64 src0:r32 vsrc1:v32
202/202 v_cmp_eq_u32 vcc:s64 src0:r32 vsrc1:v32
203/203 v_cmp_le_u32 vcc:s64 src0:r32 vsrc1:v32
204/204 v_cmp_gt_u32 vcc:s64 src0:r32 vsrc1:v32
205/205 v_cmp_ne_u32 vcc:s64 src0:r32 vsrc1:v32
206/206 v_cmp_ge_u32 vcc:s64 src0:r32 vsrc1:v32
207/207 v_cmp_t_u32 vcc:s64 src0:r32 vsrc1:v32
208/208 v_cmpx_f_i32 vcc:s64 src0:r32 vsrc1:v32
209/209 v_cmpx_lt_i32 vcc:s64 src0:r32 vsrc1:v32
210/210 v_cmpx_eq_i32 vcc:s64 src0:r32 vsrc1:v32
211/211 v_cmpx_le_i32 vcc:s64 src0:r32 vsrc1:v32
212/212 v_cmpx_gt_i32 vcc:s64 src0:r32 vsrc1:v32
213/213 v_cmpx_ne_i32 vcc:s64 src0:r32 vsrc1:v32
214/214 v_cmpx_ge_i32 vcc:s64 src0:r32 vsrc1:v32
215/215 v_cmpx_t_i32 vcc:s64 src0:r32 vsrc1:v32
216/216 v_cmpx_f_u32 vcc:s64 src0:r32 vsrc1:v32
217/217 v_cmpx_lt_u32 vcc:s64 src0:r32 vsrc1:v32
218/218 v_cmpx_eq_u32 vcc:s64 src0:r32 vsrc1:v32
219/219 v_cmpx_le_u32 vcc:s64 src0:r32 vsrc1:v32
220/220 v_cmpx_gt_u32 vcc:s64 src0:r32 vsrc1:v32
221/221 v_cmpx_ne_u32 vcc:s64 src0:r32 vsrc1:v32
222/222 v_cmpx_ge_u32 vcc:s64 src0:r32 vsrc1:v32
223/223 v_cmpx_t_u32 vcc:s64 src0:r32 vsrc1:v32
224/224 v_cmp_f_i64 vcc:s64 src0:r64 vsrc1:v64
225/225 v_cmp_lt_i64 vcc:s64 src0:r64 vsrc1:v64
226/226 v_cmp_eq_i64 vcc:s64 src0:r64 vsrc1:v64
227/227 v_cmp_le_i64 vcc:s64 src0:r64 vsrc1:v64
228/228 v_cmp_gt_i64 vcc:s64 src0:r64 vsrc1:v64
229/229 v_cmp_ne_i64 vcc:s64 src0:r64 vsrc1:v64
230/230 v_cmp_ge_i64 vcc:s64 src0:r64 vsrc1:v64
231/231 v_cmp_t_i64 vcc:s64 src0:r64 vsrc1:v64
232/232 v_cmp_f_u64 vcc:s64 src0:r64 vsrc1:v64
233/233 v_cmp_lt_u64 vcc:s64 src0:r64 vsrc1:v64
234/234 v_cmp_eq_u64 vcc:s64 src0:r64 vsrc1:v64
235/235 v_cmp_le_u64 vcc:s64 src0:r64 vsrc1:v64
236/236 v_cmp_gt_u64 vcc:s64 src0:r64 vsrc1:v64
237/237 v_cmp_ne_u64 vcc:s64 src0:r64 vsrc1:v64
238/238 v_cmp_ge_u64 vcc:s64 src0:r64 vsrc1:v64
239/239 v_cmp_t_u64 vcc:s64 src0:r64 vsrc1:v64
240/240 v_cmpx_f_i64 vcc:s64 src0:r64 vsrc1:v64
241/241 v_cmpx_lt_i64 vcc:s64 src0:r64 vsrc1:v64
242/242 v_cmpx_eq_i64 vcc:s64 src0:r64 vsrc1:v64
243/243 v_cmpx_le_i64 vcc:s64 src0:r64 vsrc1:v64
244/244 v_cmpx_gt_i64 vcc:s64 src0:r64 vsrc1:v64
245/245 v_cmpx_ne_i64 vcc:s64 src0:r64 vsrc1:v64
246/246 v_cmpx_ge_i64 vcc:s64 src0:r64 vsrc1:v64
247/247 v_cmpx_t_i64 vcc:s64 src0:r64 vsrc1:v64
248/248 v_cmpx_f_u64 vcc:s64 src0:r64 vsrc1:v64
249/249 v_cmpx_lt_u64 vcc:s64 src0:r64 vsrc1:v64
250/250 v_cmpx_eq_u64 vcc:s64 src0:r64 vsrc1:v64
251/251 v_cmpx_le_u64 vcc:s64 src0:r64 vsrc1:v64
252/252 v_cmpx_gt_u64 vcc:s64 src0:r64 vsrc1:v64
253/253 v_cmpx_ne_u64 vcc:s64 src0:r64 vsrc1:v64
254/254 v_cmpx_ge_u64 vcc:s64 src0:r64 vsrc1:v64
255/255 v_cmpx_t_u64 vcc:s64 src0:r64 vsrc1:v64)",
R"(VOP3
256 v_cndmask_b32 vdst:v32 src0:n32 src1:n32 src2:s64
450 v_mad_i32_i24 vdst:v32 src0:n24 src1:n24 src2:n32
451 v_mad_u32_u24 vdst:v32 src0:n24 src1:n24 src2:n32
452 v_cubeid_f32 vdst:v32 src0:n32 src1:n32 src2:n32
453 v_cubesc_f32 vdst:v32 src0:n32 src1:n32 src2:n32
454 v_cubetc_f32 vdst:v32 src0:n32 src1:n32 src2:n32
455 v_cubema_f32 vdst:v32 src0:n32 src1:n32 src2:n32
456 v_bfe_u32 vdst:v32 src0:n32 src1:n32 src2:n32
457 v_bfe_i32 vdst:v32 src0:n32 src1:n32 src2:n32
458 v_bfi_b32 vdst:v32 src0:n32 src1:n32 src2:n32
459 v_fma_f32 vdst:v32 src0:n32 src1:n32 src2:n32
460 v_fma_f64 vdst:v64 src0:n64 src1:n64 src2:n64
461 v_lerp_u8 vdst:v32 src0:n32 src1:n32 src2:n32
462 v_alignbit_b32 vdst:v32 src0:n32 src1:n32 src2:n8
463 v_alignbyte_b32 vdst:v32 src0:n32 src1:n32 src2:n8
464 v_min3_f32 vdst:v32 src0:n32 src1:n32 src2:n32
465 v_min3_i32 vdst:v32 src0:n32 src1:n32 src2:n32
466 v_min3_u32 vdst:v32 src0:n32 src1:n32 src2:n32
467 v_max3_f32 vdst:v32 src0:n32 src1:n32 src2:n32
468 v_max3_i32 vdst:v32 src0:n32 src1:n32 src2:n32
469 v_max3_u32 vdst:v32 src0:n32 src1:n32 src2:n32
470 v_med3_f32 vdst:v32 src0:n32 src1:n32 src2:n32
471 v_med3_i32 vdst:v32 src0:n32 src1:n32 src2:n32
472 v_med3_u32 vdst:v32 src0:n32 src1:n32 src2:n32
473 v_sad_u8 vdst:v32 src0:n32 src1:n32 src2:n32
474 v_sad_hi_u8 vdst:v32 src0:n32 src1:n32 src2:n32
475 v_sad_u16 vdst:v32 src0:n32 src1:n32 src2:n32
476 v_sad_u32 vdst:v32 src0:n32 src1:n32 src2:n32
477 v_cvt_pk_u8_f32 vdst:v32 src0:n32 src1:n32 src2:n32
478 v_div_fixup_f32 vdst:v32 src0:n32 src1:n32 src2:n32
479 v_div_fixup_f64 vdst:v64 src0:n64 src1:n64 src2:n64
482 v_div_fmas_f32 vdst:v32 src0:n32 src1:n32 src2:n32
483 v_div_fmas_f64 vdst:v64 src0:n64 src1:n64 src2:n64
484 v_msad_u8 vdst:v32 src0:n32 src1:n32 src2:n32
485 v_qsad_pk_u16_u8 vdst:v64 src0:n64 src1:n32 src2:n64
486 v_mqsad_pk_u16_u8 vdst:v64 src0:n64 src1:n32 src2:n64
487 v_mqsad_u32_u8 vdst:v128 src0:n64 src1:n32 src2:v128
490 v_mad_legacy_f16 vdst:v16 src0:n16 src1:n16 src2:n16
491 v_mad_legacy_u16 vdst:v16 src0:n16 src1:n16 src2:n16
492 v_mad_legacy_i16 vdst:v16 src0:n16 src1:n16 src2:n16
493 v_perm_b32 vdst:v32 src0:n32 src1:n32 src2:n32
494 v_fma_legacy_f16 vdst:v16 src0:n16 src1:n16 src2:n16
495 v_div_fixup_legacy_f16 vdst:v16 src0:n16 src1:n16 src2:n16
496 v_cvt_pkaccum_u8_f32 vdst:v32 src0:n32 src1:n32
497 v_mad_u32_u16 vdst:v32 src0:n16 src1:n16 src2:n32
498 v_mad_i32_i16 vdst:v32 src0:n16 src1:n16 src2:n32
499 v_xad_u32 vdst:v32 src0:n32 src1:n32 src2:n32
500 v_min3_f16 vdst:v16 src0:n16 src1:n16 src2:n16
501 v_min3_i16 vdst:v16 src0:n16 src1:n16 src2:n16
502 v_min3_u16 vdst:v16 src0:n16 src1:n16 src2:n16
503 v_max3_f16 vdst:v16 src0:n16 src1:n16 src2:n16
504 v_max3_i16 vdst:v16 src0:n16 src1:n16 src2:n16
505 v_max3_u16 vdst:v16 src0:n16 src1:n16 src2:n16
506 v_med3_f16 vdst:v16 src0:n16 src1:n16 src2:n16
507 v_med3_i16 vdst:v16 src0:n16 src1:n16 src2:n16
508 v_med3_u16 vdst:v16 src0:n16 src1:n16 src2:n16
509 v_lshl_add_u32 vdst:v32 src0:n32 src1:n32 src2:n32
510 v_add_lshl_u32 vdst:v32 src0:n32 src1:n32 src2:n32
511 v_add3_u32 vdst:v32 src0:n32 src1:n32 src2:n32
512 v_lshl_or_b32 vdst:v32 src0:n32 src1:n32 src2:n32
513 v_and_or_b32 vdst:v32 src0:n32 src1:n32 src2:n32
514 v_or3_b32 vdst:v32 src0:n32 src1:n32 src2:n32
515 v_mad_f16 vdst:v16 src0:n16 src1:n16 src2:n16
516 v_mad_u16 vdst:v16 src0:n16 src1:n16 src2:n16
517 v_mad_i16 vdst:v16 src0:n16 src1:n16 src2:n16
518 v_fma_f16 vdst:v16 src0:n16 src1:n16 src2:n16
519 v_div_fixup_f16 vdst:v16 src0:n16 src1:n16 src2:n16
520 v_lshl_add_u64 vdst:v64 src0:n64 src1:n32 src2:n64
563 v_bitop3_b16 vdst:v16 src0:n16 src1:n16 src2:n16
564 v_bitop3_b32 vdst:v32 src0:n32 src1:n32 src2:n32
565 v_cvt_scalef32_pk_fp8_f32 vdst:v16 src0:n32 src1:n32 src2:n32
566 v_cvt_scalef32_pk_bf8_f32 vdst:v16 src0:n32 src1:n32 src2:n32
567 v_cvt_scalef32_sr_fp8_f32 vdst:v8 src0:n32 src1:n32 src2:n32
568 v_cvt_scalef32_sr_bf8_f32 vdst:v8 src0:n32 src1:n32 src2:n32
569 v_cvt_scalef32_pk_f32_fp8 vdst:v64 src0:n16 src1:n32
570 v_cvt_scalef32_pk_f32_bf8 vdst:v64 src0:n16 src1:n32
571 v_cvt_scalef32_f32_fp8 vdst:v32 src0:n8 src1:n32
572 v_cvt_scalef32_f32_bf8 vdst:v32 src0:n8 src1:n32
573 v_cvt_scalef32_pk_fp4_f32 vdst:v8 src0:n32 src1:n32 src2:n32
574 v_cvt_scalef32_sr_pk_fp4_f32 vdst:v8 src0:v64 src1:n32 src2:n32
575 v_cvt_scalef32_pk_f32_fp4 vdst:v64 src0:n8 src1:n32
576 v_cvt_scalef32_pk_fp8_f16 vdst:v16 src0:n32 src1:n32
577 v_cvt_scalef32_pk_bf8_f16 vdst:v16 src0:n32 src1:n32
578 v_cvt_scalef32_sr_fp8_f16 vdst:v8 src0:n16 src1:n32 src2:n32
579 v_cvt_scalef32_sr_bf8_f16 vdst:v8 src0:n16 src1:n32 src2:n32
580 v_cvt_scalef32_pk_fp8_bf16 vdst:v16 src0:n32 src1:n32
581 v_cvt_scalef32_pk_bf8_bf16 vdst:v16 src0:n32 src1:n32
582 v_cvt_scalef32_sr_fp8_bf16 vdst:v8 src0:n16 src1:n32 src2:n32
583 v_cvt_scalef32_sr_bf8_bf16 vdst:v8 src0:n16 src1:n32 src2:n32
584 v_cvt_scalef32_pk_f16_fp8 vdst:v32 src0:n16 src1:n32
585 v_cvt_scalef32_pk_f16_bf8 vdst:v32 src0:n16 src1:n32
586 v_cvt_scalef32_f16_fp8 vdst:v16 src0:n8 src1:n32
587 v_cvt_scalef32_f16_bf8 vdst:v16 src0:n8 src1:n32
588 v_cvt_scalef32_pk_fp4_f16 vdst:v8 src0:n32 src1:n32
589 v_cvt_scalef32_pk_fp4_bf16 vdst:v8 src0:n32 src1:n32
590 v_cvt_scalef32_sr_pk_fp4_f16 vdst:v8 src0:n32 src1:n32 src2:n32
591 v_cvt_scalef32_sr_pk_fp4_bf16 vdst:v8 src0:n32 src1:n32 src2:n32
592 v_cvt_scalef32_pk_f16_fp4 vdst:v32 src0:n8 src1:n32
593 v_cvt_scalef32_pk_bf16_fp4 vdst:v32 src0:n8 src1:n32
594 v_cvt_scalef32_2xpk16_fp6_f32 vdst:v192 src0:v512 src1:v512 src2:n32
595 v_cvt_scalef32_2xpk16_bf6_f32 vdst:v192 src0:v512 src1:v512 src2:n32
596 v_cvt_scalef32_sr_pk32_fp6_f32 vdst:v192 src0:v1024 src1:n32 src2:n32
597 v_cvt_scalef32_sr_pk32_bf6_f32 vdst:v192 src0:v1024 src1:n32 src2:n32
598 v_cvt_scalef32_pk32_f32_fp6 vdst:v1024 src0:v192 src1:n32
599 v_cvt_scalef32_pk32_f32_bf6 vdst:v1024 src0:v192 src1:n32
600 v_cvt_scalef32_pk32_fp6_f16 vdst:v192 src0:v512 src1:n32
601 v_cvt_scalef32_pk32_fp6_bf16 vdst:v192 src0:v512 src1:n32
602 v_cvt_scalef32_pk32_bf6_f16 vdst:v192 src0:v512 src1:n32
603 v_cvt_scalef32_pk32_bf6_bf16 vdst:v192 src0:v512 src1:n32
604 v_cvt_scalef32_sr_pk32_fp6_f16 vdst:v192 src0:v512 src1:n32 src2:n32
605 v_cvt_scalef32_sr_pk32_fp6_bf16 vdst:v192 src0:v512 src1:n32 src2:n32
606 v_cvt_scalef32_sr_pk32_bf6_f16 vdst:v192 src0:v512 src1:n32 src2:n32
607 v_cvt_scalef32_sr_pk32_bf6_bf16 vdst:v192 src0:v512 src1:n32 src2:n32
608 v_cvt_scalef32_pk32_f16_fp6 vdst:v512 src0:v192 src1:n32
609 v_cvt_scalef32_pk32_bf16_fp6 vdst:v512 src0:v192 src1:n32
610 v_cvt_scalef32_pk32_f16_bf6 vdst:v512 src0:v192 src1:n32
611 v_cvt_scalef32_pk32_bf16_bf6 vdst:v512 src0:v192 src1:n32
613 v_ashr_pk_i8_i32 vdst:v16 src0:n32 src1:n32 src2:n32
614 v_ashr_pk_u8_i32 vdst:v16 src0:n32 src1:n32 src2:n32
615 v_cvt_pk_f16_f32 vdst:v32 src0:n32 src1:n32
616 v_cvt_pk_bf16_f32 vdst:v32 src0:n32 src1:n32
617 v_cvt_scalef32_pk_bf16_fp8 vdst:v32 src0:n16 src1:n32
618 v_cvt_scalef32_pk_bf16_bf8 vdst:v32 src0:n16 src1:n32
640 v_add_f64 vdst:v64 src0:n64 src1:n64
641 v_mul_f64 vdst:v64 src0:n64 src1:n64
642 v_min_f64 vdst:v64 src0:n64 src1:n64
643 v_max_f64 vdst:v64 src0:n64 src1:n64
644 v_ldexp_f64 vdst:v64 src0:n64 src1:n32
645 v_mul_lo_u32 vdst:v32 src0:n32 src1:n32
646 v_mul_hi_u32 vdst:v32 src0:n32 src1:n32
647 v_mul_hi_i32 vdst:v32 src0:n32 src1:n32
648 v_ldexp_f32 vdst:v32 src0:n32 src1:n32
649 v_readlane_b32 vdst:s32 src0:v32 src1:l32
650 v_writelane_b32 vdst:v32 src0:e32 src1:l32
651 v_bcnt_u32_b32 vdst:v32 src0:n32 src1:n32
652 v_mbcnt_lo_u32_b32 vdst:v32 src0:n32 src1:n32
653 v_mbcnt_hi_u32_b32 vdst:v32 src0:n32 src1:n32
655 v_lshlrev_b64 vdst:v64 src0:n32 src1:n64
656 v_lshrrev_b64 vdst:v64 src0:n32 src1:n64
657 v_ashrrev_i64 vdst:v64 src0:n32 src1:n64
658 v_trig_preop_f64 vdst:v64 src0:n64 src1:n32
659 v_bfm_b32 vdst:v32 src0:n32 src1:n32
660 v_cvt_pknorm_i16_f32 vdst:v32 src0:n32 src1:n32
661 v_cvt_pknorm_u16_f32 vdst:v32 src0:n32 src1:n32
662 v_cvt_pkrtz_f16_f32 vdst:v32 src0:n32 src1:n32
663 v_cvt_pk_u16_u32 vdst:v32 src0:n32 src1:n32
664 v_cvt_pk_i16_i32 vdst:v32 src0:n32 src1:n32
665 v_cvt_pknorm_i16_f16 vdst:v32 src0:n16 src1:n16
666 v_cvt_pknorm_u16_f16 vdst:v32 src0:n16 src1:n16
668 v_add_i32 vdst:v32 src0:n32 src1:n32
669 v_sub_i32 vdst:v32 src0:n32 src1:n32
670 v_add_i16 vdst:v16 src0:n16 src1:n16
671 v_sub_i16 vdst:v16 src0:n16 src1:n16
672 v_pack_b32_f16 vdst:v32 src0:n16 src1:n16
673 v_mul_legacy_f32 vdst:v32 src0:n32 src1:n32
674 v_cvt_pk_fp8_f32 vdst:v16 src0:n32 src1:n32
675 v_cvt_pk_bf8_f32 vdst:v16 src0:n32 src1:n32
676 v_cvt_sr_fp8_f32 vdst:v8 src0:n32 src1:n32
677 v_cvt_sr_bf8_f32 vdst:v8 src0:n32 src1:n32
678 v_cvt_sr_f16_f32 vdst:v16 src0:n32 src1:n32
679 v_cvt_sr_bf16_f32 vdst:v16 src0:n32 src1:n32
680 v_minimum3_f32 vdst:v32 src0:n32 src1:n32 src2:n32
681 v_maximum3_f32 vdst:v32 src0:n32 src1:n32 src2:n32)",
R"(VOP3SD
281 v_add_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32
282 v_sub_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32
283 v_subrev_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32
284 v_addc_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32 src2:s64
285 v_subb_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32 src2:s64
286 v_subbrev_co_u32 vdst:v32 sdst:s64 src0:n32 src1:n32 src2:s64
480 v_div_scale_f32 vdst:v32 sdst:s64 src0:n32 src1:n32 src2:n32
481 v_div_scale_f64 vdst:v64 sdst:s64 src0:n64 src1:n64 src2:n64
488 v_mad_u64_u32 vdst:v64 sdst:s64 src0:n32 src1:n32 src2:n64
489 v_mad_i64_i32 vdst:v64 sdst:s64 src0:n32 src1:n32 src2:n64)",
R"(VOP3P
0 v_pk_mad_i16 vdst:v32 src0:n32 src1:n32 src2:n32
1 v_pk_mul_lo_u16 vdst:v32 src0:n32 src1:n32
2 v_pk_add_i16 vdst:v32 src0:n32 src1:n32
3 v_pk_sub_i16 vdst:v32 src0:n32 src1:n32
4 v_pk_lshlrev_b16 vdst:v32 src0:n32 src1:n32
5 v_pk_lshrrev_b16 vdst:v32 src0:n32 src1:n32
6 v_pk_ashrrev_i16 vdst:v32 src0:n32 src1:n32
7 v_pk_max_i16 vdst:v32 src0:n32 src1:n32
8 v_pk_min_i16 vdst:v32 src0:n32 src1:n32
9 v_pk_mad_u16 vdst:v32 src0:n32 src1:n32 src2:n32
10 v_pk_add_u16 vdst:v32 src0:n32 src1:n32
11 v_pk_sub_u16 vdst:v32 src0:n32 src1:n32
12 v_pk_max_u16 vdst:v32 src0:n32 src1:n32
13 v_pk_min_u16 vdst:v32 src0:n32 src1:n32
14 v_pk_fma_f16 vdst:v32 src0:n32 src1:n32 src2:n32
15 v_pk_add_f16 vdst:v32 src0:n32 src1:n32
16 v_pk_mul_f16 vdst:v32 src0:n32 src1:n32
17 v_pk_min_f16 vdst:v32 src0:n32 src1:n32
18 v_pk_max_f16 vdst:v32 src0:n32 src1:n32
26 v_dot2_f32_bf16 vdst:v32 src0:n32 src1:n32 src2:n32
27 v_pk_minimum3_f16 vdst:v32 src0:n32 src1:n32 src2:n32
28 v_pk_maximum3_f16 vdst:v32 src0:n32 src1:n32 src2:n32
32 v_mad_mix_f32 vdst:v32 src0:n32 src1:n32 src2:n32
33 v_mad_mixlo_f16 vdst:v16 src0:n32 src1:n32 src2:n32
34 v_mad_mixhi_f16 vdst:v16 src0:n32 src1:n32 src2:n32
35 v_dot2_f32_f16 vdst:v32 src0:n32 src1:n32 src2:n32
38 v_dot2_i32_i16 vdst:v32 src0:n32 src1:n32 src2:n32
39 v_dot2_u32_u16 vdst:v32 src0:n32 src1:n32 src2:n32
40 v_dot4_i32_i8 vdst:v32 src0:n32 src1:n32 src2:n32
41 v_dot4_u32_u8 vdst:v32 src0:n32 src1:n32 src2:n32
42 v_dot8_i32_i4 vdst:v32 src0:n32 src1:n32 src2:n32
43 v_dot8_u32_u4 vdst:v32 src0:n32 src1:n32 src2:n32
44 v_mfma_ld_scale_b32
45 v_mfma_f32_16x16x128_f8f6f4 vdst:w128 src0:w256 src1:w256 src2:x128
46 v_mfma_f32_32x32x64_f8f6f4 vdst:w512 src0:w256 src1:w256 src2:x512
48 v_pk_fma_f32 vdst:v64 src0:n64 src1:n64 src2:n64
49 v_pk_mul_f32 vdst:v64 src0:n64 src1:n64
50 v_pk_add_f32 vdst:v64 src0:n64 src1:n64
51 v_pk_mov_b32 vdst:v64 src0:n64 src1:n64
53 v_mfma_f32_16x16x32_bf16 vdst:w128 src0:w128 src1:w128 src2:x128
54 v_mfma_i32_16x16x64_i8 vdst:w128 src0:w128 src1:w128 src2:x128
55 v_mfma_f32_32x32x16_bf16 vdst:w512 src0:w128 src1:w128 src2:x512
56 v_mfma_i32_32x32x32_i8 vdst:w512 src0:w128 src1:w128 src2:x512
57 v_smfmac_f32_16x16x64_bf16 vdst:w128 src0:w128 src1:w256 src2:v32
58 v_smfmac_i32_16x16x128_i8 vdst:w128 src0:w128 src1:w256 src2:v32
59 v_smfmac_f32_16x16x128_bf8_bf8 vdst:w128 src0:w128 src1:w256 src2:v32
60 v_smfmac_f32_16x16x128_bf8_fp8 vdst:w128 src0:w128 src1:w256 src2:v32
61 v_smfmac_f32_16x16x128_fp8_bf8 vdst:w128 src0:w128 src1:w256 src2:v32
62 v_mfma_f32_16x16x8_xf32
63 v_mfma_f32_32x32x4_xf32
64 v_mfma_f32_32x32x1_2b_f32 vdst:w1024 src0:w32 src1:w32 src2:x1024
65 v_mfma_f32_16x16x1_4b_f32 vdst:w512 src0:w32 src1:w32 src2:x512
66 v_mfma_f32_4x4x1_16b_f32 vdst:w128 src0:w32 src1:w32 src2:x128
67 v_smfmac_f32_16x16x128_fp8_fp8 vdst:w128 src0:w128 src1:w256 src2:v32
68 v_mfma_f32_32x32x2_f32 vdst:w512 src0:w32 src1:w32 src2:x512
69 v_mfma_f32_16x16x4_f32 vdst:w128 src0:w32 src1:w32 src2:x128
70 v_smfmac_f32_32x32x32_bf16 vdst:w512 src0:w128 src1:w256 src2:v32
71 v_smfmac_i32_32x32x64_i8 vdst:w512 src0:w128 src1:w256 src2:v32
72 v_mfma_f32_32x32x4_2b_f16 vdst:w1024 src0:w64 src1:w64 src2:x1024
73 v_mfma_f32_16x16x4_4b_f16 vdst:w512 src0:w64 src1:w64 src2:x512
74 v_mfma_f32_4x4x4_16b_f16 vdst:w128 src0:w64 src1:w64 src2:x128
75 v_smfmac_f32_32x32x64_bf8_bf8 vdst:w512 src0:w128 src1:w256 src2:v32
76 v_mfma_f32_32x32x8_f16 vdst:w512 src0:w64 src1:w64 src2:x512
77 v_mfma_f32_16x16x16_f16 vdst:w128 src0:w64 src1:w64 src2:x128
78 v_smfmac_f32_32x32x64_bf8_fp8 vdst:w512 src0:w128 src1:w256 src2:v32
79 v_smfmac_f32_32x32x64_fp8_bf8 vdst:w512 src0:w128 src1:w256 src2:v32
80 v_mfma_i32_32x32x4_2b_i8 vdst:w1024 src0:w32 src1:w32 src2:x1024
81 v_mfma_i32_16x16x4_4b_i8 vdst:w512 src0:w32 src1:w32 src2:x512
82 v_mfma_i32_4x4x4_16b_i8 vdst:w128 src0:w32 src1:w32 src2:x128
83 v_smfmac_f32_32x32x64_fp8_fp8 vdst:w512 src0:w128 src1:w256 src2:v32
84 v_mfma_f32_16x16x32_f16 vdst:w128 src0:w128 src1:w128 src2:x128
85 v_mfma_f32_32x32x16_f16 vdst:w512 src0:w128 src1:w128 src2:x512
86 v_mfma_i32_32x32x16_i8 vdst:w512 src0:w64 src1:w64 src2:x512
87 v_mfma_i32_16x16x32_i8 vdst:w128 src0:w64 src1:w64 src2:x128
88 v_accvgpr_read vdst:v32 src0:a32
89 v_accvgpr_write vdst:a32 src0:n32
90 v_smfmac_f32_16x16x64_f16 vdst:w128 src0:w128 src1:w256 src2:v32
91 v_smfmac_f32_32x32x32_f16 vdst:w512 src0:w128 src1:w256 src2:v32
93 v_mfma_f32_32x32x4_2b_bf16 vdst:w1024 src0:w64 src1:w64 src2:x1024
94 v_mfma_f32_16x16x4_4b_bf16 vdst:w512 src0:w64 src1:w64 src2:x512
95 v_mfma_f32_4x4x4_16b_bf16 vdst:w128 src0:w64 src1:w64 src2:x128
96 v_mfma_f32_32x32x8_bf16 vdst:w512 src0:w64 src1:w64 src2:x512
97 v_mfma_f32_16x16x16_bf16 vdst:w128 src0:w64 src1:w64 src2:x128
98 v_smfmac_f32_16x16x32_f16 vdst:w128 src0:w64 src1:w128 src2:v32
100 v_smfmac_f32_32x32x16_f16 vdst:w512 src0:w64 src1:w128 src2:v32
102 v_smfmac_f32_16x16x32_bf16 vdst:w128 src0:w64 src1:w128 src2:v32
104 v_smfmac_f32_32x32x16_bf16 vdst:w512 src0:w64 src1:w128 src2:v32
106 v_smfmac_i32_16x16x64_i8 vdst:w128 src0:w64 src1:w128 src2:v32
108 v_smfmac_i32_32x32x32_i8 vdst:w512 src0:w64 src1:w128 src2:v32
110 v_mfma_f64_16x16x4_f64 vdst:w256 src0:w64 src1:w64 src2:x256
111 v_mfma_f64_4x4x4_4b_f64 vdst:w64 src0:w64 src1:w64 src2:x64
112 v_mfma_f32_16x16x32_bf8_bf8 vdst:w128 src0:w64 src1:w64 src2:x128
113 v_mfma_f32_16x16x32_bf8_fp8 vdst:w128 src0:w64 src1:w64 src2:x128
114 v_mfma_f32_16x16x32_fp8_bf8 vdst:w128 src0:w64 src1:w64 src2:x128
115 v_mfma_f32_16x16x32_fp8_fp8 vdst:w128 src0:w64 src1:w64 src2:x128
116 v_mfma_f32_32x32x16_bf8_bf8 vdst:w512 src0:w64 src1:w64 src2:x512
117 v_mfma_f32_32x32x16_bf8_fp8 vdst:w512 src0:w64 src1:w64 src2:x512
118 v_mfma_f32_32x32x16_fp8_bf8 vdst:w512 src0:w64 src1:w64 src2:x512
119 v_mfma_f32_32x32x16_fp8_fp8 vdst:w512 src0:w64 src1:w64 src2:x512
120 v_smfmac_f32_16x16x64_bf8_bf8 vdst:w128 src0:w64 src1:w128 src2:v32
121 v_smfmac_f32_16x16x64_bf8_fp8 vdst:w128 src0:w64 src1:w128 src2:v32
122 v_smfmac_f32_16x16x64_fp8_bf8 vdst:w128 src0:w64 src1:w128 src2:v32
123 v_smfmac_f32_16x16x64_fp8_fp8 vdst:w128 src0:w64 src1:w128 src2:v32
124 v_smfmac_f32_32x32x32_bf8_bf8 vdst:w512 src0:w64 src1:w128 src2:v32
125 v_smfmac_f32_32x32x32_bf8_fp8 vdst:w512 src0:w64 src1:w128 src2:v32
126 v_smfmac_f32_32x32x32_fp8_bf8 vdst:w512 src0:w64 src1:w128 src2:v32
127 v_smfmac_f32_32x32x32_fp8_fp8 vdst:w512 src0:w64 src1:w128 src2:v32)",
R"(VOP3PX2
45 v_mfma_scale_f32_16x16x128_f8f6f4 vdst:w128 src0:w256 src1:w256 src2:x128 scale_src0:n32 scale_src1:n32
46 v_mfma_scale_f32_32x32x64_f8f6f4 vdst:w512 src0:w256 src1:w256 src2:x512 scale_src0:n32 scale_src1:n32)",
R"(DS
0 ds_add_u32 addr:v32 data0:w32
1 ds_sub_u32 addr:v32 data0:w32
2 ds_rsub_u32 addr:v32 data0:w32
3 ds_inc_u32 addr:v32 data0:w32
4 ds_dec_u32 addr:v32 data0:w32
5 ds_min_i32 addr:v32 data0:w32
6 ds_max_i32 addr:v32 data0:w32
7 ds_min_u32 addr:v32 data0:w32
8 ds_max_u32 addr:v32 data0:w32
9 ds_and_b32 addr:v32 data0:w32
10 ds_or_b32 addr:v32 data0:w32
11 ds_xor_b32 addr:v32 data0:w32
12 ds_mskor_b32 addr:v32 data0:w32 data1:w32
13 ds_write_b32 addr:v32 data0:w32
14 ds_write2_b32 addr:v32 data0:w32 data1:w32
15 ds_write2st64_b32 addr:v32 data0:w32 data1:w32
16 ds_cmpst_b32 addr:v32 data0:w32 data1:w32
17 ds_cmpst_f32 addr:v32 data0:w32 data1:w32
18 ds_min_f32 addr:v32 data0:w32
19 ds_max_f32 addr:v32 data0:w32
20 ds_nop
21 ds_add_f32 addr:v32 data0:w32
23 ds_pk_add_f16 addr:v32 data0:w32
24 ds_pk_add_bf16 addr:v32 data0:w32
29 ds_write_addtid_b32 data0:w32
30 ds_write_b8 addr:v32 data0:w8
31 ds_write_b16 addr:v32 data0:w16
32 ds_add_rtn_u32 vdst:w32 addr:v32 data0:w32
33 ds_sub_rtn_u32 vdst:w32 addr:v32 data0:w32
34 ds_rsub_rtn_u32 vdst:w32 addr:v32 data0:w32
35 ds_inc_rtn_u32 vdst:w32 addr:v32 data0:w32
36 ds_dec_rtn_u32 vdst:w32 addr:v32 data0:w32
37 ds_min_rtn_i32 vdst:w32 addr:v32 data0:w32
38 ds_max_rtn_i32 vdst:w32 addr:v32 data0:w32
39 ds_min_rtn_u32 vdst:w32 addr:v32 data0:w32
40 ds_max_rtn_u32 vdst:w32 addr:v32 data0:w32
41 ds_and_rtn_b32 vdst:w32 addr:v32 data0:w32
42 ds_or_rtn_b32 vdst:w32 addr:v32 data0:w32
43 ds_xor_rtn_b32 vdst:w32 addr:v32 data0:w32
44 ds_mskor_rtn_b32 vdst:w32 addr:v32 data0:w32 data1:w32
45 ds_wrxchg_rtn_b32 vdst:w32 addr:v32 data0:w32
46 ds_wrxchg2_rtn_b32 vdst:w64 addr:v32 data0:w32 data1:w32
47 ds_wrxchg2st64_rtn_b32 vdst:w64 addr:v32 data0:w32 data1:w32
48 ds_cmpst_rtn_b32 vdst:w32 addr:v32 data0:w32 data1:w32
49 ds_cmpst_rtn_f32 vdst:w32 addr:v32 data0:w32 data1:w32
50 ds_min_rtn_f32 vdst:w32 addr:v32 data0:w32
51 ds_max_rtn_f32 vdst:w32 addr:v32 data0:w32
52 ds_wrap_rtn_b32 vdst:w32 addr:v32 data0:w32 data1:w32
53 ds_add_rtn_f32 vdst:w32 addr:v32 data0:w32
54 ds_read_b32 vdst:w32 addr:v32
55 ds_read2_b32 vdst:w64 addr:v32
56 ds_read2st64_b32 vdst:w64 addr:v32
57 ds_read_i8 vdst:w32 addr:v32
58 ds_read_u8 vdst:w32 addr:v32
59 ds_read_i16 vdst:w32 addr:v32
60 ds_read_u16 vdst:w32 addr:v32
61 ds_swizzle_b32 vdst:w32 addr:v32
62 ds_permute_b32 vdst:w32 addr:v32 data0:w32
63 ds_bpermute_b32 vdst:w32 addr:v32 data0:w32
64 ds_add_u64 addr:v32 data0:w64
65 ds_sub_u64 addr:v32 data0:w64
66 ds_rsub_u64 addr:v32 data0:w64
67 ds_inc_u64 addr:v32 data0:w64
68 ds_dec_u64 addr:v32 data0:w64
69 ds_min_i64 addr:v32 data0:w64
70 ds_max_i64 addr:v32 data0:w64
71 ds_min_u64 addr:v32 data0:w64
72 ds_max_u64 addr:v32 data0:w64
73 ds_and_b64 addr:v32 data0:w64
74 ds_or_b64 addr:v32 data0:w64
75 ds_xor_b64 addr:v32 data0:w64
76 ds_mskor_b64 addr:v32 data0:w64 data1:w64
77 ds_write_b64 addr:v32 data0:w64
78 ds_write2_b64 addr:v32 data0:w64 data1:w64
79 ds_write2st64_b64 addr:v32 data0:w64 data1:w64
80 ds_cmpst_b64 addr:v32 data0:w64 data1:w64
81 ds_cmpst_f64 addr:v32 data0:w64 data1:w64
82 ds_min_f64 addr:v32 data0:w64
83 ds_max_f64 addr:v32 data0:w64
84 ds_write_b8_d16_hi addr:v32 data0:w32
85 ds_write_b16_d16_hi addr:v32 data0:w32
86 ds_read_u8_d16 vdst:w32 addr:v32
87 ds_read_u8_d16_hi vdst:w32 addr:v32
88 ds_read_i8_d16 vdst:w32 addr:v32
89 ds_read_i8_d16_hi vdst:w32 addr:v32
90 ds_read_u16_d16 vdst:w32 addr:v32
91 ds_read_u16_d16_hi vdst:w32 addr:v32
92 ds_add_f64 addr:v32 data0:w64
96 ds_add_rtn_u64 vdst:w64 addr:v32 data0:w64
97 ds_sub_rtn_u64 vdst:w64 addr:v32 data0:w64
98 ds_rsub_rtn_u64 vdst:w64 addr:v32 data0:w64
99 ds_inc_rtn_u64 vdst:w64 addr:v32 data0:w64
100 ds_dec_rtn_u64 vdst:w64 addr:v32 data0:w64
101 ds_min_rtn_i64 vdst:w64 addr:v32 data0:w64
102 ds_max_rtn_i64 vdst:w64 addr:v32 data0:w64
103 ds_min_rtn_u64 vdst:w64 addr:v32 data0:w64
104 ds_max_rtn_u64 vdst:w64 addr:v32 data0:w64
105 ds_and_rtn_b64 vdst:w64 addr:v32 data0:w64
106 ds_or_rtn_b64 vdst:w64 addr:v32 data0:w64
107 ds_xor_rtn_b64 vdst:w64 addr:v32 data0:w64
108 ds_mskor_rtn_b64 vdst:w64 addr:v32 data0:w64 data1:w64
109 ds_wrxchg_rtn_b64 vdst:w64 addr:v32 data0:w64
110 ds_wrxchg2_rtn_b64 vdst:w128 addr:v32 data0:w64 data1:w64
111 ds_wrxchg2st64_rtn_b64 vdst:w128 addr:v32 data0:w64 data1:w64
112 ds_cmpst_rtn_b64 vdst:w64 addr:v32 data0:w64 data1:w64
113 ds_cmpst_rtn_f64 vdst:w64 addr:v32 data0:w64 data1:w64
114 ds_min_rtn_f64 vdst:w64 addr:v32 data0:w64
115 ds_max_rtn_f64 vdst:w64 addr:v32 data0:w64
118 ds_read_b64 vdst:w64 addr:v32
119 ds_read2_b64 vdst:w128 addr:v32
120 ds_read2st64_b64 vdst:w128 addr:v32
124 ds_add_rtn_f64 vdst:w64 addr:v32 data0:w64
126 ds_condxchg32_rtn_b64 vdst:w64 addr:v32 data0:w64
152 ds_gws_sema_release_all
154 ds_gws_sema_v
156 ds_gws_sema_p
182 ds_read_addtid_b32 vdst:w32
183 ds_pk_add_rtn_f16 vdst:w32 addr:v32 data0:w32
184 ds_pk_add_rtn_bf16 vdst:w32 addr:v32 data0:w32
189 ds_consume vdst:w32
190 ds_append vdst:w32
222 ds_write_b96 addr:v32 data0:w96
223 ds_write_b128 addr:v32 data0:w128
224 ds_read_b64_tr_b4 vdst:w64 addr:v32
225 ds_read_b96_tr_b6 vdst:w96 addr:v32
226 ds_read_b64_tr_b8 vdst:w64 addr:v32
227 ds_read_b64_tr_b16 vdst:w64 addr:v32
254 ds_read_b96 vdst:w96 addr:v32
255 ds_read_b128 vdst:w128 addr:v32)",
R"(MUBUF
0 buffer_load_format_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
1 buffer_load_format_xy vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
2 buffer_load_format_xyz vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
3 buffer_load_format_xyzw vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
4 buffer_store_format_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
5 buffer_store_format_xy vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
6 buffer_store_format_xyz vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
7 buffer_store_format_xyzw vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
8 buffer_load_format_d16_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
9 buffer_load_format_d16_xy vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
10 buffer_load_format_d16_xyz vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
11 buffer_load_format_d16_xyzw vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
12 buffer_store_format_d16_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
13 buffer_store_format_d16_xy vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
14 buffer_store_format_d16_xyz vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
15 buffer_store_format_d16_xyzw vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
16 buffer_load_ubyte vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
17 buffer_load_sbyte vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
18 buffer_load_ushort vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
19 buffer_load_sshort vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
20 buffer_load_dword vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
21 buffer_load_dwordx2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
22 buffer_load_dwordx3 vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
23 buffer_load_dwordx4 vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
24 buffer_store_byte vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
25 buffer_store_byte_d16_hi vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
26 buffer_store_short vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
27 buffer_store_short_d16_hi vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
28 buffer_store_dword vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
29 buffer_store_dwordx2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
30 buffer_store_dwordx3 vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
31 buffer_store_dwordx4 vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
32 buffer_load_ubyte_d16 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
33 buffer_load_ubyte_d16_hi vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
34 buffer_load_sbyte_d16 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
35 buffer_load_sbyte_d16_hi vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
36 buffer_load_short_d16 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
37 buffer_load_short_d16_hi vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
38 buffer_load_format_d16_hi_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
39 buffer_store_format_d16_hi_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
40 buffer_wbl2
41 buffer_inv
64 buffer_atomic_swap vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
65 buffer_atomic_cmpswap vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
66 buffer_atomic_add vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
67 buffer_atomic_sub vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
68 buffer_atomic_smin vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
69 buffer_atomic_umin vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
70 buffer_atomic_smax vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
71 buffer_atomic_umax vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
72 buffer_atomic_and vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
73 buffer_atomic_or vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
74 buffer_atomic_xor vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
75 buffer_atomic_inc vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
76 buffer_atomic_dec vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
77 buffer_atomic_add_f32 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
78 buffer_atomic_pk_add_f16 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
79 buffer_atomic_add_f64 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
80 buffer_atomic_min_f64 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
81 buffer_atomic_max_f64 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
82 buffer_atomic_pk_add_bf16 vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
96 buffer_atomic_swap_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
97 buffer_atomic_cmpswap_x2 vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
98 buffer_atomic_add_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
99 buffer_atomic_sub_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
100 buffer_atomic_smin_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
101 buffer_atomic_umin_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
102 buffer_atomic_smax_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
103 buffer_atomic_umax_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
104 buffer_atomic_and_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
105 buffer_atomic_or_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
106 buffer_atomic_xor_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
107 buffer_atomic_inc_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
108 buffer_atomic_dec_x2 vdata:w64 vaddr:v64 srsrc:s128 soffset:e32)",
R"(MTBUF
0 tbuffer_load_format_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
1 tbuffer_load_format_xy vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
2 tbuffer_load_format_xyz vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
3 tbuffer_load_format_xyzw vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
4 tbuffer_store_format_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
5 tbuffer_store_format_xy vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
6 tbuffer_store_format_xyz vdata:w96 vaddr:v64 srsrc:s128 soffset:e32
7 tbuffer_store_format_xyzw vdata:w128 vaddr:v64 srsrc:s128 soffset:e32
8 tbuffer_load_format_d16_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
9 tbuffer_load_format_d16_xy vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
10 tbuffer_load_format_d16_xyz vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
11 tbuffer_load_format_d16_xyzw vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
12 tbuffer_store_format_d16_x vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
13 tbuffer_store_format_d16_xy vdata:w32 vaddr:v64 srsrc:s128 soffset:e32
14 tbuffer_store_format_d16_xyz vdata:w64 vaddr:v64 srsrc:s128 soffset:e32
15 tbuffer_store_format_d16_xyzw vdata:w64 vaddr:v64 srsrc:s128 soffset:e32)",
R"(FLAT
16 flat_load_ubyte vdst:w32 addr:v64
17 flat_load_sbyte vdst:w32 addr:v64
18 flat_load_ushort vdst:w32 addr:v64
19 flat_load_sshort vdst:w32 addr:v64
20 flat_load_dword vdst:w32 addr:v64
21 flat_load_dwordx2 vdst:w64 addr:v64
22 flat_load_dwordx3 vdst:w96 addr:v64
23 flat_load_dwordx4 vdst:w128 addr:v64
24 flat_store_byte addr:v64 data:w32
25 flat_store_byte_d16_hi addr:v64 data:w32
26 flat_store_short addr:v64 data:w32
27 flat_store_short_d16_hi addr:v64 data:w32
28 flat_store_dword addr:v64 data:w32
29 flat_store_dwordx2 addr:v64 data:w64
30 flat_store_dwordx3 addr:v64 data:w96
31 flat_store_dwordx4 addr:v64 data:w128
32 flat_load_ubyte_d16 vdst:w32 addr:v64
33 flat_load_ubyte_d16_hi vdst:w32 addr:v64
34 flat_load_sbyte_d16 vdst:w32 addr:v64
35 flat_load_sbyte_d16_hi vdst:w32 addr:v64
36 flat_load_short_d16 vdst:w32 addr:v64
37 flat_load_short_d16_hi vdst:w32 addr:v64
64 flat_atomic_swap vdst:w32 addr:v64 data:w32
65 flat_atomic_cmpswap vdst:w32 addr:v64 data:w64
66 flat_atomic_add vdst:w32 addr:v64 data:w32
67 flat_atomic_sub vdst:w32 addr:v64 data:w32
68 flat_atomic_smin vdst:w32 addr:v64 data:w32
69 flat_atomic_umin vdst:w32 addr:v64 data:w32
70 flat_atomic_smax vdst:w32 addr:v64 data:w32
71 flat_atomic_umax vdst:w32 addr:v64 data:w32
72 flat_atomic_and vdst:w32 addr:v64 data:w32
73 flat_atomic_or vdst:w32 addr:v64 data:w32
74 flat_atomic_xor vdst:w32 addr:v64 data:w32
75 flat_atomic_inc vdst:w32 addr:v64 data:w32
76 flat_atomic_dec vdst:w32 addr:v64 data:w32
77 flat_atomic_add_f32 vdst:w32 addr:v64 data:w32
78 flat_atomic_pk_add_f16 vdst:w32 addr:v64 data:w32
79 flat_atomic_add_f64 vdst:w64 addr:v64 data:w64
80 flat_atomic_min_f64 vdst:w64 addr:v64 data:w64
81 flat_atomic_max_f64 vdst:w64 addr:v64 data:w64
82 flat_atomic_pk_add_bf16 vdst:w32 addr:v64 data:w32
96 flat_atomic_swap_x2 vdst:w64 addr:v64 data:w64
97 flat_atomic_cmpswap_x2 vdst:w64 addr:v64 data:w128
98 flat_atomic_add_x2 vdst:w64 addr:v64 data:w64
99 flat_atomic_sub_x2 vdst:w64 addr:v64 data:w64
100 flat_atomic_smin_x2 vdst:w64 addr:v64 data:w64
101 flat_atomic_umin_x2 vdst:w64 addr:v64 data:w64
102 flat_atomic_smax_x2 vdst:w64 addr:v64 data:w64
103 flat_atomic_umax_x2 vdst:w64 addr:v64 data:w64
104 flat_atomic_and_x2 vdst:w64 addr:v64 data:w64
105 flat_atomic_or_x2 vdst:w64 addr:v64 data:w64
106 flat_atomic_xor_x2 vdst:w64 addr:v64 data:w64
107 flat_atomic_inc_x2 vdst:w64 addr:v64 data:w64
108 flat_atomic_dec_x2 vdst:w64 addr:v64 data:w64)",
R"(GLOBAL
16 global_load_ubyte vdst:w32 addr:v64 saddr:s64
17 global_load_sbyte vdst:w32 addr:v64 saddr:s64
18 global_load_ushort vdst:w32 addr:v64 saddr:s64
19 global_load_sshort vdst:w32 addr:v64 saddr:s64
20 global_load_dword vdst:w32 addr:v64 saddr:s64
21 global_load_dwordx2 vdst:w64 addr:v64 saddr:s64
22 global_load_dwordx3 vdst:w96 addr:v64 saddr:s64
23 global_load_dwordx4 vdst:w128 addr:v64 saddr:s64
24 global_store_byte addr:v64 data:w32 saddr:s64
25 global_store_byte_d16_hi addr:v64 data:w32 saddr:s64
26 global_store_short addr:v64 data:w32 saddr:s64
27 global_store_short_d16_hi addr:v64 data:w32 saddr:s64
28 global_store_dword addr:v64 data:w32 saddr:s64
29 global_store_dwordx2 addr:v64 data:w64 saddr:s64
30 global_store_dwordx3 addr:v64 data:w96 saddr:s64
31 global_store_dwordx4 addr:v64 data:w128 saddr:s64
32 global_load_ubyte_d16 vdst:w32 addr:v64 saddr:s64
33 global_load_ubyte_d16_hi vdst:w32 addr:v64 saddr:s64
34 global_load_sbyte_d16 vdst:w32 addr:v64 saddr:s64
35 global_load_sbyte_d16_hi vdst:w32 addr:v64 saddr:s64
36 global_load_short_d16 vdst:w32 addr:v64 saddr:s64
37 global_load_short_d16_hi vdst:w32 addr:v64 saddr:s64
38 global_load_lds_ubyte vdst:w32 addr:v64 saddr:s64
39 global_load_lds_sbyte vdst:w32 addr:v64 saddr:s64
40 global_load_lds_ushort vdst:w32 addr:v64 saddr:s64
41 global_load_lds_sshort vdst:w32 addr:v64 saddr:s64
42 global_load_lds_dword vdst:w32 addr:v64 saddr:s64
64 global_atomic_swap vdst:w32 addr:v64 data:w32 saddr:s64
65 global_atomic_cmpswap vdst:w32 addr:v64 data:w64 saddr:s64
66 global_atomic_add vdst:w32 addr:v64 data:w32 saddr:s64
67 global_atomic_sub vdst:w32 addr:v64 data:w32 saddr:s64
68 global_atomic_smin vdst:w32 addr:v64 data:w32 saddr:s64
69 global_atomic_umin vdst:w32 addr:v64 data:w32 saddr:s64
70 global_atomic_smax vdst:w32 addr:v64 data:w32 saddr:s64
71 global_atomic_umax vdst:w32 addr:v64 data:w32 saddr:s64
72 global_atomic_and vdst:w32 addr:v64 data:w32 saddr:s64
73 global_atomic_or vdst:w32 addr:v64 data:w32 saddr:s64
74 global_atomic_xor vdst:w32 addr:v64 data:w32 saddr:s64
75 global_atomic_inc vdst:w32 addr:v64 data:w32 saddr:s64
76 global_atomic_dec vdst:w32 addr:v64 data:w32 saddr:s64
77 global_atomic_add_f32 vdst:w32 addr:v64 data:w32 saddr:s64
78 global_atomic_pk_add_f16 vdst:w32 addr:v64 data:w32 saddr:s64
79 global_atomic_add_f64 vdst:w64 addr:v64 data:w64 saddr:s64
80 global_atomic_min_f64 vdst:w64 addr:v64 data:w64 saddr:s64
81 global_atomic_max_f64 vdst:w64 addr:v64 data:w64 saddr:s64
82 global_atomic_pk_add_bf16 vdst:w32 addr:v64 data:w32 saddr:s64
96 global_atomic_swap_x2 vdst:w64 addr:v64 data:w64 saddr:s64
97 global_atomic_cmpswap_x2 vdst:w64 addr:v64 data:w128 saddr:s64
98 global_atomic_add_x2 vdst:w64 addr:v64 data:w64 saddr:s64
99 global_atomic_sub_x2 vdst:w64 addr:v64 data:w64 saddr:s64
100 global_atomic_smin_x2 vdst:w64 addr:v64 data:w64 saddr:s64
101 global_atomic_umin_x2 vdst:w64 addr:v64 data:w64 saddr:s64
102 global_atomic_smax_x2 vdst:w64 addr:v64 data:w64 saddr:s64
103 global_atomic_umax_x2 vdst:w64 addr:v64 data:w64 saddr:s64
104 global_atomic_and_x2 vdst:w64 addr:v64 data:w64 saddr:s64
105 global_atomic_or_x2 vdst:w64 addr:v64 data:w64 saddr:s64
106 global_atomic_xor_x2 vdst:w64 addr:v64 data:w64 saddr:s64
107 global_atomic_inc_x2 vdst:w64 addr:v64 data:w64 saddr:s64
108 global_atomic_dec_x2 vdst:w64 addr:v64 data:w64 saddr:s64
125 global_load_lds_dwordx4 vdst:w128 addr:v64 saddr:s64
126 global_load_lds_dwordx3 vdst:w96 addr:v64 saddr:s64)",
R"(SCRATCH
16 scratch_load_ubyte vdst:w32 addr:v32 saddr:s32
17 scratch_load_sbyte vdst:w32 addr:v32 saddr:s32
18 scratch_load_ushort vdst:w32 addr:v32 saddr:s32
19 scratch_load_sshort vdst:w32 addr:v32 saddr:s32
20 scratch_load_dword vdst:w32 addr:v32 saddr:s32
21 scratch_load_dwordx2 vdst:w64 addr:v32 saddr:s32
22 scratch_load_dwordx3 vdst:w96 addr:v32 saddr:s32
23 scratch_load_dwordx4 vdst:w128 addr:v32 saddr:s32
24 scratch_store_byte addr:v32 data:w32 saddr:s32
25 scratch_store_byte_d16_hi addr:v32 data:w32 saddr:s32
26 scratch_store_short addr:v32 data:w32 saddr:s32
27 scratch_store_short_d16_hi addr:v32 data:w32 saddr:s32
28 scratch_store_dword addr:v32 data:w32 saddr:s32
29 scratch_store_dwordx2 addr:v32 data:w64 saddr:s32
30 scratch_store_dwordx3 addr:v32 data:w96 saddr:s32
31 scratch_store_dwordx4 addr:v32 data:w128 saddr:s32
32 scratch_load_ubyte_d16 vdst:w32 addr:v32 saddr:s32
33 scratch_load_ubyte_d16_hi vdst:w32 addr:v32 saddr:s32
34 scratch_load_sbyte_d16 vdst:w32 addr:v32 saddr:s32
35 scratch_load_sbyte_d16_hi vdst:w32 addr:v32 saddr:s32
36 scratch_load_short_d16 vdst:w32 addr:v32 saddr:s32
37 scratch_load_short_d16_hi vdst:w32 addr:v32 saddr:s32
38 scratch_load_lds_ubyte vdst:w32 addr:v32 saddr:s32
39 scratch_load_lds_sbyte vdst:w32 addr:v32 saddr:s32
40 scratch_load_lds_ushort vdst:w32 addr:v32 saddr:s32
41 scratch_load_lds_sshort vdst:w32 addr:v32 saddr:s32
42 scratch_load_lds_dword vdst:w32 addr:v32 saddr:s32)",
};
// clang-format on

}  // namespace emu
