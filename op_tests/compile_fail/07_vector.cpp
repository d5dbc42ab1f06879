#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == concat_vector_of_a_scalar
// expect: opus::concat_vector: takes vectors, at least one
namespace concat_vector_of_a_scalar {
auto f(fp32x2_t x) {
    return concat_vector(x, 1.0f);
}
}  // namespace concat_vector_of_a_scalar

// == concat_vector_of_none
// expect: opus::concat_vector: takes vectors, at least one
namespace concat_vector_of_none {
auto f() {
    return concat_vector();
}
}  // namespace concat_vector_of_none

// == concat_vector_types
// expect: opus::concat_vector: the element types must be the same
namespace concat_vector_types {
auto x = concat_vector(fp32x4_t{}, i32x4_t{});
}  // namespace concat_vector_types

// == make_vector_of_none
// expect: opus::make_vector: at least one value is required
namespace make_vector_of_none {
auto f() {
    return make_vector();
}
}  // namespace make_vector_of_none

// == vector_get
// expect: opus::vector: index out of range
namespace vector_get {
auto x = get<2>(fp32x2_t{1, 2});
}  // namespace vector_get

// == vector_index
// expect: opus::vector: index out of range
namespace vector_index {
auto x = get<4>(fp32x4_t{});
}  // namespace vector_index

// == vector_index_number
// expect: does not provide a subscript operator
// compiler's: `v[i]` of its own vectors (docs/migration.md says what to write)
namespace vector_index_number {
// The vector is the compiler's own: v[i.value] or get<i.value>(v).
float third(fp32x4_t v) {
    return v[2_I];
}
}  // namespace vector_index_number
