// OPUS_FREESTANDING=1: the header includes nothing and works the same, structured bindings too.
// They need std::tuple_size and std::tuple_element, which are declared here without <tuple> and
// must be the standard library's where that is included as well. Compiled with the header ahead of
// <tuple> (OPUS_FIRST=1) and after it (0), each with libstdc++ and, where it is installed, with
// libc++.
#define OPUS_FREESTANDING 1

#if OPUS_FIRST
#include "opus/opus.hpp"
#ifdef _LIBCPP_VERSION
#error "opus.hpp includes a standard header"
#endif
#ifdef __GLIBCXX__
#error "opus.hpp includes a standard header"
#endif
#include <tuple>
#else
#include <tuple>

#include "opus/opus.hpp"
#endif

#include <cstdio>

namespace {

using namespace opus;

constexpr index_t by_value() {
    const auto [a, b, c] = opus::make_tuple(1, number<20>{}, 300);
    return a + b + c;
}
static_assert(by_value() == 321);

constexpr index_t by_reference() {
    auto t = opus::make_tuple(1, 2);
    auto& [a, b] = t;
    a = 10;
    b = 20;
    return opus::get<0>(t) + opus::get<1>(t);
}
static_assert(by_reference() == 30);

static_assert(std::tuple_size<opus::tuple<int, float>>::value == 2);
static_assert(__is_same(std::tuple_element<1, opus::tuple<int, float>>::type, float));

// The standard's own tuple still is what it was.
constexpr int of_the_standard() {
    const auto [a, b] = std::make_tuple(4, 5);
    return a + b;
}
static_assert(of_the_standard() == 9);
static_assert(std::tuple_size<std::tuple<int, float, char>>::value == 3);

// What stands in for <type_traits>.
static_assert(is_same_v<bool_constant<true>, true_type> && true_type::value && !false_type{});
static_assert(is_constant_v<number<3>> && is_constant_v<true_type> && !is_constant_v<int>);
static_assert(number<3>::value == 3 && number<3>{}() == 3);

// Constants of the standard library are constants, as they are where the header includes it.
static_assert(is_constant_v<std::integral_constant<long, 3>> && is_constant_v<std::true_type>);
static_assert(is_same_v<decltype(opus::embed(opus::make_tuple(std::integral_constant<int, 3>{}),
                                             opus::make_tuple(number<5>{}))),
                        number<15>>);

int failures = 0;

void expect_equal(const char* what, index_t actual, index_t expected) {
    if (actual != expected) {
        std::printf("%s: %d instead of %d\n", what, actual, expected);
        failures++;
    }
}

}  // namespace

int main() {
    const auto u = make_layout(opus::make_tuple(3, 4));
    const auto [rows, columns] = u.shape();
    expect_equal("rows", rows, 3);
    expect_equal("columns", columns, 4);
    expect_equal("offset", u(2, 1), 9);
    const auto [first, second] = opus::make_tuple(rows + 1, columns + 1);
    expect_equal("first", first, 4);
    expect_equal("second", second, 5);
    return failures;
}
