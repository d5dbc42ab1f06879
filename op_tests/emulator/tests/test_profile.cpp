// profile/: figures of code whose counts are known by hand.
#include "profile/profile.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "docs.hpp"
#include "machine.hpp"

namespace emu {
namespace {

using testing::HasSubstr;
using address_of_lane = uint64_t (*)(uint32_t lane);

// A wave whose instructions are counted; the program lives as long as the counts refer to it.
class profiled_machine : public machine {
public:
    using machine::machine;

    void run_counted(const std::string& source) {
        const std::vector<std::byte>& bytes = assemble(target(), source + "\ns_endpgm\n");
        code_ = std::make_unique<program>(target(), bytes.data(), bytes.size(), base);
        counts = {};
        w().pc = base;
        w().status = wave_status::running;
        for (int executed = 0; w().status == wave_status::running; ++executed) {
            ASSERT_LT(executed, 100000) << "the instructions do not end";
            const instruction& i = code_->at(w().pc);
            counts.note(w(), i);
            step(w(), i);
            if (w().status != wave_status::ended) {
                w().status = wave_status::running;
            }
        }
    }

    profiled_launch launch() const {
        profiled_launch result;
        result.kernel = "k";
        result.arch = name_of(target());
        result.entry = base;
        result.groups = {1, 2, 3};
        result.threads = {64, 2, 1};
        result.vgprs = 40;
        result.agprs = 24;
        result.lds_bytes = 8192;
        result.limits = {.by_waves = 16, .by_registers = 12, .by_lds = 8};
        return result;
    }
    std::string json() const { return profile_json(counts, launch(), *code_); }
    std::string table() const { return profile_table(counts, launch(), *code_); }

    program& code() { return *code_; }

    profile_counts counts;

private:
    std::unique_ptr<program> code_;
};

void expect_bytes(const byte_counts& b, uint64_t read, uint64_t written, uint64_t atomic = 0) {
    EXPECT_EQ(b.read, read);
    EXPECT_EQ(b.written, written);
    EXPECT_EQ(b.atomic, atomic);
}

// ---- instructions ----

TEST(profile, instructions_by_class) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        device_bytes memory(4096);
        profiled_machine m(target, 1024);
        m.set_s64(2, memory.address());
        m.run_counted(
            "s_mov_b32 s8, 3\n"
            "loop:\n"
            "v_mov_b32 v0, 0\n"
            "v_add_f32 v1, 1.0, v0\n"
            "s_add_i32 s8, s8, -1\n"
            "s_cmp_lg_u32 s8, 0\n"
            "s_cbranch_scc1 loop\n"
            "s_load_dwordx2 s[4:5], s[2:3], 0x0\n"
            "s_waitcnt 0\n"
            "s_nop 0\n"
            "ds_write_b32 v0, v1\n"
            "global_load_dword v2, v0, s[2:3]\n"
            "s_mov_b32 m0, 0\n"
            "global_load_lds_dword v0, s[2:3]\n"
            "s_barrier\n"
            "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v0, a[0:3]\n");
        // s_mov_b32 twice; in the loop three times two each of v, s and a branch; s_endpgm.
        EXPECT_THAT(m.json(),
                    HasSubstr("\"instructions\":{\"total\":26,\"valu\":6,\"mfma\":1,\"salu\":8,"
                              "\"branch\":4,\"wait\":3,\"scalar\":1,\"lds\":1,\"to_lds\":1,"
                              "\"buffer\":0,\"global\":1,\"flat\":0,\"scratch\":0,\"other\":0}"));
        EXPECT_THAT(m.table(),
                    HasSubstr("valu                                         6   23.1 %"));
    }
}

TEST(profile, hottest_instructions) {
    profiled_machine m(gfx_target::gfx942);
    m.run_counted(
        "s_mov_b32 s8, 12\n"
        "hot:\n"
        "v_mov_b32 v0, 7\n"
        "s_add_i32 s8, s8, -1\n"
        "s_cmp_lg_u32 s8, 0\n"
        "s_cbranch_scc1 hot\n"
        "v_mfma_f32_32x32x2_f32 a[0:15], v0, v0, a[0:15]\n"
        "v_mov_b32 v1, 1\nv_mov_b32 v1, 2\nv_mov_b32 v1, 3\nv_mov_b32 v1, 4\nv_mov_b32 v1, 5\n");
    // 16 passes are 64 clocks, 12 times 4 are 48. Of equals the first ones, ten in all.
    const std::string json = m.json();
    EXPECT_THAT(json,
                HasSubstr("\"hottest\":[{\"offset\":20,\"instruction\":\"v_mfma_f32_32x32x2_f32"
                          " a[0:15], v0, v0, a[0:15]\",\"source\":\"\",\"executed\":1,"
                          "\"clocks\":64},{\"offset\":4,\"instruction\":\"v_mov_b32_e32 v0, 7\","
                          "\"source\":\"\",\"executed\":12,\"clocks\":48}"));
    EXPECT_THAT(json, HasSubstr("v_mov_b32_e32 v1, 4"));
    EXPECT_THAT(json, testing::Not(HasSubstr("v_mov_b32_e32 v1, 5")));
}

TEST(profile, lines_of_the_user) {
    const source_frame in_opus{"/opt/include/opus/opus.hpp", 4703};
    const source_frame deeper{"/opt/include/opus/hip_minimal.hpp", 8};
    const source_frame helper{"/home/me/opus/helper.hpp", 7};
    const source_frame kernel{"/home/me/a.hip", 12};
    EXPECT_EQ(frames_of_user({}), "");
    EXPECT_EQ(frames_of_user({kernel}), "/home/me/a.hip:12");
    EXPECT_EQ(frames_of_user({deeper, in_opus, kernel}), "/home/me/a.hip:12");
    EXPECT_EQ(frames_of_user({in_opus, helper, in_opus, kernel}),
              "/home/me/a.hip:12 > /home/me/opus/helper.hpp:7");
    EXPECT_EQ(frames_of_user({deeper, in_opus}), "/opt/include/opus/opus.hpp:4703");
    EXPECT_EQ(all_frames({}), "");
    EXPECT_EQ(all_frames({helper, kernel}), "/home/me/a.hip:12 > /home/me/opus/helper.hpp:7");
    EXPECT_EQ(all_frames({in_opus, kernel}), "/home/me/a.hip:12 (opus.hpp:4703)");
    EXPECT_EQ(all_frames({deeper, in_opus, in_opus, kernel}),
              "/home/me/a.hip:12 (opus.hpp:4703 > :4703 > hip_minimal.hpp:8)");
    EXPECT_EQ(all_frames({deeper, in_opus}), "/opt/include/opus/opus.hpp:4703 (hip_minimal.hpp:8)");
}

TEST(profile, what_is_not_there_is_not_said) {
    profiled_machine m(gfx_target::gfx942, 256);
    m.fill(0, 0);
    m.run_counted("ds_read_b32 v1, v0");
    EXPECT_THAT(m.table(), HasSubstr("40 v registers, 8192 bytes"));
    EXPECT_THAT(m.table(), testing::Not(HasSubstr("of those that are modelled")));
    EXPECT_THAT(m.table(), testing::Not(HasSubstr("hottest lines")));
    EXPECT_THAT(m.json(), HasSubstr("\"lds_conflicts\":{\"clocks\":0,\"complete\":true,"));
    EXPECT_THAT(m.json(), HasSubstr("\"worst\":[]}"));
    m.run_counted("ds_read_b32 v1, v0\n ds_write_b32 v0, v1\n v_accvgpr_write_b32 a3, v1");
    EXPECT_THAT(m.table(), HasSubstr("40 v and 24 a registers, 8192 bytes"));
    EXPECT_THAT(m.table(), HasSubstr("(modelled)                  0  of those that are modelled"));
    EXPECT_THAT(m.json(), HasSubstr("\"lds_conflicts\":{\"clocks\":0,\"complete\":false,"));
}

TEST(profile, sums_over_threads) {
    // Of two threads that execute the same, and of one whose program was decoded further.
    device_bytes memory(64 * 4);
    profiled_machine m(gfx_target::gfx942, 64 * 128);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.fill(1, [](uint32_t l) { return 4 * l; });
    m.w().scratch_per_lane = 16;
    m.w().scratch.resize(16 * lane_count);
    m.run_counted(
        "ds_read_b32 v4, v0\n ds_write_b64 v0, v[4:5]\n ds_add_u32 v1, v4\n"
        "global_load_dword v4, v1, s[2:3]\n global_store_short v1, v4, s[2:3]\n"
        "global_atomic_add v1, v4, s[2:3]\n s_load_dwordx2 s[8:9], s[2:3], 0x0\n"
        "scratch_store_dwordx2 off, v[4:5], off\n scratch_load_dword v4, off, off");
    profile_counts sum;
    sum.add(m.counts);
    sum.add({});
    sum.add(m.counts);
    expect_bytes(sum.lds(), 2 * 256, 2 * 512, 2 * 256);
    expect_bytes(sum.global(), 2 * 256, 2 * 128, 2 * 256);
    expect_bytes(sum.scratch(), 2 * 256, 2 * 512);
    EXPECT_EQ(sum.scalar_read(), 2u * 8);
    EXPECT_EQ(sum.global_lines(), 2u * 3 * 2);
    ASSERT_EQ(sum.instructions().size(), 10u);
    for (const instruction_counts& c : sum.instructions()) {
        EXPECT_EQ(c.executed, 2u) << c.i->text;
    }
    EXPECT_EQ(sum.instructions()[0].conflict_clocks, 2u * 2 * 31);
    profile_counts other;
    other.note(m.w(), m.code().decoded(0));
    other.add(sum);
    EXPECT_EQ(other.instructions()[0].executed, 3u);
    EXPECT_EQ(other.instructions()[9].executed, 2u);
}

// ---- bytes ----

TEST(profile, bytes_of_global_instructions) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        device_bytes memory(64 * 128);
        profiled_machine m(target, 4096);
        m.set_s64(2, memory.address());
        m.fill(0, [](uint32_t l) { return l * 16; });
        m.run_counted("global_load_dwordx4 v[4:7], v0, s[2:3]");
        expect_bytes(m.counts.global(), 1024, 0);
        EXPECT_EQ(m.counts.global_lines(), 8u);
        m.run_counted("global_load_ubyte v4, v0, s[2:3]\nglobal_load_short_d16_hi v4, v0, s[2:3]");
        expect_bytes(m.counts.global(), 64 * 3, 0);
        m.fill(0, [](uint32_t l) { return l * 128; });
        m.run_counted("global_load_dword v4, v0, s[2:3]");
        EXPECT_EQ(m.counts.global_lines(), 64u);
        // 4 bytes from byte 126 on lie in two lines.
        m.fill(0, 126);
        m.run_counted("global_load_dword v4, v0, s[2:3]");
        EXPECT_EQ(m.counts.global_lines(), 2u);
        m.fill(0, [](uint32_t l) { return l * 8; });
        m.set_exec(0xff);
        m.run_counted("global_store_short v0, v4, s[2:3]\nglobal_store_dwordx3 v0, v[4:6], s[2:3]");
        expect_bytes(m.counts.global(), 0, 8 * (2 + 12));
        m.run_counted(
            "global_atomic_add v0, v4, s[2:3]\n"
            "global_atomic_add_x2 v[6:7], v0, v[4:5], s[2:3] sc0");
        expect_bytes(m.counts.global(), 0, 0, 8 * (4 + 8));
        EXPECT_EQ(m.counts.global_lines(), 2u);
        // A 64-bit address in registers.
        m.fill(8, static_cast<uint32_t>(memory.address()));
        m.fill(9, static_cast<uint32_t>(memory.address() >> 32));
        m.run_counted("global_load_dword v4, v[8:9], off offset:126");
        expect_bytes(m.counts.global(), 32, 0);
        EXPECT_EQ(m.counts.global_lines(), 2u);
    }
}

// Of the 128 that a wave has here.
TEST(profile, bytes_of_addresses_in_the_last_registers) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        device_bytes memory(256);
        profiled_machine m(target, 256);
        for (uint32_t l = 0; l < 64; ++l) {
            m.v(126)[l] = static_cast<uint32_t>(memory.address() + 4 * l);
            m.v(127)[l] = static_cast<uint32_t>(memory.address() >> 32);
        }
        m.run_counted("global_load_dword v4, v[126:127], off");
        expect_bytes(m.counts.global(), 256, 0);
        m.fill(127, [](uint32_t l) { return l * 4; });
        m.run_counted("ds_read_b32 v4, v127");
        expect_bytes(m.counts.lds(), 256, 0);
    }
}

TEST(profile, bytes_of_buffers_end_at_their_range) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        device_bytes memory(4096);
        profiled_machine m(target, 4096);
        m.set_s64(4, memory.address());
        m.s(6) = 10 * 16 + 11;  // ten lanes and two dwords of the eleventh
        m.s(7) = 0;
        m.s(8) = 0;
        m.fill(0, [](uint32_t l) { return l * 16; });
        m.run_counted("buffer_load_dwordx4 v[4:7], v0, s[4:7], s8 offen");
        expect_bytes(m.counts.global(), 168, 0);
        m.run_counted("buffer_store_dwordx2 v[4:5], v0, s[4:7], s8 offen offset:8");
        expect_bytes(m.counts.global(), 0, 10 * 8);
        m.run_counted("buffer_load_dword v4, off, s[4:7], s8");
        expect_bytes(m.counts.global(), 256, 0);
        m.s(8) = 0x1000;
        m.run_counted("buffer_load_dword v4, off, s[4:7], s8");
        expect_bytes(m.counts.global(), 0, 0);
        EXPECT_EQ(m.counts.global_lines(), 0u);
        // Loads to LDS: what is out of range arrives as zeros, a byte as a dword.
        m.s(8) = 0;
        m.run_counted("s_mov_b32 m0, 0\nbuffer_load_ubyte v0, s[4:7], s8 offen lds");
        expect_bytes(m.counts.global(), 11, 0);
        expect_bytes(m.counts.lds(), 0, 256);
        // Records: 40 have an index in range. Swizzled, the same field of all lies together.
        m.s(5) |= 16u << 16;
        m.s(6) = 40;
        m.fill(0, [](uint32_t l) { return l; });
        m.run_counted("buffer_load_dword v4, v0, s[4:7], s8 idxen offset:8");
        expect_bytes(m.counts.global(), 160, 0);
        EXPECT_EQ(m.counts.global_lines(), 5u);
        m.s(5) |= 1u << 31;
        m.s(7) = 3u << 21;  // 64 records
        m.run_counted("buffer_load_dword v4, v0, s[4:7], s8 idxen offset:8");
        expect_bytes(m.counts.global(), 160, 0);
        EXPECT_EQ(m.counts.global_lines(), 2u);
    }
}

TEST(profile, bytes_of_scalar_scratch_and_flat_instructions) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        device_bytes memory(4096);
        profiled_machine m(target, 1024);
        m.set_s64(2, memory.address());
        m.run_counted("s_load_dwordx8 s[8:15], s[2:3], 0x0\ns_load_dword s4, s[2:3], 0x4");
        EXPECT_EQ(m.counts.scalar_read(), 36u);
        expect_bytes(m.counts.global(), 0, 0);
        m.w().scratch_per_lane = 64;
        m.w().scratch.resize(64 * lane_count);
        m.run_counted("scratch_store_dwordx2 off, v[4:5], off\nscratch_load_dword v4, off, off");
        expect_bytes(m.counts.scratch(), 256, 512);
        // Lanes 0 to 9 of LDS, 10 to 29 of scratch, the others of global memory.
        const auto part = [&](uint32_t l) {
            return (l < 10   ? shared_aperture
                    : l < 30 ? private_aperture
                             : memory.address()) +
                   8 * (l % 8);
        };
        m.fill(0, [&](uint32_t l) { return static_cast<uint32_t>(part(l)); });
        m.fill(1, [&](uint32_t l) { return static_cast<uint32_t>(part(l) >> 32); });
        m.run_counted("flat_load_dwordx2 v[4:5], v[0:1]");
        expect_bytes(m.counts.lds(), 80, 0);
        expect_bytes(m.counts.scratch(), 160, 0);
        expect_bytes(m.counts.global(), 34 * 8, 0);
    }
}

TEST(profile, bytes_of_lds_instructions) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        profiled_machine m(target, 65536);
        m.fill(0, [](uint32_t l) { return l * 16; });
        struct row {
            const char* source;
            byte_counts bytes;
        };
        const row rows[] = {
            {"ds_read_b128 v[4:7], v0", {1024, 0, 0}},
            {"ds_read_u8_d16_hi v4, v0", {64, 0, 0}},
            {"ds_read_b96 v[4:6], v0", {768, 0, 0}},
            {"ds_write_b16 v0, v4", {0, 128, 0}},
            {"ds_write_b64 v0, v[4:5]", {0, 512, 0}},
            {"ds_read2_b64 v[4:7], v0 offset1:1", {1024, 0, 0}},
            {"ds_write2st64_b32 v0, v4, v5 offset1:1", {0, 512, 0}},
            {"ds_add_u32 v0, v4", {0, 0, 256}},
            {"ds_add_rtn_u64 v[4:5], v0, v[6:7]", {0, 0, 512}},
            {"ds_bpermute_b32 v4, v0, v5", {0, 0, 0}},
            {"ds_swizzle_b32 v4, v5 offset:swizzle(SWAP,1)", {0, 0, 0}},
        };
        for (const row& r : rows) {
            SCOPED_TRACE(r.source);
            m.run_counted(r.source);
            expect_bytes(m.counts.lds(), r.bytes.read, r.bytes.written, r.bytes.atomic);
            expect_bytes(m.counts.global(), 0, 0);
        }
    }
    profiled_machine m(gfx_target::gfx950, 4096);
    m.fill(0, [](uint32_t l) { return l * 16; });
    m.run_counted("ds_read_b64_tr_b16 v[4:5], v0\nds_read_b96_tr_b6 v[6:8], v0");
    expect_bytes(m.counts.lds(), 64 * (8 + 12), 0);
}

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [&](std::string_view s) { return text.starts_with(s); });
}

// The width of an access by its mnemonic, for all of them: what handlers know by their template.
TEST(profile, every_memory_instruction_has_a_width) {
    const std::vector<std::string> without = {"buffer_inv", "buffer_wbl2",    "ds_bpermute_b32",
                                              "ds_nop",     "ds_permute_b32", "ds_swizzle_b32"};
    for (const gfx_target target : both_targets) {
        std::vector<std::string> found_without;
        for (const std::string& name : implemented_mnemonics(target)) {
            instruction i;
            i.target = target;
            parse_instruction(i, name);
            const access_plan& plan = i.access;
            if (!starts_with_one_of(name, {"ds_", "buffer_", "global_", "flat_", "scratch_",
                                           "s_load_", "s_buffer_load_"})) {
                EXPECT_EQ(plan.kind, address_kind::none) << name;
                continue;
            }
            if (plan.kind == address_kind::none) {
                found_without.push_back(name);
                continue;
            }
            EXPECT_THAT((std::vector<int>{1, 2, 4, 8, 12, 16, 32, 64}),
                        testing::Contains(plan.bytes))
                << name;
            EXPECT_EQ(plan.addresses == 2,
                      starts_with_one_of(name, {"ds_read2", "ds_write2", "ds_wrxchg2"}))
                << name;
            // What is no atomic says so; stores and ds_write are writes.
            const bool is_plain = starts_with_one_of(name, {"ds_read", "ds_write", "s_"}) ||
                                  name.find("_load_") != std::string::npos ||
                                  name.find("_store_") != std::string::npos;
            EXPECT_EQ(plan.use != access_use::atomic, is_plain) << name;
            EXPECT_EQ(plan.use == access_use::write,
                      name.starts_with("ds_write") || name.find("_store_") != std::string::npos)
                << name;
        }
        EXPECT_EQ(found_without, without);
    }
}

// ---- bank conflicts ----

struct conflict_case {
    const char* source;
    address_of_lane address;
    uint32_t gfx942;
    uint32_t gfx950;
    uint64_t exec = ~uint64_t{0};
};

uint64_t stride_4(uint32_t l) {
    return 4 * l;
}
uint64_t stride_8(uint32_t l) {
    return 8 * l;
}
uint64_t stride_12(uint32_t l) {
    return 12 * l;
}
uint64_t stride_16(uint32_t l) {
    return 16 * l;
}
uint64_t stride_128(uint32_t l) {
    return 128 * l;
}
uint64_t stride_256(uint32_t l) {
    return 256 * l;
}
uint64_t same(uint32_t) {
    return 64;
}
// Eight pieces of 16 bytes in a row, of which row 2 has its halves exchanged: no conflict between
// eight lanes that follow each other, but lanes 20 to 23 are in the way of lanes 0 to 3.
uint64_t exchanged(uint32_t l) {
    return 16 * (l ^ (l / 8 == 2 ? 4 : 0));
}

constexpr uint32_t unknown = ~0u;

// For each phase: lanes that share the fullest bank, less one.
constexpr conflict_case conflict_cases[] = {
    {"ds_read_b32 v4, v0", stride_4, 0, 0},
    {"ds_read_b32 v4, v0", same, 0, 0},
    {"ds_read_b32 v4, v0", stride_8, 2 * 1, 2 * 1},
    {"ds_read_b32 v4, v0", stride_128, 2 * 31, 2 * 31},
    {"ds_read_b32 v4, v0", stride_128, 1, 1, 0x5},
    {"ds_read_b32 v4, v0", stride_128, 0, 0, 0x100000001},
    {"ds_read_b64 v[4:5], v0", stride_8, 0, 0},
    {"ds_read_b64 v[4:5], v0", stride_16, 4 * 1, 2 * 1},
    {"ds_read_b64 v[4:5], v0", stride_128, 4 * 15, 2 * 15},
    {"ds_read_b64 v[4:5], v0", stride_256, 4 * 15, 2 * 31},
    {"ds_read_b128 v[4:7], v0", stride_16, 0, 0},
    {"ds_read_b128 v[4:7], v0", stride_128, 8 * 7, 4 * 7},
    {"ds_read_b128 v[4:7], v0", stride_256, 8 * 7, 4 * 15},
    {"ds_read_b128 v[4:7], v0", exchanged, 2, 2},
    {"ds_read_b96 v[4:6], v0", stride_16, unknown, 0},
    {"ds_read_b96 v[4:6], v0", stride_12, unknown, 8 * 1},
    {"ds_write_b64 v0, v[4:5]", stride_8, unknown, 0},
    {"ds_write_b64 v0, v[4:5]", stride_16, unknown, 4 * 1},
    {"ds_write_b64 v0, v[4:5]", stride_128, unknown, 4 * 15},
    {"ds_write_b128 v0, v[4:7]", exchanged, 0, 0},
    {"ds_write_b128 v0, v[4:7]", stride_128, 8 * 7, 8 * 7},
    {"ds_write_b32 v0, v4", stride_128, unknown, unknown},
    {"ds_add_u32 v0, v4", stride_128, unknown, unknown},
};

TEST(profile, bank_conflicts) {
    for (const gfx_target target : both_targets) {
        profiled_machine m(target, 65536);
        for (const conflict_case& c : conflict_cases) {
            SCOPED_TRACE(name_of(target));
            SCOPED_TRACE(c.source);
            SCOPED_TRACE(c.address(1));
            m.fill(0, [&](uint32_t l) { return static_cast<uint32_t>(c.address(l)); });
            m.set_exec(c.exec);
            m.run_counted(c.source);
            const instruction_counts& counts = m.counts.instructions()[0];
            const uint32_t expected = target == gfx_target::gfx942 ? c.gfx942 : c.gfx950;
            EXPECT_EQ(counts.rule == nullptr, expected == unknown);
            if (expected != unknown) {
                EXPECT_EQ(counts.conflict_clocks, expected);
            }
        }
    }
}

TEST(profile, how_sure_the_phases_are) {
    for (const gfx_target target : both_targets) {
        SCOPED_TRACE(name_of(target));
        profiled_machine m(target, 65536);
        m.fill(0, [](uint32_t l) { return l * 128; });
        m.run_counted(
            "ds_read_b64 v[4:5], v0\nds_write_b32 v0, v4\nds_write_b128 v0, v[4:7]\n"
            "ds_read_b64 v[4:5], v0");
        const bool is_942 = target == gfx_target::gfx942;
        const std::string json = m.json();
        EXPECT_THAT(json, HasSubstr(is_942 ? "\"lds_conflicts\":{\"clocks\":176,"
                                           : "\"lds_conflicts\":{\"clocks\":116,"));
        EXPECT_THAT(json, HasSubstr(is_942 ? "\"ds_read_b64\":{\"executed\":2,\"clocks\":120,"
                                             "\"phases\":\"inferred\"}"
                                           : "\"ds_read_b64\":{\"executed\":2,\"clocks\":60,"
                                             "\"phases\":\"measured\"}"));
        EXPECT_THAT(json, HasSubstr(is_942 ? "\"ds_write_b128\":{\"executed\":1,\"clocks\":56,"
                                             "\"phases\":\"documented\"}"
                                           : "\"ds_write_b128\":{\"executed\":1,\"clocks\":56,"
                                             "\"phases\":\"inferred\"}"));
        EXPECT_THAT(json, HasSubstr("\"ds_write_b32\":{\"executed\":1,\"clocks\":null,"
                                    "\"phases\":\"unknown\"}"));
        // By instruction: the worst comes first.
        EXPECT_THAT(json,
                    HasSubstr(is_942 ? "\"worst\":[{\"offset\":0," : "\"worst\":[{\"offset\":16,"));
        EXPECT_THAT(m.table(), HasSubstr("-  1 executed, phases not known"));
    }
}

// ---- matrix instructions ----

uint32_t clocks(gfx_target target, const std::string& mnemonic, const std::string& modifiers = "") {
    instruction i;
    i.target = target;
    parse_instruction(i, mnemonic + modifiers);
    return 4u * i.hazards.passes;
}

TEST(profile, matrix_instructions_all_have_clocks) {
    for (const gfx_target target : both_targets) {
        int count = 0;
        for (const std::string& name : implemented_mnemonics(target)) {
            const bool is_mfma = name.starts_with("v_mfma_");
            EXPECT_EQ(clocks(target, name) != 0, is_mfma) << name_of(target) << ' ' << name;
            EXPECT_EQ(clocks(target, name + "_"), 0u);
            count += is_mfma;
        }
        EXPECT_GE(count, 30);
    }
}

TEST(profile, clocks_of_matrix_instructions) {
    const auto both = [](const char* name, uint32_t gfx942, uint32_t gfx950) {
        EXPECT_EQ(clocks(gfx_target::gfx942, name), gfx942) << name;
        EXPECT_EQ(clocks(gfx_target::gfx950, name), gfx950) << name;
    };
    both("v_mfma_f64_16x16x4_f64", 32, 64);
    both("v_mfma_f64_4x4x4_4b_f64", 16, 16);
    both("v_mfma_f32_32x32x8_f16", 32, 32);
    both("v_mfma_f32_16x16x16_bf16", 16, 16);
    both("v_mfma_f32_32x32x2_f32", 64, 64);
    both("v_mfma_f32_16x16x4_f32", 32, 32);
    both("v_mfma_f32_4x4x4_16b_f16", 8, 8);
    both("v_mfma_i32_32x32x4_2b_i8", 64, 64);
    both("v_mfma_f32_16x16x8_xf32", 16, 0);
    both("v_mfma_f32_16x16x32_f16", 0, 16);
    both("v_mfma_f32_32x32x16_fp8_bf8", 32, 32);
    both("v_mfma_f32_32x32x16_bf16", 0, 32);
    for (const std::string name :
         {"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4"}) {
        const uint32_t fast = name.find("16x16") != std::string::npos ? 16 : 32;
        for (int a = 0; a <= 4; ++a) {
            for (int b = 0; b <= 4; ++b) {
                const std::string formats =
                    " cbsz:" + std::to_string(a) + " blgp:" + std::to_string(b);
                EXPECT_EQ(clocks(gfx_target::gfx950, name, formats),
                          a < 2 || b < 2 ? 2 * fast : fast);
            }
        }
    }
}

// As the table of the header's instructions has them, which is written from the header.
TEST(profile, passes_of_the_docs) {
    constexpr const char* head =
        "| alias | A and B | elements of A, B | of C | passes gfx942 | gfx950 | flops gfx942 | "
        "gfx950 |";
    int count = 0;
    for (const std::vector<std::string>& row : table_of_docs(head, "matrix-cores.md")) {
        const std::string& names = row.at(0);
        for (size_t from = names.find("mfma_"); from != std::string::npos;
             from = names.find("mfma_", from + 1)) {
            const std::string name = names.substr(from, names.find('`', from) - from);
            if (name.find("f8f6f4") != std::string::npos) {
                continue;  // by the formats, above
            }
            for (const gfx_target target : both_targets) {
                const std::string& passes = row.at(target == gfx_target::gfx942 ? 4 : 5);
                const uint32_t expected =
                    passes.empty() ? 0 : 4 * static_cast<uint32_t>(std::stoi(passes));
                EXPECT_EQ(clocks(target, "v_" + name), expected) << name_of(target) << ' ' << name;
            }
            ++count;
        }
    }
    EXPECT_EQ(count, 38);
}

TEST(profile, share_of_matrix_instructions) {
    profiled_machine m(gfx_target::gfx950);
    m.run_counted(
        "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]\n"
        "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[32:37], v[40:43], v[0:3] cbsz:2 blgp:4\n"
        "v_mov_b32 v0, 0\n");
    // 64 + 16 clocks, 4 each for v_mov_b32 and s_endpgm.
    EXPECT_THAT(m.json(), HasSubstr("\"mfma\":{\"instructions\":2,\"clocks\":80,\"all_clocks\":88,"
                                    "\"share\":0.909091}"));
    EXPECT_THAT(m.table(), HasSubstr("80  of 88, share 90.9 %"));
}

// ---- the rest of the report ----

TEST(profile, occupancy_and_dimensions) {
    profiled_machine m(gfx_target::gfx942);
    m.run_counted("s_nop 0");
    // 8 groups of 2 waves on 4 SIMDs.
    EXPECT_THAT(m.json(), HasSubstr("\"occupancy\":{\"waves_per_simd\":4.00,\"groups_per_cu\":8,"
                                    "\"limited_by\":\"lds\",\"vgprs\":40,\"agprs\":24,"
                                    "\"lds_bytes\":8192}"));
    EXPECT_THAT(
        m.json(),
        HasSubstr("{\"kernel\":\"k\",\"symbol\":\"k\",\"arch\":\"gfx942\",\"groups\":[1,2,3],"
                  "\"threads\":[64,2,1],"));
    EXPECT_THAT(m.table(), HasSubstr("4.00  waves on a SIMD, 8 groups on a CU; limited by lds"));
    EXPECT_THAT(m.table(),
                testing::StartsWith("opus emulator: profile of k on gfx942: 1 x 2 x 3 groups of "
                                    "64 x 2 x 1\n"));
    EXPECT_THAT(m.table(), HasSubstr("\n  hottest instructions              clocks (model)        "
                                     "executed\n    +0x0 "));
}

TEST(profile, what_limits_occupancy) {
    profiled_machine m(gfx_target::gfx942);
    m.run_counted("s_nop 0");
    const struct {
        group_limits limits;
        std::array<uint32_t, 3> threads;
        const char* text;
    } rows[] = {
        {{.by_waves = 9, .by_registers = 4, .by_lds = 8, .by_sgprs = 8},
         {64, 1, 1},
         "1.00  waves on a SIMD, 4 groups on a CU; limited by registers\n"},
        {{.by_waves = 9, .by_registers = 8, .by_lds = 8, .by_sgprs = 7},
         {65, 1, 1},
         "3.50  waves on a SIMD, 7 groups on a CU; limited by scalar registers\n"},
        {{.by_waves = 8, .by_registers = 9, .by_lds = 9, .by_sgprs = 9},
         {63, 1, 1},
         "2.00  waves on a SIMD, 8 groups on a CU; limited by waves\n"},
        {{.by_waves = 2, .by_registers = 2, .by_lds = 2, .by_sgprs = 2},
         {8, 8, 4},
         "2.00  waves on a SIMD, 2 groups on a CU; limited by registers, scalar registers, lds, "
         "waves\n"},
    };
    for (const auto& [limits, threads, text] : rows) {
        profiled_launch launch = m.launch();
        launch.limits = limits;
        launch.threads = threads;
        EXPECT_THAT(profile_table(m.counts, launch, m.code()), HasSubstr(text));
    }
}

TEST(profile, what_is_not_said_is_nothing) {
    const profiled_launch launch;
    EXPECT_EQ(launch.entry + launch.vgprs + launch.agprs + launch.lds_bytes, 0u);
    EXPECT_STREQ(launch.arch, "");
    const instruction_counts counts;
    EXPECT_EQ(counts.i, nullptr);
    EXPECT_EQ(counts.rule, nullptr);
    EXPECT_EQ(counts.executed + counts.conflict_clocks + counts.mfma_clocks, 0u);
}

TEST(profile, a_timeline_is_a_member) {
    profiled_machine m(gfx_target::gfx942);
    m.run_counted("s_nop 0");
    EXPECT_THAT(profile_json(m.counts, m.launch(), m.code(), "{\"a\":1}"),
                testing::EndsWith("]},\"timeline\":{\"a\":1}}\n"));
    EXPECT_THAT(m.json(), testing::EndsWith("]}}\n"));
    EXPECT_THAT(m.json(), testing::Not(HasSubstr("timeline")));
}

TEST(profile, names_are_quoted) {
    profiled_machine m(gfx_target::gfx942);
    m.run_counted("s_nop 0");
    profiled_launch launch = m.launch();
    launch.kernel = "a\"b\\c\x01 \x1f~";
    EXPECT_THAT(profile_json(m.counts, launch, m.code()),
                HasSubstr("\"symbol\":\"a\\\"b\\\\c\\u0001 \\u001f~\","));
}

// Every instruction belongs to one class, by what executes it.
TEST(profile, classes_of_instructions) {
    const std::pair<const char*, std::vector<const char*>> classes[] = {
        {"valu", {"v_mov_b32 v0, v1", "v_cmp_eq_u32 vcc, v0, v1", "v_readlane_b32 s0, v0, 1"}},
        {"mfma", {"v_mfma_f32_4x4x4_16b_f16 v[0:3], v[4:5], v[6:7], 0"}},
        {"salu",
         {"s_mov_b32 s0, 0", "s_add_u32 s0, s0, 1", "s_cmp_eq_u32 s0, 1", "s_setprio 1",
          "s_cselect_b32 s0, 1, 2"}},
        {"branch",
         {"s_branch 0", "s_cbranch_scc1 0", "s_setpc_b64 s[0:1]", "s_swappc_b64 s[0:1], s[2:3]",
          "s_call_b64 s[0:1], 0", "s_endpgm"}},
        {"wait", {"s_waitcnt vmcnt(0)", "s_barrier", "s_nop 0", "s_sleep 1"}},
        {"scalar",
         {"s_load_dword s4, s[0:1], 0x0", "s_buffer_load_dword s4, s[0:3], 0x0", "s_memtime s[4:5]",
          "s_dcache_inv"}},
        {"lds", {"ds_read_b32 v0, v1", "ds_write_b64 v1, v[2:3]"}},
        {"to_lds",
         {"buffer_load_dword v1, s[0:3], 0 offen lds", "global_load_lds_dword v1, s[0:1]",
          "global_load_lds_dword v[2:3], off"}},
        {"buffer", {"buffer_load_dword v0, v1, s[0:3], 0 offen", "buffer_inv sc1"}},
        {"global", {"global_load_dword v0, v1, s[0:1]", "global_atomic_add v1, v0, s[0:1]"}},
        {"flat", {"flat_load_dword v0, v[2:3]"}},
        {"scratch", {"scratch_load_dword v0, v1, off"}},
    };
    for (const gfx_target target : both_targets) {
        profiled_machine m(target);
        size_t total = 0;
        std::string source;
        for (const auto& [name, instructions] : classes) {
            for (const char* text : instructions) {
                source += std::string(text) + "\n";
            }
        }
        const std::vector<std::byte>& bytes = assemble(target, source);
        program code(target, bytes.data(), bytes.size(), machine::base);
        uint64_t pc = machine::base;
        m.set_exec(0);
        for (const auto& [name, instructions] : classes) {
            for (size_t n = 0; n < instructions.size(); ++n) {
                const instruction& i = code.at(pc);
                ASSERT_EQ(i.problem, "") << i.text;
                m.counts.note(m.w(), i);
                pc += i.size;
                ++total;
            }
        }
        std::string wanted = "\"instructions\":{\"total\":" + std::to_string(total);
        const std::string table = profile_table(m.counts, m.launch(), code);
        EXPECT_THAT(table, HasSubstr("profile of k on " + std::string(name_of(target)) +
                                     ": 1 x 2 x 3 groups of 64 x 2 x 1\n"));
        for (const auto& [name, instructions] : classes) {
            wanted += std::string(",\"") + name + "\":" + std::to_string(instructions.size());
            char line[80];
            std::snprintf(
                line, sizeof line, "\n    %-30s %15zu %6.1f %%\n", name, instructions.size(),
                100.0 * static_cast<double>(instructions.size()) / static_cast<double>(total));
            EXPECT_THAT(table, HasSubstr(line));
        }
        EXPECT_THAT(profile_json(m.counts, m.launch(), code),
                    HasSubstr(wanted + ",\"other\":0},\"global_bytes\""));
        EXPECT_THAT(table, testing::Not(HasSubstr("    other ")));
    }
}

// What each member of the object is called, with bytes of every kind of memory.
TEST(profile, every_count_is_reported) {
    profiled_machine m(gfx_target::gfx942, 4096);
    const device_bytes memory(8192);
    m.set_s64(0, memory.address());
    m.fill(1, [](uint32_t l) { return 4 * l; });
    m.fill(3, [](uint32_t l) { return 8 * l; });
    m.w().scratch_per_lane = 16;
    m.w().scratch.resize(16 * lane_count);
    m.run_counted(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\n global_load_dword v2, v1, s[0:1]\n"
        "global_store_dwordx2 v3, v[4:5], s[0:1]\n global_atomic_add v1, v6, s[0:1]\n"
        "ds_write_b32 v1, v6\n ds_read_b64 v[8:9], v3\n ds_add_u32 v1, v6\n"
        "scratch_store_dwordx3 off, v[4:6], off\n scratch_load_dword v7, off, off");
    const std::string json = m.json();
    for (const char* member :
         {"\"kernel\":\"k\",\"symbol\":\"k\",\"arch\":\"gfx942\",\"groups\":[1,2,3],\"threads\":"
          "[64,2,1],",
          "\"global_bytes\":{\"read\":256,\"written\":512,\"atomic\":256},",
          "\"scalar_bytes\":{\"read\":8,\"written\":0,\"atomic\":0},",
          "\"lds_bytes\":{\"read\":512,\"written\":256,\"atomic\":256},",
          "\"scratch_bytes\":{\"read\":256,\"written\":768,\"atomic\":0},", "\"global_lines\":8}",
          "\"vgprs\":40,\"agprs\":24,\"lds_bytes\":8192}"}) {
        EXPECT_THAT(json, HasSubstr(member));
    }
    const std::string table = m.table();
    const auto row = [](const char* name, int read, int written, int atomic) {
        char line[100];
        std::snprintf(line, sizeof line, "    %-30s %15d %15d %15d\n", name, read, written, atomic);
        return std::string(line);
    };
    EXPECT_THAT(table, HasSubstr(row("global memory", 256, 512, 256)));
    EXPECT_THAT(table, HasSubstr(row("global memory, scalar", 8, 0, 0)));
    EXPECT_THAT(table, HasSubstr(row("LDS", 512, 256, 256)));
    EXPECT_THAT(table, HasSubstr(row("scratch", 256, 768, 0)));
    EXPECT_THAT(table, HasSubstr("lines of 128 bytes (counted)                   8\n"));
    EXPECT_THAT(table, HasSubstr("    40 v registers, 8192 bytes of LDS\n")) << "no a register";
}

}  // namespace
}  // namespace emu
