#include "isa/lds_names.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "isa/debug_info.hpp"
#include "isa/decode.hpp"
#include "machine/wave.hpp"

namespace emu {
namespace {

namespace dw = llvm::dwarf;
using die_t = llvm::DWARFDie;

// LLVM aligns the variables by their sizes, at least so much (AMDGPULowerModuleLDS).
uint64_t alignment_by_size(uint64_t size) {
    return size > 8 ? 16 : size > 4 ? 8 : size > 2 ? 4 : size > 1 ? 2 : 1;
}

uint64_t align_up(uint64_t bytes, uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

struct search {
    const std::vector<impl::lds_variable>& variables;
    std::vector<uint64_t> rest;  // most bytes that this variable and those behind it can add
    uint64_t bytes;
    uint64_t most_natural = 1;
    uint64_t natural = 1;  // of what is chosen
    std::vector<impl::placed_variable> chosen;
    std::vector<std::vector<impl::placed_variable>> found;
    size_t visits_left = size_t{1} << 16;
    bool is_uncertain = false;

    // Variables from `next` on, behind `end` bytes. Where a hole is left before one of them, smaller
    // ones may have been put there: that is not followed.
    void go_on(size_t next, uint64_t end, bool has_hole) {
        if (is_uncertain || visits_left-- == 0) {
            is_uncertain = true;
            return;
        }
        if (end > bytes || align_up(end + rest[next], most_natural) < bytes) {
            return;
        }
        if (next == variables.size()) {
            // The structure that holds them all ends with what its alignment needs.
            if (!chosen.empty() && align_up(end, natural) == bytes) {
                is_uncertain |= has_hole;
                found.push_back(chosen);
            }
            return;
        }
        const impl::lds_variable& v = variables[next];
        const uint64_t begin = align_up(end, v.alignment);
        const uint64_t before = std::exchange(natural, std::max(natural, v.natural_alignment));
        chosen.push_back({v.index, begin});
        go_on(next + 1, begin + v.size, has_hole || begin != end);
        chosen.pop_back();
        natural = before;
        go_on(next + 1, end, has_hole);
    }
};

// ---- the variables that DWARF has no location of ----

struct candidate {
    die_t die;
    std::string name;
    die_t type;
    impl::lds_variable layout;
};

class collector {
public:
    explicit collector(const debug_info& info) : info_(info) {
        for (const auto& symbol : info.object().symbols()) {
            auto name = symbol.getName();
            if (!name) {
                llvm::consumeError(name.takeError());
            } else if (name->ends_with(".kd")) {
                kernels_.insert(name->drop_back(3).str());
            }
        }
    }

    // What the kernel at this address may use: its own, those of functions that are inlined into it
    // and those of namespaces.
    std::vector<candidate> collect(uint64_t entry) {
        for (const auto& unit : info_.dwarf().compile_units()) {
            collect_in_namespace(unit->getUnitDIE(false), info_.address_of(entry));
        }
        if (has_functions_) {
            return {};
        }
        std::vector<candidate> result;
        for (candidate& c : found_) {
            if (!located_.contains(c.die.getOffset())) {
                c.layout.index = result.size();
                result.push_back(std::move(c));
            }
        }
        return result;
    }

private:
    void collect_in_namespace(const die_t& scope, uint64_t entry) {
        for (const die_t& die : scope.children()) {
            if (die.getTag() == dw::DW_TAG_namespace) {
                collect_in_namespace(die, entry);
            } else if (die.getTag() == dw::DW_TAG_variable) {
                add(die, "");
            } else if (die.getTag() == dw::DW_TAG_subprogram && die.find(dw::DW_AT_low_pc)) {
                const char* symbol = die.getLinkageName();
                // A function with code of its own: what it uses has a structure of its own.
                has_functions_ |= symbol == nullptr || !kernels_.contains(symbol);
                if (die.addressRangeContainsAddress(entry)) {
                    collect_in_function(die);
                }
            }
        }
    }

    void collect_in_function(die_t function) {
        while (function.isValid() && functions_.insert(function.getOffset()).second) {
            const char* symbol = function.getLinkageName();
            collect_in_block(function, symbol == nullptr ? "" : symbol);
            function = function.getAttributeValueAsReferencedDie(dw::DW_AT_abstract_origin);
        }
    }

    void collect_in_block(const die_t& block, const std::string& function) {
        for (const die_t& die : block.children()) {
            switch (die.getTag()) {
                case dw::DW_TAG_variable:
                    add(die, function);
                    break;
                case dw::DW_TAG_lexical_block:
                    collect_in_block(die, function);
                    break;
                case dw::DW_TAG_inlined_subroutine:
                    collect_in_function(
                        die.getAttributeValueAsReferencedDie(dw::DW_AT_abstract_origin));
                    collect_in_block(die, function);
                    break;
                default:
                    break;
            }
        }
    }

    void add(const die_t& variable, const std::string& function) {
        const die_t origin = variable.getAttributeValueAsReferencedDie(dw::DW_AT_abstract_origin);
        if (origin.isValid()) {  // a local one of a function that was inlined
            located_.insert(origin.getOffset());
            return;
        }
        const char* name = variable.getShortName();
        const die_t type = variable.getAttributeValueAsReferencedDie(dw::DW_AT_type);
        const uint64_t size = size_of(type).value_or(0);
        if (name == nullptr || size == 0 || is_const(type) || variable.find(dw::DW_AT_location) ||
            variable.find(dw::DW_AT_const_value) || !seen_.insert(variable.getOffset()).second) {
            return;
        }
        uint64_t alignment = alignment_by_size(size);
        for (const die_t& die : {variable, plain_type(type)}) {
            alignment = std::max(alignment, dw::toUnsigned(die.find(dw::DW_AT_alignment), 1));
        }
        // As the Itanium ABI names what is local to a function.
        const char* linkage = variable.getLinkageName();
        const std::string text = name;
        const std::string symbol =
            linkage != nullptr ? linkage
            : function.starts_with("_Z")
                ? "_ZZ" + function.substr(2) + "E" + std::to_string(text.size()) + text
                : text;
        found_.push_back({variable, text, type, {symbol, size, alignment, alignment_of(type), 0}});
    }

    const debug_info& info_;
    std::vector<candidate> found_;
    bool has_functions_ = false;
    std::set<uint64_t> located_;  // variables that are none of LDS
    std::set<std::string> kernels_;
    std::set<uint64_t> functions_;
    std::set<uint64_t> seen_;
};

}  // namespace

namespace impl {

std::vector<std::vector<placed_variable>> lds_layouts(std::vector<lds_variable> variables,
                                                      uint64_t bytes) {
    std::erase_if(variables, [&](const lds_variable& v) { return v.size > bytes; });
    std::ranges::sort(variables, [](const lds_variable& a, const lds_variable& b) {
        return std::tuple(b.alignment, b.size, a.symbol) <
               std::tuple(a.alignment, a.size, b.symbol);
    });
    search s{.variables = variables, .rest = {}, .bytes = bytes, .chosen = {}, .found = {}};
    s.rest.assign(variables.size() + 1, 0);
    for (size_t n = variables.size(); n-- > 0;) {
        s.rest[n] = s.rest[n + 1] + variables[n].size + variables[n].alignment - 1;
        s.most_natural = std::max(s.most_natural, variables[n].natural_alignment);
    }
    s.go_on(0, 0, false);
    return s.is_uncertain ? std::vector<std::vector<placed_variable>>{} : s.found;
}

}  // namespace impl

struct lds_names::contents {
    explicit contents(const program& code) : info(code) {}

    debug_info info;
    std::vector<candidate> candidates;
    std::vector<std::vector<impl::placed_variable>> layouts;

    // Of the byte in that layout, as text.
    std::string in(const std::vector<impl::placed_variable>& layout, uint64_t byte) const {
        for (const impl::placed_variable& p : layout) {
            if (byte >= p.offset && byte < p.offset + candidates[p.index].layout.size) {
                const candidate& c = candidates[p.index];
                return c.name + path_in(c.type, static_cast<int64_t>(byte - p.offset));
            }
        }
        return "";
    }
};

lds_names::lds_names(const workgroup& group) {
    if (group.code == nullptr || group.static_lds == 0) {
        return;
    }
    auto c = std::make_unique<contents>(*group.code);
    if (!c->info) {
        return;
    }
    c->candidates = collector(c->info).collect(group.entry);
    std::vector<impl::lds_variable> variables;
    for (const candidate& found : c->candidates) {
        variables.push_back(found.layout);
    }
    c->layouts = impl::lds_layouts(std::move(variables), group.static_lds);
    contents_ = std::move(c);
}

lds_names::~lds_names() = default;

std::string lds_names::at(uint64_t byte) const {
    if (contents_ == nullptr || contents_->layouts.empty()) {
        return "";
    }
    std::string name = contents_->in(contents_->layouts.front(), byte);
    for (const auto& layout : contents_->layouts) {
        if (contents_->in(layout, byte) != name) {
            return "";
        }
    }
    return name;
}

std::string lds_names::beyond(int64_t byte) const {
    if (contents_ == nullptr || contents_->layouts.size() != 1) {
        return "";
    }
    const auto& layout = contents_->layouts.front();
    const impl::placed_variable& p = byte < 0 ? layout.front() : layout.back();
    const candidate& c = contents_->candidates[p.index];
    const auto begin = static_cast<int64_t>(p.offset);
    const auto end = begin + static_cast<int64_t>(c.layout.size);
    if (byte >= 0 && byte < end) {
        return ", from " + at(static_cast<uint64_t>(byte)) + " on";
    }
    const int64_t distance = byte < 0 ? begin - byte : byte - end;
    return ", " + (distance == 0 ? "right" : std::to_string(distance) + " bytes") +
           (byte < 0 ? " before " : " behind ") + c.name + " (" + type_name(c.type) + "), as " +
           c.name + path_in(c.type, byte - begin);
}

std::string name_of_lds_byte(const workgroup& group, uint64_t byte) {
    const std::string text = "LDS byte " + std::to_string(byte);
    const std::string name = lds_names(group).at(byte);
    if (!name.empty()) {
        return text + " (" + name + ")";
    }
    const bool is_dynamic = group.static_lds != 0 && byte >= group.static_lds;
    return text + " of " + std::to_string(group.lds.size()) +
           (is_dynamic
                ? " (byte " + std::to_string(byte - group.static_lds) + " of the dynamic part)"
                : "");
}

std::string name_beyond_lds(const workgroup& group, int64_t byte) {
    const bool is_dynamic = byte >= 0 && group.lds.size() != group.static_lds;
    return is_dynamic ? "" : lds_names(group).beyond(byte);
}

}  // namespace emu
