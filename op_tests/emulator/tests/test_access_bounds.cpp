// The last byte of each access of memory, of every instruction that has one: where it is the last one
// of its memory the access works, where that memory ends one byte earlier it is reported, and of a
// buffer it reads 0 or is dropped. The widths are those of the ISA guide (chapters 8 to 12).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/accesses.hpp"
#include "machine.hpp"

namespace emu {
namespace {

enum class place { lds, memory, scratch, flat_lds, flat_scratch, buffer };
enum class kind { load, store, atomic };

struct access_form {
    std::string text;
    kind what;
    uint32_t bytes;          // of a lane, or of the element that is the last one in memory
    uint32_t before = 0;     // bytes from the lane's address to that element
    uint32_t data_row = 0;   // the first register of that element, from v4 on
    uint32_t data_byte = 0;  // where in it: 2 for d16_hi
};

constexpr uint32_t start = 16;  // the address of a lane

// Lanes that are on: one, or all, whose bytes follow each other.
struct lanes {
    bool all;
    uint32_t last() const { return all ? lane_count - 1 : 37; }
    uint64_t exec() const { return all ? ~uint64_t{0} : uint64_t{1} << last(); }
};
constexpr lanes one_lane{false};
constexpr lanes all_lanes_on{true};

// ---- the instructions ----

// LDS: name, bytes.
struct width {
    const char* name;
    uint32_t bytes;
};
constexpr width lds_reads[] = {{"u8", 1},      {"i8", 1},        {"u16", 2},    {"i16", 2},
                               {"b32", 4},     {"b64", 8},       {"b96", 12},   {"b128", 16},
                               {"u8_d16", 1},  {"u8_d16_hi", 1}, {"i8_d16", 1}, {"i8_d16_hi", 1},
                               {"u16_d16", 2}, {"u16_d16_hi", 2}};
constexpr width lds_writes[] = {{"b8", 1},   {"b16", 2},   {"b32", 4},       {"b64", 8},
                                {"b96", 12}, {"b128", 16}, {"b8_d16_hi", 1}, {"b16_d16_hi", 2}};
constexpr width vector_loads[] = {{"ubyte", 1},        {"sbyte", 1},       {"ushort", 2},
                                  {"sshort", 2},       {"dword", 4},       {"dwordx2", 8},
                                  {"dwordx3", 12},     {"dwordx4", 16},    {"ubyte_d16", 1},
                                  {"ubyte_d16_hi", 1}, {"sbyte_d16", 1},   {"sbyte_d16_hi", 1},
                                  {"short_d16", 2},    {"short_d16_hi", 2}};
constexpr width vector_stores[] = {{"byte", 1},         {"byte_d16_hi", 1}, {"short", 2},
                                   {"short_d16_hi", 2}, {"dword", 4},       {"dwordx2", 8},
                                   {"dwordx3", 12},     {"dwordx4", 16}};
constexpr const char* vector_atomics[] = {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax",
                                          "umax", "and",     "or",  "xor", "inc",  "dec"};
constexpr width float_atomics[] = {{"add_f32", 4}, {"pk_add_f16", 4}, {"pk_add_bf16", 4},
                                   {"add_f64", 8}, {"min_f64", 8},    {"max_f64", 8}};
// Of one operand, and by type.
constexpr const char* lds_atomics[] = {"add_u", "sub_u", "rsub_u", "inc_u", "dec_u",
                                       "min_i", "max_i", "min_u",  "max_u", "and_b",
                                       "or_b",  "xor_b", "min_f",  "max_f", "add_f"};

std::string registers(uint32_t bytes, uint32_t first = 4) {
    return "v[" + std::to_string(first) + ":" + std::to_string(first + (bytes + 3) / 4 - 1) + "]";
}

uint32_t byte_of(const std::string& name) {
    return name.ends_with("_d16_hi") ? 2 : 0;
}

std::vector<access_form> lds_forms() {
    std::vector<access_form> forms;
    for (const auto& [name, bytes] : lds_reads) {
        forms.push_back({std::string("ds_read_") + name + " " + registers(bytes) + ", v2",
                         kind::load, bytes, 0, 0, byte_of(name)});
    }
    for (const auto& [name, bytes] : lds_writes) {
        forms.push_back({std::string("ds_write_") + name + " v2, " + registers(bytes), kind::store,
                         bytes, 0, 0, byte_of(name)});
    }
    for (const uint32_t bytes : {4u, 8u}) {
        const std::string b = std::to_string(8 * bytes);
        const std::string one = registers(bytes);
        const std::string other = registers(bytes, 4 + bytes / 4);
        // The last element is the first or the second one of two.
        for (const uint32_t which : {0u, 1u}) {
            const std::string offsets =
                which == 0 ? " offset0:2 offset1:1" : " offset0:1 offset1:2";
            for (const auto& [suffix, step] : {width{"2_", 1}, width{"2st64_", 64}}) {
                const access_form f = {"", kind::load, bytes, 2 * step * bytes, which * bytes / 4};
                auto add = [&](const std::string& text, kind what) {
                    forms.push_back(f);
                    forms.back().text = text + offsets;
                    forms.back().what = what;
                };
                add("ds_read" + std::string(suffix) + "b" + b + " " + registers(2 * bytes) + ", v2",
                    kind::load);
                add("ds_write" + std::string(suffix) + "b" + b + " v2, " + one + ", " + other,
                    kind::store);
                add("ds_wrxchg" + std::string(suffix) + "rtn_b" + b +
                        " v[20:" + std::to_string(19 + bytes / 2) + "], v2, " + one + ", " + other,
                    kind::store);
            }
        }
        for (const std::string operation : lds_atomics) {
            const std::string type = operation.substr(operation.find('_') + 1) + b;
            const std::string name = operation.substr(0, operation.find('_'));
            forms.push_back({"ds_" + name + "_" + type + " v2, " + one, kind::atomic, bytes});
            forms.push_back(
                {"ds_" + name + "_rtn_" + type + " " + registers(bytes, 20) + ", v2, " + one,
                 kind::atomic, bytes});
        }
        for (const std::string name : {"mskor_b", "cmpst_b", "cmpst_f"}) {
            const std::string type = name.substr(5) + b;
            const std::string operation = "ds_" + name.substr(0, 5);
            forms.push_back({operation + type + " v2, " + one + ", " + other, kind::atomic, bytes});
            forms.push_back({operation + "_rtn" + type + " " + registers(bytes, 20) + ", v2, " +
                                 one + ", " + other,
                             kind::atomic, bytes});
        }
        forms.push_back({"ds_wrxchg_rtn_b" + b + " " + registers(bytes, 20) + ", v2, " + one,
                         kind::store, bytes});
    }
    forms.push_back({"ds_wrap_rtn_b32 v20, v2, v4, v5", kind::atomic, 4});
    forms.push_back({"ds_condxchg32_rtn_b64 v[20:21], v2, v[4:5]", kind::atomic, 8});
    for (const std::string type : {"f16", "bf16"}) {
        forms.push_back({"ds_pk_add_" + type + " v2, v4", kind::atomic, 4});
        forms.push_back({"ds_pk_add_rtn_" + type + " v20, v2, v4", kind::atomic, 4});
    }
    // Addresses from elsewhere.
    const std::string at = " offset:" + std::to_string(start);
    forms.push_back({"s_mov_b32 m0, 0\n ds_append v20" + at, kind::atomic, 4});
    forms.push_back({"s_mov_b32 m0, 0\n ds_consume v20" + at, kind::atomic, 4});
    const uint32_t of_lane = 4 * one_lane.last();
    forms.push_back({"s_mov_b32 m0, 0\n ds_read_addtid_b32 v4" + at, kind::load, 4, of_lane});
    forms.push_back({"s_mov_b32 m0, 0\n ds_write_addtid_b32 v4" + at, kind::store, 4, of_lane});
    return forms;
}

std::vector<access_form> vector_forms(const std::string& space, gfx_target target) {
    // vaddr and what comes behind the data
    const std::string address = space == "buffer" || space == "scratch" ? "v2" : "v[2:3]";
    const std::string last = space == "buffer" ? ", s[8:11], 0 offen"
                             : space == "flat" ? ""
                                               : ", off";
    std::vector<access_form> forms;
    const auto add = [&](const std::string& name, kind what, uint32_t bytes, uint32_t data_bytes) {
        const std::string data = registers(data_bytes);
        const bool data_first = space == "buffer" || what == kind::load;
        forms.push_back({space + "_" + name + " " +
                             (data_first ? data + ", " + address : address + ", " + data) + last,
                         what, bytes, 0, 0, byte_of(name)});
    };
    for (const auto& [name, bytes] : vector_loads) {
        add(std::string("load_") + name, kind::load, bytes, bytes);
    }
    for (const auto& [name, bytes] : vector_stores) {
        add(std::string("store_") + name, kind::store, bytes, bytes);
    }
    if (space == "scratch") {
        return forms;
    }
    for (const std::string name : vector_atomics) {
        const uint32_t count = name == "cmpswap" ? 2 : 1;
        add("atomic_" + name, kind::atomic, 4, 4 * count);
        add("atomic_" + name + "_x2", kind::atomic, 8, 8 * count);
    }
    for (const auto& [name, bytes] : float_atomics) {
        if (space != "buffer" || name != std::string("pk_add_bf16") ||
            target == gfx_target::gfx950) {
            add(std::string("atomic_") + name, kind::atomic, bytes, bytes);
        }
    }
    return forms;
}

// ---- one access ----

uint8_t memory_byte(size_t n) {
    return static_cast<uint8_t>(n * 37 + 11) | 1;  // none is 0
}

class trial {
public:
    // The memory ends `missing` bytes before the access of the last lane does.
    trial(gfx_target target, const access_form& f, place where, lanes on, size_t missing)
        : form_(f),
          where_(where),
          lane_(on.last()),
          end_(start + f.before + (on.all ? lane_count : 1) * f.bytes),
          size_(end_ - missing),
          memory_(where == place::memory ? size_ : 4096),
          m_(target, is_lds() ? static_cast<uint32_t>(size_) : 0) {
        m_.set_exec(on.exec());
        for (uint32_t d = 0; d < 16; ++d) {
            m_.fill(static_cast<int>(4 + d), 0x44332211u + 0x01010101u * d);
        }
        if (is_scratch()) {
            m_.w().scratch_per_lane = static_cast<uint32_t>(size_);
            m_.w().scratch.resize(size_ * lane_count);
        }
        for (size_t n = 0; n < (where == place::buffer ? memory_.size() : size_); ++n) {
            at(n) = std::byte{memory_byte(n)};
        }
        const uint64_t address = start + (where == place::memory         ? memory_.address()
                                          : where == place::flat_lds     ? shared_aperture
                                          : where == place::flat_scratch ? private_aperture
                                                                         : 0);
        m_.fill(2, [&](uint32_t l) {
            return static_cast<uint32_t>(address) + (on.all ? l * f.bytes : 0);
        });
        m_.fill(3, static_cast<uint32_t>(address >> 32));
        m_.s(8) = static_cast<uint32_t>(memory_.address());
        m_.s(9) = static_cast<uint32_t>(memory_.address() >> 32);
        m_.s(10) = static_cast<uint32_t>(size_);
        m_.s(11) = 0x00020000;
    }

    void run() { m_.run(form_.text); }

    // The last byte of the access: in memory, and in the registers.
    uint8_t in_memory() { return std::to_integer<uint8_t>(at(end_ - 1)); }
    uint8_t in_register() {
        const uint32_t byte = form_.bytes - 1 + form_.data_byte;
        const lane_row& row = m_.v(static_cast<int>(4 + form_.data_row + byte / 4));
        return static_cast<uint8_t>(row[lane_] >> byte % 4 * 8);
    }
    uint8_t untouched() const { return memory_byte(end_ - 1); }
    const std::vector<lane_row>& rows() { return m_.w().vgpr; }

private:
    bool is_lds() const { return where_ == place::lds || where_ == place::flat_lds; }
    bool is_scratch() const { return where_ == place::scratch || where_ == place::flat_scratch; }
    std::byte& at(size_t n) {
        return is_lds()       ? m_.lds()[n]
               : is_scratch() ? m_.w().scratch[lane_ * size_ + n]
                              : memory_.data()[n];
    }

    const access_form& form_;
    place where_;
    uint32_t lane_;
    size_t end_;
    size_t size_;
    device_bytes memory_;
    machine m_;
};

void check_end(gfx_target target, const access_form& f, place where, lanes on) {
    SCOPED_TRACE(std::string(name_of(target)) + ": " + f.text + ", place " +
                 std::to_string(static_cast<int>(where)) + (on.all ? ", all lanes" : ""));
    operand written;  // the first one as it is written in `text`, where there is one
    trial inside(target, f, where, on, 0);
    const uint8_t in_register = inside.in_register();
    const std::vector<lane_row> before = inside.rows();
    EXPECT_NO_REPORT(inside.run());
    if (f.text.find('\n') == std::string::npos) {
        const std::vector<std::byte>& code = assemble(target, f.text + machine::end);
        program decoded(target, code.data(), code.size(), machine::base);
        const instruction& i = decoded.at(machine::base);
        EXPECT_EQ(i.access.bytes, f.bytes);  // what is counted
        if (f.what == kind::load || f.text.find("rtn_") != std::string::npos) {
            written = i.operands[0];
        }
        // Nothing is written beside that, and nothing in lanes that are off.
        for (size_t reg = 0; reg < before.size(); ++reg) {
            const bool is_written = written.kind == operand_kind::vgpr && reg >= written.reg &&
                                    reg < size_t{written.reg} + written.dwords;
            lane_row after = inside.rows()[reg];
            for (uint32_t l = 0; is_written && l < lane_count; ++l) {
                after[l] = (on.exec() >> l & 1) != 0 ? before[reg][l] : after[l];
            }
            EXPECT_EQ(std::memcmp(&after, &before[reg], sizeof after), 0) << "v" << reg;
        }
    }
    if (f.what == kind::load) {
        EXPECT_EQ(inside.in_register(), inside.untouched());
    }
    if (f.what == kind::store) {
        EXPECT_EQ(inside.in_memory(), in_register);
    }
    trial outside(target, f, where, on, 1);
    if (where != place::buffer || f.what == kind::atomic) {
        const std::string what = where == place::buffer
                                     ? ": buffer atomic out of range"
                                     : ": .* of " + std::to_string(f.bytes) + " bytes at";
        EXPECT_REPORT(outside.run(), "lane " + std::to_string(on.last()) + what);
        return;
    }
    EXPECT_NO_REPORT(outside.run());
    if (f.what == kind::load) {
        EXPECT_EQ(outside.in_register(), 0);
    } else {
        EXPECT_EQ(outside.in_memory(), outside.untouched());
    }
}

TEST(access_bounds, last_byte_of_each_access) {
    for (const gfx_target target : both_targets) {
        int count = 0;
        const auto check_all = [&](const std::vector<access_form>& forms, place where) {
            for (const access_form& f : forms) {
                // Atomics of lanes in scratch are of nobody else.
                if (where != place::flat_scratch || f.what != kind::atomic) {
                    check_end(target, f, where, one_lane);
                    ++count;
                }
                if (where != place::scratch && where != place::flat_scratch && f.before == 0 &&
                    f.what != kind::atomic && f.text.find("wrxchg") == std::string::npos) {
                    check_end(target, f, where, all_lanes_on);
                    ++count;
                }
            }
        };
        check_all(lds_forms(), place::lds);
        check_all(vector_forms("global", target), place::memory);
        const auto flat = vector_forms("flat", target);
        for (const place where : {place::memory, place::flat_lds, place::flat_scratch}) {
            check_all(flat, where);
        }
        check_all(vector_forms("scratch", target), place::scratch);
        check_all(vector_forms("buffer", target), place::buffer);
        std::printf("  %s: %d accesses\n", name_of(target), count);
    }
}

// An address of which one bit is too much: no bit of 32 is lost on the way to 1024 bytes.
TEST(access_bounds, each_bit_of_an_address) {
    struct {
        const char* text;
        uint64_t aperture;
    } const accesses[] = {
        {"ds_read_b32 v4, v2", 0},
        {"ds_write_b32 v2, v4", 0},
        {"flat_load_dword v4, v[2:3]", shared_aperture},
        {"flat_store_dword v[2:3], v4", shared_aperture},
        {"flat_load_dword v4, v[2:3]", private_aperture},
        {"flat_store_dword v[2:3], v4", private_aperture},
        {"scratch_load_dword v4, v2, off", 0},
        {"scratch_store_dword v2, v4, off", 0},
    };
    constexpr uint32_t bytes = 1024;
    for (const gfx_target target : both_targets) {
        for (const auto& access : accesses) {
            for (uint32_t bit = 4; bit != 0; bit *= 2) {
                SCOPED_TRACE(access.text + std::string(" at ") + std::to_string(bit));
                const auto run = [&] {
                    machine m(target, bytes);
                    m.w().scratch_per_lane = bytes;
                    m.w().scratch.resize(size_t{bytes} * lane_count);
                    m.set_exec(1);
                    m.fill(2, bit);
                    m.fill(3, static_cast<uint32_t>(access.aperture >> 32));
                    m.run(access.text);
                };
                if (bit < bytes) {
                    EXPECT_NO_REPORT(run());
                } else {
                    EXPECT_REPORT(run(), "access of 4 bytes at " + std::to_string(bit) + ",");
                }
            }
        }
    }
}

// Loads to LDS, of which both ends are memory: bytes and words are extended to a dword there.
TEST(access_bounds, last_byte_of_loads_to_lds) {
    for (const gfx_target target : both_targets) {
        for (const std::string space : {"global", "buffer"}) {
            for (const auto& [name, bytes] :
                 {width{"ubyte", 1}, width{"sbyte", 1}, width{"ushort", 2}, width{"sshort", 2},
                  width{"dword", 4}, width{"dwordx3", 12}, width{"dwordx4", 16}}) {
                if (bytes > 4 && target != gfx_target::gfx950) {
                    continue;
                }
                SCOPED_TRACE(space + " " + name);
                const uint32_t in_lds = 32 + 63 * (bytes <= 4 ? 4 : 16) + (bytes < 4 ? 4 : bytes);
                const auto run = [&](uint32_t lds_bytes, size_t memory_bytes) {
                    machine m(target, lds_bytes);
                    device_bytes memory(space == "global" ? memory_bytes : 64);
                    std::memset(memory.data(), 0x55, memory.size());
                    std::memset(m.lds().data(), 0x77, lds_bytes);
                    m.set_exec(uint64_t{1} << 63);
                    m.fill(2, start);
                    m.set_s64(0, memory.address());
                    m.set_s64(8, memory.address());
                    m.s(10) = static_cast<uint32_t>(memory_bytes);
                    m.s(11) = 0x00020000;
                    m.run("s_mov_b32 m0, 32\n " +
                          (space == "global"
                               ? std::string("global_load_lds_") + name + " v2, s[0:1]"
                               : std::string("buffer_load_") + name + " v2, s[8:11], 0 offen lds"));
                    // The last byte that is not there to extend others.
                    return std::to_integer<int>(m.lds()[in_lds - 1 - (bytes < 4 ? 4 - bytes : 0)]);
                };
                const size_t in_memory = start + bytes;
                EXPECT_NO_REPORT(EXPECT_EQ(run(in_lds, in_memory), 0x55));
                EXPECT_REPORT(run(in_lds - 1, in_memory), "lane 63: LDS access of .* bytes at");
                if (space == "global") {
                    EXPECT_REPORT(run(in_lds, in_memory - 1),
                                  "lane 63: load of " + std::to_string(bytes) + " bytes at");
                } else {
                    EXPECT_NO_REPORT(EXPECT_EQ(run(in_lds, in_memory - 1), 0));
                }
            }
        }
    }
}

TEST(access_bounds, last_byte_of_transposed_reads) {
    for (const auto& [name, bytes] : {width{"b64_tr_b16", 8}, width{"b64_tr_b8", 8},
                                      width{"b64_tr_b4", 8}, width{"b96_tr_b6", 12}}) {
        const auto run = [&](uint32_t lds_bytes) {
            machine m(gfx_target::gfx950, lds_bytes);
            m.fill(2, start);
            m.run("ds_read_" + std::string(name) + " " + registers(bytes) + ", v2");
        };
        EXPECT_NO_REPORT(run(start + bytes));
        EXPECT_REPORT(run(start + bytes - 1),
                      "LDS access of " + std::to_string(bytes) + " bytes at");
    }
}

TEST(access_bounds, last_byte_of_scalar_loads) {
    for (const gfx_target target : both_targets) {
        for (const uint32_t dwords : {1u, 2u, 4u, 8u, 16u}) {
            const std::string count = dwords == 1 ? "" : "x" + std::to_string(dwords);
            const std::string to = " s[16:" + std::to_string(15 + dwords) + "], ";
            const auto run = [&](const std::string& code, size_t bytes, size_t records) {
                machine m(target);
                device_bytes memory(bytes);
                std::memset(memory.data(), 0x55, bytes);
                m.set_s64(8, memory.address());
                m.s(10) = static_cast<uint32_t>(records);
                m.s(11) = 0x00020000;
                m.run(code);
                return m.s(static_cast<int>(15 + dwords));
            };
            const size_t bytes = start + 4 * dwords;
            const std::string load = "s_load_dword" + count + to + "s[8:9], 16";
            EXPECT_NO_REPORT(EXPECT_EQ(run(load, bytes, 0), 0x55555555u));
            EXPECT_REPORT(run(load, bytes - 1, 0),
                          "scalar load of " + std::to_string(4 * dwords) + " bytes at");
            const std::string buffer_load = "s_buffer_load_dword" + count + to + "s[8:11], 16";
            EXPECT_NO_REPORT(EXPECT_EQ(run(buffer_load, bytes, bytes), 0x55555555u));
            EXPECT_NO_REPORT(EXPECT_EQ(run(buffer_load, bytes, bytes - 1), 0u));
            EXPECT_REPORT(run(buffer_load, bytes - 1, bytes), "scalar load of 4 bytes at");
        }
    }
}

// What watches a kernel looks at addresses before the handler has refused a register that the wave has
// not got: the last registers of the wave are looked at, one beyond them no lane is said to use.
TEST(access_bounds, addresses_in_the_last_registers) {
    const char* rows[] = {
        "ds_read_b32 v0, v7",
        "ds_write_b32 v7, v0",
        "ds_read2_b32 v[0:1], v7 offset0:1 offset1:2",
        "ds_add_u32 v7, v0",
        "global_load_dword v0, v[6:7], off",
        "global_load_dword v0, v7, s[0:1]",
        "global_store_dword v[6:7], v0, off",
        "flat_load_dword v0, v[6:7]",
        "flat_atomic_add v[6:7], v0",
        "scratch_load_dword v0, v7, off",
        "buffer_load_dword v0, v7, s[0:3], 0 offen",
        "buffer_load_dword v0, v7, s[0:3], 0 idxen",
        "buffer_load_dword v0, v[6:7], s[0:3], 0 idxen offen",
        "buffer_store_dword v0, v7, s[0:3], 0 offen",
    };
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_exec(0x30);
        m.set_s64(0, 0x100000);
        m.s(2) = 0x1000;
        for (const char* text : rows) {
            const std::vector<std::byte>& code = assemble(target, text);
            program decoded(target, code.data(), code.size(), machine::base);
            const instruction& i = decoded.at(machine::base);
            const access_plan& plan = i.access;
            for (const size_t registers : {8u, 7u}) {
                m.w().vgpr.resize(registers);
                const lane_accesses found = find_accesses(m.w(), i, plan.addresses - 1);
                EXPECT_EQ(found.lanes, registers == 8 ? 0x30u : 0u) << text;
            }
        }
    }
}

// ---- what is told of an access ----

// One element of a lane, as who looks at the wave is told about it.
struct told {
    uint32_t lane;
    uint64_t address;
    uint32_t bytes;
    lds_use use;
    uint32_t reg = no_register;  // of the data of memory
    std::string value{};         // that a store is about to write
    friend bool operator==(const told&, const told&) = default;
    friend std::ostream& operator<<(std::ostream& to, const told& t) {
        to << "lane " << t.lane << ": " << t.bytes << " bytes at " << t.address << ", use "
           << static_cast<int>(t.use) << ", v" << t.reg;
        for (const char c : t.value) {
            to << ' ' << std::hex << (c & 0xff) << std::dec;
        }
        return to;
    }
};

class listener : public observer {
public:
    std::vector<told> heard;
    bool needs_old = false;
    void lds(const lds_access& a) override { add(a, a.bytes, no_register); }
    void memory(const memory_access& a) override {
        add(a, static_cast<uint32_t>(a.bytes), a.reg);
        needs_old |= a.needs_old;
    }

private:
    template <class Access>
    void add(const Access& a, uint32_t bytes, uint32_t reg) {
        for (uint32_t l = 0; l < lane_count; ++l) {
            if ((a.lanes >> l & 1) != 0) {
                const auto* value = reinterpret_cast<const char*>(a.value_of(l));
                heard.push_back({l, a.address[l], bytes, a.use, reg,
                                 value == nullptr ? "" : std::string(value, bytes)});
            }
        }
    }
};

constexpr uint64_t three_lanes = uint64_t{1} << 3 | uint64_t{1} << 4 | uint64_t{1} << 37;
constexpr uint32_t data_registers = 16;  // from v4 on

uint32_t data_of(uint32_t d, uint32_t lane) {
    return 0x44332211u + 0x01010101u * d + 0x00030005u * lane;
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// What `f` does to the addresses of the lanes, element by element.
std::vector<told> expected_accesses(const access_form& f, place where, uint64_t exec,
                                    const std::function<uint64_t(uint32_t)>& address) {
    const bool is_lds = where == place::lds || where == place::flat_lds;
    const bool is_atomic = f.what == kind::atomic || has(f.text, "wrxchg");
    const lds_use use = is_atomic               ? lds_use::atomic
                        : f.what == kind::store ? lds_use::write
                                                : lds_use::read;
    // Of a pair the form has the last element: the other one is half as far away.
    const bool is_pair = has(f.text, "offset1");
    const uint32_t other_row = is_pair ? f.bytes / 4 - f.data_row : 0;
    std::vector<told> all;
    for (uint32_t l = 0; l < lane_count; ++l) {
        if ((exec >> l & 1) == 0) {
            continue;
        }
        const auto add = [&](uint64_t at, uint32_t row) {
            told t{l, at, f.bytes, use};
            t.reg = is_lds || is_atomic ? no_register : 4;
            for (uint32_t n = 0; use == lds_use::write && n < f.bytes; ++n) {
                const uint32_t byte = f.data_byte + n;
                t.value += static_cast<char>(data_of(row + byte / 4, l) >> byte % 4 * 8);
            }
            all.push_back(t);
        };
        if (is_pair) {
            add(address(l) + f.before / 2, other_row);
        }
        add(address(l) + f.before, f.data_row);
    }
    return all;
}

void expect_told(const std::vector<told>& wanted, const std::vector<told>& heard) {
    EXPECT_EQ(heard.size(), wanted.size());
    for (const told& t : wanted) {
        EXPECT_EQ(std::ranges::count(heard, t), 1) << t;
    }
}

// Lanes whose bytes follow each other, and lanes apart from each other: in one range of memory, and in
// two of them.
enum class layout { run, apart, two_ranges };

void check_told(gfx_target target, const access_form& f, place where, layout lanes) {
    SCOPED_TRACE(std::string(name_of(target)) + ": " + f.text + ", place " +
                 std::to_string(static_cast<int>(where)) + ", layout " +
                 std::to_string(static_cast<int>(lanes)));
    constexpr size_t bytes = 8192;
    device_bytes memory(bytes);
    device_bytes other(bytes);
    machine m(target, bytes);
    const uint64_t exec = lanes == layout::run ? ~uint64_t{0} : three_lanes;
    m.set_exec(exec);
    for (uint32_t d = 0; d < data_registers; ++d) {
        m.fill(static_cast<int>(4 + d), [&](uint32_t l) { return data_of(d, l); });
    }
    const uint32_t step = lanes == layout::run ? f.bytes : 64;
    const auto place_of = [&](uint32_t l) -> uint64_t {
        const uint64_t base = where == place::lds                         ? 0
                              : where == place::flat_lds                  ? shared_aperture
                              : lanes == layout::two_ranges && l % 2 != 0 ? other.address()
                                                                          : memory.address();
        return base + start + l * step;
    };
    const bool is_buffer = where == place::buffer;
    m.fill(2, [&](uint32_t l) {
        return static_cast<uint32_t>(place_of(l) - (is_buffer ? memory.address() : 0));
    });
    m.fill(3, [&](uint32_t l) { return static_cast<uint32_t>(place_of(l) >> 32); });
    m.set_s64(8, memory.address());
    m.s(10) = bytes;
    m.s(11) = 0x00020000;
    listener who;
    m.w().seen_by = &who;
    m.run(f.text);
    expect_told(
        expected_accesses(
            f, where, exec,
            [&](uint32_t l) { return where == place::flat_lds ? start + l * step : place_of(l); }),
        who.heard);
    // An exchange that gives nothing back does not look at what was there.
    const bool is_lds = where == place::lds || where == place::flat_lds;
    EXPECT_EQ(who.needs_old, !is_lds && f.what == kind::atomic && !has(f.text, "atomic_swap"));
}

TEST(access_bounds, each_access_is_told) {
    for (const gfx_target target : both_targets) {
        const auto check_all = [&](const std::vector<access_form>& forms, place where,
                                   std::initializer_list<layout> layouts) {
            for (const access_form& f : forms) {
                for (const layout lanes : layouts) {
                    if (!has(f.text, "m0") && (lanes != layout::run || f.before == 0)) {
                        check_told(target, f, where, lanes);
                    }
                }
            }
        };
        check_all(lds_forms(), place::lds, {layout::run, layout::apart});
        const auto flat = vector_forms("flat", target);
        check_all(flat, place::flat_lds, {layout::apart});
        check_all(flat, place::memory, {layout::run, layout::apart, layout::two_ranges});
        check_all(vector_forms("global", target), place::memory,
                  {layout::run, layout::apart, layout::two_ranges});
        check_all(vector_forms("buffer", target), place::buffer, {layout::run, layout::apart});
    }
}

// A load of one wave is told as one access, and of a buffer dword by dword: what is outside of it is
// not memory.
TEST(access_bounds, each_scalar_load_is_told) {
    for (const gfx_target target : both_targets) {
        for (const uint32_t dwords : {1u, 2u, 4u, 8u, 16u}) {
            const std::string load =
                "load_dword" + (dwords == 1 ? "" : "x" + std::to_string(dwords));
            const std::string to = " s[16:" + std::to_string(15 + dwords) + "], ";
            device_bytes memory(128);
            const auto heard_of = [&](const std::string& code, uint32_t records) {
                machine m(target);
                listener who;
                m.w().seen_by = &who;
                m.set_s64(8, memory.address());
                m.s(10) = records;
                m.s(11) = 0x00020000;
                m.run(code);
                return who.heard;
            };
            const uint64_t first = memory.address() + start;
            SCOPED_TRACE(load);
            expect_told({{0, first, 4 * dwords, lds_use::read}},
                        heard_of("s_" + load + to + "s[8:9], 16", 0));
            std::vector<told> inside;
            for (uint32_t d = 0; d < std::min(dwords, 3u); ++d) {
                inside.push_back({0, first + 4 * d, 4, lds_use::read});
            }
            expect_told(inside, heard_of("s_buffer_" + load + to + "s[8:11], 16", start + 12));
        }
    }
}

// With OPUS_EMU_CHECK_MODE=report an access that is reported goes on: outside of memory it reads 0
// and is dropped, an atomic leaves out the low bits of its address, and what is told is the same.
void go_on_after_reports(gfx_target target) {
    constexpr uint32_t bytes = 4096;
    machine m(target, bytes);
    device_bytes memory(64);
    m.w().group->mode = check_mode::report;
    m.w().checks = check::alignment | check::lds_alignment;
    const auto fill_data = [&] {
        for (uint32_t d = 0; d < data_registers; ++d) {
            m.fill(static_cast<int>(4 + d), [&](uint32_t l) { return data_of(d, l); });
        }
    };
    const auto all_are = [&](uint32_t value, int first, int count) {
        for (int r = first; r < first + count; ++r) {
            for (uint32_t l = 0; l < lane_count; ++l) {
                if (m.v(r)[l] != value) {
                    ADD_FAILURE() << "v" << r << " of lane " << l << " is " << m.v(r)[l];
                    return;
                }
            }
        }
    };
    fill_data();
    m.fill(2, static_cast<uint32_t>(memory.address()) + 64);
    m.fill(3, static_cast<uint32_t>(memory.address() >> 32));
    m.fill(40, bytes);
    m.run(
        "global_store_dwordx4 v[2:3], v[4:7], off\n ds_write_b128 v40, v[4:7]\n"
        "scratch_store_dwordx4 v40, v[4:7], off\n global_load_dwordx4 v[8:11], v[2:3], off\n"
        "ds_read_b128 v[12:15], v40\n scratch_load_dwordx4 v[16:19], v40, off");
    all_are(0, 8, 12);
    m.set_s64(8, memory.address());
    m.s(10) = 64;
    m.s(11) = 0x00020000;
    for (int r = 16; r < 32; ++r) {
        m.s(r) = 7;
    }
    m.run("s_load_dwordx16 s[16:31], s[8:9], 0x4");
    for (int r = 16; r < 32; ++r) {
        EXPECT_EQ(m.s(r), 0u);
    }
    // Atomics: of a buffer they are out of range, and 2 bytes off.
    fill_data();
    m.fill(40, 64);
    m.run(
        "buffer_atomic_add v4, v40, s[8:11], 0 offen sc0\n"
        "buffer_atomic_add_x2 v[6:7], v40, s[8:11], 0 offen sc0");
    all_are(0, 4, 1);
    all_are(0, 6, 2);
    fill_data();
    const lane_row kept = m.v(4);
    m.run("buffer_atomic_add v4, v40, s[8:11], 0 offen");
    EXPECT_EQ(std::memcmp(&m.v(4), &kept, sizeof kept), 0);
    // A dword of a buffer: the two low bits are dropped.
    memory.set<uint32_t>(20, 0x12345678);
    m.fill(40, 23);
    m.run("buffer_load_dword v4, v40, s[8:11], 0 offen");
    all_are(0x12345678, 4, 1);
    m.set_exec(2);
    m.fill(2, static_cast<uint32_t>(memory.address()) + 10);
    m.fill(4, 5);
    m.fill(5, 6);
    m.run("global_atomic_add v[2:3], v4, off\n global_atomic_add_x2 v[2:3], v[4:5], off");
    EXPECT_EQ(memory.get<uint64_t>(8), (uint64_t{6} << 32) + 10);
    // A transposed read, whose rows are at multiples of 8 bytes.
    if (target == gfx_target::gfx950) {
        for (uint32_t n = 0; n < bytes; ++n) {
            m.lds()[n] = std::byte{memory_byte(n)};
        }
        m.set_exec(~uint64_t{0});
        m.fill(2, [](uint32_t l) { return 8 * l; });
        m.fill(3, [](uint32_t l) { return 8 * l + 1 + l % 7; });
        m.run("ds_read_b64_tr_b16 v[4:5], v2\n ds_read_b64_tr_b16 v[6:7], v3");
        EXPECT_EQ(std::memcmp(&m.v(4), &m.v(6), 2 * sizeof(lane_row)), 0);
    }
    // LDS that is 4 bytes off.
    m.set_exec(three_lanes);
    fill_data();
    m.fill(2, [&](uint32_t l) { return start + 4 + 64 * l; });
    listener who;
    m.w().seen_by = &who;
    m.run("ds_write_b64 v2, v[4:5]");
    expect_told(expected_accesses({"ds_write_b64", kind::store, 8}, place::lds, three_lanes,
                                  [](uint32_t l) { return start + 4 + 64 * l; }),
                who.heard);
    std::fputs(::testing::Test::HasFailure() ? "it fails\n" : "all goes on\n", stderr);
    std::exit(0);
}

TEST(access_bounds, accesses_go_on_after_a_report) {
    for (const gfx_target target : both_targets) {
        EXPECT_EXIT(go_on_after_reports(target), ::testing::ExitedWithCode(failure_status),
                    "all goes on");
    }
}

// ---- registers, lanes and memory that an access has not got ----

std::vector<std::pair<access_form, place>> all_forms(gfx_target target) {
    std::vector<std::pair<access_form, place>> all;
    const auto add = [&](const std::vector<access_form>& forms, place where) {
        for (const access_form& f : forms) {
            all.push_back({f, where});
        }
    };
    add(lds_forms(), place::lds);
    add(vector_forms("global", target), place::memory);
    add(vector_forms("flat", target), place::memory);
    add(vector_forms("scratch", target), place::scratch);
    add(vector_forms("buffer", target), place::buffer);
    return all;
}

// The last vector register of an access is the last one of the wave, or the first one behind it.
TEST(access_bounds, last_register_of_each_access) {
    for (const gfx_target target : both_targets) {
        device_bytes memory(8192);
        for (const auto& [f, where] : all_forms(target)) {
            SCOPED_TRACE(std::string(name_of(target)) + ": " + f.text);
            const std::vector<std::byte>& code = assemble(target, f.text + machine::end);
            program decoded(target, code.data(), code.size(), machine::base);
            const instruction* i = &decoded.at(machine::base);
            if (i->mnemonic.starts_with("s_")) {
                i = &decoded.at(machine::base + i->size);
            }
            size_t registers = 0;
            for (const operand& o : std::span(i->operands).first(i->operand_count)) {
                if (o.kind == operand_kind::vgpr) {
                    registers = std::max<size_t>(registers, o.reg + size_t{o.dwords});
                }
            }
            for (const bool is_short : {false, true}) {
                machine m(target, 8192);
                m.w().scratch_per_lane = 64;
                m.w().scratch.resize(64 * lane_count);
                m.set_exec(1);
                const uint64_t address = where == place::memory ? memory.address() : 0;
                m.fill(2, static_cast<uint32_t>(address));
                m.fill(3, static_cast<uint32_t>(address >> 32));
                m.set_s64(8, memory.address());
                m.s(10) = 8192;
                m.s(11) = 0x00020000;
                m.w().vgpr.resize(registers - (is_short ? 1 : 0));
                if (is_short) {
                    EXPECT_REPORT(m.run(f.text), "register");
                } else {
                    EXPECT_NO_REPORT(m.run(f.text));
                }
            }
        }
    }
}

// All lanes are on, in no order, and any one of them is outside: by a byte behind the end or before the
// begin, and far away.
TEST(access_bounds, any_lane_may_be_outside) {
    struct form {
        const char* text;
        uint32_t bytes;
        place where;
    };
    constexpr form forms[] = {
        {"ds_read_b32 v4, v2", 4, place::lds},
        {"ds_write_b64 v2, v[4:5]", 8, place::lds},
        {"global_load_dwordx2 v[4:5], v[2:3], off", 8, place::memory},
        {"global_store_byte v[2:3], v4, off", 1, place::memory},
        {"flat_load_dword v4, v[2:3]", 4, place::memory},
        {"flat_store_dwordx3 v[2:3], v[4:6]", 12, place::memory},
        {"buffer_load_dword v4, v2, s[8:11], 0 offen", 4, place::buffer},
    };
    constexpr uint32_t size = 1024;
    for (const form& f : forms) {
        device_bytes memory(size);
        std::memset(memory.data(), 0x55, size);
        machine m(gfx_target::gfx950, size);
        const uint64_t base = f.where == place::memory ? memory.address() : 0;
        m.set_s64(8, memory.address());
        m.s(10) = size;
        m.s(11) = 0x00020000;
        for (uint32_t lane = 0; lane < lane_count; ++lane) {
            for (const int64_t at :
                 {int64_t{size} - f.bytes + 1, int64_t{-1}, int64_t{1} << 31, int64_t{1} << 33}) {
                if (at >> 32 > 0 && f.where != place::memory) {
                    continue;
                }
                const auto address = [&](uint32_t l) {
                    return base + (l == lane ? static_cast<uint64_t>(at) : 12 * (l * 37 % 64));
                };
                m.fill(2, [&](uint32_t l) { return static_cast<uint32_t>(address(l)); });
                m.fill(3, [&](uint32_t l) { return static_cast<uint32_t>(address(l) >> 32); });
                if (f.where != place::buffer) {
                    EXPECT_REPORT(m.attempt(f.text), "lane " + std::to_string(lane) + ": ")
                        << f.text << ", " << at;
                    continue;
                }
                m.run(f.text);
                for (uint32_t l = 0; l < lane_count; ++l) {
                    EXPECT_EQ(m.v(4)[l], l == lane ? 0u : 0x55555555u) << l << ", " << at;
                }
            }
        }
    }
}

// Whatever the addresses of all lanes were before.
TEST(access_bounds, each_lane_has_its_own_address) {
    constexpr uint32_t size = 1024;
    device_bytes memory(size);
    machine m(gfx_target::gfx950, size);
    for (uint32_t n = 0; n < size; n += 4) {
        memory.set(n, 0x1000 + n);
        std::memcpy(m.lds().data() + n, memory.data() + n, 4);
    }
    m.set_s64(8, memory.address());
    m.s(10) = size;
    m.s(11) = 0x00020000;
    for (const std::string text :
         {"ds_read_b32 v4, v5", "global_load_dword v4, v[2:3], off", "flat_load_dword v4, v[2:3]",
          "buffer_load_dword v4, v5, s[8:11], 0 offen"}) {
        for (uint32_t turn = 0; turn < 5; ++turn) {
            const auto byte = [&](uint32_t l) { return 12 * ((l + turn) * 37 % 64); };
            m.fill(5, byte);
            m.fill(2,
                   [&](uint32_t l) { return static_cast<uint32_t>(memory.address()) + byte(l); });
            m.fill(3, static_cast<uint32_t>(memory.address() >> 32));
            m.run(text);
            for (uint32_t l = 0; l < lane_count; ++l) {
                EXPECT_EQ(m.v(4)[l], 0x1000 + byte(l)) << text << ", lane " << l;
            }
        }
    }
}

// Memory that kernels may only read.
TEST(access_bounds, read_only_memory) {
    alignas(64) static std::array<uint32_t, 64> constants;
    constants.fill(0x55555555);
    const auto address = reinterpret_cast<uintptr_t>(constants.data());
    add_range(address, sizeof constants, false, memory_kind::loaded_image);
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_exec(uint64_t{1} << 37);
        m.set_s64(8, address);
        m.s(10) = sizeof constants;
        m.s(11) = 0x00020000;
        for (const auto& [f, where] : all_forms(target)) {
            if (where != place::memory && where != place::buffer) {
                continue;
            }
            m.fill(2, where == place::memory ? static_cast<uint32_t>(address) : 0);
            m.fill(3, static_cast<uint32_t>(address >> 32));
            if (f.what == kind::load) {
                EXPECT_NO_REPORT(m.attempt(f.text));
            } else {
                EXPECT_REPORT(m.attempt(f.text), "lane 37: .*(store|atomic) of " +
                                                     std::to_string(f.bytes) + " bytes at")
                    << f.text;
            }
        }
        EXPECT_NO_REPORT(m.run("s_load_dword s0, s[8:9], 0x4"));
        EXPECT_NO_REPORT(m.run("s_buffer_load_dword s1, s[8:11], 0x8"));
        EXPECT_EQ(m.s(0), 0x55555555u);
        EXPECT_EQ(m.s(1), 0x55555555u);
    }
    remove_range(address);
}

// Each byte of LDS and of private memory, of which each lane has its own.
TEST(access_bounds, each_byte) {
    constexpr uint32_t size = 64;
    for (const gfx_target target : both_targets) {
        machine m(target, size);
        m.w().scratch_per_lane = size;
        m.w().scratch.resize(size * lane_count);
        for (size_t n = 0; n < m.w().scratch.size(); ++n) {
            m.w().scratch[n] = std::byte{memory_byte(n)};
        }
        for (size_t n = 0; n < size; ++n) {
            m.lds()[n] = std::byte{memory_byte(n)};
        }
        m.fill(2, [](uint32_t l) { return l * 5 % size; });
        for (const uint64_t aperture : {uint64_t{0}, shared_aperture, private_aperture}) {
            m.fill(3, static_cast<uint32_t>(aperture >> 32));
            const char* texts[] = {"ds_read_u8 v4, v2", "scratch_load_ubyte v4, v2, off"};
            for (const bool is_private : {false, true}) {
                if (aperture != 0 && is_private != (aperture == private_aperture)) {
                    continue;
                }
                m.run(aperture != 0 ? "flat_load_ubyte v4, v[2:3]" : texts[is_private ? 1 : 0]);
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const size_t n = l * 5 % size + (is_private ? l * size : 0);
                    EXPECT_EQ(m.v(4)[l], memory_byte(n)) << l;
                }
            }
        }
    }
}

}  // namespace
}  // namespace emu
