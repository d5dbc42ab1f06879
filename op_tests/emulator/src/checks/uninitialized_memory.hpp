// Memory of the device that nobody has written: neither a copy nor a fill of the runtime nor a
// kernel.
//
// To load such bytes is no mistake yet: what lies behind the end of a row is loaded with it and
// copied or thrown away. It is one where their value decides something. So the registers of a load
// remember which lanes hold such bytes. To move, store, select and mask them is allowed; an
// instruction that computes with them, or takes them as an address, is reported. Masks and shifts give
// a value that counts as written, and so does LDS: what is copied there is not followed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "checks/check.hpp"
#include "isa/registers.hpp"

namespace emu {

namespace check {
constexpr uint32_t uninitialized_memory = 1u << 10;
}

// Vector registers of a wave with bytes that nobody has written.
struct unwritten_registers {
    struct origin {
        const instruction* load = nullptr;
        uint64_t address = 0;  // of one of the bytes
    };
    std::array<uint64_t, first_sgpr> lanes{};
    std::array<origin, first_sgpr> from{};
};

class uninitialized_memory_check : public any_check {
public:
    static constexpr check_switch switches[] = {
        {"uninitialized_memory", check::uninitialized_memory, turned_on::by_default, true}};
    static constexpr uint32_t bits = check::uninitialized_memory;

    void look(const wave& w, const instruction& i) {
        if (unwritten_ != nullptr) [[unlikely]] {
            follow(w, i, *unwritten_);
        }
    }
    bool watches() const { return unwritten_ != nullptr; }
    void memory(const memory_access& a);

private:
    static void follow(const wave& w, const instruction& i, unwritten_registers& all);
    void remember(const instruction& i, int lane, uint32_t reg, uint64_t address);
    void note_scalar_read(const memory_access& a, const tracked_range& range) const;
    void note_reads(const memory_access& a, const tracked_range& range);
    void read_in(const memory_access& a, const tracked_range& range, int lane);
    void note_writes(const memory_access& a, const tracked_range& range) const;
    static void check_atomics(const memory_access& a, const tracked_range& range);

    std::unique_ptr<unwritten_registers> unwritten_;  // if there are any
};

}  // namespace emu
