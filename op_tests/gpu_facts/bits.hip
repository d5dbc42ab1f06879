#include "facts.hpp"

namespace gpu_facts {

void bits(const device&, report&) {}

}  // namespace gpu_facts
