// opus::dtypes: the element types under the names that kernels give them as dtypes::fp16.
// SPDX-License-Identifier: MIT
#ifndef OPUS_DTYPES_HPP
#define OPUS_DTYPES_HPP

#include "opus.hpp"

namespace opus {
namespace dtypes {
using fp32 = fp32_t;
using fp16 = fp16_t;
using bf16 = bf16_t;
using fp8 = fp8_t;
using bf8 = bf8_t;
using fp4 = fp4_t;
using i32 = i32_t;
using i8 = i8_t;
using u8 = u8_t;
}  // namespace dtypes
}  // namespace opus

#endif  // OPUS_DTYPES_HPP
