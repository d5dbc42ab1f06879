#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

// == vectors_without_opus_plus
// expect: no matching function for call to 'exp2'
// expect: no matching function for call to 'max'
// compiler's: overload resolution; its note names the header
namespace vectors_without_opus_plus {
__global__ void k(fp32x4_t* p) {
    p[0] = opus::exp2(p[0]);
    p[1] = opus::max(p[1], p[1]);
}
}  // namespace vectors_without_opus_plus
