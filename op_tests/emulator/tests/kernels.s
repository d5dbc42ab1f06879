// Kernels for test_code_object, test_launch and test_hip_api, assembled for both targets.
// s[0:1] is the kernarg segment, the group's ids follow; v0 is the packed work-item id.

.macro descriptor name, kernarg, lds=0, ids=2
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel \name
        .amdhsa_group_segment_fixed_size \lds
        .amdhsa_kernarg_size \kernarg
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_system_sgpr_workgroup_id_z 1
        .amdhsa_system_vgpr_workitem_id \ids
        .amdhsa_next_free_vgpr 16
        .amdhsa_next_free_sgpr 16
        .amdhsa_accum_offset 16
        .amdhsa_float_denorm_mode_32 3
    .end_amdhsa_kernel
.endm

.macro kernel name
    .text
    .globl \name
    .protected \name
    .p2align 8
    .type \name,@function
\name:
.endm

// dump_kernarg(uint32_t* out, int, short, char, uint64_t, 12 bytes): out[n] = dword n of the
// kernarg segment, n < block size.
kernel dump_kernarg
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v1, 2, v0
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v1, v2, s[6:7]
    s_endpgm
descriptor dump_kernarg, 296

// ids(uint64_t* out, groups x, groups y, block x, block y, block size): one entry for each
// work-item, in order of its flat id: the group's id (x, y << 8, z << 16), then v0.
kernel ids
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    s_load_dwordx4 s[8:11], s[0:1], 0x8
    s_load_dword s12, s[0:1], 0x18
    s_waitcnt lgkmcnt(0)
    s_mul_i32 s13, s4, s9
    s_add_i32 s13, s13, s3
    s_mul_i32 s13, s13, s8
    s_add_i32 s13, s13, s2
    s_mul_i32 s13, s13, s12
    v_and_b32_e32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    v_mul_lo_u32 v3, v3, s11
    v_add_u32_e32 v3, v3, v2
    v_mul_lo_u32 v3, v3, s10
    v_add_u32_e32 v3, v3, v1
    v_add_u32_e32 v3, s13, v3
    v_lshlrev_b32_e32 v3, 3, v3
    s_lshl_b32 s3, s3, 8
    s_lshl_b32 s4, s4, 16
    s_or_b32 s2, s2, s3
    s_or_b32 s2, s2, s4
    v_mov_b32_e32 v4, s2
    v_mov_b32_e32 v5, v0
    global_store_dwordx2 v3, v[4:5], s[6:7]
    s_endpgm
descriptor ids, 28

// product(float* out), blocks of 64: out[1024 + 64 * group + t] = 3 + 4 * out[t], the sum of a matrix
// product whose other operand comes by LDS, of which all lanes use one bank. Group 5 takes longer.
kernel product
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, 1.0
    v_mov_b32_e32 v4, 0x40400000
    v_mov_b32_e32 v5, v4
    v_mov_b32_e32 v6, v4
    v_mov_b32_e32 v7, v4
    v_lshlrev_b32_e32 v3, 8, v0
    s_cmp_eq_u32 s2, 5
    s_cselect_b32 s3, 50, 0
product_loop:
    s_sub_u32 s3, s3, 1
    s_cbranch_scc0 product_loop
    ds_write_b32 v3, v2
    ds_read_b32 v8, v3
    s_waitcnt lgkmcnt(0)
    global_load_dword v9, v1, s[6:7]
    s_waitcnt vmcnt(0)
    v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, v[4:7]
    s_lshl_b32 s2, s2, 8
    s_add_u32 s2, s2, 0x1000
    v_add_u32_e32 v1, s2, v1
    s_nop 15
    global_store_dword v1, v12, s[6:7]
    s_endpgm
descriptor product, 8, 16384, 0

// exchange(uint32_t* out), blocks of 256: out[t] = 3 * (255 - t) + 1, by way of another wave's LDS.
kernel exchange
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mul_u32_u24_e32 v2, 3, v0
    v_add_u32_e32 v2, 1, v2
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_u32_e32 v3, 0x3fc, v1
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[6:7]
    s_endpgm
descriptor exchange, 8, 1024, 0

// late_wave(uint32_t* out), blocks of 128: the second wave works for 20000 instructions before it
// writes LDS and arrives at the barrier; the first one waits there and reads. out[t] = 64 + t.
kernel late_wave
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_readfirstlane_b32 s8, v0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_lt_u32 s8, 64
    s_cbranch_scc1 late_wave_barrier
    s_movk_i32 s9, 0x2710
late_wave_loop:
    s_sub_u32 s9, s9, 1
    s_cbranch_scc0 late_wave_loop
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
late_wave_barrier:
    s_barrier
    s_cmp_lt_u32 s8, 64
    s_cbranch_scc0 late_wave_end
    ds_read_b32 v2, v1 offset:256
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[6:7]
late_wave_end:
    s_endpgm
descriptor late_wave, 8, 1024, 0

// early_end(uint32_t* out), blocks of 128: the second wave ends before the barrier that the first
// one waits at; then out[t] = t for t < 64.
kernel early_end
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_readfirstlane_b32 s8, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_gt_u32 s8, 63
    s_cbranch_scc1 early_end_done
    s_barrier
    v_lshlrev_b32_e32 v1, 2, v0
    global_store_dword v1, v0, s[6:7]
early_end_done:
    s_endpgm
descriptor early_end, 8, 0, 0

// rendezvous(uint32_t* out, uint32_t* counter, uint32_t groups), blocks of 1: counts itself and
// waits for all groups; out[group] = the counter as it saw it then.
kernel rendezvous
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_load_dword s12, s[0:1], 0x10
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 1
    s_waitcnt lgkmcnt(0)
    global_atomic_add v1, v2, s[10:11]
    s_waitcnt vmcnt(0)
rendezvous_wait:
    global_load_dword v3, v1, s[10:11] sc0 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s13, v3
    s_cmp_lt_u32 s13, s12
    s_cbranch_scc1 rendezvous_wait
    s_lshl_b32 s2, s2, 2
    v_mov_b32_e32 v1, s2
    global_store_dword v1, v3, s[8:9]
    s_endpgm
descriptor rendezvous, 20

// grid_syncs(uint32_t* out, uint32_t last), blocks of 1, a cooperative launch: HIP's grid sync, then
// out[group] = how many groups have arrived at it. The group with number `last` ends before it.
kernel grid_syncs
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_load_dword s14, s[0:1], 0x8
    s_load_dwordx2 s[10:11], s[0:1], 0x68
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 1
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, s14
    s_cbranch_scc1 grid_syncs_done
    s_load_dword s12, s[10:11], 0x28
    global_atomic_add v3, v1, v2, s[10:11] offset:32 sc0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_readfirstlane_b32 s13, v3
    s_and_b32 s5, s13, 0xffff
    s_add_u32 s5, s5, 1
    s_cmp_lg_u32 s5, s12
    s_cbranch_scc1 grid_syncs_wait
    s_sub_u32 s6, 0x10000, s12
    v_mov_b32_e32 v2, s6
    global_atomic_add v1, v2, s[10:11] offset:32
grid_syncs_wait:
    s_sleep 1
    global_load_dword v3, v1, s[10:11] offset:32 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s6, v3
    s_xor_b32 s6, s6, s13
    s_lshr_b32 s6, s6, 16
    s_cbranch_scc0 grid_syncs_wait
    s_lshl_b32 s2, s2, 2
    v_mov_b32_e32 v1, s2
    v_mov_b32_e32 v3, s12
    global_store_dword v1, v3, s[8:9]
grid_syncs_done:
    s_endpgm
descriptor grid_syncs, 272

// An instruction that the targets have and the emulator does not (sparse matrices), 4 bytes in.
kernel unknown_instruction
    s_nop 0
    v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10
    s_endpgm
descriptor unknown_instruction, 0

// No instruction at all.
kernel undecodable
    .long 0xffffffff
    s_endpgm
descriptor undecodable, 0

// Writes to an address that nobody allocated.
kernel wild_store
    v_mov_b32_e32 v0, 64
    v_mov_b32_e32 v1, 0
    global_store_dword v[0:1], v1, off
    s_waitcnt vmcnt(0)
    s_endpgm
descriptor wild_store, 0

// Runs into what follows the code.
kernel runs_away
    s_branch 0x7fff
descriptor runs_away, 0

// Group 0 ends itself; the others run until they are stopped.
kernel traps
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 traps_itself
traps_goes_on:
    s_branch traps_goes_on
traps_itself:
    s_trap 2
    s_endpgm
descriptor traps, 0

// reports_late(uint32_t* out), blocks of 128: reads LDS that nobody has written, of a buffer of one
// dword one for each work-item, and a dword of `out` for each item of the grid.
kernel reports_late
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_mov_b32 s10, 4
    s_mov_b32 s11, 0x27000
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[8:11], 0 offen
    ds_read_b32 v3, v1
    s_lshl_b32 s2, s2, 9
    v_add_u32_e32 v1, s2, v1
    global_load_dword v4, v1, s[8:9]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_endpgm
descriptor reports_late, 8, 512, 0

// prints(uint32_t* out), blocks of 1: "hi" and the end of the line, to the buffer of printf.
kernel prints
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    v_mov_b32_e32 v0, 0
    v_mov_b32_e32 v1, 12
    v_mov_b32_e32 v4, 48
    v_mov_b32_e32 v5, 0xa6968
    v_mov_b32_e32 v6, 0
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v1, s[6:7]
    global_store_dwordx3 v0, v[4:6], s[6:7] offset:8
    s_endpgm
descriptor prints, 16

// For the initial state: everything that can be asked for.
kernel all_state
    s_endpgm
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel all_state
        .amdhsa_group_segment_fixed_size 512
        .amdhsa_private_segment_fixed_size 40
        .amdhsa_kernarg_size 16
        .amdhsa_user_sgpr_dispatch_ptr 1
        .amdhsa_user_sgpr_queue_ptr 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_user_sgpr_dispatch_id 1
        .amdhsa_user_sgpr_private_segment_size 1
        .amdhsa_enable_private_segment 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 0
        .amdhsa_system_sgpr_workgroup_id_z 1
        .amdhsa_system_sgpr_workgroup_info 1
        .amdhsa_system_vgpr_workitem_id 1
        .amdhsa_next_free_vgpr 100
        .amdhsa_next_free_sgpr 32
        .amdhsa_accum_offset 52
        .amdhsa_float_round_mode_32 1
        .amdhsa_float_denorm_mode_32 0
        .amdhsa_float_denorm_mode_16_64 3
        .amdhsa_dx10_clamp 1
        .amdhsa_ieee_mode 0
        .amdhsa_fp16_overflow 1
    .end_amdhsa_kernel

// Arguments in SGPRs: the first 256 bytes are skipped.
kernel preload
    s_trap 2
    .fill 63, 4, 0xbf800000
    s_endpgm
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel preload
        .amdhsa_kernarg_size 16
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_user_sgpr_kernarg_preload_length 3
        .amdhsa_user_sgpr_kernarg_preload_offset 1
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 16
        .amdhsa_accum_offset 4
        .amdhsa_float_denorm_mode_32 3
    .end_amdhsa_kernel

// dump_packet(uint32_t* out), blocks of 16: the dispatch packet, then the address of the arguments.
kernel dump_packet
    s_load_dwordx2 s[6:7], s[2:3], 0x0
    v_mbcnt_lo_u32_b32 v1, -1, 0
    v_lshlrev_b32_e32 v1, 2, v1
    global_load_dword v2, v1, s[0:1]
    v_mov_b32_e32 v3, 0
    v_mov_b32_e32 v4, s2
    v_mov_b32_e32 v5, s3
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 dump_packet_end
    global_store_dword v1, v2, s[6:7]
    global_store_dwordx2 v3, v[4:5], s[6:7] offset:64
dump_packet_end:
    s_endpgm
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel dump_packet
        .amdhsa_group_segment_fixed_size 512
        .amdhsa_private_segment_fixed_size 40
        .amdhsa_kernarg_size 8
        .amdhsa_user_sgpr_dispatch_ptr 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 0
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_next_free_vgpr 8
        .amdhsa_next_free_sgpr 16
        .amdhsa_accum_offset 8
        .amdhsa_float_denorm_mode_32 3
    .end_amdhsa_kernel

    .data
    .globl number
    .protected number
    .type number,@object
    .size number, 4
    .p2align 3
number:
    .long 1234
    .globl pointer
    .protected pointer
    .type pointer,@object
    .size pointer, 8
    .p2align 3
pointer:
    .quad number

    .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: dump_kernarg
    .symbol: dump_kernarg.kd
    .kernarg_segment_size: 296
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 4, .value_kind: by_value }
      - { .offset: 12, .size: 2, .value_kind: by_value }
      - { .offset: 14, .size: 1, .value_kind: by_value }
      - { .offset: 16, .size: 8, .value_kind: by_value }
      - { .offset: 24, .size: 12, .value_kind: by_value }
      - { .offset: 40, .size: 4, .value_kind: hidden_block_count_x }
  - .name: ids
    .symbol: ids.kd
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 4, .value_kind: by_value }
      - { .offset: 12, .size: 4, .value_kind: by_value }
      - { .offset: 16, .size: 4, .value_kind: by_value }
      - { .offset: 20, .size: 4, .value_kind: by_value }
      - { .offset: 24, .size: 4, .value_kind: by_value }
  - .name: product
    .symbol: product.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: reports_late
    .symbol: reports_late.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: prints
    .symbol: prints.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: hidden_printf_buffer, .address_space: global }
  - .name: exchange
    .symbol: exchange.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: late_wave
    .symbol: late_wave.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: early_end
    .symbol: early_end.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: rendezvous
    .symbol: rendezvous.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 16, .size: 4, .value_kind: by_value }
  - .name: grid_syncs
    .symbol: grid_syncs.kd
    .kernarg_segment_size: 272
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 4, .value_kind: by_value }
      - { .offset: 104, .size: 8, .value_kind: hidden_multigrid_sync_arg }
  - .name: unknown_instruction
    .symbol: unknown_instruction.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
  - .name: undecodable
    .symbol: undecodable.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
  - .name: wild_store
    .symbol: wild_store.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
  - .name: runs_away
    .symbol: runs_away.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
  - .name: traps
    .symbol: traps.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
  - .name: all_state
    .symbol: all_state.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 40
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 100
    .agpr_count: 48
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: hidden_global_offset_y }
  - .name: preload
    .symbol: preload.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: by_value }
  - .name: dump_packet
    .symbol: dump_packet.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 40
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
    .end_amdgpu_metadata
