// expect: opus::concat_seq: takes seqs
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f() {
    return concat_seq(seq<1>{}, 2_I);
}
