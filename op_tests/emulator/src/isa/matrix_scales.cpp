#include "isa/matrix_scales.hpp"

namespace emu {

const operand& scale_operand(const instruction& i, int number) {
    return i.operands[static_cast<size_t>(4 + number)];
}

bool is_scalar_scale(const operand& scale) {
    return scale.kind == operand_kind::sgpr || scale.kind == operand_kind::constant;
}

uint32_t scale_byte(const instruction& i, int number) {
    const uint32_t low = i.op_sel >> number & 1;
    const uint32_t high = i.has(mod::op_sel_hi) ? i.op_sel_hi >> number & 1u : 0;
    return low + 2 * high;
}

bool is_read_as_meant(const instruction& i, int number, uint32_t value) {
    const uint32_t byte = scale_byte(i, number);
    return (scale_operand(i, number).floating && byte == 0) ||
           exponent_of_scale(value) == (value >> 8 * byte & 0xff);
}

std::string scale_message(const instruction& i, int number, std::optional<uint32_t> value) {
    const operand& scale = scale_operand(i, number);
    const uint32_t byte = scale_byte(i, number);
    const std::string name = scale.kind == operand_kind::sgpr
                                 ? register_name({uint32_t{first_sgpr} + scale.reg, 1})
                                 : "an inline constant";
    const std::string of = number == 0 ? "A" : "B";
    std::string text = "hazard: " + name + " is the scale of " + of +
                       ": of what is no vector register the hardware reads bits 30:23";
    if (value) {
        text += " (" + std::to_string(exponent_of_scale(*value)) + ")";
    }
    text += ", not byte " + std::to_string(byte);
    return value ? text + " (" + std::to_string(*value >> 8 * byte & 0xff) + ")" : text;
}

}  // namespace emu
