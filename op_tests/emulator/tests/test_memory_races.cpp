// The check `memory_races`. Two groups run one after the other on one thread; one that waits lets the
// other one go on.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/memory.hpp"
#include "twins.hpp"

namespace emu {
namespace {

constexpr auto on = check::memory_races;

const std::string wait = "\ns_waitcnt vmcnt(0) lgkmcnt(0)\n";
// What compilers make of fences of the device.
const std::string release = "buffer_wbl2 sc1" + wait;
const std::string acquire = "\nbuffer_inv sc1\n";

// Only group n executes it, or only wave n. Several kernels are assembled together, so labels are
// local ones.
std::string by(const std::string& index, int n, const std::string& body, const std::string& label) {
    return "s_cmp_lg_u32 " + index + ", " + std::to_string(n) + "\ns_cbranch_scc1 " + label +
           "f\n" + body + "\n" + label + ":\n";
}
std::string by_group(int n, const std::string& body) {
    return by("s3", n, body, "1");
}
std::string by_wave(int n, const std::string& body) {
    return by("s2", n, body, "2");
}

// Dword l of 64 at byte `at`, of lane l.
std::string store(int at, const std::string& cache = "") {
    return "\nv_mov_b32 v3, 17\nglobal_store_dword v1, v3, s[0:1] offset:" + std::to_string(at) +
           " " + cache + "\n";
}
std::string load(int at, const std::string& cache = "") {
    return "\nglobal_load_dword v4, v1, s[0:1] offset:" + std::to_string(at) + " " + cache + wait;
}
// To the dword at byte `at`, from lane 0.
std::string one_lane(const std::string& body) {
    return "\ns_mov_b64 exec, 1\nv_mov_b32 v5, 0\nv_mov_b32 v6, 1\n" + body +
           "\ns_mov_b64 exec, -1\n";
}
std::string add(int at) {
    return one_lane("global_atomic_add v7, v5, v6, s[0:1] offset:" + std::to_string(at) + " sc0" +
                    wait);
}
std::string set_flag(int at, const std::string& cache) {
    return one_lane("global_store_dword v5, v6, s[0:1] offset:" + std::to_string(at) + " " + cache);
}
std::string wait_for(int at, int value, const std::string& cache = "sc1") {
    return one_lane("3:\nglobal_load_dword v7, v5, s[0:1] offset:" + std::to_string(at) + " " +
                    cache + wait + "v_readfirstlane_b32 s20, v7\ns_cmp_lg_u32 s20, " +
                    std::to_string(value) + "\ns_cbranch_scc1 3b\n");
}

// Lane `lane` alone, from register `reg`, to byte `at` behind that of its own number.
std::string lane_stores_byte(int lane, int reg, int at, int value) {
    const std::string data = "v" + std::to_string(reg);
    return "s_mov_b64 exec, " + std::to_string(1 << lane) + "\nv_mov_b32 " + data + ", " +
           std::to_string(value) + "\nglobal_store_byte v0, " + data +
           ", s[0:1] offset:" + std::to_string(at) + "\n";
}

twin of_groups(const char* name, const std::string& caught, const std::string& repaired,
               const char* report, int waves = 1) {
    return {name, on, caught, repaired, report, waves, false, 2};
}

std::vector<twin> unordered_twins() {
    const std::string own_value = "v_mov_b32 v3, s3\n";
    const std::string own_place = "s_lshl_b32 s8, s3, 8\nv_add_u32 v8, s8, v1\n";
    const std::string put = "global_store_dword v1, v3, s[0:1]\n";
    // Lane n of group n writes byte n.
    const std::string two_bytes =
        by_group(0, "s_mov_b64 exec, 1\nglobal_store_byte v0, v3, s[0:1]") +
        by_group(1, "s_mov_b64 exec, 2\nglobal_store_byte v0, v3, s[0:1]") + "s_mov_b64 exec, 2\n";
    return {
        {"a byte behind that of another group", on,
         two_bytes + by_group(2, "global_load_ubyte v4, v0, s[0:1]" + wait),
         two_bytes + by_group(2, "global_load_ubyte v4, v0, s[0:1] offset:4" + wait),
         "group .2, 0, 0. reads what lane 1 of wave 0 of group .1, 0, 0. writes", 1, false, 3},
        of_groups("two groups write", own_value + put,
                  own_value + own_place + "global_store_dword v8, v3, s[0:1]\n",
                  "race: [^:]*: lane 0 of wave 0 of group .1, 0, 0. writes what lane 0 of "
                  "wave 0 of group .0, 0, 0. writes, and nothing orders the two.*"
                  "check +memory_races.*global_store_dword.*group +.1, 0, 0.*the other one:.*"
                  "global_store_dword"),
        of_groups("two groups write the same", own_value + put, "v_mov_b32 v3, 17\n" + put,
                  "writes"),
        of_groups("and read it", "v_mov_b32 v3, 17\n" + put + own_value + put,
                  store(0) + wait + load(0), "writes"),
        of_groups("is read first", by_group(0, load(0)) + by_group(1, store(0)),
                  by_group(0, load(0)) + by_group(1, store(256)),
                  "group .1, 0, 0. writes what lane 0 of wave 0 of group .0, 0, 0. reads"),
        of_groups("is read by both first", by_group(0, load(0)) + by_group(1, load(0) + store(0)),
                  by_group(0, load(256)) + by_group(1, load(0) + store(0)),
                  "group .1, 0, 0. writes what lane 0 of wave 0 of group .0, 0, 0. reads"),
        of_groups("is written first", by_group(0, store(0)) + by_group(1, load(0)),
                  by_group(0, store(0)) + by_group(1, load(256)),
                  "group .1, 0, 0. reads what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("a scalar load",
                  by_group(0, store(0)) + by_group(1, "s_load_dwordx4 s[16:19], s[0:1], 0xf4"),
                  by_group(0, store(0)) + by_group(1, "s_load_dwordx4 s[16:19], s[0:1], 0x100"),
                  "reads what lane 61 of wave 0 of group .0, 0, 0. writes"),
        of_groups("bytes of a dword", own_value + "global_store_byte v1, v3, s[0:1]\n",
                  own_value + "v_add_u32 v8, s3, v1\nglobal_store_byte v8, v3, s[0:1]\n",
                  "writes what"),
        of_groups("a byte beside that of another group",
                  by_group(0, "global_store_byte v0, v3, s[0:1]") +
                      by_group(1, "s_mov_b64 exec, 1\nglobal_load_ubyte v4, v0, s[0:1]" + wait),
                  by_group(0, "s_mov_b64 exec, 1\nglobal_store_byte v0, v3, s[0:1]") +
                      by_group(1, "s_mov_b64 exec, 2\nglobal_load_ubyte v4, v0, s[0:1]" + wait),
                  "reads what lane 0 of"),
        of_groups("a byte that was read, behind one that was not",
                  by_group(0, "s_mov_b64 exec, 2\nglobal_load_ubyte v4, v0, s[0:1]" + wait) +
                      by_group(1,
                               "s_mov_b64 exec, 1\nv_mov_b32 v3, 9\n"
                               "global_store_byte v0, v3, s[0:1]\n"
                               "global_store_byte v0, v3, s[0:1] offset:1"),
                  by_group(0, "s_mov_b64 exec, 2\nglobal_load_ubyte v4, v0, s[0:1]" + wait) +
                      by_group(1,
                               "s_mov_b64 exec, 1\nv_mov_b32 v3, 9\n"
                               "global_store_byte v0, v3, s[0:1]\n"
                               "global_store_byte v0, v3, s[0:1] offset:2"),
                  "writes what lane 1 of wave 0 of group .0, 0, 0. reads"),
        of_groups("equal bytes of all lanes",
                  "v_add_u32 v3, s3, v0\nglobal_store_byte v0, v3, s[0:1]\n",
                  "global_store_byte v0, v0, s[0:1]\n", "writes what"),
        of_groups("bytes one after the other", own_value + "global_store_byte v0, v3, s[0:1]\n",
                  own_value + "s_mul_i32 s8, s3, 63\ns_lshl_b64 exec, 1, s8\n"
                              "global_store_byte v0, v3, s[0:1]\n",
                  "race: [^:]*: lane 0 of .* writes what lane 0 of"),
        of_groups("one dword of a wide store",
                  by_group(0, "v_lshlrev_b32 v8, 4, v0\nglobal_store_dwordx4 v8, v[8:11], s[0:1]") +
                      by_group(1,
                               "v_mov_b32 v3, 17\ns_lshl_b64 exec, 1, 5\n"
                               "global_store_dword v1, v3, s[0:1] offset:500"),
                  by_group(0, "v_lshlrev_b32 v8, 4, v0\nglobal_store_dwordx4 v8, v[8:11], s[0:1]") +
                      by_group(1,
                               "v_mov_b32 v3, 17\ns_lshl_b64 exec, 1, 5\n"
                               "global_store_dword v1, v3, s[0:1] offset:1004"),
                  "race: [^:]*: lane 5 of wave 0 of group .1, 0, 0. writes what lane 32 of"),
        of_groups(
            "a wide store over dwords",
            by_group(0, store(0)) + by_group(1,
                                             "v_lshlrev_b32 v8, 4, v0\nv_add_u32 v8, 4, v8\n"
                                             "global_store_dwordx3 v8, v[8:10], s[0:1]"),
            by_group(0, store(0)) + by_group(1,
                                             "v_lshlrev_b32 v8, 4, v0\nv_add_u32 v8, 0x100, v8\n"
                                             "global_store_dwordx3 v8, v[8:10], s[0:1]"),
            "race: [^:]*: lane 0 of wave 0 of group .1, 0, 0. writes what lane 1 of"),
        of_groups(
            "a dword of a store of three",
            by_group(0, "v_mul_u32_u24 v8, 12, v0\nglobal_store_dwordx3 v8, v[8:10], s[0:1]") +
                by_group(1,
                         "v_mov_b32 v3, 17\ns_mov_b64 exec, 1\n"
                         "global_store_dword v1, v3, s[0:1] offset:24"),
            by_group(0, "v_mul_u32_u24 v8, 12, v0\nglobal_store_dwordx3 v8, v[8:10], s[0:1]") +
                by_group(1,
                         "v_mov_b32 v3, 17\ns_mov_b64 exec, 1\n"
                         "global_store_dword v1, v3, s[0:1] offset:768"),
            "group .1, 0, 0. writes what lane 2 of"),
        of_groups("lanes that are off",
                  by_group(0, "s_mov_b64 exec, 0x1f" + store(0)) +
                      by_group(1, "s_mov_b64 exec, 0xf0\nv_mov_b32 v3, 18\n" + put),
                  by_group(0, "s_mov_b64 exec, 0x0f" + store(0)) +
                      by_group(1, "s_mov_b64 exec, 0xf0\nv_mov_b32 v3, 18\n" + put),
                  "lane 4 of wave 0 of group .1, 0, 0. writes what lane 4 of"),
        of_groups(
            "lanes apart from each other",
            by_group(0, store(256)) + by_group(1,
                                               "v_lshlrev_b32 v8, 3, v0\nv_mov_b32 v3, 18\n"
                                               "global_store_dword v8, v3, s[0:1] offset:248"),
            by_group(0, store(1024)) + by_group(1,
                                                "v_lshlrev_b32 v8, 3, v0\nv_mov_b32 v3, 18\n"
                                                "global_store_dword v8, v3, s[0:1] offset:248"),
            "lane 1 of wave 0 of group .1, 0, 0. writes what lane 0 of"),
        of_groups("a buffer", own_value + "buffer_store_dword v3, v1, s[4:7], 0 offen\n",
                  own_value + own_place + "buffer_store_dword v3, v8, s[4:7], 0 offen\n",
                  "writes what"),
        of_groups("a buffer with lanes outside",
                  own_value + "buffer_store_dword v3, v1, s[4:7], 0 offen offset:3968\n",
                  "v_mov_b32 v3, 17\nbuffer_store_dword v3, v1, s[4:7], 0 offen offset:3968\n",
                  "writes what"),
        of_groups("a flat store",
                  own_value + "v_mov_b32 v9, s1\nv_add_u32 v8, s0, v1\n"
                              "flat_store_dword v[8:9], v3\n",
                  own_value + "v_mov_b32 v9, s1\nv_add_u32 v8, s0, v1\ns_lshl_b32 s8, s3, 8\n"
                              "v_add_u32 v8, s8, v8\nflat_store_dword v[8:9], v3\n",
                  "writes what"),
        of_groups(
            "a load to LDS",
            by_group(0, store(0)) + by_group(1,
                                             "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, "
                                             "s[0:1]" +
                                                 wait),
            by_group(0, store(0)) +
                by_group(1, "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[0:1] offset:256" + wait),
            "reads what"),
        // Lane 2 has bytes 20 to 27: the block of 16 that they are of begins within lane 1.
        of_groups("pairs of dwords across blocks",
                  by_group(0,
                           "v_lshlrev_b32 v8, 3, v0\nv_mov_b32 v10, -1\nv_mov_b32 v11, -1\n"
                           "global_store_dwordx2 v8, v[10:11], s[0:1] offset:4") +
                      by_group(1, lane_stores_byte(0, 3, 20, 1)),
                  by_group(0,
                           "v_lshlrev_b32 v8, 3, v0\nv_mov_b32 v10, -1\nv_mov_b32 v11, -1\n"
                           "global_store_dwordx2 v8, v[10:11], s[0:1] offset:4") +
                      by_group(1, lane_stores_byte(0, 3, 3, 1)),
                  "writes what lane 2 of"),
        of_groups("the lanes' bytes from the last one on",
                  by_group(0,
                           "v_mov_b32 v3, 1\nv_sub_u32 v8, 63, v0\n"
                           "global_store_byte v8, v3, s[0:1]") +
                      by_group(1, lane_stores_byte(0, 3, 0, 2)),
                  by_group(0,
                           "v_mov_b32 v3, 1\nv_sub_u32 v8, 63, v0\n"
                           "global_store_byte v8, v3, s[0:1]") +
                      by_group(1, lane_stores_byte(0, 3, 64, 2)),
                  "writes what lane 63 of"),
        of_groups("two stores to one dword",
                  by_group(0, lane_stores_byte(0, 3, 0, 1) + lane_stores_byte(1, 8, 0, 1)) +
                      by_group(1, lane_stores_byte(1, 3, 0, 2)),
                  by_group(0, lane_stores_byte(0, 3, 0, 1) + lane_stores_byte(1, 8, 0, 1)) +
                      by_group(1, lane_stores_byte(2, 3, 0, 2)),
                  "the other one:.*global_store_byte v0, v8"),
        of_groups(
            "one dword of four that were read",
            by_group(0, load(0)) + by_group(1, "s_mov_b64 exec, 32" + store(0)),
            by_group(0, load(0)) + by_group(1, "s_mov_b64 exec, 32" + store(256)),
            "lane 5 of wave 0 of group .1, 0, 0. writes what lane 5 of wave 0 of group .0, 0, "
            "0. reads"),
        of_groups("dwords where a byte was",
                  by_group(0, lane_stores_byte(0, 3, 0, 1) + "s_mov_b64 exec, -1" + store(0)) +
                      by_group(1, "s_mov_b64 exec, 1\nv_mov_b32 v3, 18\n" + put),
                  by_group(0, lane_stores_byte(0, 3, 0, 1) + "s_mov_b64 exec, -1" + store(0)) +
                      by_group(1, "s_mov_b64 exec, 1" + store(0)),
                  "writes what lane 0 of"),
        of_groups("what was there already, and more behind it",
                  by_group(0, "s_mov_b64 exec, 0xf" + store(0)) +
                      by_group(1, "v_min_u32 v3, 3, v0\nv_add_u32 v3, 14, v3\n" + put),
                  by_group(0, "s_mov_b64 exec, 0xf" + store(0)) +
                      by_group(1,
                               "v_mov_b32 v8, 18\nv_mov_b32 v3, 17\nv_cmp_gt_u32 vcc, 4, v0\n"
                               "v_cndmask_b32 v3, v8, v3, vcc\n" +
                                   put),
                  "lane 0 of wave 0 of group .1, 0, 0. writes what lane 0 of"),
        of_groups("a byte that was there already",
                  by_group(0, store(0)) + by_group(1, lane_stores_byte(0, 3, 1, 1)),
                  by_group(0, store(0)) + by_group(1, lane_stores_byte(0, 3, 1, 0)),
                  "writes what lane 0 of"),
        of_groups("and one in front of it",
                  by_group(0, lane_stores_byte(0, 3, 4, 18) + lane_stores_byte(0, 3, 3, 17)) +
                      by_group(1, lane_stores_byte(0, 3, 4, 16)),
                  by_group(0, lane_stores_byte(0, 3, 4, 18) + lane_stores_byte(0, 3, 3, 17)) +
                      by_group(1, lane_stores_byte(0, 3, 4, 18)),
                  "writes what lane 0 of"),
        of_groups("a barrier orders one group", store(0) + wait + "s_barrier\n" + own_value + put,
                  store(0) + wait + "s_barrier\n" + load(0), "writes"),
    };
}

std::vector<twin> group_twins() {
    const std::string both = "s_barrier\n";
    const std::string update = "v_mov_b32 v9, 1\nv_mov_b32 v8, 0\nds_add_rtn_u32 v9, v8, v9" + wait;
    const std::string spin =
        "4:\nv_mov_b32 v9, 0\nv_mov_b32 v8, 0\nds_add_rtn_u32 v9, v8, v9" + wait +
        "v_readfirstlane_b32 s20, v9\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 4b\n";
    return {
        {"no barrier", on, by_wave(0, store(0)) + by_wave(1, load(0)),
         by_wave(0, store(0)) + both + by_wave(1, load(0)),
         "lane 0 of wave 1 of group .0, 0, 0. reads what lane 0 of wave 0 of group .0, 0, 0. "
         "writes",
         2},
        {"a barrier before the write", on, both + by_wave(0, store(0)) + by_wave(1, load(0)) + both,
         by_wave(1, load(0)) + both + by_wave(0, store(0)) + both, "reads what", 2},
        {"behind a barrier, with an access before it", on,
         by_wave(0, load(256)) + both + by_wave(0, store(0)) + by_wave(1, load(0)),
         by_wave(0, load(256)) + both + by_wave(0, store(0)) + by_wave(1, load(256)), "reads what",
         2},
        {"a third wave", on,
         by_wave(0, store(0)) + both + by_wave(1, load(0)) +
             by_wave(2, store(0) + "v_mov_b32 v3, "
                                   "18\nglobal_store_dword v1, v3, s[0:1]\n"),
         by_wave(0, store(0)) + both + by_wave(1, load(0)) + by_wave(2, load(0)),
         "wave 2 of group .0, 0, 0. writes what lane 0 of wave 1 of", 3},
        {"a barrier behind two reads", on, load(0) + by_wave(1, store(0)),
         load(0) + both + by_wave(1, store(0)), "wave 1 of .* writes what lane 0 of wave 0 of", 2},
        {"an atomic of LDS", on, by_wave(0, store(0) + update) + by_wave(1, load(0) + spin),
         by_wave(0, store(0) + update) + by_wave(1, spin + load(0)), "reads what", 2},
        {"an atomic of LDS between two writes", on,
         by_wave(0, store(256) + update + store(0)) + by_wave(1, spin + load(0)),
         by_wave(0, store(256) + update + store(0)) + by_wave(1, spin + load(256)), "reads what",
         2},
        {"a flag passed on by an atomic of LDS", on,
         by_group(0, by_wave(0, store(0) + release + add(2048))) +
             by_group(1, by_wave(0, update + wait_for(2048, 1)) + by_wave(1, spin + load(0))),
         by_group(0, by_wave(0, store(0) + release + add(2048))) +
             by_group(1, by_wave(0, wait_for(2048, 1) + update) + by_wave(1, spin + load(0))),
         "reads what lane 0 of wave 0 of group .0, 0, 0. writes", 2, false, 2},
        // Both have written the same, which was no race: what they know then is no longer so later.
        {"a barrier behind what was not ordered", on,
         store(256) + by_wave(0, store(0)) + by_wave(1, load(0)),
         by_wave(0, store(0)) + store(256) + both + by_wave(1, load(0)), "reads what", 2},
        {"an atomic of LDS behind what was not ordered", on,
         by_wave(0, store(0) + store(256) + update) + by_wave(1, store(256) + load(0) + spin),
         by_wave(0, store(0) + store(256) + update) + by_wave(1, store(256) + spin + load(0)),
         "reads what", 2},
    };
}

std::vector<twin> atomic_twins() {
    const std::string own_counter = one_lane(
        "s_lshl_b32 s8, s3, 2\nv_mov_b32 v5, s8\n"
        "global_atomic_add v7, v5, v6, s[0:1] offset:2048 sc0" +
        wait);
    const std::string other = by_group(0, load(256)) + by_group(1, load(0));
    const std::string own = by_group(0, store(0)) + by_group(1, store(256));
    const std::string plain_flag = release + set_flag(2048, "");
    const std::string last = wait +
                             "v_readfirstlane_b32 s20, v7\ns_cmp_lg_u32 s20, 1\n"
                             "s_cbranch_scc1 5f\n";
    return {
        of_groups("the last group reads what all have written",
                  own + release + own_counter + acquire + by_group(1, load(0)),
                  own + release + add(2048) + acquire + last + load(0) + load(256) + "\n5:\n",
                  "group .1, 0, 0. reads what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("and writes it", own + release + own_counter + acquire + by_group(1, load(0)),
                  own + release + add(2048) + acquire + last +
                      "v_mov_b32 v3, 18\nglobal_store_dword v1, v3, s[0:1]\n"
                      "v_mov_b32 v3, 0\nglobal_store_dword v5, v3, s[0:1] offset:2048\n5:\n",
                  "reads what"),
        of_groups("a flag",
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, load(0) + wait_for(2048, 1) + acquire),
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  "reads what"),
        of_groups("a flag that comes later",
                  by_group(1, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(0, load(0) + wait_for(2048, 1) + acquire),
                  by_group(1, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(0, wait_for(2048, 1) + acquire + load(0)),
                  "writes what lane 0 of wave 0 of group .0, 0, 0. reads"),
        of_groups("a flag that is set before the data",
                  by_group(0, release + set_flag(2048, "sc1") + store(0)) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  "reads what"),
        of_groups("another flag",
                  by_group(0, store(0) + set_flag(2052, "sc1") + release + set_flag(2048, "sc1") +
                                  store(256)) +
                      by_group(1, wait_for(2048, 1) + acquire + load(256)),
                  by_group(0, store(0) + set_flag(2052, "sc1") + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  "reads what"),
        // The other one has written it behind its flag.
        of_groups("what one has written, and another one too",
                  by_group(0, store(0) + wait_for(2048, 1) + acquire + load(0)) +
                      by_group(1, set_flag(2048, "sc1") + wait +
                                      "v_mov_b32 v3, 18\nglobal_store_dword v1, v3, s[0:1]"),
                  by_group(0, store(0) + wait_for(2048, 1) + acquire + load(0)) +
                      by_group(1, set_flag(2048, "sc1") + wait + store(0)),
                  "group .1, 0, 0. writes what lane 0 of wave 0 of group .0, 0, 0. writes"),
        // Another flag brings nothing of what is behind the one that was read before.
        of_groups(
            "a flag that was read too early",
            by_group(0, add(2048) + wait_for(2052, 1) + acquire + load(0)) +
                by_group(1, release + add(2052) + store(0) + release + add(2048)),
            by_group(0, add(2048) + wait_for(2052, 1) + wait_for(2048, 2) + acquire + load(0)) +
                by_group(1, release + add(2052) + store(0) + release + add(2048)),
            "reads what lane 0 of wave 0 of group .1, 0, 0. writes"),
        of_groups("a scalar load behind the flag",
                  by_group(0, release + add(2048) + "s_load_dword s16, s[0:1], 0" + wait) +
                      by_group(1, wait_for(2048, 1) + acquire + store(0)),
                  by_group(0, "s_load_dword s16, s[0:1], 0" + wait + release + add(2048)) +
                      by_group(1, wait_for(2048, 1) + acquire + store(0)),
                  "group .1, 0, 0. writes what lane 0 of wave 0 of group .0, 0, 0. reads"),
        of_groups("what is read by a scalar load",
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, "s_load_dword s16, s[0:1], 0" + wait + wait_for(2048, 1)),
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1) + "s_load_dword s16, s[0:1], 0" + wait),
                  "reads what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("a flag that is read by a plain load",
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1, "") + acquire + load(0)),
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  "reads what"),
        of_groups("a flag that is written, not read",
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, set_flag(2048, "sc1") + load(0)),
                  by_group(0, store(0) + release + set_flag(2048, "sc1")) +
                      by_group(1, add(2048) + load(0)),
                  "reads what"),
        of_groups("the flag beside that of the data",
                  by_group(0, add(2048) + store(0) + release + add(2052)) +
                      by_group(1, wait_for(2048, 1) + acquire + load(0)),
                  by_group(0, add(2048) + store(0) + release + add(2052)) +
                      by_group(1, wait_for(2052, 1) + acquire + load(0)),
                  "reads what"),
        of_groups("a volatile flag, of the plain kind",
                  by_group(0, plain_flag + store(0)) + by_group(1, load(0) + wait_for(2048, 1)),
                  by_group(0, store(0) + plain_flag) +
                      by_group(1, wait_for(2048, 1, "sc0 sc1") + acquire + load(0)),
                  "reads what"),
        of_groups("a flag and a barrier",
                  by_group(0, by_wave(1, store(0)) + release + "s_barrier\n" +
                                  by_wave(0, set_flag(2048, "sc1"))) +
                      by_group(1, by_wave(0, wait_for(2048, 1)) + acquire + by_wave(1, load(0))),
                  by_group(0, by_wave(1, store(0)) + release + "s_barrier\n" +
                                  by_wave(0, set_flag(2048, "sc1"))) +
                      by_group(1, by_wave(0, wait_for(2048, 1)) + acquire + "s_barrier\n" +
                                      by_wave(1, load(0))),
                  "wave 1 of group .1, 0, 0. reads what", 2),
        of_groups(
            "one of two readers",
            by_group(0, by_wave(0, load(0) + release + set_flag(2048, "sc1"))) +
                by_group(1,
                         by_wave(0, load(0)) + by_wave(1, wait_for(2048, 1) + acquire + store(0))),
            by_group(0, by_wave(0, load(0) + release + set_flag(2048, "sc1"))) +
                by_group(
                    1, by_wave(0, load(256)) + by_wave(1, wait_for(2048, 1) + acquire + store(0))),
            "wave 1 of group .1, 0, 0. writes what lane 0 of wave 0 of group .1, 0, 0. reads", 2),
        of_groups("all groups wait for each other", own + release + add(2048) + acquire + other,
                  own + release + add(2048) + wait_for(2048, 2) + acquire + other, "what"),
        of_groups("an atomic of another dword", own + release + own_counter + acquire + other,
                  own + release + add(2048) + wait_for(2048, 2) + acquire + other, "what"),
        of_groups("two groups update", by_group(0, set_flag(0, "")) + by_group(1, add(0)),
                  add(0) + add(0),
                  "group .1, 0, 0. updates what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("what others update is set",
                  by_group(0, add(0)) + by_group(1, one_lane("v_mov_b32 v6, 9\n"
                                                             "global_store_dword v5, v6, s[0:1]")),
                  by_group(0, add(0)) + by_group(1, one_lane("v_mov_b32 v6, 9\n"
                                                             "global_atomic_swap v5, v6, s[0:1]")),
                  "writes what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("what others add is written",
                  by_group(0, add(0) + add(0)) +
                      by_group(1, one_lane("global_store_dword v5, v6, s[0:1]")),
                  by_group(0, add(0) + add(0)) +
                      by_group(1, one_lane("v_mov_b32 v6, 2\nglobal_store_dword v5, v6, s[0:1]")),
                  "writes what lane 0 of wave 0 of group .0, 0, 0. writes"),
        of_groups("a loop around a compare-and-swap",
                  one_lane("global_load_dword v7, v5, s[0:1]" + wait +
                           "v_add_u32 v6, 1, v7\nglobal_store_dword v5, v6, s[0:1]\n"),
                  one_lane("global_load_dword v7, v5, s[0:1]" + wait +
                           "v_add_u32 v6, 1, v7\nglobal_atomic_cmpswap v5, v[6:7], s[0:1]\n"),
                  "what"),
        of_groups("an atomic of a buffer",
                  own + release + add(2048) + by_group(1, load(0)) + by_group(0, load(256)),
                  own + release +
                      one_lane("v_mov_b32 v5, 0x800\n"
                               "buffer_atomic_add v6, v5, s[4:7], 0 offen sc0" +
                               wait) +
                      by_group(1, load(0)),
                  "what"),
    };
}

class memory_races : public testing::Test {
protected:
    void SetUp() override { ::setenv("OPUS_EMU_THREADS", "1", 1); }
    void TearDown() override { ::unsetenv("OPUS_EMU_THREADS"); }
};

TEST_F(memory_races, without_order) {
    check_twins("unordered", unordered_twins());
}

TEST_F(memory_races, within_a_group) {
    check_twins("a group", group_twins());
}

TEST_F(memory_races, ordered_by_atomics) {
    check_twins("atomics", atomic_twins());
}

// The first access of a group to an allocation is looked at lane by lane, what follows as a whole.
TEST_F(memory_races, behind_an_access_that_finds_the_memory) {
    const std::string first = one_lane("global_load_dword v7, v5, s[0:1] offset:3072" + wait);
    for (const auto& all : {unordered_twins(), group_twins(), atomic_twins()}) {
        std::vector<twin> behind = all;
        for (twin& t : behind) {
            t.caught = first + t.caught;
            t.repaired = first + t.repaired;
        }
        check_twins("behind", behind);
    }
}

TEST_F(memory_races, groups_of_three_dimensions) {
    const auto by_id = [](int x, int y, const std::string& body) {
        return by("s8", y, by_group(x, by_wave(1, body)), "3");
    };
    const std::string source = by(
        "s9", 1,
        by_id(0, 1, store(0)) + by_id(1, 2, "v_mov_b32 v3, 18\nglobal_store_dword v1, v3, s[0:1]"),
        "4");
    for (const gfx_target target : both_targets) {
        EXPECT_REPORT(kernel_run(target, source, 2, on, check_mode::stop, {2, 3, 2}).run(),
                      "wave 1 of group .1, 2, 1. writes what lane 0 of wave 1 of group .0, 1, 1. "
                      "writes.*group +.1, 2, 1., wave 1.*the other one:.*wave +1\n");
    }
}

// Pages whose numbers differ by 65,536, which are kept in one list.
TEST_F(memory_races, pages_far_from_each_other) {
    constexpr size_t distance = size_t{256} << 20;
    void* memory = allocate(2 * distance, memory_kind::device);
    const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(memory));
    const auto at = [&](size_t byte) {
        const uint64_t address = begin + byte;
        return "s_mov_b32 s0, " + std::to_string(static_cast<uint32_t>(address)) +
               "\ns_mov_b32 s1, " + std::to_string(address >> 32) + "\n";
    };
    const auto source = [&](size_t stored, size_t loaded) {
        return by_group(0, at(4096) + store(0) + at(stored) + store(0)) +
               by_group(1, at(loaded) + load(0));
    };
    for (const gfx_target target : both_targets) {
        EXPECT_REPORT(run_kernel(target, source(distance, distance), 1, on, 2), "reads what");
        EXPECT_NO_REPORT(run_kernel(target, source(distance, 0), 1, on, 2));
        EXPECT_NO_REPORT(run_kernel(target, source(0, distance), 1, on, 2));
    }
    emu::release(memory, memory_kind::device);
}

// Each round adds what every group has to know of every other one, by atomics alone.
TEST(memory_races_of_many_groups, a_barrier_of_all) {
    const std::string round =
        "v_lshlrev_b32 v9, 2, v8\n"
        "global_store_dword v9, v3, s[0:1]\n" +
        release + "global_atomic_add v5, v6, s[0:1] offset:2048\n";
    const std::string source =
        "v_mov_b32 v5, 0\nv_mov_b32 v6, 1\nv_mov_b32 v3, 17\ns_mov_b64 exec, 1\n"
        "v_mov_b32 v8, s3\ns_mov_b32 s21, 0\n6:\nv_add_u32 v3, 1, v3\n" +
        round + "s_add_u32 s21, s21, 64\n7:\nglobal_load_dword v7, v5, s[0:1] offset:2048 sc1" +
        wait + "v_readfirstlane_b32 s20, v7\ns_cmp_lt_u32 s20, s21\ns_cbranch_scc1 7b\n" + acquire +
        "v_add_u32 v8, 1, v8\nv_and_b32 v8, 63, v8\n"
        "s_cmp_lt_u32 s21, 640\ns_cbranch_scc1 6b\n";
    for (const gfx_target target : both_targets) {
        // With as many threads as there are, of which any may end the process.
        const auto run = [&] {
            run_kernel(target, source, 1, on, 64);
            std::_Exit(0);
        };
        EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
    }
}

}  // namespace
}  // namespace emu
