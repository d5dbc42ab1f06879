// SPDX-License-Identifier: MIT
//
// mfma_table: the matrix instructions of opus as the table of docs/matrix-cores.md. With --aliases,
// as a C++ file instead, which compiles if the table's names are those of the header.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "opus/opus_debug.hpp"

namespace {

using namespace opus;

template <class T>
constexpr const char* name_of = nullptr;
template <>
constexpr const char* name_of<fp64_t> = "fp64";
template <>
constexpr const char* name_of<fp32_t> = "fp32";
template <>
constexpr const char* name_of<xf32_t> = "xf32";
template <>
constexpr const char* name_of<fp16_t> = "fp16";
template <>
constexpr const char* name_of<bf16_t> = "bf16";
template <>
constexpr const char* name_of<i8_t> = "i8";
template <>
constexpr const char* name_of<i32_t> = "i32";
template <>
constexpr const char* name_of<fp8_t> = "fp8";
template <>
constexpr const char* name_of<bf8_t> = "bf8";
template <>
constexpr const char* name_of<fp6_t> = "fp6";
template <>
constexpr const char* name_of<bf6_t> = "bf6";
template <>
constexpr const char* name_of<fp4_t> = "fp4";

// As in the name of an instruction: f32 for fp32.
std::string short_name(const std::string& type) {
    return type.compare(0, 2, "fp") == 0 && type.size() == 4 ? "f" + type.substr(2) : type;
}

struct instruction {
    std::string a;
    std::string b;
    std::string c;
    index_t m;
    index_t n;
    index_t k;
    index_t blocks;
    index_t elem_a;
    index_t elem_b;
    index_t elem_c;
    index_t passes_on_gfx942;
    index_t passes_on_gfx950;
    bool has_formats;
    int eight_bit_operands;

    std::string shape(const char* times = "x") const {
        return std::to_string(m) + times + std::to_string(n) + times + std::to_string(k);
    }
    std::string alias() const {
        const bool one_type = a == b && a != "fp8" && a != "bf8";
        if (has_formats) {
            return "mfma_" + short_name(c) + "_" + shape() + "_f8f6f4";
        }
        return "mfma_" + short_name(c) + "_" + shape() +
               (blocks > 1 ? "_" + std::to_string(blocks) + "b" : "") + "_" + short_name(a) +
               (one_type ? "" : "_" + b);
    }
    std::string elements() const {
        return std::to_string(elem_a) + (elem_b == elem_a ? "" : ", " + std::to_string(elem_b)) +
               " | " + std::to_string(elem_c);
    }
    std::string group() const {
        return c + " " + shape() + " " + std::to_string(blocks) + " " + elements() + " " +
               std::to_string(passes_on_gfx942) + " " + std::to_string(passes_on_gfx950);
    }
    // Each multiplication is followed by an addition; a pass is 4 clocks.
    std::string flops_per_clock(index_t passes) const {
        return passes == 0 ? "" : std::to_string(2 * m * n * k * blocks / (4 * passes));
    }
};

template <class A, class B, class C, index_t M, index_t N, index_t K>
instruction facts_of(mfma<A, B, C, M, N, K> i) {
    using row = typename decltype(i)::row;
    static_assert(i.steps == 1, "an entry of the table is one instruction");
    return {name_of<A>,
            name_of<B>,
            name_of<C>,
            M,
            N,
            K,
            i.blocks,
            i.elem_a,
            i.elem_b,
            i.elem_c,
            row::passes_on_gfx942,
            row::passes_on_gfx950,
            row::has_formats,
            (sizeof_bits_v<typename decltype(i)::dtype_a> == 8) +
                (sizeof_bits_v<typename decltype(i)::dtype_b> == 8)};
}

template <class... Instruction>
std::vector<instruction> all_of(tuple<Instruction...>) {
    return {facts_of(Instruction{})...};
}

std::string passes_text(index_t passes) {
    return passes == 0 ? "" : std::to_string(passes);
}

void print_row(const instruction& i, const std::string& alias, const std::string& types) {
    std::printf("| %s | %s | %s | %s | %s | %s | %s |\n", alias.c_str(), types.c_str(),
                i.elements().c_str(), passes_text(i.passes_on_gfx942).c_str(),
                passes_text(i.passes_on_gfx950).c_str(),
                i.flops_per_clock(i.passes_on_gfx942).c_str(),
                i.flops_per_clock(i.passes_on_gfx950).c_str());
}

bool same_facts(const instruction& x, const instruction& y) {
    return x.c == y.c && x.blocks == y.blocks && x.elements() == y.elements() &&
           x.passes_on_gfx942 == y.passes_on_gfx942 && x.passes_on_gfx950 == y.passes_on_gfx950;
}

// The pairs of formats of one shape have one row for each number of 8-bit operands.
void print_formats(const std::vector<instruction>& all, const instruction& first) {
    static const char* const types[] = {
        "both of fp6, bf6, fp4", "one of fp8, bf8; the other of fp6, bf6, fp4", "both of fp8, bf8"};
    int pairs = 0;
    for (const instruction& i : all) {
        if (i.has_formats && i.shape() == first.shape() &&
            i.eight_bit_operands == first.eight_bit_operands) {
            ++pairs;
            if (!same_facts(i, first)) {
                std::fprintf(stderr, "mfma_table: pairs of formats of %s differ, and share a row\n",
                             i.alias().c_str());
                std::exit(1);
            }
        }
    }
    print_row(
        first, "`" + first.alias() + "<A, B>`",
        std::string(types[first.eight_bit_operands]) + " (" + std::to_string(pairs) + " pairs)");
}

void print_table(const std::vector<instruction>& all) {
    std::puts(
        "| alias | A and B | elements of A, B | of C | passes gfx942 | gfx950 | flops gfx942 "
        "| gfx950 |");
    std::puts("|---|---|---|---|---|---|---|---|");
    std::vector<std::string> seen;
    const auto is_first = [&](const std::string& group) {
        for (const std::string& other : seen) {
            if (other == group) {
                return false;
            }
        }
        seen.push_back(group);
        return true;
    };
    for (const instruction& i : all) {
        if (i.has_formats) {
            if (is_first(i.shape() + " " + std::to_string(i.eight_bit_operands))) {
                print_formats(all, i);
            }
            continue;
        }
        // Other types of the same shape, element counts and passes stand in the same row.
        if (!is_first(i.group())) {
            continue;
        }
        std::string aliases;
        std::string types;
        for (const instruction& other : all) {
            if (!other.has_formats && other.group() == i.group()) {
                const char* separator = aliases.empty() ? "" : "; ";
                aliases += separator + ("`" + other.alias() + "`");
                types += separator + (other.a == other.b ? other.a : other.a + ", " + other.b);
            }
        }
        print_row(i, aliases, types);
    }
}

void print_aliases(const std::vector<instruction>& all) {
    std::puts("#include \"opus/opus.hpp\"");
    const auto check = [](const instruction& i, const std::string& alias) {
        const auto type = [](const std::string& name) { return "opus::" + name + "_t"; };
        std::printf("static_assert(opus::is_same_v<opus::%s, opus::mfma<%s, %s, %s, %s>>);\n",
                    alias.c_str(), type(i.a).c_str(), type(i.b).c_str(), type(i.c).c_str(),
                    i.shape(", ").c_str());
    };
    for (const instruction& i : all) {
        if (!i.has_formats) {
            check(i, i.alias());
            continue;
        }
        const std::string shape = i.alias().substr(4);
        const std::string of_types = "<opus::" + i.a + "_t, opus::" + i.b + "_t>";
        check(i, "mfma" + shape + of_types);
        check(i, "mfma_scale" + shape + of_types);
        if (i.a == i.b && (i.a == "fp8" || i.a == "fp4")) {
            const std::string by_name = "_f32_" + i.shape() + "_" + i.a + "_" + i.b;
            check(i, "mfma" + by_name);
            check(i, "mfma_scale" + by_name);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<instruction> all = all_of(mfma_table());
    if (argc == 2 && std::string(argv[1]) == "--aliases") {
        print_aliases(all);
    } else if (argc == 1) {
        print_table(all);
    } else {
        std::fputs("usage: mfma_table [--aliases]\n", stderr);
        return 2;
    }
    return 0;
}
