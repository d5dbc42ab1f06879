// rocThrust: vectors of the device, a transformation, a sort and a sum.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "program.hpp"

int main() {
    print_device();
    std::vector<int> numbers(5003);
    for (size_t n = 0; n < numbers.size(); n++) {
        numbers[n] = static_cast<int>(n * 7919 % 4001) - 2000;
    }
    thrust::device_vector<int> of_device(numbers.begin(), numbers.end());
    thrust::transform(of_device.begin(), of_device.end(), of_device.begin(), thrust::negate<int>());
    thrust::sort(of_device.begin(), of_device.end());
    const int64_t sum = thrust::reduce(of_device.begin(), of_device.end(), int64_t{0});

    for (int& n : numbers) {
        n = -n;
    }
    std::sort(numbers.begin(), numbers.end());
    const thrust::host_vector<int> got = of_device;
    return result(std::equal(got.begin(), got.end(), numbers.begin(), numbers.end()) &&
                  sum == std::accumulate(numbers.begin(), numbers.end(), int64_t{0}));
}
