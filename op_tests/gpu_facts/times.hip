// How long things take, beside what the timeline of the emulator assumes. A fact that has the name and
// the unit of one of its parameters (op_tests/emulator/timeline_parameters.md) is that parameter:
// OPUS_EMU_TIMELINE_DEVICE takes it from the file that this program writes.
#include "times.hpp"

#include <map>

namespace gpu_facts {

OPUS_TIMED_KERNEL(timed_nothing, "", "")

namespace {

double slowest_wave(timed_kernel kernel, int waves, const std::vector<unsigned>& addresses) {
    const auto count = static_cast<size_t>(waves * timed_rounds);
    examples::device_buffer<unsigned> clocks(count);
    const examples::device_buffer<unsigned> offsets(addresses);
    clocks.fill_bytes(0);
    kernel<<<1, static_cast<unsigned>(waves) * 64>>>(clocks.data(), offsets.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<unsigned> all = clocks.to_host();
    unsigned least = ~0u;
    for (size_t round = 1; round < timed_rounds; ++round) {
        unsigned slowest = 0;
        for (size_t wave = 0; wave < static_cast<size_t>(waves); ++wave) {
            slowest = std::max(slowest, all[wave * timed_rounds + round]);
        }
        least = std::min(least, slowest);
    }
    return least;
}

}  // namespace

double clocks_of(timed_kernel kernel, int waves, const std::vector<unsigned>& addresses) {
    static std::map<int, double> nothing;
    if (nothing.count(waves) == 0) {
        nothing[waves] = slowest_wave(timed_nothing, waves, addresses);
    }
    return slowest_wave(kernel, waves, addresses) - nothing[waves];
}

double clocks_of(timed_kernel kernel, int waves) {
    std::vector<unsigned> own(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
        own[lane] = 16 * lane;
    }
    return clocks_of(kernel, waves, own);
}

void times(const device& on, report& to) {
    times_compute(on, to);
    times_lds(on, to);
    times_memory(on, to);
}

}  // namespace gpu_facts
