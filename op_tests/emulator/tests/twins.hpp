// Kernels in pairs, for the tests of checks: one that must be caught, and a repaired twin that must
// not.
//
// Each group of a kernel starts with
//   s[0:1] the address of 4096 bytes, s[4:7] their buffer resource, s2 the wave's index, s3 the group's
//   (s8 and s9 its other two, which count as never written)
//   v0 the lane, v1 4 * lane, v2 4 * work-item; LDS: 1024 bytes
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "checks/checks.hpp"
#include "debugging/stop.hpp"
#include "execution/scheduler.hpp"
#include "launch/observers.hpp"
#include "machine.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"
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
    uint32_t groups = 1;
};

class kernel_run {
public:
    kernel_run(gfx_target target, const std::string& source, int waves, uint32_t checks,
               check_mode mode = check_mode::stop, std::array<uint32_t, 3> groups = {1, 1, 1})
        : bytes_(assemble(target, source + machine::end)),
          code_(target, bytes_.data(), bytes_.size(), machine::base),
          waves_(waves),
          checks_(checks),
          mode_(mode),
          groups_(groups),
          known_(checks, groups, static_cast<uint32_t>(waves)) {
        note_written(partly_written(), 256);
    }

    // Ends the process where something is reported.
    void run(uint64_t limit = ~uint64_t{0}, wave_stop* stop = nullptr) {
        dispatch work;
        work.groups = groups_;
        work.max_resident = groups_[0] * groups_[1] * groups_[2];
        work.instruction_limit = limit;
        wave_stop* const may_stop = stop != nullptr && stop->prepare(code_, name_) ? stop : nullptr;
        work.make_group = [this](std::array<uint32_t, 3> id, auto) { return make_group(id); };
        work.make_runner = runners(nullptr, may_stop);
        emu::run(work);
    }

    void end_launch() { emu::end_launch(checks_, code_, name_); }

    uint32_t dword(size_t n) const { return memory_.get<uint32_t>(4 * n); }

private:
    std::unique_ptr<workgroup> make_group(std::array<uint32_t, 3> id) {
        auto group = std::make_unique<workgroup>();
        group->id = id;
        group->mode = mode_;
        group->lds.resize(test_lds_bytes);
        group->code = &code_;
        group->kernel_name = &name_;
        group->entry = machine::base;
        group->waves.resize(static_cast<size_t>(waves_));
        for (int n = 0; n < waves_; ++n) {
            set_state(*group, n);
        }
        look_at(*group, known_);
        for (const wave& w : group->waves) {
            note_written_registers(w);
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
        w.loaded_sgprs = 8;
        w.vgpr.resize(64);
        w.agpr.resize(64);
        w.scratch_per_lane = 64;
        w.scratch.resize(64 * lane_count);
        w.write_sgpr64(sreg::exec, ~uint64_t{0});
        w.write_sgpr64(0, memory_.address());
        w.write_sgpr64(4, memory_.address());
        const uint64_t begin = partly_written();
        w.write_sgpr64(10, begin);
        w.write_sgpr64(12, begin);
        w.sgpr[14] = memory_bytes;
        w.sgpr[15] = 0x20000;
        w.sgpr[2] = static_cast<uint32_t>(n);
        w.sgpr[3] = group.id[0];
        w.sgpr[8] = group.id[1];
        w.sgpr[9] = group.id[2];
        w.sgpr[6] = memory_bytes;
        w.sgpr[7] = 0x20000;
        for (uint32_t l = 0; l < lane_count; ++l) {
            w.vgpr[0][l] = l;
            w.vgpr[1][l] = 4 * l;
            w.vgpr[2][l] = 4 * (static_cast<uint32_t>(n) * lane_count + l);
        }
    }

    static void note_written_registers(const wave& w) {
        auto* check = part_of<registers_check>(w);
        if (check == nullptr || check->written.empty()) {
            return;
        }
        std::fill_n(check->written.begin(), 3, ~uint64_t{0});
    }

    uint64_t partly_written() const { return reinterpret_cast<uintptr_t>(partly_written_.get()); }

    const std::vector<std::byte>& bytes_;
    program code_;
    int waves_;
    uint32_t checks_;
    check_mode mode_;
    std::array<uint32_t, 3> groups_;
    launch_checks known_;
    std::string name_ = "kernel";
    device_bytes memory_{memory_bytes};
    // Device memory of which the first 256 bytes are written.
    std::unique_ptr<void, void (*)(void*)> partly_written_{
        allocate(memory_bytes, memory_kind::device),
        [](void* memory) { release(memory, memory_kind::device); }};
};

inline void run_kernel(gfx_target target, const std::string& source, int waves, uint32_t checks,
                       uint32_t groups = 1) {
    kernel_run(target, source, waves, checks, check_mode::stop, {groups, 1, 1}).run();
}

// @pre of groups there is one, or OPUS_EMU_THREADS is 1
inline void check_twins(const char* title, const std::vector<twin>& twins) {
    for (const gfx_target target : both_targets) {
        for (const twin& t : twins) {
            if (t.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            SCOPED_TRACE(std::string(name_of(target)) + ": " + title + ": " + t.name);
            // A twin is about one kind of check; the others need more preparation than it has.
            EXPECT_REPORT(run_kernel(target, t.caught, t.waves, t.checks, t.groups), t.report);
            EXPECT_NO_REPORT(run_kernel(target, t.repaired, t.waves, t.checks, t.groups));
            if (t.checks != check::none) {
                EXPECT_NO_REPORT(run_kernel(target, t.caught, t.waves, check::none, t.groups))
                    << "the check is off";
            }
            if (target == gfx_target::gfx950) {
                std::printf("  %-10s %s\n", title, t.name);
            }
        }
    }
}

}  // namespace emu
