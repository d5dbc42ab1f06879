#include "launch/launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "checks/checks.hpp"
#include "execution/scheduler.hpp"
#include "launch/grid_sync.hpp"
#include "launch/needs.hpp"
#include "launch/observers.hpp"
#include "launch/occupancy.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "printing/buffered.hpp"
#include "printing/hostcall.hpp"
#include "profile/profile.hpp"
#include "timeline/timeline.hpp"

namespace emu {

namespace {

// kernel_code_properties
constexpr uint32_t private_segment_buffer = 1u << 0;
constexpr uint32_t dispatch_ptr = 1u << 1;
constexpr uint32_t queue_ptr = 1u << 2;
constexpr uint32_t kernarg_segment_ptr = 1u << 3;
constexpr uint32_t dispatch_id = 1u << 4;
constexpr uint32_t flat_scratch_init = 1u << 5;
constexpr uint32_t private_segment_size = 1u << 6;
constexpr uint32_t uses_dynamic_stack = 1u << 11;

// What gfx9 can address for a wave, per lane: 2^13 - 1 units of 1 KiB (LLVM,
// GCNSubtarget::getMaxWaveScratchSize).
constexpr uint32_t max_scratch_bytes = ((1u << 13) - 1) * 1024 / lane_count;

// Scratch of all groups in progress, where it is more than that of one group. A GPU has less room for
// groups with much scratch, too.
constexpr uint64_t max_scratch_in_use = uint64_t{2} << 30;

uint32_t bits(uint32_t value, uint32_t shift, uint32_t width) {
    return value >> shift & ((1u << width) - 1);
}

uint32_t low(uint64_t value) {
    return static_cast<uint32_t>(value);
}
uint32_t high(uint64_t value) {
    return static_cast<uint32_t>(value >> 32);
}

uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

uint32_t group_threads(const launch_config& config) {
    return config.threads[0] * config.threads[1] * config.threads[2];
}

// @post what is more than there can be comes from the kernel's fixed size
uint32_t scratch_bytes(const kernel_info& kernel, const launch_config& config) {
    const uint32_t fixed = std::min(kernel.descriptor.private_segment_fixed_size, 1u << 30);
    uint32_t bytes = fixed;
    if ((kernel.descriptor.code_properties & uses_dynamic_stack) != 0) {
        bytes = std::max(fixed, std::min(fixed + config.stack, max_scratch_bytes));
    }
    return static_cast<uint32_t>(align_up(bytes, 16));
}

template <class T>
void write(std::vector<std::byte>& bytes, size_t offset, T value) {
    if (offset + sizeof value <= bytes.size()) {
        std::memcpy(bytes.data() + offset, &value, sizeof value);
    }
}

// One hidden argument: its metadata name, its place in the fixed block of code object v5 and later
// (AMDGPUUsage, "Code Object V5 Metadata"), its size and value.
struct hidden_argument {
    std::string_view kind;
    uint32_t offset;
    uint32_t size;
    uint64_t value;
};

// The arguments that are not listed are null here: heap_v1, default_queue, completion_action.
std::vector<hidden_argument> hidden_arguments(const launch_config& c,
                                              const impl::launch_memory& memory) {
    const uint32_t dimensions = c.groups[2] * c.threads[2] > 1   ? 3
                                : c.groups[1] * c.threads[1] > 1 ? 2
                                                                 : 1;
    return {
        {"hidden_block_count_x", 0, 4, c.groups[0]},
        {"hidden_block_count_y", 4, 4, c.groups[1]},
        {"hidden_block_count_z", 8, 4, c.groups[2]},
        {"hidden_group_size_x", 12, 2, c.threads[0]},
        {"hidden_group_size_y", 14, 2, c.threads[1]},
        {"hidden_group_size_z", 16, 2, c.threads[2]},
        // HIP launches whole groups, so the remainder is 0, and from global offset 0.
        {"hidden_remainder_x", 18, 2, 0},
        {"hidden_remainder_y", 20, 2, 0},
        {"hidden_remainder_z", 22, 2, 0},
        {"hidden_global_offset_x", 40, 8, 0},
        {"hidden_global_offset_y", 48, 8, 0},
        {"hidden_global_offset_z", 56, 8, 0},
        {"hidden_grid_dims", 64, 2, dimensions},
        {"hidden_printf_buffer", 72, 8, memory.printf_buffer},
        {"hidden_hostcall_buffer", 80, 8, memory.hostcall_buffer},
        {"hidden_multigrid_sync_arg", 88, 8, memory.grid_sync},
        {"hidden_dynamic_lds_size", 120, 4, c.dynamic_lds},
        {"hidden_private_base", 192, 4, high(private_aperture)},
        {"hidden_shared_base", 196, 4, high(shared_aperture)},
        {"hidden_queue_ptr", 200, 8, memory.queue},
    };
}

constexpr uint64_t hidden_block_bytes = 256;

void write_hidden(std::vector<std::byte>& segment, uint64_t offset, const hidden_argument& a) {
    if (offset + a.size <= segment.size()) {
        std::memcpy(segment.data() + offset, &a.value, a.size);
    }
}

// hsa_kernel_dispatch_packet_t (HSA runtime specification 2.9): 64 bytes.
std::vector<std::byte> dispatch_packet(const kernel_info& kernel, const launch_config& config,
                                       uint64_t kernarg) {
    std::vector<std::byte> packet(64);
    constexpr uint16_t kernel_dispatch = 2;
    write<uint16_t>(packet, 0, kernel_dispatch);
    write<uint16_t>(packet, 2, 3);  // dimensions
    for (uint32_t d = 0; d < 3; ++d) {
        write<uint16_t>(packet, 4 + 2 * d, static_cast<uint16_t>(config.threads[d]));
        write<uint32_t>(packet, 12 + 4 * d, config.groups[d] * config.threads[d]);
    }
    write<uint32_t>(packet, 24, scratch_bytes(kernel, config));
    write<uint32_t>(packet, 28,
                    low(kernel.descriptor.group_segment_fixed_size + config.dynamic_lds));
    write<uint64_t>(packet, 32, kernel.descriptor_address);
    write<uint64_t>(packet, 40, kernarg);
    return packet;
}

// The MODE register (ISA guide 3.4) from rsrc1's FLOAT_MODE, DX10_CLAMP, IEEE_MODE, FP16_OVFL and
// rsrc2's exception enables.
uint32_t initial_mode(const kernel_descriptor& d) {
    return bits(d.rsrc1, 12, 8) | bits(d.rsrc1, 21, 1) << 8 | bits(d.rsrc1, 23, 1) << 9 |
           bits(d.rsrc2, 24, 7) << 12 | bits(d.rsrc1, 26, 1) << 23;
}

constexpr uint32_t mode_exceptions = 0x7f000;

// The dwords of the kernarg segment that the hardware loads into user SGPRs.
std::vector<uint32_t> preloaded(const kernel_info& kernel, uint64_t kernarg) {
    const uint32_t length = bits(kernel.descriptor.kernarg_preload, 0, 7);
    const uint32_t offset = bits(kernel.descriptor.kernarg_preload, 7, 9);
    std::vector<uint32_t> dwords(length);
    for (uint32_t n = 0; n < length; ++n) {
        if (const std::byte* p = translate(kernarg + 4 * (offset + n), 4, false)) {
            std::memcpy(&dwords[n], p, 4);
        }
    }
    return dwords;
}

std::vector<uint32_t> user_sgprs(const kernel_info& kernel, const launch_config& config,
                                 const impl::launch_memory& memory) {
    const uint32_t properties = kernel.descriptor.code_properties;
    std::vector<uint32_t> sgprs;
    const auto push64 = [&](uint32_t property, uint64_t value) {
        if ((properties & property) != 0) {
            sgprs.push_back(low(value));
            sgprs.push_back(high(value));
        }
    };
    // The buffer that scratch had before it got instructions of its own; nothing reads it.
    push64(private_segment_buffer, 0);
    push64(private_segment_buffer, 0);
    push64(dispatch_ptr, memory.packet);
    push64(queue_ptr, memory.queue);
    push64(kernarg_segment_ptr, memory.kernarg);
    push64(dispatch_id, 0);
    push64(flat_scratch_init, 0);
    if ((properties & private_segment_size) != 0) {
        sgprs.push_back(scratch_bytes(kernel, config));
    }
    for (const uint32_t dword : preloaded(kernel, memory.kernarg)) {
        sgprs.push_back(dword);
    }
    // rsrc2 says how many there are; the system SGPRs follow.
    sgprs.resize(bits(kernel.descriptor.rsrc2, 1, 5));
    return sgprs;
}

void set_scalar_state(wave& w, const kernel_info& kernel, const launch_config& config,
                      const impl::launch_memory& memory, size_t wave_count) {
    const uint32_t rsrc2 = kernel.descriptor.rsrc2;
    std::vector<uint32_t> sgprs = user_sgprs(kernel, config, memory);
    for (uint32_t d = 0; d < 3; ++d) {
        if (bits(rsrc2, 7 + d, 1) != 0) {
            sgprs.push_back(w.group->id[d]);
        }
    }
    if (bits(rsrc2, 10, 1) != 0) {  // workgroup info
        sgprs.push_back((w.index_in_group == 0 ? 1u << 31 : 0) | static_cast<uint32_t>(wave_count));
    }
    std::ranges::copy(sgprs, w.sgpr.begin());
    w.mode = initial_mode(kernel.descriptor);
    // Where arguments are preloaded, the first 256 bytes are for firmware that cannot do it; the
    // others start behind them (AMDGPUUsage, "Preloaded Kernel Arguments").
    const bool preloads = bits(kernel.descriptor.kernarg_preload, 0, 7) != 0;
    w.pc = kernel.entry + (preloads ? 256 : 0);
    w.loaded_sgprs = static_cast<uint32_t>(sgprs.size());
}

// `finished` is a wave of a finished group, or nullptr.
void set_lanes(wave& w, const kernel_info& kernel, const launch_config& config, wave* finished) {
    if (finished != nullptr) {
        w.vgpr = std::move(finished->vgpr);
        w.agpr = std::move(finished->agpr);
        w.scratch = std::move(finished->scratch);
    }
    w.vgpr.assign(kernel.vgpr_count(), {});
    w.agpr.assign(kernel.agpr_count(), {});
    w.scratch_per_lane = scratch_bytes(kernel, config);
    w.scratch.assign(size_t{w.scratch_per_lane} * lane_count, {});
    // rsrc2 says which coordinates v0 has; the others are 0, and the compiler relies on it.
    const uint32_t coordinates = bits(kernel.descriptor.rsrc2, 11, 2);
    const uint32_t y_mask = coordinates >= 1 ? 0x3ff : 0;
    const uint32_t z_mask = coordinates >= 2 ? 0x3ff : 0;
    const uint32_t first = static_cast<uint32_t>(w.index_in_group) * lane_count;
    const uint32_t lanes = std::min<uint32_t>(lane_count, group_threads(config) - first);
    for (uint32_t l = 0; l < lanes; ++l) {
        const uint32_t thread = first + l;
        const uint32_t x = thread % config.threads[0];
        const uint32_t y = thread / config.threads[0] % config.threads[1];
        const uint32_t z = thread / config.threads[0] / config.threads[1];
        w.vgpr[0][l] = x | (y & y_mask) << 10 | (z & z_mask) << 20;
    }
    w.write_sgpr64(sreg::exec, ~uint64_t{0} >> (lane_count - lanes));
}

// A range of launch memory that kernels can read while the object lives.
class read_only_block {
public:
    explicit read_only_block(size_t bytes)
        : bytes_(align_up(bytes, 64)),
          memory_(static_cast<std::byte*>(std::aligned_alloc(64, bytes_))) {
        if (memory_ == nullptr) {
            throw std::bad_alloc();
        }
        std::memset(memory_, 0, bytes_);
        add_range(address(), bytes_, false, memory_kind::launch);
    }
    ~read_only_block() {
        remove_range(address());
        std::free(memory_);
    }
    read_only_block(const read_only_block&) = delete;
    read_only_block& operator=(const read_only_block&) = delete;

    uint64_t address() const { return reinterpret_cast<uintptr_t>(memory_); }
    void assign(const std::vector<std::byte>& contents) { std::ranges::copy(contents, memory_); }

private:
    size_t bytes_;
    std::byte* memory_;
};

void report_profile(const device_info& device, code_object& object, const kernel_info& kernel,
                    const launch_config& config, const profile_counts& counts,
                    const timeline_report& timeline) {
    profiled_launch launch;
    launch.kernel = kernel.name;
    launch.arch = target_name(device.target);
    launch.entry = kernel.entry;
    launch.groups = config.groups;
    launch.threads = config.threads;
    launch.vgprs = kernel.vgpr_count();
    launch.agprs = kernel.agpr_count();
    launch.lds_bytes = kernel.descriptor.group_segment_fixed_size + config.dynamic_lds;
    launch.limits = limits_per_unit(device, kernel, group_threads(config), config.dynamic_lds);
    const bool is_table = config.settings.profile == profile_format::table;
    write_profile(config.settings,
                  is_table ? profile_table(counts, launch, object.code()) + timeline.text
                           : profile_json(counts, launch, object.code(), timeline.json));
}

std::unique_ptr<launch_timeline> make_timeline(const device_info& device, const kernel_info& kernel,
                                               const launch_config& config) {
    if (!wants_timeline(config.settings, kernel.name)) {
        return nullptr;
    }
    timeline_launch launch;
    launch.kernel = kernel.name;
    launch.arch = target_name(device.target);
    launch.entry = kernel.entry;
    launch.groups = uint64_t{config.groups[0]} * config.groups[1] * config.groups[2];
    launch.parameters = read_timeline_parameters(device.target, &launch.measured);
    launch.units = launch.parameters.compute_units;
    launch.limits = limits_per_unit(device, kernel, group_threads(config), config.dynamic_lds);
    launch.registers = kernel.vgpr_count() + kernel.agpr_count();
    launch.lds_bytes = group_lds(kernel, config.dynamic_lds);
    // Those that have a group share what all units use.
    launch.parameters.compute_units =
        static_cast<uint32_t>(std::min<uint64_t>(launch.units, launch.groups));
    const uint64_t per_unit = launch.limits.groups();
    return std::make_unique<launch_timeline>(config.settings, std::move(launch), per_unit);
}

}  // namespace

uint64_t groups_in_progress(const device_info& device, const kernel_info& kernel,
                            const launch_config& config) {
    const uint32_t threads = group_threads(config);
    const uint32_t of_unit =
        std::max(1u, groups_per_unit(device, kernel, threads, config.dynamic_lds));
    const uint64_t room = uint64_t{of_unit} * static_cast<uint32_t>(device.compute_units);
    const uint64_t of_group = align_up(threads, lane_count) * scratch_bytes(kernel, config);
    return of_group == 0 ? room
                         : std::min(room, std::max<uint64_t>(1, max_scratch_in_use / of_group));
}

launch_error check_launch(const device_info& device, const kernel_info& kernel,
                          const launch_config& config) {
    uint64_t threads = 1;
    for (uint32_t d = 0; d < 3; ++d) {
        // HIP: no launch with 2^32 or more work-items in a dimension.
        const uint64_t items = uint64_t{config.groups[d]} * config.threads[d];
        if (items == 0 || items >> 32 != 0 || config.threads[d] > max_group_threads) {
            return launch_error::configuration;
        }
        threads *= config.threads[d];
    }
    if (threads > max_group_threads) {
        return launch_error::configuration;
    }
    if (group_lds(kernel, config.dynamic_lds) > device.lds_bytes) {
        return launch_error::value;
    }
    if (scratch_bytes(kernel, config) > max_scratch_bytes) {
        return launch_error::resources;
    }
    if ((initial_mode(kernel.descriptor) & mode_exceptions) != 0) {
        std::fprintf(stderr,
                     "opus emulator: %s: floating-point exceptions (.amdhsa_exception_*) are not "
                     "supported\n",
                     kernel.name.c_str());
        return launch_error::unsupported;
    }
    if (kernel.max_group_size != 0 && threads > kernel.max_group_size) {
        return launch_error::failure;
    }
    return launch_error::none;
}

std::vector<std::byte> pack_arguments(const kernel_info& kernel, void* const* values) {
    std::vector<std::byte> packed(kernel.explicit_size());
    size_t next = 0;
    for (const kernel_argument& a : kernel.arguments) {
        if (!a.is_hidden()) {
            std::memcpy(packed.data() + a.offset, values[next++], a.size);
        }
    }
    return packed;
}

std::vector<std::byte> pack_arguments(const kernel_info& kernel, const void* buffer) {
    const auto* bytes = static_cast<const std::byte*>(buffer);
    return {bytes, bytes + kernel.explicit_size()};
}

namespace impl {

std::vector<std::byte> kernarg_segment(const kernel_info& kernel, const launch_config& config,
                                       const std::vector<std::byte>& explicit_arguments,
                                       const launch_memory& memory) {
    const uint64_t hidden = align_up(kernel.explicit_size(), 8);
    std::vector<std::byte> segment(std::max<uint64_t>(
        {hidden + hidden_block_bytes, kernel.kernarg_size, kernel.descriptor.kernarg_size}));
    std::ranges::copy(explicit_arguments, segment.begin());
    const auto arguments = hidden_arguments(config, memory);
    // Code object v5 and later put the block there whether or not the metadata lists it.
    constexpr int code_object_v5 = 3;
    if (kernel.abi_version >= code_object_v5) {
        for (const hidden_argument& a : arguments) {
            write_hidden(segment, hidden + a.offset, a);
        }
    }
    for (const kernel_argument& listed : kernel.arguments) {
        for (const hidden_argument& a : arguments) {
            if (listed.kind == a.kind && listed.size == a.size) {
                write_hidden(segment, listed.offset, a);
            }
        }
    }
    return segment;
}

std::unique_ptr<workgroup> make_group(code_object& object, const kernel_info& kernel,
                                      const launch_config& config, const launch_memory& memory,
                                      std::array<uint32_t, 3> id,
                                      std::unique_ptr<workgroup> finished) {
    auto group = std::make_unique<workgroup>();
    group->id = id;
    group->mode = config.settings.mode;
    group->code = &object.code();
    group->kernel_name = &kernel.name;
    group->debug_record =
        object.find_variable("opus_debug_record").value_or(device_symbol{}).address;
    group->entry = kernel.entry;
    if (finished != nullptr) {
        group->lds = std::move(finished->lds);
    }
    group->static_lds = kernel.descriptor.group_segment_fixed_size;
    group->lds.assign(group->static_lds + config.dynamic_lds, {});
    group->waves.resize((group_threads(config) + lane_count - 1) / lane_count);
    for (size_t n = 0; n < group->waves.size(); ++n) {
        wave& w = group->waves[n];
        w.group = group.get();
        w.index_in_group = static_cast<int>(n);
        w.checks = config.settings.checks;
        set_scalar_state(w, kernel, config, memory, group->waves.size());
        set_lanes(w, kernel, config, finished == nullptr ? nullptr : &finished->waves[n]);
    }
    return group;
}

}  // namespace impl

uint64_t launch(const device_info& device, code_object& object, const kernel_info& kernel,
                const launch_config& config, const std::vector<std::byte>& explicit_arguments) {
    const bool has_matrix_sums = adds_as_hardware(config.settings, device.target);
    // What queue_ptr points to: hsa_queue_t and AMD's extension of it, all zero.
    read_only_block queue(256);
    impl::launch_memory memory;
    memory.queue = queue.address();
    std::optional<printf_buffer> printed;
    if (kernel.takes("hidden_printf_buffer")) {
        printed.emplace(object.formats(), kernel.name);
        memory.printf_buffer = printed->address();
    }
    hostcall_service* const hostcall =
        kernel.takes("hidden_hostcall_buffer") ? &hostcall_service::instance() : nullptr;
    if (hostcall != nullptr) {
        memory.hostcall_buffer = hostcall->buffer_address();
    }
    const std::unique_ptr<launch_timeline> timeline = make_timeline(device, kernel, config);
    const uint64_t groups =
        std::min(uint64_t{config.groups[0]} * config.groups[1] * config.groups[2],
                 timeline == nullptr ? ~uint64_t{0} : timeline->groups_to_execute());
    std::optional<grid_sync> sync;
    if (config.is_cooperative) {
        sync.emplace(groups);
        memory.grid_sync = sync->address();
    }
    const auto segment = impl::kernarg_segment(kernel, config, explicit_arguments, memory);
    read_only_block kernarg(segment.size());
    kernarg.assign(segment);
    read_only_block packet(64);
    packet.assign(dispatch_packet(kernel, config, kernarg.address()));
    memory.kernarg = kernarg.address();
    memory.packet = packet.address();

    const auto per_unit = static_cast<uint32_t>(std::max<uint64_t>(
        1, limits_per_unit(device, kernel, group_threads(config), config.dynamic_lds).groups()));
    launch_checks checks(config.settings.checks, config.groups,
                         (group_threads(config) + lane_count - 1) / lane_count);
    const bool is_partly = timeline != nullptr && timeline->leaves_out();
    const auto needs_of = [&](bool in_full) {
        return is_partly ? find_needs(object.code(), kernel.entry,
                                      group_threads(config) % lane_count == 0, in_full)
                         : instruction_needs();
    };
    const instruction_needs needs = needs_of(false);
    const instruction_needs needs_in_full = needs_of(true);
    std::atomic<bool> trapped = false;
    dispatch work;
    work.groups = config.groups;
    work.trapped = &trapped;
    work.first_groups = groups;
    const auto number_of = [&](const std::array<uint32_t, 3>& id) {
        return id[0] + config.groups[0] * (id[1] + uint64_t{config.groups[1]} * id[2]);
    };
    work.note_end = [&](const workgroup& group) {
        if (sync) {
            sync->note_end(group);
        }
        if (timeline != nullptr) {
            timeline->recorder().note_end(number_of(group.id), group.waves);
        }
    };
    if (sync) {
        work.note_preemption = [&](const workgroup& group) { sync->note_preemption(group); };
    }
    work.make_group = [&](std::array<uint32_t, 3> id, std::unique_ptr<workgroup> finished) {
        std::unique_ptr<group_observer> seen_before =
            finished == nullptr ? nullptr : std::move(finished->seen_by);
        auto group = impl::make_group(object, kernel, config, memory, id, std::move(finished));
        const uint64_t number = number_of(id);
        group->place = place_of(device, number, per_unit);
        group->hostcall = hostcall;
        group->trapped = config.settings.aborts ? nullptr : &trapped;
        group->has_matrix_sums = has_matrix_sums;
        group->buffer_sum_wraps = config.settings.buffer_sum_wraps;
        timeline_group_recorder* recorder =
            timeline == nullptr ? nullptr : timeline->recorder().group(number, group->waves.size());
        const bool is_whole = timeline == nullptr || !timeline->leaves_out_products(number);
        if (!is_whole) {
            for (wave& w : group->waves) {
                w.checks = 0;
            }
        }
        const bool in_full = recorder != nullptr && recorder->is_full();
        look_at(*group, checks, recorder, std::move(seen_before),
                is_whole  ? nullptr
                : in_full ? &needs_in_full
                          : &needs);
        return group;
    };
    work.max_resident = groups_in_progress(device, kernel, config);
    work.instruction_limit = config.settings.instruction_limit;

    profile_counts profile;
    const bool has_profile = wants_profile(config.settings, kernel.name);
    wave_stop* stop = stop_of_process(config.settings.stop);
    const bool may_stop = stop != nullptr && stop->prepare(object.code(), kernel.name);
    work.make_runner = runners(has_profile ? &profile : nullptr, may_stop ? stop : nullptr);
    work.name = &kernel.name;

    const auto start = std::chrono::steady_clock::now();
    uint64_t instructions = run(work);
    if (timeline != nullptr && !trapped && !sync) {
        work.max_resident = worker_count();  // one after the other: none is left for others
        instructions += timeline->weigh_more(
            instructions, [&](const std::vector<uint64_t>& numbers, uint64_t most) {
                work.numbers = numbers;
                work.most_instructions = most;
                return run(work);
            });
    }
    if (hostcall != nullptr) {
        std::fflush(stdout);
    }
    printed.reset();
    if (trapped) {
        throw kernel_trapped{};  // what was counted and modelled is a part that depends on chance
    }
    end_launch(config.settings.checks, object.code(), kernel.name);
    if (config.settings.stats) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        std::fprintf(
            stderr, "opus emulator: %s: %u x %u x %u groups of %u, %llu instructions in %.3f s\n",
            kernel.name.c_str(), config.groups[0], config.groups[1], config.groups[2],
            group_threads(config), static_cast<unsigned long long>(instructions), elapsed.count());
    }
    const timeline_report modelled =
        timeline == nullptr ? timeline_report{} : timeline->finish(object.code());
    if (has_profile) {
        report_profile(device, object, kernel, config, profile, modelled);
    } else if (timeline != nullptr) {
        std::fflush(stdout);
        std::fwrite(modelled.text.data(), 1, modelled.text.size(), stderr);
    }
    return instructions;
}

}  // namespace emu
