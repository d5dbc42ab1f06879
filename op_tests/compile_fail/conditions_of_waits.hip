// expect: -1 >= 0'.*opus::s_waitcnt: a count is 0 or
// expect: -2 >= 0'.*opus::s_waitcnt: a count is 0 or
// expect: -3 >= 0'.*opus::s_waitcnt: a count is 0 or
// expect: -4 >= 0'.*opus::wait_async: 0 .. 63 operations can
// expect: 64 < 64'.*opus::wait_async: 0 .. 63 operations can
// expect: -5 >= 0'.*opus::set_priority: a priority is 0 ..
// expect: 4 < 4'.*opus::set_priority: a priority is 0 ..
// expect: -6 >= 0'.*opus::sched_group: a count is 0 or
// expect: 0 > 0'.*opus::interleave: `others` among 1 or more
// expect: -7 >= 0'.*opus::interleave: `others` among 1 or more
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    s_waitcnt(number<-1>{}, 0_I);
    s_waitcnt(0_I, number<-2>{});
    s_waitcnt(0_I, 0_I, number<-3>{});
    wait_async(number<-4>{});
    wait_async(64_I);
    set_priority(number<-5>{});
    set_priority(4_I);
    sched_group(sched::valu, number<-6>{});
    interleave(sched::mfma, 0_I, sched::valu, 1_I);
    interleave(sched::mfma, 1_I, sched::valu, number<-7>{});
}
