// SPDX-License-Identifier: MIT
//
// compare.hpp: compares a result with the expected one, each element with its own tolerance. All
// examples print the comparison in the same words.
//
//   comparison c;
//   // for each element that differs from the expected one:
//   c.add(at, value, expected, tolerance, std::fabs(value - expected));
//   const bool pass = c.print([](std::size_t i) { return "y[" + std::to_string(i) + "]"; });
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace examples {

// Calls f(i) for every i in [0, count), with a thread for each core, or as many as there can be.
template <class Count, class F>
void parallel_for(Count count, F f) {
    std::atomic<Count> next{0};
    const auto work = [&] {
        for (Count i = next++; i < count; i = next++) {
            f(i);
        }
    };
    std::vector<std::thread> pool;
    try {
        while (pool.size() + 1 < std::thread::hardware_concurrency()) {
            pool.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The threads that have started do all of the work.
    }
    work();
    for (std::thread& t : pool) {
        t.join();
    }
}

// The largest difference of a result, and the element that exceeds its tolerance the most.
class comparison {
public:
    // Element `at` is `value`, not `expected`; `error` is |value - expected|, or NaN. With an
    // infinite tolerance, an overflow counts as no difference.
    void add(std::size_t at, double value, double expected, double tolerance, double error) {
        element e{at, value, expected, tolerance, error, error / tolerance};
        if (std::isnan(error) || !(tolerance > 0)) {
            e.error = std::isnan(error) ? INFINITY : error;
            e.share = INFINITY;
        } else if (std::isinf(error) && std::isinf(tolerance)) {
            e.error = 0;
            e.share = 0;
        }
        if (!differs_ || e.error > largest_.error) {
            largest_ = e;
        }
        if (!differs_ || e.share > worst_.share) {
            worst_ = e;
        }
        differs_ = true;
    }

    // Prints one line. If an element exceeds its tolerance, a second line names the worst one, or
    // the first of several. `name` gives an element's name.
    // @return whether all elements are within their tolerance
    template <class Name>
    bool print(const Name& name, int digits = 9) const {
        if (!differs_) {
            std::printf("no difference\n");
            return true;
        }
        if (largest_.error == 0 && worst_.share == 0) {
            std::printf("no difference but overflows that the tolerance has\n");
            return true;
        }
        std::printf("largest difference: %.3g at %s; up to %.3g of the tolerance\n", largest_.error,
                    std::string(name(largest_.at)).c_str(), worst_.share);
        if (worst_.share <= 1) {
            return true;
        }
        std::printf("%s is %.*g, expected %.*g +- %.3g\n", std::string(name(worst_.at)).c_str(),
                    digits, worst_.value, digits, worst_.expected, worst_.tolerance);
        return false;
    }

private:
    struct element {
        std::size_t at = 0;
        double value = 0;
        double expected = 0;
        double tolerance = 0;
        double error = 0;
        double share = 0;  // of the tolerance
    };

    bool differs_ = false;
    element largest_;
    element worst_;
};

}  // namespace examples
