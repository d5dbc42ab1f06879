// A kernel whose groups have different work: group n has n + 1 turns of a loop or, with `falls`, the
// first one has most. The program is its own test: it places all groups on the units one after the
// other, each where it can begin first, and compares how long they take with the timeline's trace.
// One group fits a unit, so as many run at a time as there are units.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

namespace {

constexpr int units = 304;  // of MI300X
constexpr int groups = 4 * units + 100;
constexpr int lds_bytes = 65536;  // all of a unit

__attribute__((host)) __attribute__((device)) int turns_of(int group, int falls) {
    return falls != 0 ? groups - group : group + 1;
}

__global__ void turns(int falls) {
    const int count = turns_of(static_cast<int>(__builtin_amdgcn_workgroup_id_x()), falls);
    for (int n = 0; n < count; ++n) {
        asm volatile("v_mov_b32 v0, v0\n v_mov_b32 v0, v0\n v_mov_b32 v0, v0\n" ::: "v0");
    }
}

// Behind `name` in the text.
double number_behind(const std::string& text, const std::string& name) {
    const size_t at = text.find(name);
    return at == std::string::npos ? NAN : std::atof(text.c_str() + at + name.size());
}

}  // namespace

// uneven TRACE rises|falls
int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const int falls = std::strcmp(argv[2], "falls") == 0;
    turns<<<dim3(groups), 64, lds_bytes>>>(falls);
    if (hipDeviceSynchronize() != 0) {
        return 2;
    }
    std::vector<int> ends(units);
    for (int group = 0; group < groups; ++group) {
        *std::min_element(ends.begin(), ends.end()) += turns_of(group, falls);
    }
    const double length = *std::max_element(ends.begin(), ends.end());

    std::string text;
    if (FILE* trace = std::fopen(argv[1], "rb")) {
        char part[65536];
        while (const size_t count = std::fread(part, 1, sizeof part, trace)) {
            text.append(part, count);
        }
        std::fclose(trace);
    }
    const double modelled = number_behind(text, "\"groups\":[");
    const double expected = length / turns_of(static_cast<int>(modelled), falls);
    const double found =
        number_behind(text, "\"launch_clocks\":") / number_behind(text, "\"clocks\":");
    std::printf("%s, group %.0f: %.3f times as long as it, %.3f by all turns; %.0f of %d weighed\n",
                argv[2], modelled, found, expected, number_behind(text, "\"weighed_groups\":"),
                groups);
    const bool is_close = std::abs(found / expected - 1) < 0.03;  // NAN is not
    std::puts(is_close ? "close" : "not close");
    return is_close ? 0 : 1;
}
