// The check `uninitialized_memory`. Beside what twins.hpp says, s[10:11] is the address, and s[12:15]
// the resource, of 4096 bytes of which only the first 256 are written.
#include <array>

#include "machine/memory.hpp"
#include "twins.hpp"

namespace emu {
namespace {

const std::string wait = "\ns_waitcnt vmcnt(0)\n";
// Of lane l: dword l behind the bytes that are written, and of those.
const std::string load = "global_load_dword v3, v1, s[10:11] offset:256" + wait;
const std::string load_written = "global_load_dword v3, v1, s[10:11]" + wait;
const std::string use = "v_add_u32 v5, v3, v3\n";

std::string buffer_load(int offset, const std::string& kind = "dword v3") {
    return "buffer_load_" + kind + ", v1, s[12:15], 0 offen offset:" + std::to_string(offset) +
           wait;
}

std::vector<twin> use_twins() {
    constexpr auto on = check::uninitialized_memory;
    return {
        {"is added", on, load + use, load_written + use,
         "lane 0: uses v3( = [^,]*)?, loaded from byte 256 of the 4096-byte allocation at "
         "0x[0-9a-f]+, which "
         "nobody has written.*check +uninitialized_memory.*instruction v_add_u32.*the load:.*"
         "instruction global_load_dword v3"},
        {"is loaded and not used", on, load + use, load, "uses v3"},
        {"by a buffer", on, buffer_load(256) + use, buffer_load(0) + use, "uses v3"},
        {"one lane", on, buffer_load(4) + use, buffer_load(4) + "s_mov_b32 exec_hi, 0\n" + use,
         "lane 63: uses v3( = [^,]*)?, loaded from byte 256"},
        {"a dword of a wide load", on,
         "v_mov_b32 v4, 248\n global_load_dwordx4 v[8:11], v4, s[10:11]" + wait +
             "v_add_u32 v5, v10, v0",
         "v_mov_b32 v4, 248\n global_load_dwordx4 v[8:11], v4, s[10:11]" + wait +
             "v_add_u32 v5, v9, v0",
         "uses v10( = [^,]*)?, loaded from byte 256"},
        {"a byte", on, "v_mov_b32 v4, 256\n global_load_ubyte v3, v4, s[10:11]" + wait + use,
         "v_mov_b32 v4, 255\n global_load_ubyte v3, v4, s[10:11]" + wait + use, "byte 256"},
        {"a word of which one byte is written", on,
         "v_mov_b32 v4, 255\n global_load_ushort v3, v4, s[10:11]" + wait + use,
         "v_mov_b32 v4, 254\n global_load_ushort v3, v4, s[10:11]" + wait + use, "byte 256"},
        {"is overwritten", on, load + use, load + "v_mov_b32 v3, v0\n" + use, "uses v3"},
        {"is behind what is overwritten and used", on, load + "v_mov_b32 v2, v0\n" + use,
         load + "v_mov_b32 v2, v0\n v_add_u32 v5, v2, v2", "uses v3"},
        {"some lanes are overwritten", on,
         load + "s_mov_b32 exec_hi, 0\n v_mov_b32 v3, v0\n s_mov_b32 exec_hi, -1\n" + use,
         load + "s_mov_b32 exec_hi, 0\n v_mov_b32 v3, v0\n" + use, "lane 32: uses v3"},
        {"is an address", on, load + "buffer_store_dword v0, v3, s[12:15], 0 offen",
         load_written + "buffer_store_dword v0, v3, s[12:15], 0 offen", "uses v3"},
        // Not as data. What nobody wrote is 0xffffffff: the address wraps.
        {"is an address of LDS", on, load + "ds_write_b32 v3, v0 offset:5",
         load + "ds_write_b32 v1, v3", "uses v3"},
        {"is an offset of global memory", on,
         load + "s_sub_u32 s20, s10, -1\n s_subb_u32 s21, s11, 0\n"
                "global_store_dword v3, v0, s[20:21]",
         load + "global_store_dword v1, v3, s[10:11]", "uses v3"},
        {"is an address of scratch", on, load + "scratch_store_dword v3, v0, off offset:5",
         load + "scratch_store_dword off, v3, off", "uses v3"},
        {"is an operand of a matrix instruction", on,
         load + "v_mov_b32 v2, v3\n s_nop 7\n"
                "v_mfma_f32_16x16x16_f16 v[12:15], v[2:3], v[2:3], 0",
         load_written + "v_mov_b32 v2, v3\n s_nop 7\n"
                        "v_mfma_f32_16x16x16_f16 v[12:15], v[2:3], v[2:3], 0",
         "uses v2 .*A\\[0\\].*, loaded"},
        {"decides a comparison", on, load + "v_cmp_lt_u32 vcc, v3, v0",
         load_written + "v_cmp_lt_u32 vcc, v3, v0", "uses v3"},
        {"a flag that others write", on, load + use,
         "global_load_dword v3, v1, s[10:11] offset:256 sc1" + wait + use, "uses v3"},
        {"a scalar load", on, "s_load_dwordx2 s[16:17], s[10:11], 0x100\n",
         "s_load_dwordx2 s[16:17], s[10:11], 0xfc\n", "a scalar load reads byte 256"},
    };
}

std::vector<twin> copy_twins() {
    constexpr auto on = check::uninitialized_memory;
    const std::string store = "global_store_dword v1, v3, s[10:11] offset:1024\n";
    const std::string load_back = "global_load_dword v3, v1, s[10:11] offset:1024" + wait;
    const std::string select = "v_cndmask_b32 v3, v3, v0, vcc\n";
    // v8 is written, v9 is not.
    const std::string halves =
        "v_mov_b32 v4, 252\n global_load_dwordx2 v[8:9], v4, s[10:11]" + wait;
    const std::string fresh = "v_mov_b32 v4, 256\n global_load_dword v3, v4, s[10:11]" + wait;
    const auto from = [](int byte) {
        return "s_waitcnt vmcnt(0)\n v_mov_b32 v4, " + std::to_string(byte) +
               "\n global_load_dword v3, v4, s[10:11]" + wait + use;
    };
    return {
        {"is moved", on, load + "v_mov_b32 v4, v3\n v_add_u32 v5, v4, v0",
         load + "v_mov_b32 v4, v3\n v_mov_b32 v5, v4", "uses v4( = [^,]*)?, loaded from byte 256"},
        {"is copied in memory", on, load + store + load_back + use,
         load_written + store + load_back + use, "uses v3( = [^,]*)?, loaded from byte 1024"},
        {"is copied by a buffer", on,
         load + "buffer_store_dword v3, v1, s[12:15], 0 offen offset:1024\n" + load_back + use,
         load_written + "buffer_store_dword v3, v1, s[12:15], 0 offen offset:1024\n" + load_back +
             use,
         "byte 1024"},
        {"is not selected", on, load + "s_mov_b64 vcc, 0xff\n" + select + use,
         load + "s_mov_b64 vcc, -1\n" + select + use, "lane 8: uses v3"},
        {"is masked", on, load + use, load + "v_and_b32 v3, 0xff, v3\n" + use, "uses v3"},
        {"what a kernel writes is written", on, load_back + use,
         "v_mov_b32 v3, v0\n" + store + load_back + use, "byte 1024"},
        {"and nothing behind that", on,
         "v_mov_b32 v3, v0\n" + store + "global_load_dword v3, v1, s[10:11] offset:1028" + wait +
             use,
         "v_mov_b32 v3, v0\n" + store + load_back + use,
         "lane 63: uses v3( = [^,]*)?, loaded from byte 1280"},
        {"one half of two is moved", on,
         "v_mov_b32 v4, 252\n global_load_dwordx2 v[8:9], v4, s[10:11]" + wait +
             "v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[0,1]\n v_add_u32 v5, v11, v0",
         "v_mov_b32 v4, 252\n global_load_dwordx2 v[8:9], v4, s[10:11]" + wait +
             "v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[0,1]\n v_add_u32 v5, v10, v0",
         "uses v11( = [^,]*)?, loaded from byte 256"},
        {"is moved through an AGPR", on,
         load + "v_accvgpr_write_b32 a3, v3\n v_accvgpr_read_b32 v4, a3\n v_add_u32 v5, v4, v0",
         load + "v_accvgpr_write_b32 a3, v0\n v_accvgpr_read_b32 v4, a3\n v_add_u32 v5, v4, v0",
         "uses v4( = [^,]*)?, loaded from byte 256"},
        {"is loaded into an AGPR", on,
         "global_load_dword a9, v1, s[10:11] offset:256" + wait +
             "v_mfma_f32_16x16x16_f16 v[12:15], a[8:9], v[0:1], 0",
         "global_load_dword a9, v1, s[10:11] offset:256" + wait +
             "v_mfma_f32_16x16x16_f16 v[12:15], a[10:11], v[0:1], 0",
         "uses a9 = [^,]*, which is A.0..2..3., loaded from byte 256"},
        {"is moved by DPP", on, load + use,
         load + "v_mov_b32_dpp v3, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n" + use,
         "uses v3"},
        {"is not selected by an SGPR", on,
         load + "s_mov_b64 s[20:21], 0xff\n v_cndmask_b32 v3, v3, v0, s[20:21]\n" + use,
         load +
             "s_mov_b64 s[20:21], 0xff\n v_cndmask_b32 v3, v3, v0, s[20:21]\n"
             "s_mov_b64 exec, 0xff\n" +
             use,
         "lane 8: uses v3"},
        {"is selected by an SGPR", on,
         load + "s_mov_b64 s[20:21], 0xf0\n v_cndmask_b32 v3, v0, v3, s[20:21]\n" + use,
         load +
             "s_mov_b64 s[20:21], 0xf0\n v_cndmask_b32 v3, v0, v3, s[20:21]\n"
             "s_mov_b64 exec, 0xf\n" +
             use,
         "lane 4: uses v3"},
        {"one dword of two is stored", on,
         halves + "global_store_dwordx2 v4, v[8:9], s[10:11] offset:1796\n" + from(2052),
         halves + "global_store_dwordx2 v4, v[8:9], s[10:11] offset:1796\n" + from(2048),
         "uses v3( = [^,]*)?, loaded from byte 2052"},
        {"a byte of it is stored", on,
         fresh + "global_store_byte v4, v3, s[10:11] offset:1\n" + from(256),
         fresh + "global_store_dword v4, v0, s[10:11]\n" + from(256), "loaded from byte 256"},
        {"the last of three dwords", on,
         "v_mov_b32 v4, 248\n global_load_dwordx3 v[8:10], v4, s[10:11]" + wait +
             "v_add_u32 v5, v10, v0",
         "v_mov_b32 v4, 248\n global_load_dwordx3 v[8:10], v4, s[10:11]" + wait +
             "v_add_u32 v5, v9, v0",
         "uses v10( = [^,]*)?, loaded from byte 256"},
        {"the second of two moved dwords", on,
         halves + "v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[1,0]\n v_add_u32 v5, v10, v0",
         halves + "v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[1,0]\n v_add_u32 v5, v11, v0",
         "uses v10( = [^,]*)?, loaded from byte 256"},
        {"a load to LDS", on, load + use,
         "s_mov_b32 m0, 0\n global_load_lds_dword v1, s[10:11] offset:256" + wait, "uses v3"},
        {"an atomic that others wait for", on, "global_atomic_add v1, v0, s[10:11] offset:256",
         "global_atomic_add v1, v0, s[10:11] offset:256 sc1", "an atomic changes"},
        {"an atomic", on, "global_atomic_add v1, v0, s[10:11] offset:256",
         "global_atomic_add v1, v0, s[10:11]", "lane 0: an atomic changes byte 256"},
        {"an exchange whose result nobody asks for", on,
         "global_atomic_swap v3, v1, v0, s[10:11] offset:256 sc0" + wait,
         "global_atomic_swap v1, v0, s[10:11] offset:256\n"
         "global_atomic_add v1, v0, s[10:11] offset:256",
         "an atomic changes"},
        {"an atomic of a buffer", on, "buffer_atomic_add v0, v1, s[12:15], 0 offen offset:256",
         "buffer_atomic_add v0, v1, s[12:15], 0 offen", "an atomic changes"},
    };
}

TEST(uninitialized_memory, uses) {
    check_twins("uses", use_twins());
}

TEST(uninitialized_memory, copies) {
    check_twins("copies", copy_twins());
}

// What takes bits out of a value does not compute with it, and its result counts as written.
TEST(uninitialized_memory, masks) {
    for (const char* mask :
         {"v_and_b32 v3, 0xff, v3", "v_or_b32 v3, v3, v0", "v_or3_b32 v3, v3, v0, v1",
          "v_xor_b32 v3, v3, v0", "v_not_b32 v3, v3", "v_bfe_u32 v3, v3, 8, 8",
          "v_bfi_b32 v3, v0, v3, v1", "v_perm_b32 v3, v3, v0, v1", "v_lshlrev_b32 v3, 8, v3",
          "v_lshl_or_b32 v3, v3, 8, v0", "v_lshrrev_b32 v3, 8, v3", "v_ashrrev_i32 v3, 8, v3",
          "v_alignbyte_b32 v3, v3, v0, 1", "v_alignbit_b32 v3, v3, v0, 1",
          "v_pack_b32_f16 v3, v3, v0", "ds_bpermute_b32 v3, v1, v3\n s_waitcnt lgkmcnt(0)",
          "ds_permute_b32 v3, v1, v3\n s_waitcnt lgkmcnt(0)",
          "ds_swizzle_b32 v3, v3 offset:0x041f\n s_waitcnt lgkmcnt(0)", "v_swap_b32 v3, v4"}) {
        for (const gfx_target target : both_targets) {
            EXPECT_NO_REPORT(
                run_kernel(target, load + mask + "\n" + use, 1, check::uninitialized_memory))
                << mask;
        }
    }
}

TEST(uninitialized_memory, bytes_of_an_allocation) {
    written_bytes w(300);
    EXPECT_TRUE(w.none(0, 300));
    w.mark(60, 140);  // across words
    EXPECT_TRUE(w.all(60, 140));
    EXPECT_TRUE(w.none(0, 60));
    EXPECT_TRUE(w.none(200, 100));
    EXPECT_FALSE(w.all(59, 2));
    EXPECT_FALSE(w.none(59, 2));
    EXPECT_FALSE(w.all(199, 2));
    w.unmark(64, 64);
    EXPECT_TRUE(w.all(60, 4));
    EXPECT_TRUE(w.none(64, 64));
    EXPECT_TRUE(w.all(128, 72));
    w.mark(0, 300);
    EXPECT_TRUE(w.all(0, 300));
    w.unmark(299, 1);
    EXPECT_TRUE(w.all(0, 299));
    EXPECT_TRUE(w.none(299, 1));
}

// One byte that nobody has written, of those that one of the lanes reads or of others.
TEST(uninitialized_memory, bytes_of_all_lanes) {
    constexpr size_t bytes = 64 * 24 + 64;
    constexpr uint64_t begin = 0x1000;
    for (const int count : {1, 4, 8, 12, 16}) {
        std::array<uint64_t, lane_count> address{};
        for (size_t l = 0; l < lane_count; ++l) {
            address[l] = begin + 3 + 24 * ((l * 5) % lane_count);
        }
        for (size_t byte = 0; byte < bytes; ++byte) {
            written_bytes w(bytes);
            w.mark(0, byte);
            w.mark(byte + 1, bytes - byte - 1);
            uint64_t readers = 0;
            for (size_t l = 0; l < lane_count; ++l) {
                const size_t first = address[l] - begin;
                readers |= uint64_t{byte >= first && byte < first + static_cast<size_t>(count)}
                           << l;
            }
            EXPECT_EQ(w.all_of(~uint64_t{0}, address.data(), begin, count), readers == 0) << byte;
            EXPECT_TRUE(w.all_of(~readers, address.data(), begin, count)) << byte;
            EXPECT_EQ(w.all_of(readers, address.data(), begin, count), readers == 0) << byte;
        }
    }
}

TEST(uninitialized_memory, copies_of_the_runtime) {
    const auto make = [](size_t bytes) {
        return static_cast<uint64_t>(
            reinterpret_cast<uintptr_t>(allocate(bytes, memory_kind::device)));
    };
    const uint64_t from = make(256);
    const uint64_t to = make(256);
    const auto written = [&](uint64_t begin, size_t bytes) {
        recent_ranges ranges;
        EXPECT_NE(ranges.translate(begin, 1, false), nullptr);
        const tracked_range range = ranges.last();
        return range.written->all(begin - range.begin, bytes);
    };
    note_written(from + 10, 70);
    EXPECT_FALSE(written(from + 9, 2));
    EXPECT_TRUE(written(from + 10, 70));
    note_written(to, 256);
    note_copied(to + 100, from, 100);
    EXPECT_TRUE(written(to, 100));
    EXPECT_FALSE(written(to + 109, 1));
    EXPECT_TRUE(written(to + 110, 70));
    EXPECT_FALSE(written(to + 180, 1));
    EXPECT_TRUE(written(to + 200, 56));
    // From memory of the host, of which all is written.
    int host = 0;
    note_copied(to + 109, reinterpret_cast<uintptr_t>(&host), sizeof host);
    EXPECT_TRUE(written(to + 109, 4));
    const uint64_t managed =
        static_cast<uint64_t>(reinterpret_cast<uintptr_t>(allocate(64, memory_kind::managed)));
    recent_ranges ranges;
    EXPECT_NE(ranges.translate(managed, 1, false), nullptr);
    EXPECT_EQ(ranges.last().written, nullptr);
}

}  // namespace
}  // namespace emu
