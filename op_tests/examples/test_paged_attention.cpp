// SPDX-License-Identifier: MIT
// examples/paged_attention as a user runs it: any shape against the reference, and which keys count,
// by inputs of which the result is exact.
#include <algorithm>
#include <cmath>
#include <string>

#include "pages.hpp"
#include "run_example.hpp"
#include "small.hpp"

namespace {

using examples_test::outcome;
using examples_test::part;
using examples_test::takes;

// The small example has each two of type, d and page together once.
bool is_there(bool fp8, int d, int page) {
    return OPUS_EXAMPLES_SMALL == 0 || (d == 128) == (fp8 == (page == 32));
}

class paged_attention : public examples_test::in_directory {
protected:
    const std::string program = OPUS_PAGED_ATTENTION;

    // What q.npy, k.npy, v.npy and table.npy are of.
    struct cache : examples_test::paged_sequences {
        int kv_heads;
        int heads_per_kv;
        int d;

        std::size_t row(int s, int kv_head, int key) const {
            const int head = entry(s, key / page) * kv_heads + kv_head;
            return static_cast<std::size_t>(head * page + key % page) * static_cast<std::size_t>(d);
        }
        std::size_t size() const { return static_cast<std::size_t>(pages() * kv_heads * page * d); }
    };

    void take_any_shape(part of);

    std::vector<float> run_cache(const cache& c, const std::vector<float>& q,
                                 const std::vector<float>& k, const std::vector<float>& v,
                                 const std::string& options) {
        const auto shape = [](std::initializer_list<int> extents) {
            std::string text;
            for (const int extent : extents) {
                text += (text.empty() ? "" : ", ") + std::to_string(extent);
            }
            return text;
        };
        const int heads = c.kv_heads * c.heads_per_kv;
        write_npy("q.npy", shape({c.sequences(), heads, c.d}), q);
        write_npy("k.npy", shape({c.pages(), c.kv_heads, c.page, c.d}), k);
        write_npy("v.npy", shape({c.pages(), c.kv_heads, c.page, c.d}), v);
        write_npy("table.npy", shape({c.sequences(), c.table_pages()}), c.table());
        expect_pass(program, "-n " + c.list() + " --heads " + std::to_string(heads) +
                                 " --kv-heads " + std::to_string(c.kv_heads) + " -d " +
                                 std::to_string(c.d) + " --page " + std::to_string(c.page) +
                                 " --q q.npy --k k.npy --v v.npy --table table.npy --out o.npy " +
                                 options);
        return read_npy("o.npy");
    }
};

class paged_attention_rest : public paged_attention {};

constexpr float nan = NAN;

// Around the ends of tiles, steps of a group, pages and parts, and 1 to 16 heads for one of K and V.
// Paths: of each kernel and size of pages two shapes, of which one has several parts, each shape with
// several kernels.
void paged_attention::take_any_shape(part of) {
    int kernel = 0;
    for (const char* type : {"bf16", "fp8"}) {
        for (const char* d : {"64", "128"}) {
            for (const char* page : {"16", "32"}) {
                if (!is_there(std::string(type) == "fp8", std::stoi(d), std::stoi(page))) {
                    continue;
                }
                const std::string kind =
                    std::string("--type ") + type + " -d " + d + " --page " + page + " ";
                int at = 0;
                for (const char* rest :
                     {"-n 1 --heads 1 --kv-heads 1", "-n 15,16,17,31,32,33 --heads 2 --kv-heads 2",
                      "-n 127,128,129,160,300 --heads 3 --kv-heads 1",
                      "-n 1000,1,640,129 --heads 32 --kv-heads 2 --part-keys 128",
                      "-n 257,256,128,2,511 --heads 15 --kv-heads 3 --part-keys 128",
                      "-n 700,3000 --heads 16 --kv-heads 1 --part-keys 256 --seed 7"}) {
                    const bool is_path = at % 3 == kernel % 3;
                    ++at;
                    if (takes(of, is_path)) {
                        expect_pass(program, kind + rest);
                    }
                }
                ++kernel;
            }
        }
    }
    for (const char* rest :
         {"", "-n 200,300 --scale 3", "-n 5,400 --scale 0.01 --iters 2",
          "-n 900,70 --type fp8 --page 32 --scale-k 0.25 --scale-v 3.5 --part-keys 128",
          "-n 90 --type fp8 --page 32 --scale-k 100 --heads 100 --kv-heads 50"}) {
        if (takes(of, true)) {
            expect_pass(program, rest);
        }
    }
}
TEST_F(paged_attention, takes_any_shape) {
    take_any_shape(part::paths);
}
TEST_F(paged_attention_rest, takes_any_shape) {
    take_any_shape(part::rest);
}

TEST_F(paged_attention, takes_128k_keys) {
    expect_pass(program, "-n 131072 --heads 2 --kv-heads 1 -d 64 --type fp8");
}
TEST_F(paged_attention_rest, takes_128k_keys) {
    expect_pass(program, "-n 131072,1 --heads 1 --kv-heads 1 -d 64");
    expect_pass(program,
                "-n 131071,5000 --heads 1 --kv-heads 1 -d 128 --type fp8 --part-keys 4096");
}

// Each head's q is another unit vector, and one key has it: that key's v is the result. All other
// rows of the pages, and the pages of nobody, are NaN.
TEST_F(paged_attention, finds_each_key) {
    for (const char* options : {"--part-keys 128", "--part-keys 1024", "--type fp8 --part-keys 128",
                                "--type fp8 --part-keys 2048"}) {
        for (const int d : {64, 128}) {
            for (const int page : {16, 32}) {
                if (!is_there(std::string(options).find("fp8") != std::string::npos, d, page)) {
                    continue;
                }
                const cache c{{page, {1, 40, 129, 300, 517}}, 2, 16, d};
                SCOPED_TRACE(std::string(options) + " " + std::to_string(d) + " " +
                             std::to_string(page));
                const int heads = c.kv_heads * c.heads_per_kv;
                std::vector<float> q(static_cast<std::size_t>(c.sequences() * heads * d));
                std::vector<float> k(c.size(), nan);
                std::vector<float> v(c.size(), nan);
                std::vector<float> expected;
                for (int s = 0; s < c.sequences(); ++s) {
                    const int length = c.length(s);
                    for (int head = 0; head < c.kv_heads; ++head) {
                        for (int key = 0; key < length; ++key) {
                            for (int i = 0; i < d; ++i) {
                                const std::size_t at =
                                    c.row(s, head, key) + static_cast<std::size_t>(i);
                                k[at] = 0;
                                v[at] = examples_test::small_value(
                                    key, i, static_cast<unsigned>(7 * s + head));
                            }
                        }
                        for (int j = 0; j < c.heads_per_kv; ++j) {
                            // The first key, the last one, those beside them, and others.
                            const int key = j < 4    ? std::min(j, length - 1)
                                            : j < 8  ? std::max(length - 1 - (j - 4), 0)
                                            : j < 12 ? (j * 37 + s * 11) % length
                                                     : std::min(128 * (j - 11) - 1, length - 1);
                            const int dim = (7 * j + 3 + head) % d;
                            const int row = (s * c.kv_heads + head) * c.heads_per_kv + j;
                            q[static_cast<std::size_t>(row * d + dim)] = 16;
                            k[c.row(s, head, key) + static_cast<std::size_t>(dim)] = 16;
                            for (int i = 0; i < d; ++i) {
                                expected.push_back(
                                    v[c.row(s, head, key) + static_cast<std::size_t>(i)]);
                            }
                        }
                    }
                }
                EXPECT_EQ(run_cache(c, q, k, v, std::string("--scale 1 ") + options), expected);
            }
        }
    }
}

// q is 0, so that all keys count alike, and one key has a v that is not 0: each of them once.
TEST_F(paged_attention, counts_each_key_once) {
    const cache c{{32, {256}}, 1, 2, 64};
    std::vector<float> k(c.size(), nan);
    std::vector<float> v(c.size(), nan);
    for (const char* options : {"--part-keys 128", "--part-keys 256"}) {
        for (int key = 0; key < 256; ++key) {
            for (std::size_t i = 0; i < 64; ++i) {
                k[c.row(0, 0, key) + i] = static_cast<float>(key % 5);
                // 64 keys at a time: column i is of key % 64.
                v[c.row(0, 0, key) + i] = key % 64 == static_cast<int>(i) ? 64 : 0;
            }
        }
        EXPECT_EQ(run_cache(c, std::vector<float>(128), k, v, options),
                  std::vector<float>(128, 1.0f));
    }
}

// Scores that grow from tile to tile and from part to part, and that fall: m changes in each.
TEST_F(paged_attention, follows_the_largest_score) {
    const cache c{{32, {640}}, 1, 2, 64};
    std::vector<float> q(128);
    std::vector<float> k(c.size(), nan);
    std::vector<float> v(c.size(), nan);
    q[0] = 1;
    q[64] = -1;
    for (int key = 0; key < 640; ++key) {
        for (std::size_t i = 0; i < 64; ++i) {
            k[c.row(0, 0, key) + i] = i == 0 ? static_cast<float>(key / 32) : 0.0f;
            v[c.row(0, 0, key) + i] = static_cast<float>(key / 32);
        }
    }
    for (const char* options : {"--scale 64 --part-keys 128", "--scale 64 --part-keys 640"}) {
        const std::vector<float> o = run_cache(c, q, k, v, options);
        ASSERT_EQ(o.size(), 128u);
        for (std::size_t i = 0; i < 64; ++i) {
            EXPECT_EQ(o[i], 19) << i;
            EXPECT_NEAR(o[64 + i], 0, 1e-27) << i;  // exp(-64) of those of the second tile
        }
    }
}

// What the scales of fp8 are multiplied by, by hand: two keys with scores 0 and log2(3).
TEST_F(paged_attention, scales_of_fp8) {
    const cache c{{16, {2}}, 1, 1, 64};
    std::vector<float> q(64);
    std::vector<float> k(c.size(), nan);
    std::vector<float> v(c.size(), nan);
    q[5] = 2;
    for (std::size_t i = 0; i < 64; ++i) {
        k[c.row(0, 0, 0) + i] = 0;
        k[c.row(0, 0, 1) + i] = i == 5 ? 4.0f : 0.0f;
        v[c.row(0, 0, 0) + i] = 4;
        v[c.row(0, 0, 1) + i] = -8;
    }
    // 2 * 4 * 0.25 * 0.5493 is log(3): weights 1 / 4 and 3 / 4, 4 / 4 - 24 / 4 is -5.
    const std::vector<float> o =
        run_cache(c, q, k, v, "--type fp8 --scale 0.549306144 --scale-k 0.25 --scale-v 3");
    for (const float x : o) {
        EXPECT_NEAR(x, -15, 0.07);
    }
}

TEST_F(paged_attention, reports_what_it_did) {
    const outcome o = run(program,
                          "-n 300,3 --heads 8 --kv-heads 2 -d 64 --page 32 --part-keys 128 "
                          "--verify 0");
    EXPECT_EQ(
        o.out.rfind("paged_attention: 2 sequences of 3 to 300 keys, 2 x 4 heads of 64, bf16 in "
                    "pages of 32, parts of 128 keys\ndevice: ",
                    0),
        0u)
        << o.out;
    // Q and O, 303 keys of K and V of both heads; of three parts 8 rows, written and read, m and l,
    // and two times more Q.
    const int least = 2 * 2 * 8 * 64 * 2 + 303 * 2 * 2 * 64 * 2;
    const int moved = least + 3 * 8 * (2 * 64 * 4 + 8) + 2 * 8 * 64 * 2;
    EXPECT_TRUE(o.has("counted: " + std::to_string(moved) + " bytes moved")) << o.out;
}

TEST_F(paged_attention, refuses_with_one_line) {
    expect_refusal(program, "-n 5,,3", "-n is '': it must be an integer from 1 to 1048576");
    expect_refusal(program, "-n 0", "-n is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--heads 17 --kv-heads 1",
                   "17 heads cannot share 1 of K and V: it must be 1 to 16 heads for each");
    expect_refusal(program, "--heads 3 --kv-heads 2",
                   "3 heads cannot share 2 of K and V: it must be 1 to 16 heads for each");
    expect_refusal(program, "-d 96", "-d is '96': it must be 128 or 64");
    expect_refusal(program, "--page 8", "--page is '8': it must be 16 or 32");
    expect_refusal(program, "--part-keys 200", "--part-keys must be a multiple of 128");
    expect_refusal(program, "--scale-k 2", "--scale-k and --scale-v are for --type fp8");
    expect_refusal(program, "--scale 0", "--scale is '0': it must be a number from 1e-30 to 1e30");
    write_npy("t.npy", "1, 2", std::vector<float>{0, 9});
    expect_refusal(program, "-n 17 --table t.npy",
                   "the table has an entry that is none of the 4 pages");
    write_npy("k.npy", "1, 2, 16, 128", std::vector<float>(4096));
    expect_refusal(program, "-n 17 --k k.npy",
                   "1 pages are less than the 2 that the sequences need");
    write_npy("q.npy", "2, 8, 128", std::vector<float>(2048));
    expect_refusal(program, "-n 17 --q q.npy",
                   "q.npy: has shape [2, 8, 128], it must be [1, 8, 128]");
}

}  // namespace
