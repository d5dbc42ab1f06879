// expect: opus::tuple: index out of range
#include "opus/opus.hpp"

opus::tuple_element_t<2, opus::tuple<int, float>> x;
