// expect: does not provide a subscript operator
// compiler's: `v[i]` of its own vectors (docs/migration.md says what to write)
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// The vector is the compiler's own: v[i.value] or get<i.value>(v).
float third(fp32x4_t v) {
    return v[2_I];
}
