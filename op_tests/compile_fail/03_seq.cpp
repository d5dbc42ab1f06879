#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == concat_seq_of_a_number
// expect: opus::concat_seq: takes seqs
namespace concat_seq_of_a_number {
auto f() {
    return concat_seq(seq<1>{}, 2_I);
}
}  // namespace concat_seq_of_a_number

// == make_index_seq_bounds
// expect: opus::make_index_seq: takes <N>, <Start, End> or <Start, End, Step>
namespace make_index_seq_bounds {
make_index_seq<0, 8, 2, 1> x;
}  // namespace make_index_seq_bounds

// == make_index_seq_length
// expect: opus::make_index_seq: the length must not be negative
namespace make_index_seq_length {
make_index_seq<-1> x;
}  // namespace make_index_seq_length

// == make_index_seq_of_none
// expect: opus::make_index_seq: takes <N>, <Start, End> or <Start, End, Step>
namespace make_index_seq_of_none {
make_index_seq<> x;
}  // namespace make_index_seq_of_none

// == make_index_seq_step
// expect: opus::make_index_seq: the step must be positive
namespace make_index_seq_step {
make_index_seq<0, 4, 0> x;
}  // namespace make_index_seq_step

// == seq_at_in_constant_expression
// expect: must be initialized by a constant expression
// compiler's: a constant expression reads beyond an array
namespace seq_at_in_constant_expression {
constexpr int x = seq<1, 2>{}.at(2);
}  // namespace seq_at_in_constant_expression

// == seq_get
// expect: opus::seq: index out of range
namespace seq_get {
int x = opus::get<2>(opus::seq<1, 2>{});
}  // namespace seq_get

// == seq_index
// expect: opus::seq: index out of range
namespace seq_index {
constexpr int x = seq<1, 2>{}.at(2_I);
}  // namespace seq_index

// == seq_index_number
// expect: opus::seq: index out of range
namespace seq_index_number {
int x = seq<1, 2>{}[2_I];
}  // namespace seq_index_number

// == seq_index_of_empty
// expect: opus::seq: an empty seq has no element
namespace seq_index_of_empty {
int f() {
    return seq<>::at(0);
}
}  // namespace seq_index_of_empty

// == seq_pop_front_empty
// expect: opus::seq_pop_front: the seq is empty
namespace seq_pop_front_empty {
auto x = seq_pop_front(seq<>{});
}  // namespace seq_pop_front_empty
