// timeline/: each parameter has an effect on the time of some micro-kernel, so that none can be
// given in vain.
#include <string>
#include <string_view>
#include <vector>

#include "timeline_machine.hpp"

namespace emu {
namespace {

class timeline_sensitivity : public testing::TestWithParam<gfx_target> {
protected:
    timeline_sensitivity() : m(GetParam(), 1024) {
        m.set_s64(2, memory.address());
        m.fill(0, [](uint32_t l) { return 4 * l; });
        m.fill(1, [](uint32_t l) { return 16 * l; });
    }

    // Of each kernel, with the parameters that the machine has.
    std::vector<uint64_t> times() {
        const std::string load = "global_load_dwordx4 v[4:7], v1, s[2:3]\n";
        const std::string far = "v_add_u32 v1, 0x400, v1\n";
        const std::string back = "v_add_u32 v1, 0xffffc000, v1\n";
        const std::string wait = "s_waitcnt vmcnt(0)\n";
        const std::string mfma = "v_mfma_f32_32x32x8_f16 v[16:31], v[8:9], v[10:11], v[16:31]\n";
        const std::string other = "v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], v[32:47]\n";
        struct kernel {
            std::string source;
            size_t waves;
        };
        const kernel kernels[] = {
            // Vector instructions by their rates, and what depends on them.
            {"v_add_f32 v2, v2, v2\n v_add_f32 v2, v2, v2", 1},
            {"v_exp_f32 v2, v3\n v_exp_f32 v4, v5", 1},
            {"v_mul_lo_u32 v2, v3, v3\n v_mul_lo_u32 v4, v5, v5", 1},
            {"v_fma_f64 v[2:3], v[4:5], v[4:5], v[4:5]\n v_add_f64 v[6:7], v[4:5], v[4:5]", 1},
            {"v_rcp_f64 v[2:3], v[4:5]\n v_rcp_f64 v[6:7], v[4:5]", 1},
            // One wave for each unit of a SIMD and more.
            {"v_mov_b32 v2, 0\n s_mov_b32 s8, 0\n ds_read_b32 v2, v0\n" + load, 16},
            {mfma + mfma, 1},
            {mfma + other, 1},
            {mfma + "v_mov_b32 v2, 0\n", 1},
            {mfma + "s_nop 15\n s_nop 3\n v_mov_b32 v2, v16", 1},
            {repeated("v_mov_b32 v2, 0\n s_mov_b32 s8, 0", 4), 16},
            {"s_mov_b32 s8, 0\n s_add_u32 s8, s8, s8", 1},
            {"s_branch end\n s_nop 0\n end: s_nop 0", 1},
            {"s_barrier\n s_nop 0", 2},
            {"s_sleep 1\n s_nop 0", 1},
            // Scalar loads: a miss, a hit, two lines, many at once.
            {"s_load_dword s8, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_load_dword s8, s[2:3], 0x20\n"
             "s_waitcnt lgkmcnt(0)",
             1},
            {repeated("s_load_dword s8, s[2:3], 0x0", 8) + "s_waitcnt lgkmcnt(0)", 4},
            // LDS: reads and writes, of one pair of SIMDs and of all.
            {repeated("ds_read_b128 v[4:7], v1", 8) + "s_waitcnt lgkmcnt(0)", 2},
            {repeated("ds_read_b128 v[4:7], v1", 8) + "s_waitcnt lgkmcnt(0)", 8},
            {repeated("ds_write_b128 v1, v[4:7]", 8) + "s_waitcnt lgkmcnt(0)", 8},
            {"ds_read_b64 v[4:5], v0", 1},
            {"ds_write_b32 v0, v4", 1},
            {"ds_write_b64 v0, v[4:5]", 1},
            {"ds_read_b32 v4, v1", 1},
            // Memory: once from HBM, then from L1, and behind 16 KiB that L1 may not hold.
            {load + wait + load + wait, 1},
            {repeated("global_load_dword v4, v0, s[2:3]", 20) + wait, 4},
            {repeated(load, 20) + wait, 4},
            {repeated(load, 20) + repeated("v_add_f32 v2, v2, v2", 400), 1},
            {repeated(load + far, 16) + wait + back + repeated(load + far, 16) + wait, 1},
            {repeated("global_store_dwordx4 v1, v[4:7], s[2:3]", 20), 1},
            {repeated("global_store_dwordx4 v1, v[4:7], s[2:3]\n" + far, 16), 1},
        };
        std::vector<uint64_t> result;
        for (const kernel& k : kernels) {
            m.fill(1, [](uint32_t l) { return 16 * l; });
            result.push_back(m.clocks(k.source, k.waves));
        }
        return result;
    }

    void expect_an_effect(const timeline_parameter& row, uint32_t value) {
        const timeline_parameters before = m.p;
        const std::vector<uint64_t> expected = times();
        m.p.*row.member = value;
        EXPECT_NE(times(), expected)
            << row.name << " = " << value << " in place of " << before.*row.member;
        m.p = before;
    }

    device_bytes memory{1 << 20};
    recorded_machine m;
};
INSTANTIATE_TEST_SUITE_P(targets, timeline_sensitivity, testing::ValuesIn(both_targets),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(timeline_sensitivity, each_parameter_counts) {
    for (const timeline_parameter& row : timeline_parameter_table()) {
        // These are for the whole launch; test_timeline_report.cpp has their effects.
        if (row.name.starts_with("matrix_") || row.name == "launch_ns" ||
            row.name == "valu_power_percent") {
            continue;
        }
        // What other units and groups do, and code beyond its cache: test_timeline_model.cpp.
        if (row.name == "l2_channels" || row.name == "l2_channel_bytes" || row.name == "l2_hash" ||
            row.name == "overlap_rounds" || row.name.starts_with("icache_") ||
            row.name == "fetch_ahead_lines" || row.name.starts_with("fetch_") ||
            row.name == "dispatch_wave_clocks") {
            continue;
        }
        const timeline_parameters defaults = m.p;
        const uint32_t value = m.p.*row.member;
        const std::string_view name = row.name;
        uint32_t other = 3 * value + 40;
        if (name == "line_bytes" || name == "scalar_line_bytes") {
            other = value / 4;
        } else if (name == "issue_instructions" || name == "dies" || name == "outstanding_lines" ||
                   name == "vmem_queue" || name.ends_with("_bytes") ||
                   name.ends_with("_bytes_per_clock") || name.ends_with("_per_second")) {
            other = 1;
        }
        // A level counts where those before it do not hold the lines.
        if (name.starts_with("l2_") || name.starts_with("mall_") || name == "dies") {
            m.p.l1_bytes = m.p.line_bytes;
        }
        if (name.starts_with("mall_")) {
            m.p.l2_bytes = 1;
        }
        expect_an_effect(row, other);
        m.p = defaults;
    }
}

}  // namespace
}  // namespace emu
