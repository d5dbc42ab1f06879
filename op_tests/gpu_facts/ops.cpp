#include "ops.hpp"

#include <random>

#include "common/device.hpp"

namespace gpu_facts {

using examples::check;
using examples::device_buffer;

std::vector<std::uint32_t> apply(op_kernel* kernel, const std::vector<operands>& from) {
    const device_buffer<operands> in(from);
    device_buffer<std::uint32_t> out(from.size());
    out.fill_bytes(0x5a);
    const operands* const x = in.data();
    std::uint32_t* const y = out.data();
    int n = static_cast<int>(from.size());
    const void* arguments[] = {&x, &y, &n};
    check(hipLaunchKernel(reinterpret_cast<const void*>(kernel),
                          dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256),
                          const_cast<void**>(arguments), 0, nullptr),
          "hipLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return out.to_host();
}

finding scan(op_kernel* kernel, const std::vector<operands>& from, const reference& expected,
             const std::function<std::uint32_t(std::uint32_t)>& canonical) {
    const std::vector<std::uint32_t> results = apply(kernel, from);
    const auto one = [&](std::uint32_t x) { return canonical ? canonical(x) : x; };
    finding found;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint32_t wanted = one(expected(from[i]));
        const std::uint32_t got = one(results[i]);
        if (wanted != got && wrong++ == 0) {
            found.seen = format("0x%08x, not 0x%08x, of 0x%08x, 0x%08x, 0x%08x", got, wanted,
                                from[i].x, from[i].y, from[i].z);
        }
    }
    found.said = wrong == 0 ? verdict::same : verdict::different;
    found.seen = wrong == 0 ? format("it in all %zu results", from.size())
                            : format("%zu of %zu differ: ", wrong, from.size()) + found.seen;
    return found;
}

std::uint32_t one_nan(std::uint32_t f32) {
    return (f32 & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : f32;
}

std::uint32_t one_nan_f16(std::uint32_t halves) {
    const auto one = [](std::uint32_t h) { return (h & 0x7fff) > 0x7c00 ? 0x7e00u : h; };
    return one(halves >> 16) << 16 | one(halves & 0xffff);
}

std::uint64_t digest_of(const std::vector<std::uint32_t>& results) {
    std::uint64_t digest = 0xcbf29ce484222325;
    for (const std::uint32_t result : results) {
        for (int byte = 0; byte < 4; ++byte) {
            digest = (digest ^ ((result >> (8 * byte)) & 0xff)) * 0x100000001b3;
        }
    }
    return digest;
}

namespace {

std::vector<operands> each_with_each(const std::vector<std::uint32_t>& special, int count,
                                     const std::function<std::uint32_t(std::mt19937&)>& draw) {
    std::vector<operands> all;
    std::mt19937 random(5);
    for (const std::uint32_t x : special) {
        for (const std::uint32_t y : special) {
            all.push_back({x, y, special[random() % special.size()], 0});
        }
    }
    for (int n = 0; n < count; ++n) {
        const std::uint32_t x = draw(random);
        const std::uint32_t y = draw(random);
        all.push_back({x, y, draw(random), 0});
    }
    return all;
}

}  // namespace

std::vector<operands> f32_operands(int count) {
    const std::vector<std::uint32_t> special = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x34000000, 0x33800000, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 0x4b000001,
        0x4f000000, 0xcf000000, 0x4f800000, 0x3effffff, 0x3f000000, 0xbf000000};
    return each_with_each(special, count, [](std::mt19937& random) {
        // Half of them near 1, where sums cancel and round.
        const auto bits = static_cast<std::uint32_t>(random());
        return random() % 2 == 0 ? bits : (bits & 0x807fffff) | ((120 + random() % 16) << 23);
    });
}

std::vector<operands> f16_operands(int count) {
    const std::vector<std::uint32_t> special = {
        0x00000000, 0x80000001, 0x03ff8001, 0x040083ff, 0x84003c00, 0xbc003c01, 0x7bff1400,
        0xfbff1000, 0x7c00fc00, 0x7e00fe12, 0x7d01fd01, 0x38003bff, 0x64006401};
    return each_with_each(special, count, [](std::mt19937& random) {
        const auto bits = static_cast<std::uint32_t>(random());
        return random() % 2 == 0 ? bits
                                 : (bits & 0x83ff83ff) | ((10 + random() % 8) << 10) |
                                       ((10 + random() % 8) << 26);
    });
}

std::vector<operands> leading_patterns() {
    std::vector<operands> all;
    for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
        all.push_back({pattern << 16, 0, 0, 0});
    }
    return all;
}

std::vector<operands> operands_of(const std::vector<std::uint32_t>& xs, std::uint32_t y,
                                  std::uint32_t z, std::uint32_t old) {
    std::vector<operands> all;
    for (const std::uint32_t x : xs) {
        all.push_back({x, y, z, old});
    }
    return all;
}

}  // namespace gpu_facts
