// Registers that are used before the wave has waited for the load that writes them. Bytes of LDS are
// in lds_shadow.hpp; what the wave has waited for is in machine/outstanding.hpp.
#pragma once

#include <vector>

#include "checks/check.hpp"
#include "isa/instruction.hpp"
#include "isa/registers.hpp"

namespace emu {

namespace check {
constexpr uint32_t waits = 1u << 0;
}

class waits_check : public any_check {
public:
    static constexpr check_switch switches[] = {{"waits", check::waits, turned_on::by_default}};
    static constexpr uint32_t bits = check::waits;

    void look(const wave& w, const instruction& i) {
        if (!results_.empty()) {
            check_registers(w, i);
        }
        if (i.queue != memory_queue::none) {
            add_results(w, i);
        }
    }
    bool watches() const { return !results_.empty(); }
    void wait(const wave& w);

private:
    // A load's destination, which is pending until the wave has waited for the load.
    struct result {
        const instruction* by = nullptr;
        memory_queue queue = memory_queue::none;
        uint32_t number = 0;  // of the load in its queue
        register_range registers;
    };

    void check_registers(const wave& w, const instruction& i) const;
    void add_results(const wave& w, const instruction& i);
    const result* find(const wave& w, const register_range& r, memory_queue after) const;

    std::vector<result> results_;
    register_bits pending_;  // of all of them
};

}  // namespace emu
