// The header among the macros that kernels and their build lines define for tile sizes, and what a
// user writes with opus's own macros while they are defined.
#ifndef OPUS_LAWS_USERS_MACROS_HPP
#define OPUS_LAWS_USERS_MACROS_HPP

#define M 4096
#define N 2048
#define K 1024
#define BM 128
#define BN 128
#define BK 64
#define WM 32
#define WN 32
#define WK 16
#define TM 2
#define TN 2
#define TK 1
#define EM 4
#define EN 4
#define EK 2
#define BLOCK_M 256
#define BLOCK_N 256
#define BLOCK_K 128

#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace laws {

OPUS_USING_COMMON_TYPES_ALL

// A product named by such macros.
using of_macros = decltype(::opus::make_tiled_mma<opus::fp16_t, opus::fp16_t, opus::fp32_t>(
    seq<EM, EN, EK>{}, seq<TM, TN, TK>{}, seq<WM, WN, WK>{}));
static_assert(of_macros::wave_k == 16 && of_macros::tile_c_len == 4 * 4 * 16);

}  // namespace laws

#undef M
#undef N
#undef K
#undef BM
#undef BN
#undef BK
#undef WM
#undef WN
#undef WK
#undef TM
#undef TN
#undef TK
#undef EM
#undef EN
#undef EK
#undef BLOCK_M
#undef BLOCK_N
#undef BLOCK_K

#endif
