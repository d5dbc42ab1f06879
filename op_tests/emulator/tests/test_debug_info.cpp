// What DWARF says, written by hand: operations of locations, scopes, and variables of LDS. What clang
// writes is tested with compiled kernels (debugging.hip, test_code_object.cpp).
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "debugging/variables.hpp"
#include "isa/debug_info.hpp"
#include "isa/lds_names.hpp"
#include "lint/assembly.hpp"
#include "machine.hpp"

namespace emu {
namespace {

using expression = std::vector<uint8_t>;

// Operations of DWARF 5, 7.7.1.
enum op : uint8_t {
    op_deref = 0x06,
    op_const1u = 0x08,
    op_const1s,
    op_const2u,
    op_const2s,
    op_const4u,
    op_const4s,
    op_const8u,
    op_const8s,
    op_constu,
    op_consts,
    op_swap = 0x16,
    op_xderef = 0x18,
    op_and = 0x1a,
    op_minus = 0x1c,
    op_mul = 0x1e,
    op_neg,
    op_not,
    op_or,
    op_plus,
    op_plus_uconst,
    op_shl,
    op_shr,
    op_shra,
    op_xor,
    op_lit0 = 0x30,
    op_breg0 = 0x70,
    op_regx = 0x90,
    op_fbreg,
    op_bregx,
    op_piece,
    op_stack_value = 0x9f,
};

constexpr uint8_t lit(int n) {
    return static_cast<uint8_t>(op_lit0 + n);
}

// Number `n` of DWARF as an unsigned LEB128 of two bytes.
expression number_of(uint32_t n) {
    return {static_cast<uint8_t>(n % 128 + 128), static_cast<uint8_t>(n / 128)};
}

expression operator+(expression a, const expression& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

expression regx(uint32_t n) {
    return expression{op_regx} + number_of(n);
}

// AMDGPUUsage, "Register Identifier", for waves of 64 lanes.
constexpr uint32_t dwarf_s0 = 32;
constexpr uint32_t dwarf_s64 = 1088;
constexpr uint32_t dwarf_v0 = 2560;
constexpr uint32_t dwarf_a0 = 3072;

// One unit of debug information for code that is loaded at machine::base.
class unit {
public:
    unit() { add({1}); }

    // The place of what comes next, as others refer to it.
    uint32_t here() const { return static_cast<uint32_t>(header_bytes + info_.size()); }

    uint32_t base_type(const std::string& name, uint8_t encoding, uint8_t bytes) {
        const uint32_t at = here();
        add({4});
        add_text(name);
        add({encoding, bytes});
        return at;
    }
    uint32_t array(uint32_t element, const expression& counts) {
        const uint32_t at = here();
        add({5});
        add_dword(element);
        for (const uint8_t count : counts) {
            add({6, count});
        }
        add({0});
        return at;
    }
    // Of elements whose number is not known.
    uint32_t open_array(uint32_t element) {
        const uint32_t at = here();
        add({5});
        add_dword(element);
        add({11, 0});
        return at;
    }
    uint32_t declared_structure(const std::string& name) {
        const uint32_t at = here();
        add({12});
        add_text(name);
        return at;
    }
    uint32_t begin_structure(const std::string& name, uint8_t bytes) {
        const uint32_t at = here();
        add({9});
        add_text(name);
        add({bytes});
        return at;
    }
    void member(const std::string& name, uint32_t type, uint8_t offset) {
        add({10});
        add_text(name);
        add_dword(type);
        add({offset});
    }
    void begin_function(const std::string& symbol, uint32_t first, uint32_t bytes,
                        const expression& frame) {
        begin_range(2, first, bytes);
        add({static_cast<uint8_t>(frame.size())});
        add(frame);
        add_text(symbol);
    }
    void begin_function(const std::string& symbol, uint32_t first, uint32_t bytes) {
        begin_range(21, first, bytes);
        add_text(symbol);
    }
    void begin_block(uint32_t first, uint32_t bytes) { begin_range(7, first, bytes); }
    void variable(const std::string& name, uint32_t type, const expression& location,
                  uint8_t kind = 3) {
        add({kind});
        add_text(name);
        add_dword(type);
        add({static_cast<uint8_t>(location.size())});
        add(location);
    }
    void variable(const std::string& name, uint32_t type) {
        add({8});
        add_text(name);
        add_dword(type);
    }
    uint32_t const_type(uint32_t type) {
        const uint32_t at = here();
        add({13});
        add_dword(type);
        return at;
    }
    uint32_t type_definition(const std::string& name, uint32_t type) {
        const uint32_t at = here();
        add({14});
        add_text(name);
        add_dword(type);
        return at;
    }
    void begin_namespace() { add({15}); }
    void declared_function(const std::string& symbol) {
        add({16});
        add_text(symbol);
    }
    // One that is inlined somewhere, with a variable; the places of both.
    std::array<uint32_t, 2> inlined_function(const std::string& name, const std::string& variable,
                                             uint32_t type) {
        const uint32_t at = here();
        add({17});
        add_text(name);
        const uint32_t inner = here();
        this->variable(variable, type);
        end();
        return {at, inner};
    }
    void begin_inlined(uint32_t function, uint32_t first, uint32_t bytes) {
        begin_range(18, first, bytes);
        add_dword(function);
    }
    void inlined_variable(uint32_t variable, const expression& location) {
        add({19});
        add_dword(variable);
        add({static_cast<uint8_t>(location.size())});
        add(location);
    }
    void parameter(const std::string& name, uint32_t type, const expression& location) {
        variable(name, type, location, 20);
    }
    void end() { add({0}); }

    // With code of four instructions.
    program& code(const std::string& more = "") {
        end();
        static const expression abbreviations = {
            1,  0x11, 1, 0,    0,                                            // a unit
            2,  0x2e, 1, 0x11, 1,    0x12, 6,    0x40, 0x18, 0x6e, 8, 0, 0,  // a function
            3,  0x34, 0, 3,    8,    0x49, 0x13, 2,    0x18, 0,    0,        // a variable
            4,  0x24, 0, 3,    8,    0x3e, 0xb,  0xb,  0xb,  0,    0,        // a scalar type
            5,  0x01, 1, 0x49, 0x13, 0,    0,                                // an array
            6,  0x21, 0, 0x37, 0xf,  0,    0,                                // and its elements
            7,  0x0b, 1, 0x11, 1,    0x12, 6,    0,    0,                    // a block
            8,  0x34, 0, 3,    8,    0x49, 0x13, 0,    0,                    // without a place
            9,  0x13, 1, 3,    8,    0xb,  0xb,  0,    0,                    // a structure
            10, 0x0d, 0, 3,    8,    0x49, 0x13, 0x38, 0xf,  0,    0,        // a member
            11, 0x21, 0, 0,    0,                                            // elements
            12, 0x13, 0, 3,    8,    0,    0,              // a structure of which no more is known
            13, 0x26, 0, 0x49, 0x13, 0,    0,              // a constant
            14, 0x16, 0, 3,    8,    0x49, 0x13, 0,    0,  // another name
            15, 0x39, 1, 0,    0,                          // a namespace
            16, 0x2e, 0, 0x6e, 8,    0,    0,              // without code
            17, 0x2e, 1, 3,    8,    0,    0,              // a function without code
            18, 0x1d, 1, 0x11, 1,    0x12, 6,    0x31, 0x13, 0,    0,  // where it is inlined
            19, 0x34, 0, 0x31, 0x13, 2,    0x18, 0,    0,              // its variable there
            20, 0x05, 0, 3,    8,    0x49, 0x13, 2,    0x18, 0,    0,  // a parameter
            21, 0x2e, 1, 0x11, 1,    0x12, 6,    0x6e, 8,    0,    0,  // a function without a frame
            0,
        };
        expression header;
        for (const uint32_t n : {here() - 4, 0x08010005u, 0u}) {  // version 5, 8 bytes of address
            for (int b = 0; b < 32; b += 8) {
                header.push_back(static_cast<uint8_t>(n >> b));
            }
        }
        object_ = assemble_object(gfx_target::gfx942,
                                  ".text\n .globl k\n .type k,@function\nk: s_nop 0\n s_nop 0\n"
                                  "s_nop 0\n s_endpgm\n" +
                                      more + section(".debug_abbrev", abbreviations) +
                                      section(".debug_info", header + info_));
        code_.emplace(gfx_target::gfx942, object_.data(), 16, machine::base);
        code_->set_source_lines(source_lines(object_), machine::base);
        return *code_;
    }

private:
    static constexpr size_t header_bytes = 12;

    static std::string section(const std::string& name, const expression& bytes) {
        std::string text = ".section " + name + ",\"\",@progbits\n";
        for (const uint8_t byte : bytes) {
            text += ".byte " + std::to_string(byte) + "\n";
        }
        return text;
    }
    void begin_range(uint8_t kind, uint32_t first, uint32_t bytes) {
        add({kind});
        add_dword(first);
        add_dword(0);
        add_dword(bytes);
    }
    void add(const expression& bytes) { info_ = std::move(info_) + bytes; }
    void add_dword(uint32_t value) {
        for (int b = 0; b < 32; b += 8) {
            add({static_cast<uint8_t>(value >> b)});
        }
    }
    void add_text(const std::string& text) {
        add(expression(text.begin(), text.end()));
        add({0});
    }

    expression info_;
    std::vector<std::byte> object_;
    std::optional<program> code_;
};

constexpr uint8_t of_characters = 0x10;  // an encoding whose values are printed as they are
constexpr uint8_t of_integers = 5;

// A wave whose registers all have values of their own, the same in all lanes but for v9.
struct numbered_wave : machine {
    numbered_wave() : machine(gfx_target::gfx942) {
        w().vgpr.resize(256);
        w().agpr.resize(256);
        for (uint32_t n = 0; n < 256; ++n) {
            fill(static_cast<int>(n), 0x56000000 + n);
            w().agpr[n].lane.fill(0x61000000 + n);
        }
        for (uint32_t n = 0; n < 106; ++n) {
            s(static_cast<int>(n)) = 0x73000000 + n;
        }
        fill(9, [](uint32_t lane) { return lane; });
        w().scratch_per_lane = 40;
        for (uint32_t n = 0; n < 40 * lane_count; ++n) {
            w().scratch.push_back(static_cast<std::byte>(n % 40));
        }
    }
};

const std::string unknown = ": in a place that is not understood";

TEST(dwarf, operations) {
    const auto v3 = regx(dwarf_v0 + 3);
    const auto v4 = regx(dwarf_v0 + 4);
    const expression piece_2 = {op_piece, 2};
    const struct {
        uint8_t bytes;
        expression location;
        std::string text;
    } rows[] = {
        // constants
        {1, {lit(0)}, " = 0x0"},
        {4, {lit(31)}, " = 0x1f"},
        {8, {op_const1u, 0xfe}, " = 0xfe"},
        {8, {op_const1s, 0xfe}, " = 0xfffffffffffffffe"},
        {8, {op_const2u, 0xfe, 0xff}, " = 0xfffe"},
        {8, {op_const2s, 0xfe, 0xff}, " = 0xfffffffffffffffe"},
        {8, {op_const4u, 1, 2, 3, 0xf4}, " = 0xf4030201"},
        {8, {op_const4s, 1, 2, 3, 0xf4}, " = 0xfffffffff4030201"},
        {8, {op_const8u, 1, 2, 3, 4, 5, 6, 7, 0xf8}, " = 0xf807060504030201"},
        {8, {op_const8s, 1, 2, 3, 4, 5, 6, 7, 0xf8}, " = 0xf807060504030201"},
        {8, {op_constu, 0xff, 0x7f}, " = 0x3fff"},
        {8, {op_consts, 0xff, 0x7f}, " = 0xffffffffffffffff"},
        {2, {op_const4u, 1, 2, 3, 4}, " = 0x201"},
        {4, {op_const4u, 1, 2}, unknown},
        {4, {}, unknown},
        // registers, and the numbers beside theirs
        {4, regx(dwarf_s0 - 1), unknown},
        {4, regx(dwarf_s0), ", s0 = 0x73000000"},
        {4, regx(dwarf_s0 + 63), ", s63 = 0x7300003f"},
        {4, regx(dwarf_s0 + 64), unknown},
        {4, regx(dwarf_s64 - 1), unknown},
        {4, regx(dwarf_s64), ", s64 = 0x73000040"},
        {4, regx(dwarf_s64 + 41), ", s105 = 0x73000069"},
        {4, regx(dwarf_s64 + 42), unknown},
        {4, regx(dwarf_v0 - 1), unknown},
        {4, regx(dwarf_v0), ", v0 = 0x56000000"},
        {4, regx(dwarf_v0 + 255), ", v255 = 0x560000ff"},
        {4, regx(dwarf_v0 + 256), unknown},
        {4, regx(dwarf_a0 - 1), unknown},
        {4, regx(dwarf_a0), ", a0 = 0x61000000"},
        {4, regx(dwarf_a0 + 255), ", a255 = 0x610000ff"},
        {4, regx(dwarf_a0 + 256), unknown},
        {2, v3, ", v3 = 0x3"},
        {8, v3, unknown},
        {4, {op_breg0, 0}, unknown},  // PC
        {4, {op_breg0 + 31, 0}, unknown},
        {4, expression{op_bregx} + number_of(dwarf_v0 + 3) + expression{5}, ", v3 = 0x56000008"},
        {4, expression{op_bregx} + number_of(dwarf_v0 + 3) + expression{0x7d}, ", v3 = 0x56000000"},
        // the address space that clang gives them
        {4, v3 + expression{lit(1), op_swap, op_xderef}, ", v3 = 0x56000003"},
        {4, {lit(7), op_xderef}, unknown},
        {4, {lit(7), op_swap}, unknown},
        // arithmetic: the second of the stack comes first
        {8, {lit(7), lit(3), op_minus}, " = 0x4"},
        {8, {lit(7), lit(3), op_swap, op_minus}, " = 0xfffffffffffffffc"},
        {8, {lit(7), lit(3), op_plus}, " = 0xa"},
        {8, {lit(7), lit(3), op_mul}, " = 0x15"},
        {8, {lit(6), lit(3), op_and}, " = 0x2"},
        {8, {lit(6), lit(3), op_or}, " = 0x7"},
        {8, {lit(6), lit(3), op_xor}, " = 0x5"},
        {8, {lit(3), lit(4), op_shl}, " = 0x30"},
        {8, {lit(3), op_const1u, 63, op_shl}, " = 0x8000000000000000"},
        {8, {lit(3), op_const1u, 64, op_shl}, " = 0x0"},
        {8, {op_const1u, 0x30, lit(4), op_shr}, " = 0x3"},
        {8, {op_const1s, 0xff, op_const1u, 63, op_shr}, " = 0x1"},
        {8, {op_const1s, 0xff, op_const1u, 64, op_shr}, " = 0x0"},
        {8, {op_const1s, 0xf8, lit(1), op_shra}, " = 0xfffffffffffffffc"},
        {8, {op_const1s, 0xf8, op_const1u, 64, op_shra}, " = 0xffffffffffffffff"},
        {8, {op_const1u, 0x78, op_const1u, 64, op_shra}, " = 0x0"},
        {8, {lit(5), op_not}, " = 0xfffffffffffffffa"},
        {8, {lit(5), op_neg}, " = 0xfffffffffffffffb"},
        {8, {lit(5), op_plus_uconst, 9}, " = 0xe"},
        {8, {op_plus_uconst, 9}, unknown},
        {8, {lit(5), op_plus}, unknown},
        {8, {op_not}, unknown},
        {8, {op_neg}, unknown},
        {8, {lit(5), op_stack_value}, " = 0x5"},
        {8, {op_stack_value}, unknown},
        {4, {lit(5), op_deref}, unknown},
        // what follows does not make up for it
        {8, {op_not, lit(5)}, unknown},
        {8, {op_neg, lit(5)}, unknown},
        {8, {op_stack_value, lit(5)}, unknown},
        {8, {op_plus, lit(5)}, unknown},
        {8, {lit(7), op_swap, lit(5)}, unknown},
        {8, {op_plus_uconst, 9, lit(5)}, unknown},
        {8, {lit(7), op_deref, lit(5)}, unknown},
        {8, {op_breg0, 0, lit(5)}, unknown},
        {8, {op_breg0 + 31, 0, lit(5)}, unknown},
        {8, regx(dwarf_v0 - 1) + expression{lit(5)}, unknown},
        {8, expression{op_bregx} + number_of(dwarf_a0 + 256) + expression{0, lit(5)}, unknown},
        {4, expression{op_piece, 4, lit(5), op_piece, 4}, unknown},
        {4, expression{op_fbreg, 37, op_piece, 4, lit(5), op_piece, 4}, unknown},
        {4, v3 + expression{op_piece, 5, lit(5), op_piece, 4}, unknown},
        // pieces
        {4, v3 + piece_2 + v4 + piece_2, ", v3, v4 = 0x40003"},
        {4, v3 + piece_2, unknown},
        {2, v3 + piece_2, ", v3 = 0x3"},
        {8, v3 + expression{op_piece, 4} + v4 + expression{op_piece, 4},
         ", v3, v4 = 0x5600000456000003"},
        {4, v3 + expression{op_piece, 5}, unknown},
        {8, {lit(9), op_piece, 8}, " = 0x9"},
        {8, {lit(9), op_piece, 9}, unknown},
        {4, {op_piece, 4}, unknown},
        {8, {lit(5), op_piece, 4, op_piece, 4}, unknown},  // the second one is nowhere
        // private memory: 40 bytes
        {4, {op_fbreg, 0}, ", scratch 0 = 0x3020100"},
        {4, {op_fbreg, 36}, ", scratch 36 = 0x27262524"},
        {4, {op_fbreg, 37}, unknown},
        {4, {op_fbreg, 0x7f}, unknown},  // -1
        {4, {op_fbreg, 0x7c}, unknown},  // -4
        {8, {op_fbreg, 32}, ", scratch 32 = 0x2726252423222120"},
        {4, {op_fbreg, 4, op_plus_uconst, 8}, ", scratch 4 = 0xf0e0d0c"},
        {4, {op_fbreg, 4, op_stack_value}, ", scratch 4 = 0x4"},
        {4, expression{op_fbreg, 6, op_piece, 2} + v3 + piece_2, ", scratch 6, v3 = 0x30706"},
    };
    numbered_wave m;
    unit u;
    std::array<uint32_t, 9> types{};
    for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}, uint8_t{8}}) {
        types[bytes] = u.base_type("t", of_characters, bytes);
    }
    u.begin_function("k", 0, 16, {lit(0)});
    std::string expected;
    int n = 0;
    for (const auto& row : rows) {
        const std::string name = "x" + std::to_string(n++);
        u.variable(name, types[row.bytes], row.location);
        expected += "  " + name + ", t" + row.text + "\n";
    }
    u.end();
    const debug_info info(u.code());
    EXPECT_EQ(variables_at(info, m.w(), machine::base), expected);
}

// Inner scopes come first and hold for their own instructions; a frame is where the function says.
TEST(dwarf, scopes_and_frames) {
    numbered_wave m;
    m.s(32) = 12;
    unit u;
    const uint32_t type = u.base_type("t", of_characters, 4);
    u.begin_function("k", 0, 16, {lit(8)});
    u.variable("outer", type, {op_fbreg, 4});
    u.variable("below", type, {op_fbreg, 0x7c});  // -4
    u.begin_block(4, 8);
    u.variable("inner", type, {lit(1)});
    u.begin_block(8, 4);
    u.variable("innermost", type, {lit(2)});
    u.end();
    u.end();
    u.end();
    u.begin_function("by_register", 16, 4, regx(dwarf_s0 + 32));
    u.variable("x", type, {op_fbreg, 0});
    u.end();
    u.begin_function("of_no_frame", 20, 4, {op_deref});
    u.variable("x", type, {lit(1)});
    u.end();
    u.begin_function("from_0", 24, 4);
    u.variable("x", type, {op_fbreg, 4});
    u.end();
    const debug_info info(u.code());
    const auto at = [&](uint64_t offset) { return variables_at(info, m.w(), m.base + offset); };
    const std::string outer =
        "  outer, t, scratch 12 = 0xf0e0d0c\n  below, t, scratch 4 = 0x7060504\n";
    const std::string inner = "  inner, t = 0x1\n" + outer;
    const std::string innermost = "  innermost, t = 0x2\n" + inner;
    EXPECT_EQ(at(0), outer);
    EXPECT_EQ(at(4), inner);
    EXPECT_EQ(at(8), innermost);
    EXPECT_EQ(at(12), outer);
    EXPECT_EQ(at(16), "  x, t, scratch 12 = 0xf0e0d0c\n");
    EXPECT_EQ(at(20), "  x, t" + unknown + "\n");
    EXPECT_EQ(at(24), "  x, t, scratch 4 = 0x7060504\n");
    EXPECT_EQ(at(28), "");
    // By lane, where they do not agree.
    unit by_lane;
    const uint32_t of_integer = by_lane.base_type("int", of_integers, 4);
    by_lane.begin_function("k", 0, 16, {lit(0)});
    by_lane.variable("x", of_integer, regx(dwarf_v0 + 9));
    by_lane.end();
    m.set_exec(6);
    EXPECT_EQ(variables_at(debug_info(by_lane.code()), m.w(), m.base),
              "  x, int, v9 =\n    lane  0: - 1 2 - - - - -\n");
}

// A function's name tells its variables from those that surround it, where it is inlined.
TEST(dwarf, inlined_functions) {
    numbered_wave m;
    unit u;
    const uint32_t type = u.base_type("t", of_characters, 4);
    const auto [f, x] = u.inlined_function("f", "x", type);
    const auto [g, y] = u.inlined_function("g", "y", type);
    u.begin_function("k", 0, 16, {lit(0)});
    u.parameter("p", type, {lit(7)});
    u.begin_inlined(f, 4, 8);
    u.inlined_variable(x, {lit(1)});
    u.begin_inlined(g, 8, 4);
    u.inlined_variable(y, regx(dwarf_v0 + 3));
    u.end();
    u.end();
    u.begin_inlined(f, 12, 4);
    u.inlined_variable(x, {lit(2)});
    u.end();
    u.end();
    const debug_info info(u.code());
    const std::string p = "  p, t = 0x7\n";
    const std::string in_f = "  x in f(), t = 0x1\n" + p;
    const std::string expected[] = {p, in_f, "  y in g(), t, v3 = 0x56000003\n" + in_f,
                                    "  x in f(), t = 0x2\n" + p};
    for (uint64_t n = 0; n < 4; ++n) {
        EXPECT_EQ(variables_at(info, m.w(), m.base + 4 * n), expected[n]) << n;
    }
}

TEST(dwarf, values_of_each_encoding) {
    const struct {
        const char* name;
        uint8_t encoding;
        uint8_t bytes;
        expression location;
        const char* text;
    } rows[] = {
        {"bool", 2, 1, {lit(2)}, "true"},
        {"bool", 2, 1, {lit(0)}, "false"},
        {"float", 4, 4, {op_const4u, 0, 0, 0xc0, 0x3f}, "1.5"},
        {"double", 4, 8, {op_const8u, 0, 0, 0, 0, 0, 0, 0xf8, 0xbf}, "-1.5"},
        {"_Float16", 4, 2, {op_const2u, 0, 0x3e}, "1.5"},
        {"__bf16", 4, 2, {op_const2u, 0xc0, 0x3f}, "1.5"},
        {"signed char", 6, 1, {op_const1u, 0x80}, "-128"},
        {"short", 5, 2, {op_const2u, 0xfe, 0xff}, "-2"},
        {"int", 5, 4, {op_const4u, 0xff, 0xff, 0xff, 0x7f}, "2147483647"},
        {"long", 5, 8, {op_const1s, 0xfd}, "-3"},
        {"unsigned char", 8, 1, {op_const1u, 0xff}, "255"},
        {"unsigned", 7, 4, {op_const4u, 0xff, 0xff, 0xff, 0xff}, "4294967295"},
        {"char32_t", of_characters, 4, {op_const1u, 65}, "0x41"},
    };
    numbered_wave m;
    unit u;
    std::string expected;
    u.begin_function("k", 0, 16, {lit(0)});
    for (const auto& row : rows) {
        const uint32_t type = u.base_type(row.name, row.encoding, row.bytes);
        u.variable("x", type, row.location);
        expected += std::string("  x, ") + row.name + " = " + row.text + "\n";
    }
    u.end();
    EXPECT_EQ(variables_at(debug_info(u.code()), m.w(), m.base), expected);
}

// Sixteen elements at most; those of more dimensions in their order.
TEST(dwarf, arrays) {
    numbered_wave m;
    unit u;
    const uint32_t byte = u.base_type("int8_t", of_integers, 1);
    const uint32_t sixteen = u.array(byte, {16});
    const uint32_t seventeen = u.array(byte, {17});
    const uint32_t pairs = u.array(byte, {3, 2});
    u.begin_function("k", 0, 16, {lit(0)});
    u.variable("a", sixteen, {op_fbreg, 0});
    u.variable("b", seventeen, {op_fbreg, 0});
    u.variable("c", pairs, {op_fbreg, 3});
    u.variable("d", sixteen, {op_fbreg, 24});
    u.variable("e", sixteen, {op_fbreg, 25});
    u.end();
    EXPECT_EQ(variables_at(debug_info(u.code()), m.w(), m.base),
              "  a, int8_t[16], scratch 0 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
              "15}\n"
              "  b, int8_t[17], scratch 0 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
              "15, ...}\n"
              "  c, int8_t[3][2], scratch 3 = {3, 4, 5, 6, 7, 8}\n"
              "  d, int8_t[16], scratch 24 = {24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, "
              "37, 38, 39}\n"
              "  e, int8_t[16]" +
                  unknown + "\n");
}

TEST(dwarf, constants_and_other_names) {
    numbered_wave m;
    unit u;
    const uint32_t byte = u.base_type("int8_t", of_integers, 1);
    const uint32_t constant = u.const_type(byte);
    const uint32_t named = u.type_definition("small", constant);
    u.begin_function("k", 0, 16, {lit(0)});
    u.variable("a", constant, {op_fbreg, 3});
    u.variable("b", named, {op_fbreg, 4});
    u.variable("c", u.const_type(named), {op_fbreg, 5});
    u.end();
    EXPECT_EQ(variables_at(debug_info(u.code()), m.w(), m.base),
              "  a, const int8_t, scratch 3 = 3\n  b, small, scratch 4 = 4\n"
              "  c, const small, scratch 5 = 5\n");
}

// ---- variables of LDS, which have no place ----

// A member of no known size has no bytes, and what is between and behind members has no name.
TEST(dwarf, members_of_a_variable_of_lds) {
    unit u;
    const uint32_t type = u.base_type("t", of_integers, 4);
    const uint32_t two = u.array(type, {2});
    const uint32_t open = u.open_array(type);
    const uint32_t unknown_type = u.declared_structure("unknown");
    const uint32_t record = u.begin_structure("record", 24);
    u.member("first", type, 0);
    u.member("pair", two, 8);
    u.member("unknown", unknown_type, 16);
    u.member("tail", open, 20);
    u.end();
    u.begin_function("k", 0, 16, {lit(0)});
    u.variable("r", record);
    u.end();
    workgroup group;
    group.static_lds = 24;
    group.entry = machine::base;
    group.lds.resize(24);
    group.code = &u.code(" .globl k.kd\nk.kd:\n");
    const std::pair<uint64_t, const char*> rows[] = {
        {0, "r.first"},    {3, "r.first+3"},   {4, "r+4"},          {7, "r+7"},
        {8, "r.pair[0]"},  {12, "r.pair[1]"},  {15, "r.pair[1]+3"}, {16, "r+16"},
        {20, "r.tail[0]"}, {23, "r.tail[0]+3"}};
    for (const auto& [byte, name] : rows) {
        EXPECT_EQ(name_of_lds_byte(group, byte),
                  "LDS byte " + std::to_string(byte) + " (" + name + ")");
    }
}

// The larger alignment goes first.
TEST(dwarf, several_variables_of_lds) {
    unit u;
    const uint32_t dword = u.base_type("t", of_integers, 4);
    const uint32_t wide = u.base_type("w", of_integers, 8);
    u.begin_function("k", 0, 16, {lit(0)});
    u.variable("a", u.array(dword, {2}));
    u.variable("b", u.array(wide, {2}));
    u.end();
    workgroup group;
    group.static_lds = 24;
    group.entry = machine::base;
    group.lds.resize(24);
    group.code = &u.code(" .globl k.kd\nk.kd:\n");
    const std::pair<uint64_t, const char*> rows[] = {{0, "b[0]"},  {7, "b[0]+7"}, {8, "b[1]"},
                                                     {16, "a[0]"}, {20, "a[1]"},  {23, "a[1]+3"}};
    for (const auto& [byte, name] : rows) {
        EXPECT_EQ(name_of_lds_byte(group, byte),
                  "LDS byte " + std::to_string(byte) + " (" + name + ")");
    }
    EXPECT_EQ(name_beyond_lds(group, 24), ", right behind a (t[2]), as a[2]");
    EXPECT_EQ(name_beyond_lds(group, -8), ", 8 bytes before b (w[2]), as b[-1]");
}

// Of a namespace as of the kernel; constants are no variables of LDS, by whatever name.
TEST(dwarf, variables_of_lds_outside_of_the_kernel) {
    unit u;
    const uint32_t byte = u.base_type("char", of_integers, 1);
    const uint32_t bytes = u.array(byte, {8});
    const uint32_t constant = u.type_definition("c", u.const_type(bytes));
    u.begin_namespace();
    u.variable("inner", bytes);
    u.variable("table", constant);
    u.variable("rows", u.array(constant, {1}));
    u.end();
    u.declared_function("other");
    u.begin_function("k", 0, 16, {lit(0)});
    u.end();
    workgroup group;
    group.static_lds = 8;
    group.entry = machine::base;
    group.lds.resize(8);
    group.code = &u.code(" .globl k.kd\nk.kd:\n");
    EXPECT_EQ(name_of_lds_byte(group, 0), "LDS byte 0 (inner[0])");
    EXPECT_EQ(name_of_lds_byte(group, 7), "LDS byte 7 (inner[7])");
    EXPECT_EQ(name_beyond_lds(group, 9), ", 1 bytes behind inner (char[8]), as inner[9]");
    group.lds.resize(16);
    EXPECT_EQ(name_beyond_lds(group, 0), "") << "that may be the dynamic part";
}

TEST(dwarf, bytes_of_lds) {
    const std::string kernel_symbol = " .globl k.kd\nk.kd:\n";
    workgroup group;
    group.static_lds = 16;
    group.entry = machine::base;
    group.lds.resize(16);
    EXPECT_EQ(name_of_lds_byte(group, 3), "LDS byte 3 of 16") << "nothing is known";
    EXPECT_EQ(name_beyond_lds(group, 16), "");
    unit u;
    const uint32_t type = u.base_type("t", of_integers, 4);
    const uint32_t four = u.array(type, {4});
    u.begin_function("k", 0, 16, {lit(0)});
    u.variable("a", four);
    u.end();
    group.code = &u.code(kernel_symbol);
    EXPECT_EQ(name_of_lds_byte(group, 0), "LDS byte 0 (a[0])");
    EXPECT_EQ(name_of_lds_byte(group, 15), "LDS byte 15 (a[3]+3)");
    EXPECT_EQ(name_of_lds_byte(group, 16), "LDS byte 16 of 16 (byte 0 of the dynamic part)");
    EXPECT_EQ(name_beyond_lds(group, 16), ", right behind a (t[4]), as a[4]");
    EXPECT_EQ(name_beyond_lds(group, 21), ", 5 bytes behind a (t[4]), as a[5]+1");
    EXPECT_EQ(name_beyond_lds(group, 12), ", from a[3] on");
    EXPECT_EQ(name_beyond_lds(group, 0), ", from a[0] on");
    EXPECT_EQ(name_beyond_lds(group, -1), ", 1 bytes before a (t[4]), as a[-1]+3");
    EXPECT_EQ(name_beyond_lds(group, -5), ", 5 bytes before a (t[4]), as a[-2]+3");
    // Behind it lies the dynamic part.
    group.lds.resize(32);
    EXPECT_EQ(name_beyond_lds(group, 32), "");
    EXPECT_EQ(name_beyond_lds(group, -4), ", 4 bytes before a (t[4]), as a[-1]");
    EXPECT_EQ(name_of_lds_byte(group, 15), "LDS byte 15 (a[3]+3)");
    EXPECT_EQ(name_of_lds_byte(group, 31), "LDS byte 31 of 32 (byte 15 of the dynamic part)");
    // All of it is dynamic, and a kernel without its own LDS has no names.
    group.static_lds = 0;
    EXPECT_EQ(name_of_lds_byte(group, 3), "LDS byte 3 of 32");
    // Another function with code, whose variables might be any, and the same where it is a kernel.
    for (const bool is_kernel : {false, true}) {
        unit two;
        const uint32_t element = two.base_type("t", of_integers, 4);
        const uint32_t elements = two.array(element, {4});
        two.begin_function("k", 0, 8, {lit(0)});
        two.variable("a", elements);
        two.end();
        two.begin_function("other", 8, 8, {lit(0)});
        two.variable("b", elements);
        two.end();
        group.static_lds = 16;
        group.code = &two.code(kernel_symbol + (is_kernel ? " .globl other.kd\nother.kd:\n" : ""));
        EXPECT_EQ(name_of_lds_byte(group, 4), is_kernel ? "LDS byte 4 (a[1])" : "LDS byte 4 of 32");
        group.entry = machine::base + 8;
        EXPECT_EQ(name_of_lds_byte(group, 4), is_kernel ? "LDS byte 4 (b[1])" : "LDS byte 4 of 32");
        group.entry = machine::base;
    }
}

}  // namespace
}  // namespace emu
