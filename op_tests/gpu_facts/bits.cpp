#include "bits.hpp"

namespace gpu_facts {

void bits(const device& on, report& to) {
    bits_of_matrices(on, to);
    bits_of_math(on, to);
}

}  // namespace gpu_facts
