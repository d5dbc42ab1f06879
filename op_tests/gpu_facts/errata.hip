#include "facts.hpp"

namespace gpu_facts {

void errata(const device&, report&) {}

}  // namespace gpu_facts
