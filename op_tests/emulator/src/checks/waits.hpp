// Registers that are used before the wave has waited for the load that writes them. Bytes of LDS are
// in lds_shadow.hpp; what the wave has waited for is in machine/outstanding.hpp.
#pragma once

#include <array>
#include <cstddef>
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

    void each(const wave& w, const instruction& i) {
        if (i.queue == memory_queue::none) {
            check(w, i);
        }
    }
    void look(const wave& w, const instruction& i) {
        if (i.queue != memory_queue::none) {
            check(w, i);
            add_results(w, i);
        }
    }
    void wait(const wave& w);

private:
    // A load's destination, which is pending until the wave has waited for the load.
    struct result {
        const instruction* by = nullptr;
        uint32_t number = 0;  // of the load in its queue
        uint16_t first = 0;   // register
        uint16_t count = 0;
        register_bins bins;

        register_range registers() const { return {first, count}; }
    };
    // The loads of a queue, which become complete in the order of their numbers.
    struct results {
        std::vector<result> all;
        size_t over = 0;     // of them, the first ones
        register_bins bins;  // of the others

        void forget(uint32_t completed);
    };

    void check(const wave& w, const instruction& i) const {
        if (i.bins.may_overlap(bins_) || (w.mode & mode_bit::gpr_idx_en) != 0) [[unlikely]] {
            check_registers(w, i);
        }
    }
    void check_registers(const wave& w, const instruction& i) const;
    void add_results(const wave& w, const instruction& i);
    const result* find(const wave& w, const register_range& r, memory_queue after,
                       memory_queue& of) const;

    std::array<results, memory_queue_count> pending_;
    register_bins bins_;  // of all of them
};

}  // namespace emu
