// The check `barriers`: kernels of which not every thread passes a barrier, and repaired twins.
// What is an error is HIP's rule (every thread of the group passes each barrier), what goes on all
// the same is the ISA guide's S_BARRIER.
#include "twins.hpp"

namespace emu {
namespace {

const std::string barrier = "s_barrier\n";
const std::string store = "global_store_dword v1, v0, s[0:1]\n";
const std::string some_lanes = "s_mov_b64 exec, 0xff\n";
const std::string no_lane = "s_mov_b64 exec, 0\n";
const std::string all_lanes_on = "s_mov_b64 exec, -1\n";

std::string skipped_by_wave(int n, const std::string& text) {
    return "s_cmp_eq_u32 s2, " + std::to_string(n) + "\ns_cbranch_scc1 1f\n" + text + "1:\n";
}

std::vector<twin> wave_twins() {
    constexpr auto barriers = check::barriers;
    return {
        {"a wave ends before the barrier", barriers, skipped_by_wave(1, barrier), barrier,
         "wave 0 waits at its barrier 1, and wave 1 has ended after 0 .*check +barriers"
         ".*instruction s_barrier.*the end:.*instruction s_endpgm.*wave +1",
         2},
        {"a barrier more", barriers, barrier + skipped_by_wave(0, barrier), barrier + barrier,
         "wave 1 waits at its barrier 2, and wave 0 has ended after 1", 2},
        // Two halves of a group in step: each passes as many.
        {"a barrier at another place", barriers, skipped_by_wave(0, barrier) + barrier,
         skipped_by_wave(0, barrier) + barrier + skipped_by_wave(1, barrier),
         "wave 1 waits at its barrier 2, and wave 0 has ended after 1", 2},
        {"the last of four waves", barriers, skipped_by_wave(3, barrier), barrier,
         "wave 0 waits .* wave 3 has ended", 4},
    };
}

std::vector<twin> lane_twins() {
    constexpr auto barriers = check::barriers;
    const std::string missed = some_lanes + barrier + all_lanes_on;
    return {
        {"lanes go on to a store", barriers, missed + store, some_lanes + barrier + store,
         "lane 8 goes on, and was off at a barrier .*\\(56 lanes of the wave\\).*instruction "
         "global_store_dword.*the barrier:.*instruction s_barrier"},
        {"to LDS", barriers, missed + "ds_write_b32 v1, v0", missed + "v_mov_b32 v5, v0",
         "lane 8 goes on.*instruction ds_write_b32"},
        {"to another barrier", barriers, missed + barrier, some_lanes + barrier + barrier,
         "lane 8 goes on.*instruction s_barrier.*the barrier:.*instruction s_barrier"},
        {"no lane was on", barriers, no_lane + barrier + all_lanes_on + store,
         no_lane + barrier + no_lane + store, "lane 0 goes on.*\\(64 lanes"},
        {"only lanes that had missed it", barriers,
         some_lanes + barrier + "s_mov_b64 exec, 0xf00\n" + store,
         some_lanes + barrier + "s_mov_b64 exec, 0xf\n" + store, "lane 8 goes on.*\\(4 lanes"},
        // Scalar loads have no lanes.
        {"a scalar load", barriers, missed + "s_load_dword s9, s[0:1], 0x0\n" + store,
         missed + "s_load_dword s9, s[0:1], 0x0\n", "instruction global_store_dword"},
    };
}

TEST(barriers, waves) {
    check_twins("waves", wave_twins());
}

TEST(barriers, lanes) {
    check_twins("lanes", lane_twins());
}

}  // namespace
}  // namespace emu
