// expect: 0 >= 1'.*opus::dpp: a row shift is by
// expect: 16 <= 15'.*opus::dpp: a row shift is by
// expect: -1 >= 0'.*opus::dpp::quad_perm: four lanes, each 0 ..
// expect: 4 <= 3'.*opus::dpp::quad_perm: four lanes, each 0 ..
// expect: -2 >= 0'.*opus::dpp::row_newbcast: the lane is 0 ..
// expect: 16 <= 15'.*opus::dpp::row_newbcast: the lane is 0 ..
// expect: -3 >= 0'.*opus::mov_dpp, upd_dpp: row_mask is 0 ..
// expect: 17 <= 15'.*opus::mov_dpp, upd_dpp: row_mask is 0 ..
// expect: -4 >= 0'.*opus::mov_dpp, upd_dpp: bank_mask is 0 ..
// expect: 18 <= 15'.*opus::mov_dpp, upd_dpp: bank_mask is 0 ..
// expect: 0>::value >= 1'.*opus::shfl: the width is a power
// expect: 128>::value <= get_warp_size..'.*opus::shfl: the width is a power
// expect: 3>::value - 1.* == 0'.*opus::shfl: the width is a power
// expect: threads >= 1'.*opus::reduce_block: the number of threads that count is
// expect: waves <= 16'.*opus::reduce_block: the number of threads that count is
// expect: 0 >= 1'.*opus::scan_block: the number of threads is
// expect: 17 <= 16'.*opus::scan_block: the number of threads is
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    auto s = dpp::row_shr<0>;
    auto t = dpp::row_shr<16>;
    auto r = dpp::quad_perm<0, 1, 2, -1>;
    auto u = dpp::quad_perm<0, 1, 2, 4>;
    auto v = dpp::row_newbcast<-2>;
    auto w = dpp::row_newbcast<16>;
    *p = mov_dpp(*p, dpp::row_mirror, number<-3>{});
    *p = mov_dpp(*p, dpp::row_mirror, 17_I);
    *p = mov_dpp(*p, dpp::row_mirror, 0_I, number<-4>{});
    *p = mov_dpp(*p, dpp::row_mirror, 0_I, 18_I);
    *p = shfl(*p, 1, 0_I);
    *p = shfl(*p, 1, 128_I);
    *p = shfl(*p, 1, 3_I);
    *p = reduce_block<0>(*p, plus{}, p + 1);
    *p = reduce_block<1025>(*p, plus{}, p + 1);
    *p = scan_block<0>(*p, plus{}, p + 1);
    *p = scan_block_exclusive<5, 5, 41>(*p, plus{}, 0, p + 1);
}
