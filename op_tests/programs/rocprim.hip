// rocPRIM: a sum, running sums and a sort by key, of numbers that are exact in every order.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <rocprim/rocprim.hpp>
#include <vector>

#include "program.hpp"

namespace {

template <class T>
struct device_array {
    explicit device_array(size_t n) : size(n) {
        check(hipMalloc(reinterpret_cast<void**>(&data), n * sizeof(T)), "hipMalloc");
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
        check(hipMemcpy(data, from.data(), size * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
    ~device_array() { (void)hipFree(data); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    std::vector<T> read() const {
        std::vector<T> to(size);
        check(hipMemcpy(to.data(), data, size * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
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

}  // namespace

int main() {
    print_device();
    constexpr size_t count = 10007;
    std::vector<uint32_t> keys(count);
    std::vector<uint32_t> numbers(count);
    for (size_t n = 0; n < count; n++) {
        keys[n] = static_cast<uint32_t>(n * 2654435761u % 5003);
        numbers[n] = static_cast<uint32_t>(n);
    }
    const device_array<uint32_t> in(keys);
    const device_array<uint32_t> values(numbers);
    const device_array<uint32_t> sum(1);
    const device_array<uint32_t> sums(count);
    const device_array<uint32_t> sorted_keys(count);
    const device_array<uint32_t> sorted_values(count);
    run("reduce", [&](void* storage, size_t& bytes) {
        return rocprim::reduce(storage, bytes, in.data, sum.data, 0u, count,
                               rocprim::plus<uint32_t>());
    });
    run("inclusive_scan", [&](void* storage, size_t& bytes) {
        return rocprim::inclusive_scan(storage, bytes, in.data, sums.data, count,
                                       rocprim::plus<uint32_t>());
    });
    run("radix_sort_pairs", [&](void* storage, size_t& bytes) {
        return rocprim::radix_sort_pairs(storage, bytes, in.data, sorted_keys.data, values.data,
                                         sorted_values.data, count);
    });

    std::vector<uint32_t> expected_sums(count);
    std::partial_sum(keys.begin(), keys.end(), expected_sums.begin());
    std::vector<uint32_t> order = numbers;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    std::vector<uint32_t> expected_keys(count);
    std::transform(order.begin(), order.end(), expected_keys.begin(),
                   [&](uint32_t n) { return keys[n]; });
    return result(sum.read()[0] == expected_sums.back() && sums.read() == expected_sums &&
                  sorted_keys.read() == expected_keys && sorted_values.read() == order);
}
