#include "bits.hpp"

namespace gpu_facts {

void bits(const device& on, report& to) {
    bits_of_matrices(on, to);
    bits_of_math(on, to);
    bits_of_conversions(on, to);
    bits_of_modes(on, to);
}

}  // namespace gpu_facts
