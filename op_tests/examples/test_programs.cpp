// What the examples with a kernel have in common for who runs them: --help, the lines that they
// print, and the words for what is wrong.
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "common/gemm_host.hpp"
#include "run_example.hpp"

namespace {

// Bytes that the examples' calls have moved or filled, in this process and those that it has forked.
struct moved_bytes {
    std::size_t to_host = 0;
    std::size_t filled = 0;  // with anything but zeros
};
moved_bytes* const moved = static_cast<moved_bytes*>(
    mmap(nullptr, sizeof(moved_bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

template <class F>
F* runtime_function(F*, const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// They stand before the runtime's.
extern "C" hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    moved->to_host += kind == hipMemcpyDeviceToHost ? bytes : 0;
    return runtime_function(&hipMemcpy, "hipMemcpy")(to, from, bytes, kind);
}
extern "C" hipError_t hipMemset(void* to, int value, std::size_t bytes) {
    moved->filled += value != 0 ? bytes : 0;
    return runtime_function(&hipMemset, "hipMemset")(to, value, bytes);
}

namespace {

namespace fs = std::filesystem;
using examples_test::contents;
using examples_test::lines_of;
using examples_test::outcome;
using examples_test::words_of;

struct program_row {
    const char* path;
    const char* formula;
    std::vector<const char*> options;  // of its own, "--NAME TYPE"; beside those of its kind
};

constexpr const char* product = "C[M, N] = A[M, K] * B[N, K]^T";
constexpr const char* softmax = "b[M, N] = exp(a[M, N]) / sum(exp(a[M, :]))";
constexpr const char* gate =
    "weights[M, K], ids[M, K] = the K largest of N scores for each of M tokens";
constexpr const char* rmsnorm =
    "q[M, N] * s[M] = t[M, N] / sqrt(mean(t[M, :]^2) + eps) * w[N], t = a + r";
constexpr const char* scaled_product = "D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N]";

constexpr const char* experts = "D[M, N] = A[M, K] * B[expert of the row, N, K]^T";
constexpr const char* product_and_epilogue = "D[M, N] = epilogue(A[M, K] * B[N, K]^T)";
constexpr const char* paged_attention =
    "o[heads, D] = softmax(scale * q[heads, D] * K[N, D]^T) * V[N, D] of each sequence";
constexpr const char* rope =
    "q, k = rotated by their position; k and v go to their slots of a paged cache";
constexpr const char* silu_mul = "q[M, N] * s[M, N / 32] = silu(a[M, N]) * b[M, N]";
constexpr const char* mla =
    "o[heads, 512] = softmax(scale * q[heads, 576] * K[N, 576]^T) * K[N, 0:512]";
constexpr const char* attention = "O[M, D] = softmax(scale * Q[M, D] * K[N, D]^T) * V[N, D]";

const program_row rows[] = {
    {OPUS_VECTOR_ADD, "c = a + b", {"-n INT elements", "--b FILE.npy"}},
    {OPUS_COPY, "b = a", {"-m INT elements", "-n INT elements"}},
    {OPUS_GEMM_NAIVE, product, {}},
    {OPUS_GEMM_FAST,
     product_and_epilogue,
     {"--batch INT", "--type f16|bf16", "--out-type f32|f16|bf16",
      "--epilogue none|gelu|silu|residual", "--c FILE.npy", "--bias FILE.npy"}},
    {OPUS_GEMM_PIPELINED,
     product,
     {"--batch INT", "--type fp8|bf8|fp6|bf6|fp4|i8", "--out-type f32|bf16", "--scales tensor|mx",
      "--splits INT"}},
    {OPUS_GEMM_BLOCK_SCALE,
     product,
     {"--batch INT", "--type fp8|bf8", "--out-type f32|bf16", "--splits INT"}},
    {OPUS_GEMM_BLOCK,
     scaled_product,
     {"--type f16|bf16", "--out-type f32|f16|bf16", "--tile 128|64 elements"}},
    {OPUS_GEMM_SKINNY,
     scaled_product,
     {"--type f16|bf16|f32|f64", "--strategy auto|shallow_k|cache_persistent|wave_parallel"}},
    {OPUS_GEMV_W4, product, {"--type int4|mxfp4", "--tiles 1|4|12", "--splits INT"}},
    {OPUS_GEMM_MXFP4, product, {"--type bf16|mxfp4", "--rows 16|32|64|256", "--splits INT"}},
    {OPUS_SILU_MUL_MXFP4,
     silu_mul,
     {"-m INT elements", "-n INT elements", "--act silu|none", "--order kernel|plain",
      "--b FILE.npy", "--out-s FILE.npy"}},
    {OPUS_MOE_GEMM,
     experts,
     {"-m INT elements", "-n INT elements", "-k INT elements", "--experts INT", "--type fp8|bf16",
      "--gate 0|1", "--groups INT", "--b FILE.npy", "--sizes FILE.npy"}},
    {OPUS_RMSNORM_QUANT,
     rmsnorm,
     {"-m INT elements", "-n INT elements", "--type bf16|f16", "--norm rms|layer", "--codes fp8|i8",
      "--eps NUMBER", "--groups INT", "--r FILE.npy|random", "--w FILE.npy", "--bias FILE.npy",
      "--out-s FILE.npy", "--out-t FILE.npy"}},
    {OPUS_SOFTMAX, softmax, {"-m INT elements", "-n INT elements", "--type f32|f16|bf16"}},
    {OPUS_TOPK_GATE,
     gate,
     {"-m INT elements", "-n INT elements", "-k INT experts", "--type bf16|f16|f32",
      "--score softmax|sigmoid", "--norm 0|1", "--out-ids FILE.npy"}},
    {OPUS_TRANSPOSE_LOAD, product, {}},
    {OPUS_ATTENTION,
     attention,
     {"--batch INT", "--heads INT", "--kv-heads INT", "-m INT elements", "-n INT elements",
      "-d 64|128|192 elements", "--causal 0|1", "--scale NUMBER", "--type f16|bf16",
      "--out-type f16|bf16|f32", "--q FILE.npy", "--k FILE.npy", "--v FILE.npy"}},
    {OPUS_PAGED_ATTENTION,
     paged_attention,
     {"-n INT,... keys", "--heads INT", "--kv-heads INT", "-d 128|64 elements", "--page 16|32 keys",
      "--type bf16|fp8", "--part-keys INT keys", "--scale NUMBER", "--scale-k NUMBER",
      "--scale-v NUMBER", "--q FILE.npy", "--k FILE.npy", "--v FILE.npy", "--table FILE.npy"}},
    {OPUS_ROPE_CACHE,
     rope,
     {"-m INT tokens", "--heads INT", "--kv-heads INT", "-d 128|64 elements", "--page 16|32 keys",
      "--type bf16|fp8", "--style neox|gptj", "--scale-k NUMBER", "--scale-v NUMBER",
      "--q FILE.npy", "--k FILE.npy", "--v FILE.npy", "--cos-sin FILE.npy", "--positions FILE.npy",
      "--slots FILE.npy", "--out-k FILE.npy", "--out-v FILE.npy"}},
    {OPUS_MLA_DECODE,
     mla,
     {"-n INT[xINT],... keys", "--heads INT", "--tokens INT", "--page 1|16|64 keys",
      "--type bf16|fp8", "--part-keys INT keys", "--scale NUMBER", "--scale-kv NUMBER",
      "--q FILE.npy", "--cache FILE.npy", "--table FILE.npy"}},
};

std::string name_of(const program_row& row) {
    return fs::path(row.path).filename().string();
}

bool is_gemm(const program_row& row) {
    return row.formula == product || row.formula == scaled_product ||
           row.formula == product_and_epilogue;
}

bool has_q(const program_row& row) {
    return row.formula == attention || row.formula == paged_attention || row.formula == rope ||
           row.formula == mla;
}

std::multiset<std::string> expected_options(const program_row& row) {
    std::multiset<std::string> all(row.options.begin(), row.options.end());
    for (const char* option :
         {"-h,--help", "--out FILE.npy", "--seed INT", "--verify 0|1", "--iters INT launches"}) {
        all.insert(option);
    }
    if (!has_q(row)) {
        all.insert("--a FILE.npy");
    }
    if (is_gemm(row)) {
        all.insert({"-m INT elements", "-n INT elements", "-k INT elements", "--b FILE.npy"});
    }
    if (row.formula == scaled_product) {
        all.insert({"--alpha NUMBER", "--beta NUMBER", "--c FILE.npy"});
    }
    return all;
}

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

class programs : public examples_test::in_directory {};

// Whether it only says what the device lacks.
bool is_refused(const program_row& row) {
    return name_of(row) == "gemm_mxfp4" && examples_test::device_arch() == "gfx942";
}

TEST_F(programs, are_all_of_the_examples) {
    std::set<std::string> sources;
    for (const auto& entry : fs::directory_iterator(OPUS_EXAMPLES)) {
        if (entry.path().extension() == ".hip") {
            sources.insert(entry.path().stem().string());
        }
    }
    std::set<std::string> names;
    for (const program_row& row : rows) {
        names.insert(name_of(row));
    }
    EXPECT_EQ(names, sources);
}

// The formula, and every option once with the type of its value.
TEST_F(programs, explain_themselves) {
    for (const program_row& row : rows) {
        const outcome o = run_alone(row.path, "--help");
        SCOPED_TRACE(name_of(row) + " --help\n" + o.out);
        EXPECT_EQ(o.status, 0);
        EXPECT_EQ(o.err, "");
        const std::string words = words_of(o.out);
        EXPECT_EQ(words.rfind(row.formula + std::string(" "), 0), 0u);
        EXPECT_EQ(count(words, row.formula), 1);
        EXPECT_EQ(count(words, " " + name_of(row) + " [OPTIONS] Options: "), 1);
        EXPECT_EQ(count(words, "TEXT"), 0);
        EXPECT_EQ(count(words, "row-major"), 1);
        EXPECT_EQ(count(words, "Status: 0 PASS or not verified, 1 FAIL, 2 not computed."), 1);
        std::size_t options = 0;
        for (const std::string& line : lines_of(o.out)) {
            EXPECT_LE(line.size(), 100u) << line;
            const std::size_t first = line.find_first_not_of(' ');
            options += first != std::string::npos && line[first] == '-';
        }
        const std::multiset<std::string> expected = expected_options(row);
        EXPECT_EQ(options, expected.size());
        for (const std::string& option : expected) {
            EXPECT_EQ(count(words, " " + option + " "), 1) << option;
        }
    }
}

// The first two lines and the last two are the same for all. (Here each example starts as a process;
// see run() for the other tests.)
TEST_F(programs, report_alike) {
    const std::regex difference(
        "no difference|largest difference: [0-9.e+-]+ at [a-zA-Z]+\\[[0-9, ]+\\]; "
        "up to [0-9.e+-]+ of the tolerance");
    for (const program_row& row : rows) {
        if (is_refused(row)) {
            continue;
        }
        const outcome o = run_alone(row.path, is_gemm(row)              ? "-m 13 -n 17 -k 64"
                                              : row.formula == rope     ? "-m 33"
                                              : row.formula == silu_mul ? "-n 32"
                                                                        : "-n 33");
        SCOPED_TRACE(name_of(row) + "\n" + o.out + o.err);
        EXPECT_EQ(o.status, 0);
        const std::vector<std::string> lines = lines_of(o.out);
        ASSERT_GE(lines.size(), 5u);
        EXPECT_EQ(lines[0].rfind(name_of(row) + ": ", 0), 0u);
        EXPECT_EQ(lines[1].rfind("device: ", 0), 0u);
        EXPECT_TRUE(std::regex_match(lines[lines.size() - 2], difference));
        EXPECT_EQ(lines.back(), "PASS");
    }
}

TEST_F(programs, say_no_difference_where_there_is_none) {
    write_npy("ones.npy", "1, 32", std::vector<float>(32, 1));
    for (const program_row& row : rows) {
        if (row.formula == rmsnorm || name_of(row) == "gemm_pipelined" ||
            name_of(row) == "gemm_block_scale") {  // scales are rounded
            continue;
        }
        if (is_refused(row)) {
            continue;
        }
        const bool is_of_rows = row.formula == softmax || row.formula == gate;
        const outcome o = run(row.path, is_gemm(row)               ? "--a ones.npy --b ones.npy"
                                        : is_of_rows               ? "--a ones.npy"
                                        : row.formula == attention ? "-n 1"
                                        : row.formula == paged_attention ? "-n 1"
                                        : row.formula == mla             ? "-n 1"
                                        : row.formula == rope            ? "-m 1"
                                        : row.formula == experts         ? "-n 33 --type bf16"
                                                                         : "");
        EXPECT_TRUE(o.has("\nno difference\nPASS\n")) << name_of(row) << "\n" << o.out << o.err;
    }
}

// With --verify 0 and no file to write they copy no result and fill nothing that a kernel overwrites,
// but a fact that they ask the device for.
TEST_F(programs, do_nothing_for_results_that_nobody_wants) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "on a GPU examples are processes of their own";
    }
    constexpr std::size_t most_facts = 12;
    for (const program_row& row : rows) {
        if (is_refused(row)) {
            continue;
        }
        const auto bytes_with = [&](const std::string& options) {
            *moved = {};
            const std::string size = row.formula == rope       ? "-m 1 "
                                     : row.formula == silu_mul ? "-m 1 -n 32 "
                                     : is_gemm(row)            ? "-m 1 -n 512 -k 64 "
                                     : has_q(row)              ? "-n 1 "
                                                               : "-n 64 ";
            const outcome o = run(row.path, size + options);
            EXPECT_EQ(o.status, 0) << o.out << o.err;
            return *moved;
        };
        SCOPED_TRACE(name_of(row));
        const moved_bytes unwanted = bytes_with("--verify 0");
        EXPECT_LE(unwanted.to_host, most_facts);
        EXPECT_EQ(unwanted.filled, 0u);
        const moved_bytes wanted = bytes_with("--verify 0 --out out.npy");
        EXPECT_GT(wanted.to_host, most_facts);
        EXPECT_EQ(wanted.filled != 0, row.formula != silu_mul) << wanted.filled;
    }
}

TEST_F(programs, refuse_alike) {
    for (const program_row& row : rows) {
        const auto refused = [&](const char* arguments, const char* message) {
            SCOPED_TRACE(name_of(row));
            expect_refusal(row.path, arguments, message);
        };
        if (row.formula != rope) {  // which has no -n
            refused("-n", "-n takes one value, once");
            refused("-n 1 -n 2", "-n takes one value, once");
        }
        refused("--seed", "--seed takes one value, once");
        refused("--verify 2", "--verify is '2': it must be 0 or 1");
        refused("--iters 0", "--iters is '0': it must be an integer from 1 to 1000000");
        refused("--unknown", "The following argument was not expected: --unknown");
        refused("stray", "The following argument was not expected: stray");
        refused(has_q(row) ? "--q absent.npy" : "--a absent.npy",
                "absent.npy: cannot open: No such file or directory");
    }
}

// What these tests compare is what the examples print.
TEST_F(programs, are_read_without_the_lines_of_a_driver) {
    const std::string text =
        "a\n/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory\n\nb";
    EXPECT_EQ(directory_test::run("{ printf '" + text + "' >&2; }", "").err, "a\n\nb");
    EXPECT_EQ(examples_test::without_driver("a\n"), "a\n");
}

TEST_F(programs, name_a_device_that_the_emulator_has_not) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "for the emulator";
    }
    for (const program_row& row : rows) {
        const std::string command =
            std::string("OPUS_EMU_ARCH=gfx900 '") + row.path + "' > /dev/null";
        const outcome o = examples_test::run_program("/bin/sh", "-c \"" + command + "\"");
        EXPECT_EQ(o.status, 2) << name_of(row);
        EXPECT_EQ(count(o.out, "OPUS_EMU_ARCH=gfx900 is unknown"), 1) << o.out;
        EXPECT_EQ(count(o.out, name_of(row) + ": the emulator has no such device\n"), 1) << o.out;
    }
}

// What documents show is what is printed: the output of gfx942, emulated.
TEST_F(programs, are_as_the_documents_show) {
    if (examples::emulated_arch() != "gfx942") {
        GTEST_SKIP() << "for gfx942, emulated";
    }
    const fs::path examples = OPUS_EXAMPLES;
    const auto shown = [&](const fs::path& document, const char* program, const char* arguments) {
        return count(contents(document), "```text\n" + run(program, arguments).out + "```\n");
    };
    EXPECT_EQ(shown(examples / ".." / "README.md", OPUS_GEMM_NAIVE, "-m 512 -n 384 -k 256"), 1);
    EXPECT_EQ(shown(examples / "README.md", OPUS_GEMM_BLOCK,
                    "-m 1000 -n 300 -k 77 --type bf16 --alpha 0.5"),
              1);
    const std::string help = words_of(run(OPUS_GEMM_BLOCK, "--help").out);
    EXPECT_EQ(count(words_of(contents(examples / "README.md")), "```text " + help + " ```"), 1)
        << help;
}

// == a result that is wrong =======================================================================

outcome captured(int (*main)(int, char**)) {
    std::string name = "program";
    char* arguments[] = {name.data(), nullptr};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = main(1, arguments);
    const std::string out = testing::internal::GetCapturedStdout();
    return {status, out, testing::internal::GetCapturedStderr()};
}

// The kernel's result; of a tensor the expected one is the indices.
std::vector<double> result;

int tensor_of(const examples::tensor_shape& shape, int argc, char** argv) {
    examples::tensor_example e;
    e.description = "for the test";
    e.outputs = {"b"};
    e.prepare = [](std::mt19937_64&) { return std::string("b = index"); };
    e.run = [&](int) {
        examples::tensor_result r;
        std::vector<double> values;
        for (std::size_t i = 0; i < examples::element_count(shape); ++i) {
            values.push_back(i < result.size() ? result[i] : static_cast<double>(i));
        }
        r.add(shape, values);
        return r;
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        outputs[0].exact = true;
        for (std::size_t i = 0; i < outputs[0].values.size(); ++i) {
            outputs[0].expect(i, static_cast<double>(i));
        }
    };
    return examples::tensor_main(argc, argv, e);
}

int vector(int argc, char** argv) {
    return tensor_of({512}, argc, argv);
}

int matrix(int argc, char** argv) {
    return tensor_of({4, 512}, argc, argv);
}

TEST(wrong_tensor, is_reported_with_its_largest_difference_and_its_first) {
    result = {0, 1, 2.5, 3, 0, 5};
    outcome o = captured(vector);
    EXPECT_EQ(o.status, 1);
    EXPECT_TRUE(
        o.has("\nlargest difference: 4 at b[4]; up to inf of the tolerance\n"
              "b[2] is 2.5, expected 2 +- 0\nFAIL\n"))
        << o.out;
    result = {0, NAN, -INFINITY};
    o = captured(vector);
    EXPECT_TRUE(o.has("\nlargest difference: inf at b[1]; up to inf of the tolerance\n")) << o.out;
    result = {-0.0};
    o = captured(vector);
    EXPECT_EQ(o.status, 1);
    EXPECT_TRUE(
        o.has("\nlargest difference: 0 at b[0]; up to inf of the tolerance\n"
              "b[0] is -0, expected 0 +- 0\nFAIL\n"))
        << o.out;
    result = {};
    o = captured(vector);
    EXPECT_EQ(o.status, 0);
    EXPECT_TRUE(o.has("\nno difference\nPASS\n")) << o.out;
}

TEST(wrong_tensor, has_the_indices_of_its_dimensions) {
    for (int i = 0; i <= 512 * 3 + 7; ++i) {
        result.push_back(i);
    }
    result.back() += 2;
    const outcome o = captured(matrix);
    EXPECT_TRUE(
        o.has("\nlargest difference: 2 at b[3, 7]; up to inf of the tolerance\n"
              "b[3, 7] is 1545, expected 1543 +- 0\nFAIL\n"))
        << o.out;
}

// 1 x 2 x 2 ones, whose products are 2; `result` is what the kernel makes of them.
int gemm(int argc, char** argv) {
    examples::gemm_example e;
    e.m = 1;
    e.n = e.k = 2;
    e.alpha_beta = argc > 1;  // which names the result
    e.adapt = [](examples::gemm_problem& p) {
        p.a.assign(2, 1);
        p.b.assign(4, 1);
    };
    return examples::gemm_main(1, argv, e, [](const examples::gemm_problem&) {
        if (result.empty()) {
            throw examples::wrong_result("two ways differ");
        }
        return examples::gemm_result(result);
    });
}

int gemm_with_c(int, char** argv) {
    return gemm(2, argv);
}

TEST(wrong_product, is_reported_with_its_largest_difference_and_share) {
    result = {2, 3};
    outcome o = captured(gemm);
    EXPECT_EQ(o.status, 1);
    // The tolerance is k units of the sum of magnitudes, 2 * 2^-23 * 2, and less than 2^-46 more.
    EXPECT_TRUE(
        o.has("\nlargest difference: 1 at C[0, 1]; up to 2.1e+06 of the tolerance\n"
              "C[0, 1] is 3, expected 2 +- 4.77e-07\nFAIL\n"))
        << o.out;
    result = {2, 2 + 0x1p-22};
    o = captured(gemm_with_c);
    EXPECT_EQ(o.status, 0);
    EXPECT_TRUE(
        o.has("\nlargest difference: 2.38e-07 at D[0, 1]; up to 0.5 of the tolerance\n"
              "PASS\n"))
        << o.out;
    result = {2, 2};
    EXPECT_TRUE(captured(gemm).has("\nno difference\nPASS\n"));
}

// The largest f32 and infinity, which the next number would be.
TEST(wrong_product, is_none_where_it_overflows_as_it_may) {
    examples::gemm_problem p;
    p.m = p.n = 1;
    p.k = 2;
    p.type = p.out_type = examples::element::f32;
    p.a = {std::numeric_limits<float>::max(), 0};
    p.b = {1, 0};
    testing::internal::CaptureStdout();
    EXPECT_TRUE(examples::detail::check_product(p, {INFINITY}));
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "no difference but overflows that the tolerance has\n");
    testing::internal::CaptureStdout();
    EXPECT_TRUE(examples::detail::check_product(p, {p.a[0]}));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "no difference\n");
}

TEST(wrong_product, may_be_what_the_example_has_found_itself) {
    result = {};
    const outcome o = captured(gemm);
    EXPECT_EQ(o.status, 1);
    EXPECT_TRUE(o.has("\ntwo ways differ\nFAIL\n")) << o.out;
    EXPECT_EQ(o.err, "");
}

}  // namespace
