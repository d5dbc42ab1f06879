// rocPRIM's device-wide algorithms with several types and sizes, compared with the C++ library's; of
// numbers that are exact in every order.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <rocprim/rocprim.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "program.hpp"

namespace {

template <class T>
struct device_array {
    explicit device_array(size_t n) : size(n) {
        check(hipMalloc(reinterpret_cast<void**>(&data), std::max<size_t>(n, 1) * sizeof(T)),
              "hipMalloc");
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
        check(hipMemcpy(data, from.data(), size * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
    ~device_array() { (void)hipFree(data); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    std::vector<T> read() const { return read(size); }
    std::vector<T> read(size_t count) const {
        std::vector<T> to(count);
        check(hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
        return to;
    }

    T* data = nullptr;
    size_t size;
};

// Calls an algorithm twice: the first call says how much memory it needs.
template <class F>
void run(const char* what, const F& algorithm) {
    size_t bytes = 0;
    check(algorithm(nullptr, bytes), what);
    const device_array<char> storage(std::max<size_t>(bytes, 1));
    check(algorithm(storage.data, bytes), what);
    check(hipDeviceSynchronize(), what);
}

struct outcome {
    int right = 0;
    int wrong = 0;
};
std::map<std::string, outcome> outcomes;

void note(const char* what, bool is_right) {
    ++(is_right ? outcomes[what].right : outcomes[what].wrong);
}

// Small integers, in no order; with negative ones where there are some.
template <class T>
std::vector<T> numbers(size_t count, uint32_t seed, uint32_t range) {
    std::vector<T> v(count);
    for (size_t n = 0; n < count; ++n) {
        const auto random = (static_cast<uint32_t>(n) * 2654435761u + seed * 40503u) >> 7;
        const auto value = static_cast<int>(random % range);
        v[n] = static_cast<T>(std::is_signed_v<T> ? value - static_cast<int>(range / 2) : value);
    }
    return v;
}

template <class T>
struct is_odd {
    __host__ __device__ bool operator()(T x) const { return static_cast<int>(x) % 2 != 0; }
};

template <class T>
void try_algorithms(size_t count) {
    // Sums of it stay exact in T (bytes wrap in both).
    const uint32_t range = sizeof(T) == 1 ? 100 : 7;
    const std::vector<T> keys = numbers<T>(count, 1, range);
    const std::vector<T> others = numbers<T>(count, 2, range);
    std::vector<uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0u);
    const device_array<T> in(keys);
    const device_array<uint32_t> values(places);
    const device_array<T> out(count);
    const device_array<uint32_t> out_values(count);
    const device_array<T> one(1);
    const device_array<size_t> found(1);

    run("reduce", [&](void* storage, size_t& bytes) {
        return rocprim::reduce(storage, bytes, in.data, one.data, T(0), count, rocprim::plus<T>());
    });
    T sum(0);
    std::vector<T> sums(count);
    std::vector<T> sums_before(count);
    for (size_t n = 0; n < count; ++n) {
        sums_before[n] = sum;
        sum = static_cast<T>(sum + keys[n]);
        sums[n] = sum;
    }
    note("reduce", one.read()[0] == sum);
    run("inclusive_scan", [&](void* storage, size_t& bytes) {
        return rocprim::inclusive_scan(storage, bytes, in.data, out.data, count,
                                       rocprim::plus<T>());
    });
    note("inclusive_scan", out.read() == sums);
    run("exclusive_scan", [&](void* storage, size_t& bytes) {
        return rocprim::exclusive_scan(storage, bytes, in.data, out.data, T(0), count,
                                       rocprim::plus<T>());
    });
    note("exclusive_scan", out.read() == sums_before);

    std::vector<uint32_t> order = places;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    std::vector<T> sorted = keys;
    std::stable_sort(sorted.begin(), sorted.end());
    run("radix_sort_keys", [&](void* storage, size_t& bytes) {
        return rocprim::radix_sort_keys(storage, bytes, in.data, out.data, count);
    });
    note("radix_sort_keys", out.read() == sorted);
    run("radix_sort_pairs", [&](void* storage, size_t& bytes) {
        return rocprim::radix_sort_pairs(storage, bytes, in.data, out.data, values.data,
                                         out_values.data, count);
    });
    note("radix_sort_pairs", out.read() == sorted && out_values.read() == order);
    run("merge_sort", [&](void* storage, size_t& bytes) {
        return rocprim::merge_sort(storage, bytes, in.data, out.data, values.data, out_values.data,
                                   count);
    });
    note("merge_sort", out.read() == sorted && out_values.read() == order);

    std::vector<T> sorted_others = others;
    std::sort(sorted_others.begin(), sorted_others.end());
    std::vector<T> merged(2 * count);
    std::merge(sorted.begin(), sorted.end(), sorted_others.begin(), sorted_others.end(),
               merged.begin());
    const device_array<T> first(sorted);
    const device_array<T> second(sorted_others);
    const device_array<T> both(2 * count);
    run("merge", [&](void* storage, size_t& bytes) {
        return rocprim::merge(storage, bytes, first.data, second.data, both.data, count, count);
    });
    note("merge", both.read() == merged);

    std::vector<T> odd;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(odd), is_odd<T>());
    run("select", [&](void* storage, size_t& bytes) {
        return rocprim::select(storage, bytes, in.data, out.data, found.data, count, is_odd<T>());
    });
    note("select", found.read()[0] == odd.size() && out.read(odd.size()) == odd);
    std::vector<T> without_repeats = sorted;
    without_repeats.erase(std::unique(without_repeats.begin(), without_repeats.end()),
                          without_repeats.end());
    run("unique", [&](void* storage, size_t& bytes) {
        return rocprim::unique(storage, bytes, first.data, out.data, found.data, count);
    });
    note("unique", found.read()[0] == without_repeats.size() &&
                       out.read(without_repeats.size()) == without_repeats);

    // Sums of the places of equal keys, which are sorted.
    std::map<T, uint32_t> sums_of;
    std::map<T, uint32_t> counts_of;
    for (size_t n = 0; n < count; ++n) {
        sums_of[sorted[n]] += places[n];
        ++counts_of[sorted[n]];
    }
    std::vector<uint32_t> expected_sums;
    std::vector<uint32_t> expected_counts;
    for (const auto& [key, total] : sums_of) {
        expected_sums.push_back(total);
        expected_counts.push_back(counts_of[key]);
    }
    run("reduce_by_key", [&](void* storage, size_t& bytes) {
        return rocprim::reduce_by_key(storage, bytes, first.data, values.data, count, out.data,
                                      out_values.data, found.data, rocprim::plus<uint32_t>());
    });
    note("reduce_by_key", found.read()[0] == expected_sums.size() &&
                              out.read(expected_sums.size()) == without_repeats &&
                              out_values.read(expected_sums.size()) == expected_sums);
    run("run_length_encode", [&](void* storage, size_t& bytes) {
        return rocprim::run_length_encode(storage, bytes, first.data, static_cast<unsigned>(count),
                                          out.data, out_values.data, found.data);
    });
    note("run_length_encode", found.read()[0] == expected_counts.size() &&
                                  out_values.read(expected_counts.size()) == expected_counts);

    // One bin for each value.
    const T lowest = static_cast<T>(std::is_signed_v<T> ? -static_cast<int>(range / 2) : 0);
    std::vector<uint32_t> bins(range);
    for (const T key : keys) {
        ++bins[static_cast<size_t>(static_cast<int>(key) - static_cast<int>(lowest))];
    }
    const device_array<uint32_t> histogram(range);
    run("histogram_even", [&](void* storage, size_t& bytes) {
        return rocprim::histogram_even(storage, bytes, in.data, static_cast<unsigned>(count),
                                       histogram.data, range + 1, static_cast<int>(lowest),
                                       static_cast<int>(lowest) + static_cast<int>(range));
    });
    note("histogram_even", histogram.read() == bins);
}

}  // namespace

int main() {
    print_device();
    for (const size_t count : {1u, 63u, 1000u, 10007u}) {
        try_algorithms<int8_t>(count);
        try_algorithms<uint32_t>(count);
        try_algorithms<double>(count);
    }
    bool all = true;
    for (const auto& [name, o] : outcomes) {
        std::printf("%s: %d right, %d wrong\n", name.c_str(), o.right, o.wrong);
        all = all && o.wrong == 0;
    }
    return result(all);
}
