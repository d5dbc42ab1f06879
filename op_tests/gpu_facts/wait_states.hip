// Wait states: how many must lie between two instructions for a right result. Each pair of
// wait_states_rows.inc is a kernel, which has the pair with some states. Right is what it gives with
// 40; with the second instruction in front of the first one it must give something else, or nothing
// could be seen.
//
// The emulator gives the right result whatever the distance, and reports what is too close: there this
// program runs itself with the emulator's check in a mode that goes on, and reads the reports.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "facts.hpp"
#include "opus/hip_minimal.hpp"
#include "wait_states.hpp"

namespace gpu_facts {
namespace {

// What a kernel has are `variants`: the pair with 40 states, with 0 to 23 (up to four more than the
// sources ask for), and the other way round.
constexpr int lanes = 64;
constexpr unsigned scratch_bytes = 4096;

}  // namespace
}  // namespace gpu_facts

// clang-format off
#define OPUS_SUM(a, b, c, d) \
    "v_lshl_add_u32 v60, v" a ", 1, v" b "\n v_lshl_add_u32 v60, v60, 1, v" c "\n" \
    " v_lshl_add_u32 v60, v60, 1, v" d
#define OPUS_STORED \
    "global_load_dwordx4 v[64:67], v3, s[20:21]\n s_waitcnt vmcnt(0)\n" OPUS_SUM("64", "65", "66", "67")
// More than any pair needs, after all memory.
#define OPUS_APART "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_nop 15\n s_nop 15\n s_nop 15\n"
// One statement, for the compiler puts nothing in between then. %0 counts the wrong results: a dword
// for each lane of each variant. %1 is the buffer, %2 the address of LDS for this lane.
#define OPUS_PAIR_CODE(most, before, first, second, seen)                                      \
    asm volatile(                                                                          \
        "s_mov_b64 s[34:35], %0\n s_mov_b64 s[20:21], %1\n v_mov_b32 v4, %2\n"             \
        "s_mov_b32 s24, s20\n s_and_b32 s25, s21, 0xffff\n s_movk_i32 s26, 0x1000\n"       \
        "s_mov_b32 s27, 0x20000\n s_mov_b32 s33, 0x42280000\n s_mov_b64 exec, -1\n"        \
        "v_mbcnt_lo_u32_b32 v5, -1, 0\n v_mbcnt_hi_u32_b32 v5, -1, v5\n"                   \
        "v_add_u32 v6, 0x64, v5\n v_lshlrev_b32 v2, 2, v5\n"                               \
        "v_lshlrev_b32 v3, 4, v5\n v_add_u32 v3, 0x400, v3\n"                              \
        "v_mov_b32 v0, 0x3c003c00\n v_mov_b32 v1, v0\n"                                    \
        ".irp r, 40, 41, 42, 43, 44, 45, 46, 47\n v_mov_b32 v\\r, v0\n .endr\n"            \
        "v_add_u32 v61, 7, v5\n global_store_dword v2, v61, s[20:21]\n"                    \
        "v_add_u32 v62, 64, v61\n global_store_dword v2, v62, s[20:21] offset:256\n"       \
        "v_add_u32 v61, 9, v5\n ds_write_b32 v4, v61\n"                                    \
        "v_add_u32 v62, 64, v61\n ds_write_b32 v4, v62 offset:256\n"                       \
        ".irp r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, " \
        "27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39\n v_mov_b32 v\\r, s33\n .endr\n" \
        ".irp n, 40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, " \
        "20, 21, 22, 23, 99\n"                                                             \
        ".if (\\n == 40) || (\\n == 99) || (\\n <= " most ")\n"                               \
        ".irp r, 8, 9, 10, 11, 14, 15, 20, 21, 22, 23, 36, 37, 38, 39\n"                     \
        "v_mov_b32 v\\r, s33\n .endr\n"                                                      \
        "v_mov_b32 v60, 0\n" before "\n" OPUS_APART                                        \
        ".if \\n == 99\n" second "\n" OPUS_APART first "\n"                                \
        ".else\n" first "\n"                                                               \
        ".if \\n == 40\n s_nop 15\n s_nop 15\n s_nop 7\n"                                  \
        ".elseif \\n > 16\n s_nop 15\n s_nop \\n - 17\n"                                   \
        ".elseif \\n > 0\n s_nop \\n - 1\n .endif\n" second "\n"                           \
        ".endif\n" OPUS_APART "s_mov_b64 exec, -1\n s_nop 7\n" seen "\n" OPUS_APART        \
        ".if \\n == 40\n v_mov_b32 v98, v60\n .endif\n"                                    \
        "v_mov_b32 v99, 1\n v_cmp_ne_u32 vcc, v60, v98\n s_nop 4\n s_mov_b64 exec, vcc\n"  \
        "s_nop 4\n global_atomic_add v2, v99, s[34:35]\n s_mov_b64 exec, -1\n"            \
        ".endif\n s_add_u32 s34, s34, 0x100\n s_addc_u32 s35, s35, 0\n"                             \
        ".endr\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n" OPUS_APART              \
        :: "s"(wrong), "s"(scratch), "v"(lds_address)                                      \
        : "memory", "vcc", "scc", OPUS_CLOBBERS)
#define OPUS_CLOBBERS                                                                          \
    "s20", "s21", "s24", "s25", "s26", "s27", "s30", "s31", "s33", "s36", "s34", "s35",         \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v8", "v9", "v10", "v11", "v12", "v13", "v14",    \
    "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",  \
    "v28", "v29", "v30", "v31", "v32", "v33", "v34", "v35", "v36", "v37", "v38", "v39", "v40",  \
    "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v60", "v61", "v62", "v63", "v64", "v65",  \
    "v66", "v67", "v68", "v69", "v70", "v71", "v72", "v73", "v74", "v75", "v76", "v77", "v78",  \
    "v79", "v80", "v81", "v82", "v83", "v84", "v85", "v86", "v87", "v88", "v89", "v90", "v91",  \
    "v92", "v93", "v94", "v95", "v98", "v99"

// Several times, so that the code is in the instruction cache.
#define OPUS_PAIR_KERNEL(id, code)                                                             \
    extern "C" __global__ __launch_bounds__(64) void gpu_facts_wait_##id(                      \
        [[maybe_unused]] unsigned* wrong, [[maybe_unused]] unsigned char* scratch,             \
        [[maybe_unused]] int rounds) {                                                         \
        code                                                                                   \
    }
#define OPUS_PAIR_ROUNDS(most, before, first, second, seen)                                          \
    __shared__ unsigned lds[256];                                                              \
    scratch += blockIdx.x * gpu_facts::scratch_bytes;                                          \
    const unsigned lds_address = threadIdx.x * 4 +                                             \
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(                                     \
            (__attribute__((address_space(3))) unsigned*)lds));                                \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                                             \
        OPUS_PAIR_CODE(most, before, first, second, seen);                                           \
    }

#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_PAIR(id, name, gfx942, gfx950, source, before, first, second, seen) \
    OPUS_PAIR_KERNEL(id, OPUS_PAIR_ROUNDS(#gfx942 " + 4) || (\\n <= " #gfx950 " + 4", before, first, second, seen))
#else
#define OPUS_PAIR(id, ...) OPUS_PAIR_KERNEL(id, )
#endif
#ifdef __gfx950__
#define OPUS_PAIR_950(id, name, gfx950, source, before, first, second, seen) \
    OPUS_PAIR_KERNEL(id, OPUS_PAIR_ROUNDS(#gfx950 " + 4", before, first, second, seen))
#else
#define OPUS_PAIR_950(id, ...) OPUS_PAIR_KERNEL(id, )
#endif
#include "wait_states_rows.inc"
#undef OPUS_PAIR
#undef OPUS_PAIR_950
// clang-format on

namespace gpu_facts {
namespace {

using pair_kernel = void (*)(unsigned*, unsigned char*, int);

struct pair_of_instructions {
    const char* id;
    const char* name;
    int gfx942;  // wait states; -1: there is no such instruction
    int gfx950;
    const char* source;
    pair_kernel kernel;
};

constexpr const char* guide = "ISA guide, 4.5 and 7.6";

#define OPUS_PAIR(id, name, gfx942, gfx950, source, ...) \
    {#id, name, gfx942, gfx950, source, gpu_facts_wait_##id},
#define OPUS_PAIR_950(id, name, gfx950, source, ...) \
    {#id, name, -1, gfx950, source, gpu_facts_wait_##id},
constexpr pair_of_instructions pairs[] = {
#include "wait_states_rows.inc"
};

int published(const device& on, const pair_of_instructions& p) {
    return on.arch == "gfx942" ? p.gfx942 : p.gfx950;
}

pair_tries run_pair(const pair_of_instructions& p, int waves, int rounds) {
    examples::device_buffer<unsigned> counts(variants * lanes);
    examples::device_buffer<unsigned char> scratch(static_cast<size_t>(waves) * scratch_bytes);
    counts.fill_bytes(0);
    scratch.fill_bytes(0);
    p.kernel<<<static_cast<unsigned>(waves), lanes>>>(counts.data(), scratch.data(), rounds);
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<unsigned> host = counts.to_host();
    pair_tries m;
    m.tries = waves * rounds;
    for (size_t n = 0; n < host.size(); ++n) {
        int& most = m.wrong[n / lanes];
        most = std::max(most, static_cast<int>(host[n]));
    }
    return m;
}

int most_states(const pair_of_instructions& p) {
    return std::min(std::max(p.gfx942, p.gfx950) + 4, variants - 3);
}

// Waves that have a unit for themselves, and eight on each, two of a SIMD: what waits for memory or
// for a matrix pipe depends on who else uses it.
finding find_by_results(const pair_of_instructions& p, int assumed, bool quick) {
    pair_tries m = run_pair(p, quick ? 8 : 64, quick ? 4 : 16);
    m += run_pair(p, 8 * examples::compute_units(), quick ? 1 : 4);
    return wait_states_of(m, assumed, most_states(p));
}

// ---- on the emulator ----

constexpr const char* reports_variable = "GPU_FACTS_WAIT_STATES";

// What the inner run leaves: a line "id 1" where the order of the two shows, "id 0" where it does not,
// "id -1" where a result was wrong.
[[noreturn]] void run_for_reports(const device& on, const char* file) {
    std::ofstream out(file);
    for (const pair_of_instructions& p : pairs) {
        if (published(on, p) < 0) {
            continue;
        }
        const pair_tries m = run_pair(p, 1, 1);
        bool right = true;
        for (int n = 0; n < variants - 1; ++n) {
            right = right && m.wrong[static_cast<size_t>(n)] == 0;
        }
        out << p.id << ' ' << (!right ? -1 : m.wrong.back() != 0 ? 1 : 0) << '\n';
    }
    out.close();
    std::exit(0);  // with the emulator's reports
}

struct emulated_pair {
    int shows = -2;                // as above; -2: did not run
    std::map<int, int> needed_of;  // by the states that are there
};

// Runs this program once more, with the check `hazards`, and reads what the emulator prints:
//   opus emulator: hazard: v8: ...: 11 wait states are needed between them, 5 are there
//     check       hazards
//     kernel      gpu_facts_wait_xdl_8_read
std::map<std::string, emulated_pair> run_with_reports() {
    char directory[] = "/tmp/gpu_facts.XXXXXX";
    if (::mkdtemp(directory) == nullptr) {
        throw examples::device_error("mkdtemp fails");
    }
    const std::string results = std::string(directory) + "/results";
    const std::string reports = std::string(directory) + "/reports";
    const std::string json = std::string(directory) + "/json";
    const std::string command = std::string(reports_variable) + "=" + results +
                                " OPUS_EMU_CHECK=hazards OPUS_EMU_CHECK_MODE=report /proc/" +
                                std::to_string(::getpid()) + "/exe --kind wait_states --json " +
                                json + " > " + reports + " 2>&1";
    if (std::system(command.c_str()) == -1) {
        throw examples::device_error("the shell does not run");
    }
    std::map<std::string, emulated_pair> found;
    std::ifstream ran(results);
    std::string id;
    for (int shows = 0; ran >> id >> shows;) {
        found[id].shows = shows;
    }
    std::ifstream said(reports);
    int needed = 0;
    int there = -1;
    for (std::string line; std::getline(said, line);) {
        const std::string middle = " wait states are needed between them, ";
        const size_t end = line.find(middle);
        const size_t begin = line.rfind(' ', end - 1);
        const size_t prefix = line.find("gpu_facts_wait_");
        if (end != std::string::npos && begin != std::string::npos) {
            needed = std::atoi(line.c_str() + begin);
            there = std::atoi(line.c_str() + end + middle.size());
        } else if (there >= 0 && line.compare(0, 9, "  kernel ") == 0 &&
                   prefix != std::string::npos) {
            const size_t name = prefix + std::string("gpu_facts_wait_").size();
            found[line.substr(name, line.find_first_of(", ", name) - name)].needed_of[there] =
                needed;
            there = -1;
        }
    }
    for (const std::string& file : {results, reports, json}) {
        ::unlink(file.c_str());
    }
    ::rmdir(directory);
    return found;
}

// One state too few must be reported, whatever is fewer too, and nothing else.
finding find_by_reports(const emulated_pair& p, int assumed, int most) {
    finding f;
    f.repetitions = most + 1;
    f.unit = "wait states";
    if (p.shows == -2) {
        f.seen = "nothing: the run with the emulator's reports did not come here";
        return f;
    }
    int needed = 0;
    while (p.needed_of.count(needed) != 0) {
        ++needed;
    }
    bool agree = p.needed_of.size() == static_cast<size_t>(needed) && p.shows >= 0;
    for (const auto& [there, wanted] : p.needed_of) {
        // A row for any such pair may speak before the one that wants more.
        agree =
            agree && (there + 1 < needed ? wanted > there && wanted <= needed : wanted == needed);
    }
    f.value = needed;
    f.said = agree && needed == assumed ? verdict::same : verdict::different;
    f.seen = states(needed) + ", by the emulator's reports";
    if (p.shows < 0) {
        f.seen += "; a result is wrong";
    } else if (p.shows == 0) {
        f.seen += "; a GPU will show nothing";
    }
    if (!agree) {
        f.seen += "; they do not agree:";
        for (const auto& [there, wanted] : p.needed_of) {
            f.seen += format(" %d of %d", there, wanted);
        }
    }
    return f;
}

}  // namespace

void wait_states(const device& on, report& to) {
    if (const char* file = std::getenv(reports_variable)) {
        run_for_reports(on, file);
    }
    std::map<std::string, emulated_pair> emulated;
    bool has_run = false;
    for (const pair_of_instructions& p : pairs) {
        const int assumed = published(on, p);
        if (assumed < 0) {
            continue;
        }
        to.measure(p.name, states(assumed), p.source, [&] {
            if (!on.emulated) {
                return find_by_results(p, assumed, on.quick);
            }
            if (!has_run) {
                emulated = run_with_reports();
                has_run = true;
            }
            return find_by_reports(emulated[p.id], assumed, most_states(p));
        });
    }
}

}  // namespace gpu_facts
