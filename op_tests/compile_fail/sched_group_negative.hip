// expect: opus::sched_group: a count is 0 or more
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    sched_group(sched::mfma, number<-1>{});
}
