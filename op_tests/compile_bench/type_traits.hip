// For comparison: the one header that opus.hpp includes.
#include <type_traits>
