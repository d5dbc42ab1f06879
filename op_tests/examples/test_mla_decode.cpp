// SPDX-License-Identifier: MIT
// examples/mla_decode as a user runs it: any shape against the reference, and which keys count, by
// inputs of which the result is exact.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pages.hpp"
#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::part;
using examples_test::takes;

constexpr int latent = 512;
constexpr int width = 576;
constexpr float nan = NAN;

class mla_decode : public examples_test::in_directory {
protected:
    const std::string program = OPUS_MLA_DECODE;

    // What q.npy, cache.npy and table.npy are of. All rows that are of no key are NaN.
    struct problem : examples_test::paged_sequences {
        int heads;
        int tokens;
        std::vector<float> q;      // [sequence][token][head][width]
        std::vector<float> cache;  // [page][key][width]

        problem(int heads_, int tokens_, int page_, std::vector<int> lengths_)
            : paged_sequences{page_, std::move(lengths_)}, heads(heads_), tokens(tokens_) {
            q.resize(static_cast<std::size_t>(sequences() * rows() * width));
            cache.assign(static_cast<std::size_t>(pages() * page * width), nan);
            for (int s = 0; s < sequences(); ++s) {
                for (int key = 0; key < length(s); ++key) {
                    std::fill_n(&at(s, key, 0), width, 0.0f);
                }
            }
        }

        int rows() const { return tokens * heads; }
        float& at(int s, int key, int column) {
            return cache[static_cast<std::size_t>(
                (entry(s, key / page) * page + key % page) * width + column)];
        }
        float& q_at(int s, int row, int column) {
            return q[static_cast<std::size_t>((s * rows() + row) * width + column)];
        }
    };

    std::vector<float> run_problem(const problem& p, const std::string& options) {
        const auto text = [](int x) { return std::to_string(x); };
        write_npy("q.npy",
                  text(p.sequences()) + ", " + text(p.tokens) + ", " + text(p.heads) + ", 576",
                  p.q);
        write_npy("cache.npy", text(p.pages()) + ", " + text(p.page) + ", 576", p.cache);
        write_npy("table.npy", text(p.sequences()) + ", " + text(p.table_pages()), p.table());
        expect_pass(program, "-n " + p.list() + " --heads " + text(p.heads) + " --tokens " +
                                 text(p.tokens) + " --page " + text(p.page) +
                                 " --q q.npy --cache cache.npy --table table.npy --out o.npy " +
                                 options);
        return read_npy("o.npy");
    }
};

class mla_decode_rest : public mla_decode {};

// Around the ends of tiles, pages and parts; 1 to 128 heads in workgroups of 16 and of 32 rows;
// parts that 4 and that 16 waves merge.
const char* const shapes[] = {
    "-n 1 --heads 1 --page 1",
    "-n 31,32,33,63,64,65 --heads 16 --page 16 --part-keys 32",
    "-n 97,1,200 --heads 17 --part-keys 64",
    "-n 130,4,97 --tokens 4 --heads 20 --page 1 --part-keys 96",
    "-n 40,100x2 --tokens 3 --heads 5",
    "-n 70 --heads 128 --page 16 --part-keys 32",
    "-n 1100 --heads 2 --part-keys 32 --page 1",
};

TEST_F(mla_decode, takes_any_shape) {
    int at = 0;
    for (const std::string shape : shapes) {
        // Each size of workgroups with both types.
        const bool is_fp8 = at == 1 || at == 2 || at == 5;
        expect_pass(program, shape + (is_fp8 ? " --type fp8" : ""));
        ++at;
    }
    expect_pass(program, "-n 60,50 --scale 0.5 --seed 7");
    expect_pass(program, "-n 60,50 --type fp8 --scale-kv 3.5 --tokens 2 --iters 2");
}
TEST_F(mla_decode_rest, takes_any_shape) {
    for (const std::string shape : shapes) {
        for (const char* more : {" --type fp8", " --seed 3", " --seed 4 --tokens 1"}) {
            if (shape.find("--tokens") == shape.npos ||
                std::string(more).find("--tokens") == std::string::npos) {
                expect_pass(program, shape + more);
            }
        }
    }
    for (const char* page : {"1", "16", "64"}) {
        for (const char* heads : {"16", "32", "64", "128"}) {
            for (const char* tokens : {"1", "2", "4"}) {
                expect_pass(program, std::string("-n 300,77,1000 --page ") + page + " --heads " +
                                         heads + " --tokens " + tokens);
            }
        }
    }
    // More parts than four waves merge.
    expect_pass(program, "-n 9000,8193,40 --heads 2 --part-keys 32");
    expect_pass(program, "-n 32768 --heads 1 --part-keys 32 --type fp8");
}

// Each row of q has another column, and the row's key is the only one that it sees with that column:
// the latent part of that key is the result. The next key that the row must not see has twice as
// much.
TEST_F(mla_decode, finds_each_key) {
    struct {
        int heads;
        int tokens;
        int page;
        const char* options;
    } const cases[] = {{16, 1, 1, "--part-keys 32"},
                       {10, 4, 16, "--part-keys 64 --type fp8"},
                       {9, 3, 64, "--part-keys 256"},
                       {70, 2, 1, "--part-keys 96 --type fp8"}};
    for (const auto& c : cases) {
        SCOPED_TRACE(c.options);
        problem p(c.heads, c.tokens, c.page, {c.tokens, 40, 129, 200});
        std::vector<int> keys;
        for (int s = 0; s < p.sequences(); ++s) {
            const int length = p.length(s);
            for (int key = 0; key < length; ++key) {
                for (int i = 0; i < latent; ++i) {
                    p.at(s, key, i) = examples_test::small_value(key, i, static_cast<unsigned>(s));
                }
            }
            for (int row = 0; row < p.rows(); ++row) {
                const int token = row / c.heads;
                const int head = row % c.heads;
                const int seen = length - c.tokens + 1 + token;
                // The last key, the first one, those around them, and others.
                const int key = head < 3   ? std::max(seen - 1 - head, 0)
                                : head < 6 ? std::min(head - 3, seen - 1)
                                           : (row * 37 + s * 11) % seen;
                const int column = (row * 37 + 5) % width;
                for (int other = 0; other < length; ++other) {
                    p.at(s, other, column) = 0;
                }
                p.q_at(s, row, column) = 16;
                p.at(s, key, column) = 16;
                if (seen < length) {
                    p.at(s, seen, column) = 32;
                }
                keys.push_back(key);
            }
        }
        std::vector<float> expected;
        for (int s = 0; s < p.sequences(); ++s) {
            for (int row = 0; row < p.rows(); ++row) {
                const int key = keys[static_cast<std::size_t>(s * p.rows() + row)];
                for (int i = 0; i < latent; ++i) {
                    expected.push_back(p.at(s, key, i));
                }
            }
        }
        EXPECT_EQ(run_problem(p, std::string("--scale 1 ") + c.options), expected);
    }
}

// q is 0, so that all keys count alike, and column i is of key i alone: each of them once.
TEST_F(mla_decode, counts_each_key_once) {
    problem p(2, 1, 16, {512});
    for (int key = 0; key < 512; ++key) {
        p.at(0, key, key) = 512;
        p.at(0, key, 512 + key % 64) = static_cast<float>(key % 5);
    }
    for (const char* options : {"--part-keys 32", "--part-keys 160", "--part-keys 512"}) {
        EXPECT_EQ(run_problem(p, options), std::vector<float>(2 * latent, 1.0f)) << options;
    }
}

// Scores that grow from tile to tile and from part to part, and that fall: m changes in each.
TEST_F(mla_decode, follows_the_largest_score) {
    problem p(2, 1, 64, {640});
    p.q_at(0, 0, 575) = 1;
    p.q_at(0, 1, 575) = -1;
    for (int key = 0; key < 640; ++key) {
        p.at(0, key, 575) = static_cast<float>(key / 32);
        std::fill_n(&p.at(0, key, 0), latent, static_cast<float>(key / 32));
    }
    for (const char* options : {"--scale 64 --part-keys 96", "--scale 64 --part-keys 640"}) {
        const std::vector<float> o = run_problem(p, options);
        ASSERT_EQ(o.size(), std::size_t{2 * latent});
        for (std::size_t i = 0; i < std::size_t{latent}; ++i) {
            EXPECT_EQ(o[i], 19) << i;
            EXPECT_NEAR(o[latent + i], 0, 1e-27) << i;  // exp(-64) of those of the second tile
        }
    }
}

// What the scale of fp8 is multiplied by, by hand: two keys with scores 0 and log(3).
TEST_F(mla_decode, scale_of_fp8) {
    problem p(1, 1, 16, {2});
    p.q_at(0, 0, 520) = 2;
    p.at(0, 1, 520) = 4;
    std::fill_n(&p.at(0, 0, 0), latent, 4.0f);
    std::fill_n(&p.at(0, 1, 0), latent, -8.0f);
    // 2 * 4 * 3 * 0.045776 is log(3): weights 1 / 4 and 3 / 4, 4 / 4 - 24 / 4 is -5.
    for (const float x : run_problem(p, "--type fp8 --scale 0.0457755120 --scale-kv 3")) {
        EXPECT_NEAR(x, -15, 0.07);
    }
}

TEST_F(mla_decode, reports_what_it_did) {
    const outcome o = run(program, "-n 60x2,3 --tokens 2 --type fp8 --part-keys 32 --verify 0");
    EXPECT_EQ(
        o.out.rfind("mla_decode: 3 sequences of 3 to 60 keys, 2 x 16 heads, fp8 in pages of 64, "
                    "parts of 32 keys\ndevice: ",
                    0),
        0u)
        << o.out;
    const int least = 3 * 2 * 16 * 2 * (576 + 512) + 123 * 576;  // q, o and the keys
    EXPECT_TRUE(o.has(examples::is_emulated() ? "counted: " + std::to_string(least) + " bytes"
                                              : std::string("\ntime: ")))
        << o.out;
}

TEST_F(mla_decode, refuses_with_one_line) {
    expect_refusal(program, "-n 5,,3", "-n is '': it must be an integer from 1 to 1048576");
    expect_refusal(program, "-n 5x0", "-n is '0': it must be an integer from 1 to 65535");
    expect_refusal(program, "-n 1x60000,1x6000", "there may be at most 65535 sequences");
    expect_refusal(program, "-n 9,3 --tokens 4",
                   "a sequence of 3 keys has no room for 4 new tokens");
    expect_refusal(program, "--heads 129", "--heads is '129': it must be an integer from 1 to 128");
    expect_refusal(program, "--page 32", "--page is '32': it must be 1, 16 or 64");
    expect_refusal(program, "--scale-kv 2", "--scale-kv is for --type fp8");
    expect_refusal(program, "--part-keys 48", "--part-keys must be a multiple of 32");
    expect_refusal(program, "-n 40000 --part-keys 32",
                   "--part-keys 32 makes 1250 parts, more than 1024");
    write_npy("cache.npy", "2, 16, 576", std::vector<float>(2 * 16 * 576));
    expect_refusal(program, "-n 33 --page 16 --cache cache.npy",
                   "2 pages are less than the 3 that the sequences need");
    write_npy("table.npy", "1, 2", std::vector<float>{0, 2});
    expect_refusal(program, "-n 20 --page 16 --cache cache.npy --table table.npy",
                   "the table has an entry that is none of the 2 pages");
}

}  // namespace
