// What the emulator's profile says of the examples: bytes that move, and LDS without bank
// conflicts. Where they run on a GPU there is no profile, and nothing is tested.
#include <array>
#include <regex>
#include <sstream>

#include "../codegen/pins.hpp"
#include "common/device.hpp"
#include "run_example.hpp"
#include "small.hpp"

namespace {

using examples_test::contents;
using examples_test::outcome;
using examples_test::part;
using examples_test::takes;
namespace fs = std::filesystem;

struct profile {
    std::string json;

    // The first number behind `"name":`.
    double number(const std::string& name) const {
        const std::string key = "\"" + name + "\":";
        const size_t at = json.find(key);
        EXPECT_NE(at, std::string::npos) << name << " in " << json;
        return at == std::string::npos ? -1 : std::atof(json.c_str() + at + key.size());
    }
    profile member(const std::string& name) const {
        const size_t at = json.find("\"" + name + "\":");
        EXPECT_NE(at, std::string::npos) << name << " in " << json;
        return {at == std::string::npos ? "" : json.substr(at)};
    }
};

class profiles : public examples_test::in_directory {
protected:
    void SetUp() override {
        in_directory::SetUp();
        if (!examples::is_emulated()) {
            GTEST_SKIP() << "no emulator, no profile";
        }
    }

    // The profiles of the example's launches of kernels with `kernel` in their names; `arguments`
    // are followed by --verify 0 if nothing is to be compared.
    std::vector<profile> run_with_profiles(const std::string& program, const std::string& arguments,
                                           const std::string& kernel, bool verify = false) {
        result = run(program, arguments + (verify ? "" : " --verify 0"),
                     {{"OPUS_EMU_PROFILE", "json"}, {"OPUS_EMU_PROFILE_FILE", "profile"}});
        EXPECT_EQ(result.status, 0) << arguments << "\n" << result.out << result.err;
        std::istringstream lines(contents(directory / "profile"));
        std::vector<profile> launches;
        for (std::string line; std::getline(lines, line);) {
            if (line.find(kernel) != std::string::npos) {
                launches.push_back({line});
            }
        }
        fs::remove(directory / "profile");
        return launches;
    }

    // That of the last one.
    profile run_with_profile(const std::string& program, const std::string& arguments) {
        const std::vector<profile> launches = run_with_profiles(program, arguments, "_kernel");
        EXPECT_FALSE(launches.empty()) << arguments;
        return launches.empty() ? profile{} : launches.back();
    }

    void move_the_least_of_rmsnorm_quant(part of);
    void print_tables_of_kernels(part of);

    outcome result;
};

class profiles_rest : public profiles {};

class gemm_skinny_profile : public profiles {
protected:
    // Of a launch, in bytes; that gemm_skinny counts as many itself is checked.
    double check_moved_bytes(const std::string& arguments) {
        const profile global = run_with_profile(OPUS_GEMM_SKINNY, arguments).member("global_bytes");
        const double moved = global.number("read") + global.number("written");
        std::smatch match;
        EXPECT_TRUE(std::regex_search(result.out, match, std::regex("counted: ([0-9]+) bytes")))
            << result.out;
        EXPECT_EQ(moved, match.empty() ? -1 : std::stod(match[1])) << arguments;
        return moved;
    }

    void move_the_least();
    void be_what_it_counts(part of);
};

class gemm_skinny_profile_rest : public gemm_skinny_profile {};

// D[m, n] and its operands, each moved once.
void gemm_skinny_profile::move_the_least() {
    struct {
        const char* type;
        int bytes;
        long m, n, k;
    } const shapes[] = {{"f16", 2, 16, 4096, 512}, {"f16", 2, 48, 2048, 256},
                        {"f16", 2, 64, 5000, 96},  {"f16", 2, 2048, 2048, 32},
                        {"f16", 2, 4096, 7, 513},  {"bf16", 2, 3000, 33, 200},
                        {"f32", 4, 64, 3000, 100}, {"f32", 4, 1500, 2500, 17},
                        {"f64", 8, 48, 2500, 70},  {"f64", 8, 1, 2000, 301}};
    for (const auto& [type, bytes, m, n, k] : shapes) {
        const std::string arguments = std::string("--type ") + type + " -m " + std::to_string(m) +
                                      " -n " + std::to_string(n) + " -k " + std::to_string(k);
        SCOPED_TRACE(arguments);
        const double moved = check_moved_bytes(arguments);
        const double least = static_cast<double>(bytes * (m * k + n * k + m * n));
        EXPECT_GE(moved, least);
        EXPECT_LE(moved, 1.05 * least);
        std::printf("gemm_skinny %-36s %9.0f bytes, %.2f %% more than the least\n",
                    arguments.c_str(), moved, 100 * (moved / least - 1));
    }
}

// Of kernels as users have them.
TEST_F(gemm_skinny_profile_rest, moves_hardly_more_than_the_least) {
    move_the_least();
}

// Paths: each strategy with one of the types, in turn.
void gemm_skinny_profile::be_what_it_counts(part of) {
    int at = 0;
    for (const char* type : {"f16", "bf16", "f32", "f64"}) {
        for (const char* rest : {"auto -m 70 -n 300 -k 31", "shallow_k -m 300 -n 130 -k 32",
                                 "cache_persistent -m 130 -n 1400 -k 70 --beta 1",
                                 "wave_parallel -m 33 -n 130 -k 500 --beta 0.5"}) {
            const bool is_path = at / 4 == at % 4;
            ++at;
            if (takes(of, is_path)) {
                check_moved_bytes(std::string("--type ") + type + " --strategy " + rest);
            }
        }
    }
}
TEST_F(gemm_skinny_profile, is_what_it_counts) {
    be_what_it_counts(part::paths);
}
TEST_F(gemm_skinny_profile_rest, is_what_it_counts) {
    be_what_it_counts(part::rest);
}

// Weights, scales and A are read once, C is written once; A once more for each further block of rows
// of B, and where K is split the sums are written and read.
TEST_F(profiles, gemv_w4_moves_hardly_more_than_the_least) {
    struct {
        const char* type;
        int m, n, k;
    } const shapes[] = {{"int4", 1, 1024, 2048},  {"mxfp4", 1, 1000, 2080},
                        {"int4", 4, 1024, 1024},  {"mxfp4", 3, 600, 4128},
                        {"int4", 16, 3072, 512},  {"mxfp4", 16, 1537, 544},
                        {"mxfp4", 9, 2000, 1056}, {"int4", 16, 100, 96}};
    for (const auto& [type, m, n, k] : shapes) {
        const std::string arguments = std::string("--type ") + type + " -m " + std::to_string(m) +
                                      " -n " + std::to_string(n) + " -k " + std::to_string(k);
        SCOPED_TRACE(arguments);
        double moved = 0;
        double conflicts = 0;
        for (const char* kernel : {"gemv_w4_kernel", "sum_kernel"}) {
            for (const profile& p : run_with_profiles(OPUS_GEMV_W4, arguments, kernel)) {
                const profile global = p.member("global_bytes");
                moved += global.number("read") + global.number("written");
                conflicts += p.member("lds_conflicts").number("clocks");
                EXPECT_EQ(p.member("scratch_bytes").number("read"), 0);
            }
        }
        const double weights = static_cast<double>(n) * (k / 2 + 4.0 * ((k + 127) / 128));
        const double least = weights + 2.0 * m * k + 2.0 * m * n;
        EXPECT_GE(moved, least);
        EXPECT_LE(moved, 1.05 * least);
        EXPECT_EQ(conflicts, 0);
        EXPECT_TRUE(result.has("counted: " + std::to_string(static_cast<long>(moved)) + " bytes"))
            << result.out;
        std::printf("gemv_w4 %-40s %9.0f bytes, %.2f %% more than the least\n", arguments.c_str(),
                    moved, 100 * (moved / least - 1));
    }
}

// a is read once, and r where it is added; codes, scales and the sum are written once. Each group
// reads the weights, and for the layer norm a bias, which is all that is beyond the least: at most
// 2 % from 34 (68) rows for each group on, whatever the length of a row. Paths: every other shape, which
// are of each plan, with and without r.
void profiles::move_the_least_of_rmsnorm_quant(part of) {
    int at = 0;
    struct {
        const char* type;
        const char* codes;
        int m, n, groups;
        bool adds;
        bool is_layer = false;
    } const shapes[] = {
        {"bf16", "fp8", 300, 8, 4, false},      {"f16", "i8", 150, 513, 3, false},
        {"bf16", "i8", 80, 512, 2, true},       {"bf16", "fp8", 128, 4096, 2, false},
        {"f16", "fp8", 150, 4096, 3, true},     {"bf16", "fp8", 80, 8192, 2, false},
        {"bf16", "fp8", 80, 5001, 2, true},     {"f16", "i8", 40, 16384, 1, false},
        {"bf16", "fp8", 76, 16384, 2, true},    {"bf16", "fp8", 40, 16381, 1, false},
        {"f16", "fp8", 3, 16384, 3, false},     {"bf16", "fp8", 300, 8, 4, false, true},
        {"f16", "i8", 150, 513, 3, true, true}, {"bf16", "fp8", 128, 4096, 1, false, true},
        {"f16", "i8", 70, 5001, 1, true, true}, {"bf16", "fp8", 40, 16384, 1, false, true},
        {"f16", "fp8", 5, 16381, 2, true, true}};
    for (const auto& [type, codes, m, n, groups, adds, is_layer] : shapes) {
        if (!takes(of, at++ % 2 == 0)) {
            continue;
        }
        const std::string arguments =
            std::string("--type ") + type + " --codes " + codes + " -m " + std::to_string(m) +
            " -n " + std::to_string(n) + " --groups " + std::to_string(groups) +
            (adds ? " --r random" : "") + (is_layer ? " --norm layer" : "");
        SCOPED_TRACE(arguments);
        const std::vector<profile> launches =
            run_with_profiles(OPUS_RMSNORM_QUANT, arguments, "rmsnorm_quant_kernel");
        ASSERT_EQ(launches.size(), 1u);
        const profile global = launches[0].member("global_bytes");
        const double elements = static_cast<double>(m) * n;
        const double weights = (is_layer ? 4.0 : 2.0) * n;
        const double read = elements * (adds ? 4 : 2) + weights * groups;
        const double written = elements * (adds ? 3 : 1) + 4.0 * m;
        EXPECT_EQ(global.number("read"), read);
        EXPECT_EQ(global.number("written"), written);
        const double least = read + written - weights * (groups - 1);
        const bool has_many_rows = m >= (is_layer ? 68 : 34) * groups;
        EXPECT_TRUE(!has_many_rows || read + written <= 1.02 * least);
        EXPECT_TRUE(
            result.has("counted: " + std::to_string(static_cast<long>(read + written)) + " bytes"))
            << result.out;
        EXPECT_EQ(launches[0].member("scratch_bytes").number("read"), 0);
        std::printf("rmsnorm_quant %-60s %9.0f bytes, %.2f %% more than the least\n",
                    arguments.c_str(), read + written, 100 * ((read + written) / least - 1));
    }
}

TEST_F(profiles, rmsnorm_quant_moves_hardly_more_than_the_least) {
    move_the_least_of_rmsnorm_quant(part::paths);
}
TEST_F(profiles_rest, rmsnorm_quant_moves_hardly_more_than_the_least) {
    move_the_least_of_rmsnorm_quant(part::rest);
}

// One pass up to 65536 elements, two beyond: not a byte more, at the ends of rows neither.
TEST_F(profiles, softmax_moves_the_least) {
    struct {
        const char* type;
        int bytes;
        int m, n;
        int moves;  // reads and writes of an element
    } const shapes[] = {{"f32", 4, 5, 1, 2},      {"f32", 4, 3, 1001, 2},   {"f32", 4, 2, 4095, 2},
                        {"f32", 4, 2, 16384, 2},  {"f32", 4, 1, 65536, 2},  {"f32", 4, 1, 65537, 3},
                        {"f16", 2, 7, 33, 2},     {"f16", 2, 2, 5000, 2},   {"f16", 2, 2, 30001, 2},
                        {"f16", 2, 1, 65536, 2},  {"f16", 2, 1, 100000, 3}, {"bf16", 2, 9, 128, 2},
                        {"bf16", 2, 1, 65535, 2}, {"bf16", 2, 1, 65539, 3}};
    for (const auto& [type, bytes, m, n, moves] : shapes) {
        const std::string arguments =
            std::string("--type ") + type + " -m " + std::to_string(m) + " -n " + std::to_string(n);
        SCOPED_TRACE(arguments);
        const profile p = run_with_profile(OPUS_SOFTMAX, arguments);
        const profile global = p.member("global_bytes");
        const double matrix = static_cast<double>(bytes) * m * n;
        EXPECT_EQ(global.number("written"), matrix);
        EXPECT_EQ(global.number("read"), (moves - 1) * matrix);
        EXPECT_TRUE(result.has("counted: " + std::to_string(bytes * m * n * moves) +
                               " bytes moved, 0.00 % more than the least"))
            << result.out;
        EXPECT_EQ(p.member("scratch_bytes").number("read"), 0);
        std::printf("softmax %-28s %9.0f bytes, the least\n", arguments.c_str(), moves * matrix);
    }
}

// K and V of the keys that there are, q and o once, whatever the lengths. Where a sequence has parts,
// each reads q and leaves o, m and l for every head, and o is read again (m and l by scalar loads).
TEST_F(profiles, paged_attention_moves_hardly_more_than_the_least) {
    struct {
        const char* arguments;
        int d;
        int bytes;  // of an element of K and V
        int kv_heads;
        int rows;
        std::vector<int> lengths;
        int part_keys;
    } const shapes[] = {{"-d 128 -n 1,15,33,700", 128, 2, 1, 1, {1, 15, 33, 700}, 4096},
                        {"-d 64 --page 32 -n 97,128,600", 64, 2, 3, 5, {97, 128, 600}, 4096},
                        {"-d 128 -n 9000,1700", 128, 2, 1, 16, {9000, 1700}, 2176},
                        {"-d 64 --type fp8 -n 7000,4230,3", 64, 1, 2, 16, {7000, 4230, 3}, 4224},
                        {"-d 128 --type fp8 --page 32 -n 20000", 128, 1, 1, 4, {20000}, 1152}};
    for (const auto& s : shapes) {
        const std::string arguments =
            std::string(s.arguments) + " --kv-heads " + std::to_string(s.kv_heads) + " --heads " +
            std::to_string(s.kv_heads * s.rows) + " --part-keys " + std::to_string(s.part_keys);
        SCOPED_TRACE(arguments);
        double read = 0;
        double written = 0;
        for (const char* kernel : {"paged_attention_kernel", "merge_kernel"}) {
            for (const profile& p : run_with_profiles(OPUS_PAGED_ATTENTION, arguments, kernel)) {
                read += p.member("global_bytes").number("read");
                written += p.member("global_bytes").number("written");
                EXPECT_EQ(p.member("scratch_bytes").number("read"), 0);
                EXPECT_EQ(p.member("lds_conflicts").number("clocks"), 0);
            }
        }
        double keys = 0;
        double all_parts = 0;
        double parts = 0;  // of sequences that have several
        for (const int length : s.lengths) {
            const int n = (length + s.part_keys - 1) / s.part_keys;
            keys += length;
            all_parts += n;
            parts += n > 1 ? n : 0;
        }
        const double rows = static_cast<double>(s.kv_heads * s.rows);
        const double o = 2.0 * rows * s.d * static_cast<double>(s.lengths.size());
        const double cache = 2.0 * keys * s.kv_heads * s.d * s.bytes;
        EXPECT_EQ(read, cache + all_parts * rows * 2 * s.d + parts * rows * 4 * s.d);
        EXPECT_EQ(written, o + parts * rows * (4 * s.d + 8));
        EXPECT_LE(read + written, 1.05 * (2 * o + cache));
        EXPECT_TRUE(result.has("counted: " + std::to_string(static_cast<long>(read + written)) +
                               " bytes moved"))
            << result.out;
        std::printf("paged_attention %-80s %9.0f bytes, %.2f %% more than the least\n",
                    arguments.c_str(), read + written,
                    100 * ((read + written) / (2 * o + cache) - 1));
    }
}

// Parts are chosen so that this holds by itself, also where a sequence is just longer than one.
TEST_F(profiles, paged_attention_chooses_parts_that_cost_little) {
    for (const char* arguments :
         {"-n 2100 --heads 16 --kv-heads 1", "-n 4200 --heads 16 --kv-heads 1 --type fp8 --page 32",
          "-n 300 --heads 1 --kv-heads 1 -d 64 --page 32", "-n 20000,300 --heads 8 --kv-heads 1",
          "-n 70000 --heads 16 --kv-heads 1 -d 64 --type fp8"}) {
        const outcome o = run(OPUS_PAGED_ATTENTION, std::string(arguments) + " --verify 0");
        std::smatch more;
        ASSERT_TRUE(std::regex_search(o.out, more, std::regex(", ([0-9.]+) % more than"))) << o.out;
        EXPECT_LE(std::stod(more[1]), 5) << arguments;
    }
}

// cos and sin once for a token, nothing of k and v for one without a slot.
TEST_F(profiles, rope_cache_moves_the_least) {
    struct {
        const char* arguments;
        int tokens, heads, kv_heads, d, bytes;
    } const shapes[] = {{"-m 1 -d 128", 1, 1, 1, 128, 2},
                        {"-m 15 -d 64 --style gptj", 15, 33, 33, 64, 2},
                        {"-m 8 -d 128 --type fp8", 8, 70, 35, 128, 1},
                        {"-m 30 -d 128 --style gptj --type fp8 --page 32", 30, 32, 8, 128, 1}};
    for (const auto& s : shapes) {
        const std::string arguments = std::string(s.arguments) + " --heads " +
                                      std::to_string(s.heads) + " --kv-heads " +
                                      std::to_string(s.kv_heads);
        SCOPED_TRACE(arguments);
        const profile p = run_with_profile(OPUS_ROPE_CACHE, arguments);
        const profile global = p.member("global_bytes");
        const double q = 2.0 * s.tokens * s.heads * s.d;
        const double elements = 2.0 * (s.tokens - s.tokens / 7) * s.kv_heads * s.d;
        EXPECT_EQ(global.number("read"), q + 2 * elements + 4.0 * s.tokens * s.d);
        EXPECT_EQ(global.number("written"), q + s.bytes * elements);
        EXPECT_EQ(p.member("lds_conflicts").number("clocks"), 0);
        EXPECT_TRUE(result.has("0.00 % more than the least")) << result.out;
    }
}

// B once for each block of rows, A once for each block of columns. On gfx942 there is no such GEMM.
TEST_F(profiles, gemm_mxfp4_moves_what_its_blocks_need) {
    const auto expect = [&](const std::string& program, const std::string& arguments, double read,
                            double written) {
        SCOPED_TRACE(arguments);
        const profile p = run_with_profile(program, arguments);
        EXPECT_EQ(p.member("global_bytes").number("read"), read);
        EXPECT_EQ(p.member("global_bytes").number("written"), written);
        EXPECT_EQ(p.member("scratch_bytes").number("read"), 0);
        EXPECT_EQ(p.member("lds_conflicts").number("clocks"), 0);
    };
    constexpr double mxfp4 = 17.0 / 32;  // bytes of a code and of its part of a scale
    const std::string shape = "-m 48 -n 512 ";
    for (const char* order : {"kernel", "plain"}) {
        expect(OPUS_SILU_MUL_MXFP4, shape + "--order " + order, 48 * 512 * 4, 48 * 512 * mxfp4);
        expect(OPUS_SILU_MUL_MXFP4, shape + "--act none --order " + order, 48 * 512 * 2,
               48 * 512 * mxfp4);
    }
    if (examples::emulated_arch() == "gfx942") {
        return;
    }
    const double c = 2.0 * 128 * 256;
    const double b = 256 * 1024 * mxfp4;
    expect(OPUS_GEMM_MXFP4, "-m 128 -n 256 -k 1024 --rows 64 --splits 1",
           2 * b + 4 * (128 * 1024 * 2.0), c);
    expect(OPUS_GEMM_MXFP4, "-m 128 -n 256 -k 1024 --rows 256 --type mxfp4", b + 128 * 1024 * mxfp4,
           c);
}

TEST_F(profiles, gemms_and_attention_have_no_bank_conflicts) {
    const std::string type_of_blocks = OPUS_EXAMPLES_SMALL == 0 ? "fp8" : "bf8";
    std::vector<std::array<std::string, 2>> programs = {
        {OPUS_GEMM_BLOCK, "-m 129 -n 257 -k 200"},
        {OPUS_GEMM_BLOCK, "-m 129 -n 257 -k 200 --tile 128"},
        {OPUS_GEMM_FAST, "-m 256 -n 256 -k 192"},
        {OPUS_GEMM_FAST, "-m 129 -n 257 -k 200 --type bf16 --epilogue residual"},
        {OPUS_GEMM_PIPELINED, "-m 129 -n 256 -k 256 --type fp8"},
        {OPUS_GEMM_PIPELINED, "-m 129 -n 256 -k 256 --type i8"},
        {OPUS_GEMM_BLOCK_SCALE, "-m 129 -n 256 -k 256 --type " + type_of_blocks},
        {OPUS_GEMM_SKINNY, "-m 65 -n 129 -k 32"},
        {OPUS_GEMM_SKINNY, "-m 10 -n 300 -k 260"},
        {OPUS_GEMM_SKINNY, "-m 64 -n 1500 -k 100"},
        {OPUS_GEMM_SKINNY, "-m 64 -n 1500 -k 100 --type f32"},
        {OPUS_GEMM_SKINNY, "-m 48 -n 1500 -k 100 --type f64"},
        {OPUS_GEMM_SKINNY, "-m 16 -n 64 -k 2000"},
        {OPUS_GEMM_SKINNY, "-m 16 -n 64 -k 2000 --type f64"},
        {OPUS_MOE_GEMM, "-m 150 -n 130 -k 144"},
        {OPUS_MOE_GEMM, "-m 150 -n 130 -k 144 --type bf16 --gate 1"},
        {OPUS_ATTENTION, "-m 256 -n 300"},
        {OPUS_ATTENTION, "-m 256 -n 300 -d 64 --type bf16"}};
    if (examples::emulated_arch() == "gfx950") {
        std::vector<std::string> kernels{"fp8 --scales mx", "fp6", "bf6 --scales mx",
                                         "fp4 --scales mx"};
        if (OPUS_EXAMPLES_SMALL == 0) {
            kernels.insert(kernels.end(), {"fp6 --scales mx", "fp4"});
        }
        for (const std::string& kernel : kernels) {
            programs.push_back({OPUS_GEMM_PIPELINED, "-m 129 -n 256 -k 256 --type " + kernel});
        }
    }
    for (const auto& [program, arguments] : programs) {
        const std::string name = fs::path(program).filename().string() + " " + arguments;
        SCOPED_TRACE(name);
        const profile p = run_with_profile(program, arguments);
        const profile conflicts = p.member("lds_conflicts");
        EXPECT_GT(p.member("lds_bytes").number("read"), 0);
        EXPECT_EQ(conflicts.number("clocks"), 0);
        std::printf("%-48s MFMA share %4.1f %%\n", name.c_str(),
                    100 * p.member("mfma").member("share").number("share"));
    }
}

// A and B are read once for each block of 256 columns or rows of D, C and the bias once for each
// element that needs them, and D is written once: with one block that is the least. (Where N ends
// in a block, C is read for the columns up to the block's end as well.)
TEST_F(profiles, gemm_fast_moves_the_least_of_a_block) {
    const struct {
        const char* arguments;
        double m, n, k, out;
        double more;  // bytes of the epilogue
    } rows[] = {
        {"", 256, 256, 320, 4, 0},
        {" --type bf16 --out-type bf16 --epilogue residual", 200, 256, 136, 2, 200 * 256 * 2},
        {" --epilogue silu", 256, 128, 64, 4, 256 * 128 * 4}};
    for (const auto& row : rows) {
        const std::string size = "-m " + std::to_string(static_cast<int>(row.m)) + " -n " +
                                 std::to_string(static_cast<int>(row.n)) + " -k " +
                                 std::to_string(static_cast<int>(row.k));
        SCOPED_TRACE(size + row.arguments);
        const profile global =
            run_with_profile(OPUS_GEMM_FAST, size + row.arguments).member("global_bytes");
        EXPECT_EQ(global.number("read"), (row.m + row.n) * row.k * 2 + row.more);
        EXPECT_EQ(global.number("written"), row.m * row.n * row.out);
        std::printf("gemm_fast %s%s: %.0f bytes\n", size.c_str(), row.arguments,
                    global.number("read") + global.number("written"));
    }
}

// What 8 waves execute more for 16 tiles more of 64 keys, in which no m is raised: on gfx950 and
// with d = 128 as much work as 64 matrix instructions of 16 x 16 x 32 for each wave and tile.
TEST_F(profiles, attention_executes_few_instructions_for_a_tile) {
    const struct {
        const char* arch;
        const char* arguments;
        double mfma;
        double valu;  // at most
        double total;
    } rows[] = {{"gfx942", "-d 128", 64, 214.5, 363},
                {"gfx942", "-d 128 --type bf16", 64, 249, 392.5},
                {"gfx950", "-d 128", 32, 113.5, 217},
                {"gfx950", "-d 128 --type bf16", 32, 113.5, 217}};
    for (const auto& row : rows) {
        const bool is_small = std::string(row.arguments) == "-d 128";
        if (row.arch != examples::emulated_arch() || (OPUS_EXAMPLES_SMALL != 0 && !is_small)) {
            continue;
        }
        double counts[2][3] = {};
        for (const int i : {0, 1}) {
            const std::string keys = i == 0 ? " -m 256 -n 1024" : " -m 256 -n 2048";
            const profile p =
                run_with_profile(OPUS_ATTENTION, row.arguments + keys).member("instructions");
            counts[i][0] = p.number("mfma");
            counts[i][1] = p.number("valu");
            counts[i][2] = p.number("total");
        }
        const auto per_tile = [&](int j) { return (counts[1][j] - counts[0][j]) / (16 * 8); };
        std::printf("attention %-20s %.1f instructions a tile, %.1f MFMA, %.1f VALU\n",
                    row.arguments, per_tile(2), per_tile(0), per_tile(1));
        EXPECT_EQ(per_tile(0), row.mfma);
        EXPECT_LE(per_tile(1), codegen::at_most(row.valu));
        EXPECT_LE(per_tile(2), codegen::at_most(row.total));
    }
}

// Of one wave and one tile, so that what is executed is what the table of the program has.
TEST_F(profiles, transpose_load_executes_what_its_table_says) {
    const std::vector<profile> launches =
        run_with_profiles(OPUS_TRANSPOSE_LOAD, "-m 32 -n 32 -k 128", "transpose_load_kernel");
    const std::regex row(
        "\\| ([0-9]+) ds_\\w+, ([0-9]+), \\w+ +\\| ([0-9]+) ds_\\w+, ([0-9]+), 0 ");
    std::size_t rows = 0;
    for (std::sregex_iterator r(result.out.begin(), result.out.end(), row), end; r != end; ++r) {
        ASSERT_LT(rows, launches.size());
        const profile& p = launches[rows++];
        EXPECT_EQ(p.member("instructions").number("lds"), std::stod((*r)[1]) + std::stod((*r)[3]));
        EXPECT_EQ(p.member("lds_bytes").number("written"), std::stod((*r)[2]));
        EXPECT_EQ(p.member("lds_bytes").number("read"), std::stod((*r)[4]));
    }
    EXPECT_EQ(rows, examples::emulated_arch() == "gfx950" ? 4u : 2u) << result.out;
    EXPECT_EQ(rows, launches.size());
}

// The first group of `pattern` in `text`.
std::string found(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

// What docs/performance.md says of results, bytes and conflicts, a row each. Paths: each kernel and each
// of its types; the other rows, some of which the small examples do not have, are marked.
void profiles::print_tables_of_kernels(part of) {
    struct {
        const char* program;
        const char* kernel;
        const char* arguments;
        bool is_rest = false;
    } const rows[] = {
        {OPUS_VECTOR_ADD, "vector_add_kernel", "-n 100001"},
        {OPUS_COPY, "copy_kernel", "-m 300 -n 1000"},
        {OPUS_GEMM_NAIVE, "gemm_naive_kernel", "-m 100 -n 70 -k 50"},
        {OPUS_GEMM_BLOCK, "gemm_block_kernel", "-m 200 -n 300 -k 500 --type bf16"},
        {OPUS_GEMM_FAST, "gemm_fast_kernel", "-m 512 -n 256 -k 512"},
        {OPUS_GEMM_FAST, "gemm_fast_kernel",
         "-m 257 -n 300 -k 200 --type bf16 --out-type bf16 --epilogue gelu", true},
        {OPUS_GEMM_PIPELINED, "gemm_pipelined_kernel",
         "-m 256 -n 256 -k 512 --splits 1 --type fp8"},
        {OPUS_GEMM_BLOCK_SCALE, "gemm_block_scale_kernel", "-m 257 -n 300 -k 400 --splits 1"},
        {OPUS_GEMM_SKINNY, "_kernel", "-m 16 -n 4096 -k 512"},
        {OPUS_MOE_GEMM, "moe_gemm_kernel", "-m 300 -n 256 -k 512", true},
        {OPUS_MOE_GEMM, "moe_gemm_kernel", "-m 150 -n 130 -k 144 --gate 1"},
        {OPUS_MOE_GEMM, "moe_gemm_kernel", "-m 150 -n 130 -k 144 --type bf16 --gate 1"},
        {OPUS_GEMV_W4, "gemv_w4_kernel", "-m 16 -n 3072 -k 512 --splits 1"},
        {OPUS_GEMV_W4, "gemv_w4_kernel", "-m 3 -n 600 -k 4128 --splits 1 --type mxfp4"},
        {OPUS_ATTENTION, "attention_kernel", "-m 512 -n 512", true},
        {OPUS_ATTENTION, "attention_kernel", "-m 512 -n 512 --type bf16 --causal 1", true},
        {OPUS_ATTENTION, "attention_kernel", "-m 300 -n 1000 -d 64 --type bf16"},
        {OPUS_ATTENTION, "attention_kernel", "-m 1000 -n 300 -d 64 --causal 1", true},
        {OPUS_ATTENTION, "attention_kernel", "-m 1 -n 2000 --heads 8 --kv-heads 2"},
        {OPUS_ATTENTION, "attention_kernel",
         "-m 17 -n 33 --batch 2 --heads 6 --kv-heads 2 --causal 1 --type bf16", true},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel", "-m 128 -n 4096 --groups 2"},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel",
         "-m 40 -n 16384 --groups 1 --type f16 --codes i8", true},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel", "-m 80 -n 5001 --groups 2 --r random"},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel", "-m 300 -n 8 --groups 4", true},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel", "-m 128 -n 4096 --groups 2 --norm layer",
         true},
        {OPUS_RMSNORM_QUANT, "rmsnorm_quant_kernel",
         "-m 80 -n 5001 --groups 2 --norm layer --r random --type f16 --codes i8"},
        {OPUS_SOFTMAX, "softmax", "-m 3 -n 1001"},
        {OPUS_SOFTMAX, "softmax", "-m 2 -n 16384 --type bf16", true},
        {OPUS_SOFTMAX, "softmax", "-m 1 -n 65536 --type f16"},
        {OPUS_SOFTMAX, "softmax", "-m 1 -n 100000"},
        {OPUS_TOPK_GATE, "topk_gate_kernel", "-m 256 -n 256"},
        {OPUS_TOPK_GATE, "topk_gate_kernel", "-m 100 -n 512 -k 16 --score sigmoid --type f32"},
        {OPUS_TOPK_GATE, "topk_gate_kernel", "-m 64 -n 9 -k 2 --norm 0 --type f16", true},
        {OPUS_PAGED_ATTENTION, "paged_attention_kernel", "-n 1,77,500 --part-keys 512"},
        {OPUS_PAGED_ATTENTION, "paged_attention_kernel",
         "-n 4000 --heads 16 --kv-heads 1 --part-keys 4096 --type fp8 --page 32"},
        {OPUS_PAGED_ATTENTION, "paged_attention_kernel",
         "-n 1000,33 --heads 5 --kv-heads 5 -d 64 --part-keys 1024", true},
        {OPUS_ROPE_CACHE, "rope_cache_kernel", "-m 100 --heads 32 --kv-heads 8"},
        {OPUS_ROPE_CACHE, "rope_cache_kernel",
         "-m 100 -d 64 --style gptj --type fp8 --scale-k 0.01 --page 32"},
        {OPUS_MLA_DECODE, "mla_decode_kernel", "-n 500 --part-keys 512"},
        {OPUS_MLA_DECODE, "mla_decode_kernel",
         "-n 300,1 --part-keys 512 --heads 32 --type fp8 --page 1", true}};
    for (const auto& [program, kernel, arguments, is_rest] : rows) {
        if (!takes(of, !is_rest)) {
            continue;
        }
        const std::string name = fs::path(program).filename().string();
        SCOPED_TRACE(name + " " + arguments);
        const std::vector<profile> launches =
            run_with_profiles(program, arguments, kernel, /* verify */ true);
        ASSERT_EQ(launches.size(), 1u);
        EXPECT_TRUE(result.has("\nPASS\n")) << result.out;
        const std::string of_tolerance = found(result.out, "up to (\\S+) of the tolerance");
        const std::string difference = found(result.out, "largest difference: (\\S+) at");
        EXPECT_TRUE(result.has("no difference") || std::stod(of_tolerance) <= 1) << result.out;

        // What the program counts is the least, or says how much more it is.
        const profile global = launches[0].member("global_bytes");
        const double bytes = global.number("read") + global.number("written");
        double more = 0;
        const std::string said = found(result.out, ", ([0-9.]+) % more than the least");
        if (said.empty()) {
            const double least =
                std::stod(found(result.out, "counted: (?:[0-9]+ FLOP, )?([0-9]+) bytes"));
            more = 100 * (bytes / least - 1);
            EXPECT_GE(more, 0);
        } else {
            EXPECT_EQ(bytes, std::stod(found(result.out, "counted: ([0-9]+) bytes")));
            more = std::stod(said);
        }
        const double conflicts = launches[0].member("lds_conflicts").number("clocks");
        const double waves = launches[0].member("occupancy").number("waves_per_simd");
        EXPECT_EQ(conflicts, 0);
        EXPECT_GE(waves, name == "gemm_block" ? 1 : 2);  // of gemm_block LDS holds one group
        EXPECT_EQ(launches[0].member("scratch_bytes").number("read"), 0);
        std::printf("| `%s` | `%s` | %s | %s | %s | %.0f | %.2f %% | %.0f | %.1f %% | %g |\n",
                    name.c_str(), arguments, examples::emulated_arch().c_str(),
                    difference.empty() ? "0" : difference.c_str(),
                    of_tolerance.empty() ? "0" : of_tolerance.c_str(), bytes, more, conflicts,
                    100 * launches[0].member("mfma").member("share").number("share"), waves);
    }
}
TEST_F(profiles, tables_of_kernels) {
    print_tables_of_kernels(part::paths);
}
TEST_F(profiles_rest, tables_of_kernels) {
    print_tables_of_kernels(part::rest);
}

}  // namespace
