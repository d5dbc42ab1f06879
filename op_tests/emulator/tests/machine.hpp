// One wave built by hand that runs assembled instructions, for the tests of single instructions.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assemble.hpp"
#include "execution/step.hpp"
#include "isa/decode.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"

namespace emu {

// How a function ends: with the process, of which this is the status and what was written to stderr,
// or with status 0.
struct outcome {
    int status = 0;
    std::string text;
};

// Runs `f`, which starts no threads. Where it would end the process, it ends here.
template <class F>
outcome outcome_of(F&& f) {
    struct process_end {
        int status;
    };
    outcome result;
    ::testing::internal::CaptureStderr();
    leave_process = [](int status) { throw process_end{status}; };
    try {
        f();
    } catch (const process_end& end) {
        result.status = end.status;
    }
    leave_process = ::_exit;
    result.text = ::testing::internal::GetCapturedStderr();
    return result;
}

// As the process ends behind kernels that went on after reports: by itself if there were none.
inline void end_with_reports() {
    if (end_reports()) {
        leave_process(failure_status);
    }
}

// That it ends the process after a report, which `report`, a regular expression, is found in.
#define EXPECT_REPORT(f, report) \
    EXPECT_PRED_FORMAT2(::emu::ends_with_report, ::emu::outcome_of([&] { f; }), std::string(report))

// That it ends without a report that ends the process.
#define EXPECT_NO_REPORT(f) EXPECT_PRED_FORMAT1(::emu::ends, ::emu::outcome_of([&] { f; }))

inline ::testing::AssertionResult ends(const char* what, const outcome& actual) {
    return actual.status == 0 ? ::testing::AssertionSuccess()
                              : ::testing::AssertionFailure() << what << "\nreported:\n"
                                                              << actual.text;
}

inline ::testing::AssertionResult ends_with_report(const char* what, const char*,
                                                   const outcome& actual,
                                                   const std::string& report) {
    if (actual.status == failure_status &&
        ::testing::internal::RE::PartialMatch(actual.text, report)) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << what << "\nends with status " << actual.status << ", expected " << failure_status
           << "\nwith the report " << report << "\nit reported:\n"
           << actual.text;
}

constexpr gfx_target both_targets[] = {gfx_target::gfx942, gfx_target::gfx950};

inline const char* name_of(gfx_target target) {
    return target == gfx_target::gfx942 ? "gfx942" : "gfx950";
}

inline uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}
inline uint64_t bits(double value) {
    return std::bit_cast<uint64_t>(value);
}
inline uint16_t half(float value) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}
inline float to_float(uint32_t value) {
    return std::bit_cast<float>(value);
}

// MODE as compilers set it: denormals kept, nearest even, DX10_CLAMP, IEEE.
constexpr uint32_t default_mode = 0x3f0;

class machine {
public:
    explicit machine(gfx_target target, uint32_t lds_bytes = 0) : target_(target) {
        group_.lds.resize(lds_bytes);
        group_.waves.resize(1);
        group_.kernel_name = &name_;
        group_.has_matrix_sums = info_of(target).has_matrix_sums;
        w().group = &group_;
        w().mode = default_mode;
        w().vgpr.resize(128);
        w().agpr.resize(128);
        w().write_sgpr64(sreg::exec, ~uint64_t{0});
    }

    wave& w() { return group_.waves[0]; }
    gfx_target target() const { return target_; }
    std::vector<std::byte>& lds() { return group_.lds; }
    uint32_t& s(int reg) { return w().sgpr[static_cast<size_t>(reg)]; }
    lane_row& v(int reg) { return w().vgpr[static_cast<size_t>(reg)]; }
    lane_row& a(int reg) { return w().agpr[static_cast<size_t>(reg)]; }
    void set_exec(uint64_t mask) { w().write_sgpr64(sreg::exec, mask); }
    void set_s64(size_t reg, uint64_t value) { w().write_sgpr64(reg, value); }
    uint64_t s64(size_t reg) { return w().read_sgpr64(reg); }

    void fill(int reg, const std::function<uint32_t(uint32_t)>& value) {
        for (uint32_t l = 0; l < lane_count; ++l) {
            v(reg)[l] = value(l);
        }
    }
    void fill(int reg, uint32_t value) {
        fill(reg, [=](uint32_t) { return value; });
    }

    // Runs the instructions up to an s_endpgm that is appended.
    void run(const std::string& source) {
        program& decoded = program_of(source);
        w().pc = base;
        w().status = wave_status::running;
        for (int executed = 0; w().status == wave_status::running; ++executed) {
            ASSERT_LT(executed, 100000) << "the instructions do not end";
            step(w(), decoded.at(w().pc));
            ++w().instructions;
            if (w().status != wave_status::ended) {
                w().status = wave_status::running;
            }
        }
    }

    // The same for what ends the process: it changes neither registers nor LDS.
    void attempt(const std::string& source) {
        const wave before = w();
        const std::vector<std::byte> lds_before = group_.lds;
        const auto restore = [&] {
            w() = before;
            group_.lds = lds_before;
        };
        try {
            run(source);
        } catch (...) {
            restore();
            throw;
        }
        restore();
    }

    static constexpr uint64_t base = 0x10000;
    static constexpr const char* end = "\ns_endpgm\n";

private:
    // Decoded once, which takes longer than what the instructions do, but not kept forever: a fork of
    // a large process, for a test that ends it, takes seconds.
    program& program_of(const std::string& source) {
        static std::map<std::pair<gfx_target, std::string>, program> known;
        if (known.size() == 1000) {
            known.clear();
        }
        const std::vector<std::byte>& code = assemble(target_, source + end);
        return known.try_emplace({target_, source}, target_, code.data(), code.size(), base)
            .first->second;
    }

    gfx_target target_;
    workgroup group_;
    std::string name_ = "test";
};

// Memory that the emulated instructions may touch.
class device_bytes {
public:
    explicit device_bytes(size_t bytes) : bytes_(bytes) {
        data_ = static_cast<std::byte*>(allocate(bytes, memory_kind::device));
        std::memset(data_, 0, bytes);
    }
    ~device_bytes() { release(data_, memory_kind::device); }
    device_bytes(const device_bytes&) = delete;
    device_bytes& operator=(const device_bytes&) = delete;

    std::byte* data() { return data_; }
    uint64_t address() const { return reinterpret_cast<uintptr_t>(data_); }
    size_t size() const { return bytes_; }
    template <class T>
    T get(size_t byte) const {
        T value;
        std::memcpy(&value, data_ + byte, sizeof(T));
        return value;
    }
    template <class T>
    void set(size_t byte, T value) {
        std::memcpy(data_ + byte, &value, sizeof(T));
    }

private:
    std::byte* data_;
    size_t bytes_;
};

}  // namespace emu
