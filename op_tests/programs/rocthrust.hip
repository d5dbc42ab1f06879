// rocThrust: vectors of the device; what it makes of rocPRIM's algorithms, of integers and of doubles.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "program.hpp"

namespace {

template <class T>
struct is_positive {
    __host__ __device__ bool operator()(T x) const { return x > 0; }
};

template <class T>
bool is_same(const thrust::device_vector<T>& got, const std::vector<T>& wanted, const char* what) {
    const thrust::host_vector<T> here = got;
    const bool same =
        here.size() == wanted.size() && std::equal(wanted.begin(), wanted.end(), here.begin());
    if (!same) {
        std::printf("%s: wrong\n", what);
    }
    return same;
}

template <class T>
bool try_algorithms(size_t count) {
    std::vector<T> numbers(count);
    for (size_t n = 0; n < count; n++) {
        numbers[n] = static_cast<T>(static_cast<int>(n * 7919 % 401) - 200);
    }
    thrust::device_vector<T> d(numbers.begin(), numbers.end());
    thrust::transform(d.begin(), d.end(), d.begin(), thrust::negate<T>());
    std::transform(numbers.begin(), numbers.end(), numbers.begin(), [](T x) { return -x; });
    bool right = is_same(d, numbers, "transform");

    thrust::device_vector<T> out(count);
    std::vector<T> wanted(count);
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    std::partial_sum(numbers.begin(), numbers.end(), wanted.begin());
    right = is_same(out, wanted, "inclusive_scan") && right;
    if (thrust::reduce(d.begin(), d.end(), T(0)) != wanted.back()) {
        std::puts("reduce: wrong");
        right = false;
    }

    out.resize(static_cast<size_t>(
        thrust::copy_if(d.begin(), d.end(), out.begin(), is_positive<T>()) - out.begin()));
    wanted.clear();
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(wanted), is_positive<T>());
    right = is_same(out, wanted, "copy_if") && right;

    const thrust::device_vector<T> unsorted = d;
    thrust::device_vector<int> places(count);
    std::vector<int> wanted_places(count);
    std::iota(wanted_places.begin(), wanted_places.end(), 0);
    places.assign(wanted_places.begin(), wanted_places.end());
    thrust::stable_sort_by_key(d.begin(), d.end(), places.begin());
    std::stable_sort(wanted_places.begin(), wanted_places.end(), [&](int a, int b) {
        return numbers[static_cast<size_t>(a)] < numbers[static_cast<size_t>(b)];
    });
    std::sort(numbers.begin(), numbers.end());
    right = is_same(d, numbers, "stable_sort_by_key") && right;
    right = is_same(places, wanted_places, "the values of stable_sort_by_key") && right;
    thrust::device_vector<T> sorted = unsorted;
    thrust::sort(sorted.begin(), sorted.end(), thrust::greater<T>());
    wanted.assign(numbers.rbegin(), numbers.rend());
    right = is_same(sorted, wanted, "sort") && right;

    out.resize(2 * count);
    thrust::merge(d.begin(), d.end(), d.begin(), d.end(), out.begin());
    wanted.clear();
    std::merge(numbers.begin(), numbers.end(), numbers.begin(), numbers.end(),
               std::back_inserter(wanted));
    right = is_same(out, wanted, "merge") && right;

    std::map<T, int> sums;
    for (size_t n = 0; n < count; n++) {
        sums[numbers[n]] += wanted_places[n];
    }
    wanted.clear();
    std::vector<int> wanted_sums;
    for (const auto& [key, sum] : sums) {
        wanted.push_back(key);
        wanted_sums.push_back(sum);
    }
    thrust::device_vector<int> sums_of_device(count);
    const auto end = thrust::reduce_by_key(d.begin(), d.end(), places.begin(), out.begin(),
                                           sums_of_device.begin());
    out.resize(static_cast<size_t>(end.first - out.begin()));
    sums_of_device.resize(static_cast<size_t>(end.second - sums_of_device.begin()));
    right = is_same(out, wanted, "reduce_by_key") && right;
    right = is_same(sums_of_device, wanted_sums, "the sums of reduce_by_key") && right;
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    return is_same(d, wanted, "unique") && right;
}

}  // namespace

int main() {
    print_device();
    bool right = true;
    for (const size_t count : {1, 64, 5003}) {
        right = try_algorithms<int>(count) && right;
        right = try_algorithms<double>(count) && right;
    }
    return result(right);
}
