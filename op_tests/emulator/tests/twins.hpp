// Kernels in pairs, for the tests of checks: one that must be caught, and a repaired twin that must
// not.
//
// Each kernel is one group that starts with
//   s[0:1] the address of 4096 bytes, s[4:7] their buffer resource, s2 the wave's index
//   v0 the lane, v1 4 * lane, v2 4 * work-item; LDS: 1024 bytes
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "checks/error.hpp"
#include "machine.hpp"
#include "machine/scheduler.hpp"
#include "machine/settings.hpp"

namespace emu {

constexpr uint32_t memory_bytes = 4096;
constexpr uint32_t test_lds_bytes = 1024;

struct twin {
    const char* name;
    uint32_t checks;  // what has to be on for a report
    std::string caught;
    std::string repaired;
    const char* report;  // a regular expression
    int waves = 1;
    bool gfx950_only = false;
};

class kernel_run {
public:
    kernel_run(gfx_target target, const std::string& source, int waves, uint32_t checks,
               check_mode mode = check_mode::stop)
        : bytes_(assemble(target, source + "\ns_endpgm")),
          code_(target, bytes_.data(), bytes_.size(), machine::base),
          waves_(waves),
          checks_(checks),
          mode_(mode) {}

    // Ends the process where something is reported.
    void run(uint64_t limit = ~uint64_t{0}) {
        dispatch work;
        work.groups = {1, 1, 1};
        work.instruction_limit = limit;
        work.make_group = [this](std::array<uint32_t, 3>) { return make_group(); };
        emu::run(work);
    }

    uint32_t dword(size_t n) const { return memory_.get<uint32_t>(4 * n); }

private:
    std::unique_ptr<workgroup> make_group() {
        auto group = std::make_unique<workgroup>();
        group->mode = mode_;
        group->lds.resize(test_lds_bytes);
        group->shadow = std::make_unique<lds_shadow>(test_lds_bytes);
        group->code = &code_;
        group->kernel_name = &name_;
        group->entry = machine::base;
        group->waves.resize(static_cast<size_t>(waves_));
        for (int n = 0; n < waves_; ++n) {
            set_state(*group, n);
        }
        return group;
    }

    void set_state(workgroup& group, int n) {
        wave& w = group.waves[static_cast<size_t>(n)];
        w.group = &group;
        w.index_in_group = n;
        w.checks = checks_;
        w.mode = default_mode;
        w.pc = machine::base;
        w.vgpr.resize(64);
        w.agpr.resize(64);
        w.scratch_per_lane = 64;
        w.scratch.resize(64 * lane_count);
        w.write_sgpr64(sreg::exec, ~uint64_t{0});
        w.write_sgpr64(0, memory_.address());
        w.write_sgpr64(4, memory_.address());
        w.sgpr[2] = static_cast<uint32_t>(n);
        w.sgpr[6] = memory_bytes;
        w.sgpr[7] = 0x20000;
        for (uint32_t l = 0; l < lane_count; ++l) {
            w.vgpr[0][l] = l;
            w.vgpr[1][l] = 4 * l;
            w.vgpr[2][l] = 4 * (static_cast<uint32_t>(n) * lane_count + l);
        }
        w.written.assign(register_count, 0);
        std::fill_n(w.written.begin(), 3, ~uint64_t{0});
        for (const int s : {0, 1, 2, 4, 5, 6, 7, sreg::exec, sreg::exec + 1}) {
            w.written[first_sgpr + static_cast<uint32_t>(s)] = ~uint64_t{0};
        }
    }

    const std::vector<std::byte>& bytes_;
    program code_;
    int waves_;
    uint32_t checks_;
    check_mode mode_;
    std::string name_ = "kernel";
    device_bytes memory_{memory_bytes};
};

[[noreturn]] inline void run_to_its_end(gfx_target target, const std::string& source, int waves,
                                        uint32_t checks) {
    kernel_run(target, source, waves, checks).run();
    std::_Exit(0);
}

inline void check_twins(const char* title, const std::vector<twin>& twins) {
    for (const gfx_target target : both_targets) {
        std::vector<std::string> sources;
        for (const twin& t : twins) {
            if (!t.gfx950_only || target == gfx_target::gfx950) {
                sources.push_back(t.caught + "\ns_endpgm");
                sources.push_back(t.repaired + "\ns_endpgm");
            }
        }
        assemble_together(target, sources);
        for (const twin& t : twins) {
            if (t.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            SCOPED_TRACE(std::string(name_of(target)) + ": " + title + ": " + t.name);
            // A twin is about one kind of check; the others need more preparation than it has.
            const uint32_t on = t.checks;
            EXPECT_EXIT(run_to_its_end(target, t.caught, t.waves, on),
                        ::testing::ExitedWithCode(failure_status), t.report);
            EXPECT_EXIT(run_to_its_end(target, t.repaired, t.waves, on),
                        ::testing::ExitedWithCode(0), "");
            if (t.checks != check::none) {
                EXPECT_EXIT(run_to_its_end(target, t.caught, t.waves, check::none),
                            ::testing::ExitedWithCode(0), "")
                    << "the check is off";
            }
            if (target == gfx_target::gfx950) {
                std::printf("  %-10s %s\n", title, t.name);
            }
        }
    }
}

}  // namespace emu
