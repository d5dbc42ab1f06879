// v_cmp, v_cmpx and v_cmp_class (ISA guide 12.9).
#include <deque>
#include <string>
#include <vector>

#include "isa/float_math.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

// Lanes that EXEC switches off get 0 in the mask. v_cmpx also writes EXEC.
// Text: mask, s0, s1.
template <class A, class B, bool WritesExec, auto Condition>
void compare(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<A>(w, i, i.operands[1], 0, a);
    fetch<B>(w, i, i.operands[2], 1, b);
    u64 mask = 0;
    for (int l = 0; l < lane_count; ++l) {
        mask |= u64{Condition(lane_value<A>(a, l), lane_value<B>(b, l))} << l;
    }
    mask &= w.exec();
    write_scalar<u64>(w, i, i.operands[0], mask);
    if constexpr (WritesExec) {
        w.write_sgpr64(sreg::exec, mask);
    }
}

// Bit n of the second source: does the first belong to class n?
template <class T>
bool in_class(T value, u32 classes) {
    const bool negative = sign_of(value);
    const int number = is_nan(value)        ? (is_signaling(value) ? 0 : 1)
                       : is_infinite(value) ? (negative ? 2 : 9)
                       : value == T(0)      ? (negative ? 5 : 6)
                       : is_denormal(value) ? (negative ? 4 : 7)
                                            : (negative ? 3 : 8);
    return (classes >> number & 1) != 0;
}

template <class T>
constexpr auto class_condition = [](T value, u32 classes) { return in_class(value, classes); };

// Where it is true: a < b is bit 0, a == b bit 1, a > b bit 2, and one that is a NaN bit 3.
struct condition_name {
    const char* name;
    int number;
};

template <class T, int Number>
constexpr auto condition = [](T a, T b) -> bool {
    return ((Number & 1) != 0 && a < b) || ((Number & 2) != 0 && a == b) ||
           ((Number & 4) != 0 && a > b) || ((Number & 8) != 0 && (a != a || b != b));
};

// "n..." is the negation, true for a NaN as well.
constexpr condition_name float_conditions[] = {
    {"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},   {"gt", 4},   {"lg", 5},
    {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9},  {"nlg", 10}, {"ngt", 11},
    {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15},
};
constexpr condition_name integer_conditions[] = {
    {"f", 0}, {"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 13}, {"ge", 6}, {"t", 15},
};

struct compare_table : row_list {
    template <class T, bool WritesExec>
    handler_t handler_of(int number) {
        return [&]<int... N>(std::integer_sequence<int, N...>) {
            handler_t found = nullptr;
            ((N == number ? found = compare<T, T, WritesExec, condition<T, N>> : found), ...);
            return found;
        }(std::make_integer_sequence<int, 16>{});
    }

    template <class T>
    void add_type(const std::string& type) {
        const u64 modifiers =
            mod::sdwa | (is_float_v<T> ? mod::source_neg | mod::clamp : mod::source_sext);
        const auto add_all = [&](const auto& conditions) {
            for (const condition_name& c : conditions) {
                add(std::string("v_cmp_") + c.name + "_" + type, handler_of<T, false>(c.number),
                    modifiers);
                add(std::string("v_cmpx_") + c.name + "_" + type, handler_of<T, true>(c.number),
                    modifiers | kind::writes_exec);
            }
        };
        if constexpr (is_float_v<T>) {
            add_all(float_conditions);
        } else {
            add_all(integer_conditions);
        }
    }

    template <class T>
    void add_class(const std::string& type) {
        const u64 modifiers = mod::sdwa | mod::source_neg | kind::copies;
        add("v_cmp_class_" + type, compare<T, u32, false, class_condition<T>>, modifiers);
        add("v_cmpx_class_" + type, compare<T, u32, true, class_condition<T>>,
            modifiers | kind::writes_exec);
    }

    compare_table() {
        add_type<f16>("f16");
        add_type<f32>("f32");
        add_type<f64>("f64");
        add_type<i16>("i16");
        add_type<u16>("u16");
        add_type<i32>("i32");
        add_type<u32>("u32");
        add_type<i64>("i64");
        add_type<u64>("u64");
        add_class<f16>("f16");
        add_class<f32>("f32");
        add_class<f64>("f64");
    }
};

}  // namespace

std::span<const instruction_row> vop_compare_rows() {
    static const compare_table table;
    return table.rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
