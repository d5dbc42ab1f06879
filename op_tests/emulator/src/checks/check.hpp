// What a check is: a struct with what it knows of one wave, in a file of its own, and a line in
// list.hpp. It derives from any_check and has
//
//   switches[]  its values of OPUS_EMU_CHECK (machine/settings.hpp)
//   bits        it takes part where one of these is checked
//
// and of the following what it needs:
//
//   void start(wave&)                        the wave has its registers
//   void each(wave&, const instruction&)     an instruction is about to be executed; to be inline
//   void look(wave&, const instruction&)     the same of memory instructions, and of all where
//   bool watches() const                     this is true
//   void after(wave&, const instruction&)    it was executed, and was looked at before
//   void lds(const lds_access&), memory(const memory_access&), buffer_range(), source_lane(),
//   arrive(), wait(), branch()               as machine/observer.hpp
//   static void end_launch(program&, const std::string& kernel)
//
//   of_group, of_group* group                what it knows of the group, with
//     of_group(workgroup&, of_group* finished)  and the memory of one that is used no more,
//     void no_wave_runs(workgroup&), passes_barrier(workgroup&), ends(workgroup&)
//                                               as execution/run_group.hpp
//   of_launch                               what it knows of the launch, for any thread, with
//     of_launch(groups, waves_of_group); of_group is then made of (workgroup&, of_launch&)
//
// Checks look in the order of the list. checks.hpp calls them.
#pragma once

#include <type_traits>

#include "isa/instruction.hpp"
#include "machine/observer.hpp"
#include "machine/report.hpp"
#include "machine/settings.hpp"
#include "machine/wave.hpp"

namespace emu {

struct any_check {
    struct nothing {};
    using of_group = nothing;
    using of_launch = nothing;
    static void start(const wave&) {}
    static void each(const wave&, const instruction&) {}
    static void look(const wave&, const instruction&) {}
    static bool watches() { return false; }
    static void lds(const lds_access&) {}
    static void memory(const memory_access&) {}
    static void wait(const wave&) {}
    static void arrive(const wave&, const instruction&) {}
    static void branch(const wave&) {}
};
// Whether the instruction may use other registers than its text names (ISA guide 6.6, s_movrel).
inline bool may_index_registers(const wave& w, const instruction& i) {
    return (w.mode & mode_bit::gpr_idx_en) != 0 || i.is(kind::movrels | kind::movreld);
}

template <class Check>
constexpr bool knows_group = !std::is_same_v<typename Check::of_group, any_check::nothing>;
template <class Check>
constexpr bool knows_launch = !std::is_same_v<typename Check::of_launch, any_check::nothing>;

}  // namespace emu
