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

    void each(const wave& w, const instruction& i) {
        if (bins_ != 0 && i.queue == memory_queue::none) {
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
        memory_queue queue = memory_queue::none;
        uint32_t number = 0;  // of the load in its queue
        register_range registers;
        uint64_t bins = 0;  // of `registers`, as of an instruction
        uint64_t bits = 0;
    };

    void check(const wave& w, const instruction& i) const {
        if ((i.bins & bins_) != 0 || (w.mode & mode_bit::gpr_idx_en) != 0) [[unlikely]] {
            check_registers(w, i);
        }
    }
    void check_registers(const wave& w, const instruction& i) const;
    void add_results(const wave& w, const instruction& i);
    void add_pending(const result& load) {
        bins_ |= load.bins;
        bits_ |= load.bits;
    }
    const result* find(const wave& w, const register_range& r, memory_queue after) const;

    std::vector<result> results_;
    uint64_t bins_ = 0;  // of all of them
    uint64_t bits_ = 0;
};

}  // namespace emu
