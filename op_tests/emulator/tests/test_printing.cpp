// What kernels print: formats against the host's printf, and buffers and packets of code that does
// not do what clang and ROCm's device library do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "machine/memory.hpp"
#include "printing/buffered.hpp"
#include "printing/format.hpp"
#include "printing/hostcall.hpp"

namespace emu {
namespace {

// Arguments as clang's lowering leaves them.
class arguments {
public:
    arguments& word(uint64_t value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    arguments& number(double value) { return word(std::bit_cast<uint64_t>(value)); }
    arguments& string(const std::string& text) {
        const auto bytes = std::as_bytes(std::span(text));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        bytes_.resize(bytes_.size() / 8 * 8 + 8);  // with the zero
        return *this;
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

formatted_text format(const std::string& text, const arguments& with = {}) {
    return format_text(text, with.bytes());
}

template <class... T>
std::string on_the_host(const char* text, T... values) {
    std::array<char, 1024> out{};
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
    std::snprintf(out.data(), out.size(), text, values...);
#pragma clang diagnostic pop
    return out.data();
}

TEST(format, integers_of_all_lengths) {
    constexpr uint64_t word = 0x8765'4321'89ab'cdefu;
    for (const char letter : std::string("diuoxX")) {
        for (const std::string flags : {"", "-", "+", " ", "#", "0", "+0", "-#"}) {
            for (const std::string field : {"", "1", "12", "30", ".0", ".5", "25.20", "."}) {
                const auto spec = [&](const char* length) {
                    return "<%" + flags + field + length + letter + ">";
                };
                const auto expect = [&](const char* length, auto value) {
                    const formatted_text out = format(spec(length), arguments().word(word));
                    EXPECT_EQ(out.text, on_the_host(spec(length).c_str(), value));
                    EXPECT_EQ(out.problem, "");
                };
                expect("", static_cast<int32_t>(word));
                expect("h", static_cast<int32_t>(word));
                expect("hh", static_cast<int32_t>(word));
                for (const char* length : {"l", "ll", "z", "j", "t"}) {
                    expect(length, static_cast<int64_t>(word));
                }
            }
        }
    }
}

TEST(format, floating_point_numbers) {
    for (const double value : {0.0, -0.0, 1.0, -1.5, 3.14159265358979, 1e-310, 1.7e308, HUGE_VAL,
                               -HUGE_VAL, std::nan("")}) {
        for (const char letter : std::string("fFeEgGaA")) {
            for (const std::string how : {"", "+", "-20", "020", "#.0", ".0", "15.3", "- .10"}) {
                const std::string spec = "<%" + how + letter + ">";
                EXPECT_EQ(format(spec, arguments().number(value)).text,
                          on_the_host(spec.c_str(), value));
            }
        }
    }
}

TEST(format, strings_characters_and_pointers) {
    for (const std::string text : {"", "a", "1234567", "12345678", "a longer one of 24 chars"}) {
        for (const std::string how : {"", "30", "-30", ".3", "10.5", ".0"}) {
            const std::string spec = "<%" + how + "s|%d>";
            EXPECT_EQ(format(spec, arguments().string(text).word(5)).text,
                      on_the_host(spec.c_str(), text.c_str(), 5));
        }
    }
    EXPECT_EQ(format("%c%5c%-3c|", arguments().word('a').word('b').word('c')).text, "a    bc  |");
    EXPECT_EQ(format("%p|%12p", arguments().word(0xabc).word(0xdef)).text, "0xabc|       0xdef");
    EXPECT_EQ(format("%*d|%-*d|%*d|%.*f|%.*s", arguments()
                                                   .word(5)
                                                   .word(1)
                                                   .word(4)
                                                   .word(2)
                                                   .word(static_cast<uint32_t>(-3))
                                                   .word(3)
                                                   .word(1)
                                                   .number(0.25)
                                                   .word(static_cast<uint32_t>(-1))
                                                   .string("ab"))
                  .text,
              "    1|2   |3  |0.2|ab");
}

TEST(format, what_is_no_conversion_stays) {
    for (const char* text : {"", "%", "a%", "%5", "%-", "%.", "%l", "%y", "%!%", "100% y"}) {
        EXPECT_EQ(format(text).text, std::string(text) == "%!%" ? "%!%" : text);
    }
    EXPECT_EQ(format("100%%").text, "100%");
    EXPECT_EQ(format_text(std::string_view("%53d").substr(0, 2), {}).text, "%5");
    const formatted_text out = format("a%nb%d", arguments().word(1).word(2));
    EXPECT_EQ(out.text, "ab2");
    EXPECT_EQ(out.problem, "%n stores nothing");
}

TEST(format, arguments_that_are_not_there) {
    for (const std::string letter : {"d", "f", "s", "p", "c", "llx"}) {
        const formatted_text out = format("<%" + letter + ">");
        EXPECT_EQ(out.text, "<(nothing)>");
        EXPECT_NE(out.problem, "");
    }
    // A string without its zero, and half of a word.
    const std::string raw = "123456789012";
    const auto bytes = std::as_bytes(std::span(raw));
    EXPECT_EQ(format_text("%s|%d", bytes).text, "123456789012|(nothing)");
    EXPECT_EQ(format_text("%d|%d", bytes).text, "875770417|(nothing)");
}

TEST(format, is_bounded) {
    for (const char* text : {"%999999999999999999999d", "%2147483647d", "%.2147483647f"}) {
        const formatted_text out = format(text, arguments().word(1));
        EXPECT_LE(out.text.size(), 70000u);
        EXPECT_NE(out.problem.find("65536"), std::string::npos) << text;
    }
    EXPECT_EQ(format("%*d", arguments().word(0x80000000).word(1)).text.size(), 65536u);
    // At the limit and one beyond, on both sides.
    for (const int size : {65536, 65537, -65536, -65537}) {
        const bool is_allowed = std::abs(size) == 65536;
        const auto expect = [&](const std::string& spec, const arguments& with) {
            const formatted_text out = format(spec, with);
            EXPECT_EQ(out.text.size(), 65536u) << spec;
            EXPECT_EQ(out.text.back(), size < 0 ? ' ' : '1') << spec;
            EXPECT_EQ(out.problem, is_allowed ? "" : "a width or precision above 65536") << spec;
        };
        expect("%" + std::to_string(size) + "d", arguments().word(1));
        expect("%*d", arguments().word(static_cast<uint32_t>(size)).word(1));
        if (size > 0) {
            expect("%." + std::to_string(size) + "d", arguments().word(1));
            expect("%.*d", arguments().word(static_cast<uint32_t>(size)).word(1));
        }
    }
    EXPECT_EQ(format("%.*d", arguments().word(static_cast<uint32_t>(-65537)).word(1)).text, "1");
    // All of the text, and more than it.
    const std::string longest(size_t{1} << 24, 'x');
    EXPECT_EQ(format(longest).problem, "");
    for (const char* more : {"x", "%d"}) {
        const formatted_text out = format(longest + more, arguments().word(1));
        EXPECT_EQ(out.text.size(), size_t{1} << 24);
        EXPECT_EQ(out.problem, "the text is cut off after 16777216 bytes");
    }
    std::string many;
    for (int n = 0; n < 1000; ++n) {
        many += "%60000d";
    }
    arguments ones;
    for (int n = 0; n < 1000; ++n) {
        ones.word(1);
    }
    const formatted_text out = format(many, ones);
    EXPECT_EQ(out.text.size(), size_t{1} << 24);
    EXPECT_NE(out.problem.find("cut off"), std::string::npos);
}

// What comes before the first conversion is there, whatever follows.
TEST(format, takes_any_bytes) {
    std::mt19937 random(1);
    for (int n = 0; n < 20000; ++n) {
        std::string text(random() % 24, ' ');
        for (char& c : text) {
            c = random() % 3 == 0 ? static_cast<char>(random())
                                  : "%-+ #0123*.hlzsdfxpcn"[random() % 21];
        }
        std::vector<std::byte> bytes(random() % 40);
        for (std::byte& b : bytes) {
            b = static_cast<std::byte>(random() % 4 == 0 ? 0 : random());
        }
        const formatted_text out = format_text(text, bytes);
        const std::string start = text.substr(0, text.find('%'));
        EXPECT_EQ(out.text.substr(0, start.size()), start);
        if (start.size() == text.size()) {
            EXPECT_EQ(out.text, text);
            EXPECT_EQ(out.problem, "");
        }
    }
}

// ---- a buffer ----

struct output {
    std::string out, err;
};

// What is printed for a buffer with these dwords from its start, of which the first is the number of
// bytes in use.
output print_buffer(const std::vector<uint32_t>& dwords) {
    const printf_formats formats = {{0x0123456789abcdef, "known %d\n"}};
    const std::string kernel = "kernel";
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    {
        const printf_buffer buffer(formats, kernel);
        auto* memory = reinterpret_cast<uint32_t*>(buffer.address());
        memory[0] = dwords[0];
        std::memcpy(memory + 2, dwords.data() + 1, (dwords.size() - 1) * 4);
    }
    return {testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

constexpr uint32_t of_hash(uint32_t bytes) {
    return bytes << 2 | 2;
}

TEST(buffered, frames) {
    const output o = print_buffer({60, of_hash(20), 0x89abcdef, 0x01234567, 5, 0,  //
                                   of_hash(20) | 1, 0x89abcdef, 0x01234567, 6, 0,  // to stderr
                                   20 << 2, 0x78257825, 0, 255, 0});
    EXPECT_EQ(o.out, "known 5\nff(nothing)");
    EXPECT_NE(o.err.find("known 6\n"), std::string::npos);
    EXPECT_NE(o.err.find("printf in kernel: the format asks for more"), std::string::npos);
}

TEST(buffered, frames_that_are_not_there_yet) {
    // The first wave has allocated 20 bytes and not begun, the second one is done.
    const output o = print_buffer({40, 0, 0, 0, 0, 0, of_hash(20), 0x89abcdef, 0x01234567, 7, 0});
    EXPECT_EQ(o.out, "known 7\n");
}

// Where a wave has not begun its frame, the next frame is the next one of a known format; behind it
// frames follow each other again. A frame has 4 bytes of control and 8 of hash at least.
TEST(buffered, where_frames_begin_again) {
    constexpr uint32_t hash[] = {0x89abcdef, 0x01234567};
    using dwords = std::vector<uint32_t>;
    const auto known = [&](uint32_t n) { return dwords{of_hash(20), hash[0], hash[1], n, 0}; };
    const dwords unknown = {of_hash(20), 1, 2, 3, 4};
    const dwords without_hash = {20 << 2, 0x78257825, 0, 255, 0};  // "%x%x"
    const dwords shortest = {of_hash(12), hash[0], hash[1]};
    const dwords nothing(5);
    const std::string not_listed = "a format that the metadata does not list";
    const struct {
        std::vector<dwords> parts;
        std::string out;
        bool is_unknown;
    } rows[] = {
        {{known(1), known(2)}, "known 1\nknown 2\n", false},
        {{shortest}, "known (nothing)\n", false},
        {{known(1), shortest}, "known 1\nknown (nothing)\n", false},
        {{{of_hash(8), hash[0], hash[1]}}, "", false},
        {{{of_hash(16), hash[0], hash[1]}}, "", false},
        {{{of_hash(14), hash[0], hash[1], 5}}, "", false},
        {{unknown, known(2)}, "known 2\n", true},
        {{without_hash, known(2)}, "ff(nothing)known 2\n", false},
        {{{0}, known(2)}, "known 2\n", false},
        {{nothing, known(2), nothing, known(3)}, "known 2\nknown 3\n", false},
        // Nobody knows whether these are frames: they stand behind a gap.
        {{nothing, unknown, known(2)}, "known 2\n", false},
        {{nothing, without_hash, known(2)}, "known 2\n", false},
        {{nothing, unknown}, "", false},
        // Behind the known one they are.
        {{nothing, known(2), unknown, known(3)}, "known 2\nknown 3\n", true},
        {{nothing, known(2), without_hash, known(3)}, "known 2\nff(nothing)known 3\n", false},
        {{known(1), nothing, unknown, known(3)}, "known 1\nknown 3\n", false},
        // The hash of a known format in a frame that has none.
        {{nothing, {20 << 2, hash[0], hash[1], 1, 0}, known(3)}, "known 3\n", false},
        // A frame that ends behind the last byte in use.
        {{known(1), {of_hash(24), hash[0], hash[1], 1, 0}}, "known 1\n", false},
    };
    for (size_t n = 0; n < std::size(rows); ++n) {
        dwords all = {0};
        for (const dwords& part : rows[n].parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        all[0] = static_cast<uint32_t>((all.size() - 1) * 4);
        const output o = print_buffer(all);
        EXPECT_EQ(o.out, rows[n].out) << "row " << n;
        EXPECT_EQ(o.err.find(not_listed) != std::string::npos, rows[n].is_unknown)
            << "row " << n << ": " << o.err;
    }
}

// Kernels can write to all of it while it lives; what ends the process prints what is there, and
// nothing is printed twice.
TEST(buffered, lives_with_its_launch) {
    constexpr uint64_t end = 8 + (uint64_t{1} << 28);
    const uint32_t frame[] = {of_hash(20), 0x89abcdef, 0x01234567, 5, 0};
    const printf_formats formats = {{0x0123456789abcdef, "known %d\n"}};
    const std::string kernel = "kernel";
    uint64_t address = 0;
    testing::internal::CaptureStdout();
    {
        const printf_buffer buffer(formats, kernel);
        address = buffer.address();
        EXPECT_NE(translate(address, 8, true), nullptr);
        EXPECT_NE(translate(address + end - 4, 4, true), nullptr);
        EXPECT_EQ(translate(address + end, 4, true), nullptr);
        auto* memory = reinterpret_cast<uint32_t*>(address);
        EXPECT_EQ(memory[1], 1u << 28) << "its size, for device code";
        memory[0] = sizeof frame;
        std::memcpy(memory + 2, frame, sizeof frame);
        print_buffered_output();
        EXPECT_EQ(testing::internal::GetCapturedStdout(), "known 5\n");
        testing::internal::CaptureStdout();
        print_buffered_output();
    }
    print_buffered_output();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(translate(address, 4, false), nullptr);
}

// What a kernel prints is in front of what is said about it, and not lost if the process ends.
TEST(buffered_death_test, is_flushed) {
    const auto print = [] {
        ::dup2(2, 1);
        const printf_formats formats = {{0x0123456789abcdef, "known %d %d\n"}};
        const std::string kernel = "kernel";
        const uint32_t frame[] = {of_hash(20), 0x89abcdef, 0x01234567, 5, 0};
        {
            const printf_buffer buffer(formats, kernel);
            auto* memory = reinterpret_cast<uint32_t*>(buffer.address());
            memory[0] = sizeof frame;
            std::memcpy(memory + 2, frame, sizeof frame);
        }
        std::_Exit(3);
    };
    EXPECT_EXIT(print(), testing::ExitedWithCode(3),
                "^known 5 .nothing.\nopus emulator: printf in kernel: the format");
}

TEST(buffered, malformed_frames) {
    EXPECT_EQ(print_buffer({0}).out, "");
    EXPECT_EQ(print_buffer({4, 1}).out, "");
    EXPECT_EQ(print_buffer({20, of_hash(8), 1, 2, 3, 4}).out, "");   // too short
    EXPECT_EQ(print_buffer({20, of_hash(24), 1, 2, 3, 4}).out, "");  // too long
    EXPECT_EQ(print_buffer({20, ~0u, ~0u, ~0u, ~0u, ~0u}).out, "");  // far too long
    EXPECT_EQ(print_buffer({~0u, of_hash(20), 0x89abcdef, 0x01234567, 1, 0}).out, "known 1\n");
    const output o = print_buffer({20, of_hash(20), 1, 2, 3, 4});
    EXPECT_EQ(o.out, "");
    EXPECT_NE(o.err.find("a format that the metadata does not list"), std::string::npos);
}

TEST(buffered, a_string_of_a_format_that_is_no_constant) {
    const output o = print_buffer({24, 24 << 2, 0x7325, 0, 0x12345678, 0, 0});
    EXPECT_NE(o.err.find("clang passes an address"), std::string::npos);
}

// OPUS_EMU_PRINTF_BUFFER to the byte, and the emulator's own end to the dword.
TEST(buffered, what_there_is_room_for) {
    const std::vector<uint32_t> frames = {60,          of_hash(20), 0x89abcdef, 0x01234567, 5,
                                          0,                                                    //
                                          of_hash(20), 0x89abcdef,  0x01234567, 6,          0,  //
                                          of_hash(20), 0x89abcdef,  0x01234567, 7,          0};
    const auto print_in = [](const char* room, const std::vector<uint32_t>& dwords) {
        ::setenv("OPUS_EMU_PRINTF_BUFFER", room, 1);
        const output o = print_buffer(dwords);
        ::unsetenv("OPUS_EMU_PRINTF_BUFFER");
        return o;
    };
    EXPECT_EQ(print_in("60", frames).out, "known 5\nknown 6\nknown 7\n");
    EXPECT_EQ(print_in("60", frames).err, "");
    const output less = print_in("59", frames);
    EXPECT_EQ(less.out, "known 5\nknown 6\n");
    EXPECT_NE(less.err.find("1 of 3 calls did not fit into the buffer of 59 bytes "
                            "(OPUS_EMU_PRINTF_BUFFER) and are lost, 20 bytes"),
              std::string::npos)
        << less.err;
    EXPECT_NE(print_in("20", frames).err.find("2 of 3 calls"), std::string::npos);
    EXPECT_EQ(print_in("19", frames).out, "");
    // It has 2^28 bytes; less than a device's 2^22 left is said to be full.
    constexpr uint32_t most = (1u << 28) - (1u << 22);
    for (const uint32_t used : {most, most + 4}) {
        const output o = print_in("268435456", {used, of_hash(used), 0x89abcdef, 0x01234567, 5, 0});
        EXPECT_EQ(o.out, "known 5\n");
        EXPECT_EQ(o.err.find("bytes is full") != std::string::npos, used > most) << o.err;
    }
    for (const char* wrong : {"268435457", "-1", "1k", ""}) {
        ::setenv("OPUS_EMU_PRINTF_BUFFER", wrong, 1);
        EXPECT_EXIT(printf_buffer({}, "kernel"), testing::ExitedWithCode(70),
                    "PRINTF_BUFFER=.* is no number of bytes up to 268435456");
        ::unsetenv("OPUS_EMU_PRINTF_BUFFER");
    }
}

// ---- packets ----

struct header {
    uint64_t next, lanes;
    uint32_t service, control;
};
struct control_block {
    header* headers;
    uint64_t (*slots)[64][8];
    uint64_t doorbell, free_stack, ready_stack, index_mask;
};

control_block& block() {
    return *reinterpret_cast<control_block*>(hostcall_service::instance().buffer_address());
}

// Takes a packet as a wave does, hands it over with these slots of some lanes, and gives it back.
// Returns slot 0 of each.
std::map<uint32_t, uint64_t> call_by_lanes(
    const std::map<uint32_t, std::array<uint64_t, 8>>& slots_of_lanes, uint32_t service = 2) {
    control_block& b = block();
    const uint64_t packet = b.free_stack;
    const uint64_t index = packet & b.index_mask;
    header& h = b.headers[index];
    b.free_stack = h.next;
    h.lanes = 0;
    for (const auto& [lane, slots] : slots_of_lanes) {
        std::ranges::copy(slots, b.slots[index][lane]);
        h.lanes |= uint64_t{1} << lane;
    }
    h.next = b.ready_stack;
    h.service = service;
    h.control = 1;
    b.ready_stack = packet;
    hostcall_service::instance().serve();
    EXPECT_EQ(h.control, 0u);
    EXPECT_EQ(b.ready_stack, 0u);
    h.next = b.free_stack;
    b.free_stack = packet + b.index_mask + 1;
    std::map<uint32_t, uint64_t> result;
    for (const auto& [lane, slots] : slots_of_lanes) {
        result[lane] = b.slots[index][lane][0];
    }
    return result;
}

uint64_t call(const std::array<uint64_t, 8>& slots, uint32_t service = 2) {
    return call_by_lanes({{3, slots}}, service).at(3);
}

uint64_t text_of(const char (&text)[9]) {
    uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    return word;
}

// Every packet is free at first, once; the doorbell is a signal for users without a mailbox.
TEST(hostcall, packets_are_free_and_memory_is_for_device_code) {
    const control_block& b = block();
    std::array<bool, 4096> seen{};
    EXPECT_EQ(b.index_mask, seen.size() - 1);
    size_t count = 0;
    for (uint64_t p = b.free_stack; p != 0 && count <= seen.size(); ++count) {
        EXPECT_FALSE(seen[p & b.index_mask]) << p;
        seen[p & b.index_mask] = true;
        p = b.headers[p & b.index_mask].next;
    }
    EXPECT_EQ(count, seen.size());
    const auto* doorbell = reinterpret_cast<const int64_t*>(b.doorbell);
    EXPECT_EQ(doorbell[0], 1) << "AMD_SIGNAL_KIND_USER";
    EXPECT_EQ(doorbell[1], 0);
    EXPECT_EQ(doorbell[2], 0);
    for (const uint64_t part : {hostcall_service::instance().buffer_address(), b.doorbell,
                                reinterpret_cast<uint64_t>(&b.headers[4095]),
                                reinterpret_cast<uint64_t>(&b.slots[4095][63][7])}) {
        EXPECT_NE(translate(part, 8, true), nullptr);
    }
}

TEST(hostcall, a_message_in_two_packets) {
    testing::internal::CaptureStdout();
    const uint64_t message = call({1 | 1 << 5, 0});
    EXPECT_NE(message >> 8, 0u);
    const uint64_t printed = call({(message & ~uint64_t{0xff}) | 2 | 4 << 5, text_of("<%d %s>\n"),
                                   0, 42, text_of("text\0\0\0\0")});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "<42 text>\n");
    EXPECT_EQ(printed, 10u);
}

// In processes of their own: only the first problem of one is told.
TEST(hostcall_death_test, says_what_is_wrong_once) {
    const auto call_wrongly = [] {
        call({3 | 2 << 5, 1, text_of("<%d>\n\0\0\0")});
        call({2 | 1 << 5 | 777777u << 8, 1});
        std::_Exit(3);
    };
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(call_wrongly(), testing::ExitedWithCode(3),
                "^<.nothing.>\nopus emulator: hostcall: the format asks for more [^\n]*\n$");
    testing::FLAGS_gtest_death_test_style = "fast";
}

TEST(hostcall_death_test, prints_in_the_order_of_the_calls) {
    const auto print = [] {
        ::dup2(2, 1);
        call({3 | 2 << 5, 0, text_of("first \0\0")});
        call({3 | 2 << 5, 1, text_of("second \0")});
        std::_Exit(3);
    };
    EXPECT_EXIT(print(), testing::ExitedWithCode(3), "^first second $");
}

TEST(hostcall, lanes_of_a_packet_in_their_order) {
    testing::internal::CaptureStdout();
    std::map<uint32_t, std::array<uint64_t, 8>> slots;
    for (const uint32_t lane : {0u, 1u, 2u, 7u, 63u}) {
        slots[lane] = {3 | 3 << 5, 0, text_of("%d,\0\0\0\0\0"), lane};
    }
    for (const auto& [lane, printed] : call_by_lanes(slots)) {
        EXPECT_EQ(printed, lane < 10 ? 2u : 3u) << lane;
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "0,1,2,7,63,");
}

TEST(hostcall, what_is_malformed) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    call({2 | 3 << 5 | 777777u << 8, 1, 2, 3});  // of a message that nobody has begun
    call({3, 0});                                // a message of no word
    call({3 | 1 << 5, 0});                       // without a format
    call({3 | 2 << 5, 0, ~uint64_t{0}});         // a format without an end
    EXPECT_EQ(testing::internal::GetCapturedStdout(), std::string(8, '\xff'));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("was not begun"), std::string::npos);
    // A message that has ended gets no more words.
    testing::internal::CaptureStdout();
    const uint64_t message = call({1 | 2 << 5, 0, text_of("once\0\0\0\0")});
    EXPECT_EQ(call({(message & ~uint64_t{0xff}) | 2}), 4u);
    const uint64_t more = (message & ~uint64_t{0xff}) | 2;
    EXPECT_EQ(call({more}), more);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "once");
}

// Packets in the order in which waves have handed them over, the last one being on top; words of a
// message over as many packets as it takes, those of other messages in between.
TEST(hostcall, packets_and_messages_in_their_order) {
    control_block& b = block();
    testing::internal::CaptureStdout();
    const uint64_t taken[] = {b.free_stack, b.headers[b.free_stack & b.index_mask].next};
    b.free_stack = b.headers[taken[1] & b.index_mask].next;
    for (const uint64_t packet : taken) {
        header& h = b.headers[packet & b.index_mask];
        const bool is_first = packet == taken[0];
        b.slots[packet & b.index_mask][5][0] = 3 | 2 << 5;
        b.slots[packet & b.index_mask][5][1] = 0;
        b.slots[packet & b.index_mask][5][2] =
            is_first ? text_of("first,\0\0") : text_of("second,\0");
        h.lanes = 1 << 5;
        h.service = 2;
        h.control = 3;
        h.next = b.ready_stack;
        b.ready_stack = packet;
    }
    hostcall_service::instance().serve();
    for (const uint64_t packet : taken) {
        header& h = b.headers[packet & b.index_mask];
        EXPECT_EQ(h.control, 2u) << "bit 0 alone is taken back";
        h.next = b.free_stack;
        b.free_stack = packet;
    }
    EXPECT_EQ(b.slots[taken[0] & b.index_mask][5][0], 6u);
    EXPECT_EQ(b.slots[taken[1] & b.index_mask][5][0], 7u);
    // Two messages, each begun, gone on with and ended; seven words at most in a packet.
    const uint64_t one = call({1 | 1 << 5, 0});
    const uint64_t two =
        call({1 | 7 << 5, 0, text_of("%d%d%d%d"), text_of("%d%d;\0\0\0"), 1, 2, 3, 4});
    EXPECT_NE(one >> 8, two >> 8);
    EXPECT_EQ(one & 0xff, 1 << 5 & 0xfe);
    EXPECT_EQ(two & 0xff, 7 << 5 & 0xfe);
    EXPECT_EQ(call({(one & ~uint64_t{0xff}) | 1 << 5, text_of("%s|%s;\0\0")}) >> 8, one >> 8);
    EXPECT_EQ(call({(two & ~uint64_t{0xff}) | 2 | 2 << 5, 5, 6}), 7u);
    EXPECT_EQ(call({(one & ~uint64_t{0xff}) | 2 | 2 << 5, text_of("word\0\0\0\0"),
                    text_of("other\0\0\0")}),
              11u);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "first,second,123456;word|other;");
    EXPECT_FALSE(hostcall_service::instance().assertion_failed());
    // To stderr; only what an assertion prints is one.
    testing::internal::CaptureStderr();
    EXPECT_EQ(call({3 | 2 << 5, 1, text_of("to err\n\0")}), 7u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "to err\n");
    EXPECT_FALSE(hostcall_service::instance().assertion_failed());
}

TEST(hostcall, a_failed_assertion) {
    const auto print = [](uint64_t where) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const uint64_t text = call({3 | 5 << 5, where, text_of("Device-s"), text_of("ide asse"),
                                    text_of("rtion\n\0\0"), 0});
        EXPECT_EQ(text, 22u);
        const std::string out = testing::internal::GetCapturedStdout();
        const std::string err = testing::internal::GetCapturedStderr();
        EXPECT_EQ(out, where == 1 ? "" : "Device-side assertion\n");
        EXPECT_EQ(err, where == 1 ? "Device-side assertion\n" : "");
        return hostcall_service::instance().assertion_failed();
    };
    EXPECT_FALSE(print(0)) << "printed by a program";
    EXPECT_TRUE(print(1));
}

TEST(hostcall, a_ring_in_place_of_a_stack) {
    control_block& b = block();
    const uint64_t packet = b.free_stack;
    header& h = b.headers[packet & b.index_mask];
    const uint64_t next = h.next;
    h.next = packet;
    h.lanes = 0;
    h.service = 2;
    h.control = 1;
    b.ready_stack = packet;
    hostcall_service::instance().serve();
    EXPECT_EQ(h.control, 0u);
    EXPECT_EQ(b.ready_stack, 0u);
    h.next = next;
}

TEST(hostcall, another_service) {
    EXPECT_EXIT(call({1, 0}, 3), testing::ExitedWithCode(70), "service 3 is not emulated");
}

}  // namespace
}  // namespace emu
