// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

int f(const array<int, 2>& a) {
    return a[number<-1>{}];
}
