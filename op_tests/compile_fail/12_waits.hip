#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_waits
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
namespace conditions_of_waits {
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
}  // namespace conditions_of_waits

// == interleave_among_none
// expect: opus::interleave: .* among 1 or more
namespace interleave_among_none {
__global__ void k() {
    interleave(sched::mfma, 0_I, sched::lds_read, 1_I);
}
}  // namespace interleave_among_none

// == interleave_not_constant
// expect: opus::interleave: counts are constants .write 0_I, not 0
namespace interleave_not_constant {
__global__ void k() {
    interleave(sched::mfma, 1, sched::valu, 2_I);
}
}  // namespace interleave_not_constant

// == s_waitcnt_lgkmcnt_not_constant
// expect: opus::s_waitcnt_lgkmcnt: counts are constants .write 0_I, not 0
namespace s_waitcnt_lgkmcnt_not_constant {
__global__ void k() {
    s_waitcnt_lgkmcnt(0);
}
}  // namespace s_waitcnt_lgkmcnt_not_constant

// == s_waitcnt_negative
// expect: opus::s_waitcnt: a count is 0 or more
namespace s_waitcnt_negative {
__global__ void k() {
    s_waitcnt_vmcnt(number<-1>{});
}
}  // namespace s_waitcnt_negative

// == s_waitcnt_not_constant
// expect: opus::s_waitcnt: counts are constants .write 0_I, not 0
namespace s_waitcnt_not_constant {
__global__ void k() {
    s_waitcnt(0_I, 0);
}
}  // namespace s_waitcnt_not_constant

// == s_waitcnt_vmcnt_not_constant
// expect: opus::s_waitcnt_vmcnt: counts are constants .write 0_I, not 0
namespace s_waitcnt_vmcnt_not_constant {
__global__ void k() {
    s_waitcnt_vmcnt(0);
}
}  // namespace s_waitcnt_vmcnt_not_constant

// == sched_group_negative
// expect: opus::sched_group: a count is 0 or more
namespace sched_group_negative {
__global__ void k() {
    sched_group(sched::mfma, number<-1>{});
}
}  // namespace sched_group_negative

// == sched_group_not_constant
// expect: opus::sched_group: counts are constants .write 0_I, not 0
namespace sched_group_not_constant {
__global__ void k() {
    sched_group(sched::mfma, 1);
}
}  // namespace sched_group_not_constant

// == set_priority_not_constant
// expect: opus::set_priority: priorities are constants .write 0_I, not 0
namespace set_priority_not_constant {
__global__ void k() {
    set_priority(0);
}
}  // namespace set_priority_not_constant

// == set_priority_range
// expect: opus::set_priority: a priority is 0 .. 3
namespace set_priority_range {
__global__ void k() {
    set_priority(4_I);
}
}  // namespace set_priority_range

// == wait_async_not_constant
// expect: opus::wait_async: counts are constants .write 0_I, not 0
namespace wait_async_not_constant {
__global__ void k() {
    wait_async(0);
}
}  // namespace wait_async_not_constant

// == wait_async_range
// expect: opus::wait_async: 0 .. 63 operations can be left in flight
namespace wait_async_range {
__global__ void k() {
    wait_async(64_I);
}
}  // namespace wait_async_range

// == settle_of_a_number
// expect: opus::settle: vectors of dwords, or arrays of these
namespace settle_of_a_number {
__global__ void k(float* p) {
    float sum = *p;
    settle(sum);
    *p = sum;
}
}  // namespace settle_of_a_number
