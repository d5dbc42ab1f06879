#include "facts.hpp"

namespace gpu_facts {

void memory_rules(const device&, report&) {}

}  // namespace gpu_facts
