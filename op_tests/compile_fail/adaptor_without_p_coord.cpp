// expect: opus::partition_layout_a, layout_a: for the index of a thread the adaptor must have p_coord_a
// lines: 26 the macro in the body of the adaptor is a level more
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

struct own_adaptor {
    constexpr auto shape_a() const { return make_tuple(8_I, 4_I, 2_I); }
    constexpr auto dim_a() const {
        return make_tuple(make_tuple(p_dim{}), make_tuple(p_dim{}, y_dim{}));
    }
    OPUS_ADAPTOR_LAYOUT_API_OPERAND(a)
};

auto x = partition_layout_a(own_adaptor{}, make_tuple(64, 1_I), 5);
