#include "runtime/runtime.hpp"

#include "runtime/graph.hpp"

namespace emu {

// Never destroyed: programs unregister and free from static destructors.
runtime_state& state() {
    static runtime_state& instance = *new runtime_state;
    return instance;
}

}  // namespace emu
