// launch/products.hpp: what matrix instructions leave where nothing is multiplied.
#include "launch/products.hpp"
#include "machine.hpp"

namespace emu {
namespace {

class timeline_only : public testing::TestWithParam<gfx_target> {
protected:
    timeline_only() {
        for (int r = 0; r < 64; ++r) {
            for (uint32_t l = 0; l < lane_count; ++l) {
                m.v(r)[l] = value(r, l);
                m.a(r)[l] = ~value(r, l);
            }
        }
    }
    static uint32_t value(int reg, uint32_t lane) { return static_cast<uint32_t>(reg) << 8 | lane; }

    void leave_out(const std::string& source) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source);
        program code(m.target(), bytes.data(), bytes.size(), machine::base);
        const instruction& i = code.at(machine::base);
        ASSERT_TRUE(is_product(i)) << source;
        leave_out_product(m.w(), i);
    }
    void expect_v(int reg, uint32_t of_lane_0, uint32_t of_lane_63) {
        EXPECT_EQ(m.v(reg)[0], of_lane_0) << "v" << reg;
        EXPECT_EQ(m.v(reg)[63], of_lane_63) << "v" << reg;
    }

    machine m{GetParam()};
};

TEST_P(timeline_only, d_is_c) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[16:19]");
    for (int n = 0; n < 4; ++n) {
        expect_v(8 + n, value(16 + n, 0), value(16 + n, 63));
    }
    expect_v(7, value(7, 0), value(7, 63));
    expect_v(12, value(12, 0), value(12, 63));
    leave_out("v_mfma_f32_16x16x16_f16 a[20:23], v[0:1], v[2:3], a[4:7]");
    EXPECT_EQ(m.a(23)[63], ~value(7, 63));
    leave_out("v_mfma_f32_16x16x16_f16 a[4:7], v[0:1], v[2:3], a[4:7]");
    EXPECT_EQ(m.a(4)[9], ~value(4, 9));
}

TEST_P(timeline_only, c_is_a_constant) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 0");
    expect_v(8, 0, 0);
    expect_v(11, 0, 0);
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 1.0");
    expect_v(11, bits(1.0f), bits(1.0f));
    leave_out("v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], 1.0");
    expect_v(14, 0, 0);
    expect_v(15, 0x3ff00000, 0x3ff00000);
}

TEST_P(timeline_only, c_and_d_overlap) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[10:13]");
    expect_v(8, value(10, 0), value(10, 63));
    expect_v(11, value(13, 0), value(13, 63));
    leave_out("v_mfma_f32_16x16x16_f16 v[24:27], v[0:1], v[2:3], v[22:25]");
    expect_v(24, value(22, 0), value(22, 63));
    expect_v(27, value(25, 0), value(25, 63));
}

TEST_P(timeline_only, other_instructions_are_executed) {
    for (const char* source : {"v_add_u32 v0, v1, v2", "v_dot2_f32_f16 v0, v1, v2, v3",
                               "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12"}) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source);
        program code(m.target(), bytes.data(), bytes.size(), machine::base);
        EXPECT_FALSE(is_product(code.at(machine::base))) << source;
    }
}

INSTANTIATE_TEST_SUITE_P(targets, timeline_only, testing::ValuesIn(both_targets),
                         [](const auto& p) { return name_of(p.param); });

}  // namespace
}  // namespace emu
