#include "loader/metadata.hpp"

#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/BinaryFormat/MsgPackReader.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "loader/reader.hpp"
#include "machine/wave.hpp"

namespace emu {
namespace {

// Whether one well-formed MessagePack object follows, with strings as the keys of its maps.
// llvm::msgpack::Document takes that for granted and crashes on other keys. `objects` is raised by
// how many there are.
bool has_string_keys(llvm::msgpack::Reader& in, uint64_t& objects, int depth = 0) {
    constexpr int max_depth = 16;
    llvm::msgpack::Object object;
    const auto read = [&] {
        ++objects;
        auto got = in.read(object);
        if (!got) {
            llvm::consumeError(got.takeError());
            return false;
        }
        return *got;
    };
    if (depth > max_depth || !read()) {
        return false;
    }
    const bool is_map = object.Kind == llvm::msgpack::Type::Map;
    if (!is_map && object.Kind != llvm::msgpack::Type::Array) {
        return true;
    }
    for (size_t left = object.Length; left != 0; --left) {
        if (is_map && (!read() || object.Kind != llvm::msgpack::Type::String)) {
            return false;
        }
        if (!has_string_keys(in, objects, depth + 1)) {
            return false;
        }
    }
    return true;
}

const llvm::msgpack::DocNode* find(llvm::msgpack::DocNode& map, const char* key) {
    auto& entries = map.getMap();
    const auto found = entries.find(llvm::StringRef(key));
    return found == entries.end() ? nullptr : &found->second;
}

std::string string_of(llvm::msgpack::DocNode& map, const char* key) {
    const auto* node = find(map, key);
    if (node == nullptr || node->getKind() != llvm::msgpack::Type::String) {
        malformed(std::string("code object metadata: no string ") + key);
    }
    return node->getString().str();
}

uint32_t number_of(llvm::msgpack::DocNode& map, const char* key,
                   std::optional<uint32_t> fallback = std::nullopt) {
    const auto* node = find(map, key);
    if (node == nullptr && fallback) {
        return *fallback;
    }
    if (node == nullptr || node->getKind() != llvm::msgpack::Type::UInt ||
        node->getUInt() > std::numeric_limits<uint32_t>::max()) {
        malformed(std::string("code object metadata: no 32-bit number ") + key);
    }
    return static_cast<uint32_t>(node->getUInt());
}

uint32_t bits(uint32_t value, int shift, int width) {
    return value >> shift & ((1u << width) - 1);
}

kernel_info read_kernel(llvm::msgpack::DocNode& node) {
    kernel_info kernel;
    kernel.name = string_of(node, ".name");
    kernel.kernarg_size = number_of(node, ".kernarg_segment_size");
    kernel.max_group_size = number_of(node, ".max_flat_workgroup_size", 0);
    const uint32_t lanes = number_of(node, ".wavefront_size", lane_count);
    if (lanes != lane_count) {
        malformed("kernel " + kernel.name + ": waves of " + std::to_string(lanes) +
                  " lanes; the targets have 64");
    }
    if (const auto* list = find(node, ".args")) {
        if (list->getKind() != llvm::msgpack::Type::Array) {
            malformed("kernel " + kernel.name + ": .args is no array");
        }
        llvm::msgpack::DocNode arguments = *list;
        for (llvm::msgpack::DocNode& argument : arguments.getArray()) {
            if (!argument.isMap()) {
                malformed("kernel " + kernel.name + ": an argument is no map");
            }
            kernel.arguments.push_back({number_of(argument, ".offset"),
                                        number_of(argument, ".size"),
                                        string_of(argument, ".value_kind")});
            // 64 KiB is far more than a kernarg segment can have (the hardware loads it, HIP
            // limits parameters to 4 KiB); it keeps offset + size from wrapping around.
            constexpr uint32_t max_bytes = 65536;
            const kernel_argument& last = kernel.arguments.back();
            if (last.offset > max_bytes || last.size > max_bytes) {
                malformed("kernel " + kernel.name + ": an argument lies at " +
                          std::to_string(last.offset));
            }
        }
    }
    return kernel;
}

// "0:0:HASH,FORMAT". Other entries are those of OpenCL, of which no hash is stored.
void read_formats(llvm::msgpack::DocNode list, printf_formats& formats) {
    if (list.getKind() != llvm::msgpack::Type::Array) {
        malformed("code object metadata: amdhsa.printf is no array");
    }
    for (llvm::msgpack::DocNode& node : list.getArray()) {
        if (node.getKind() != llvm::msgpack::Type::String) {
            malformed("code object metadata: a format of printf is no string");
        }
        llvm::StringRef text = node.getString();
        uint64_t hash = 0;
        if (text.consume_front("0:0:") && !text.consumeInteger(16, hash) &&
            text.consume_front(",")) {
            formats[hash] = text.str();
        }
    }
}

}  // namespace

bool kernel_info::takes(std::string_view kind) const {
    return std::ranges::any_of(arguments, [&](const kernel_argument& a) { return a.kind == kind; });
}

uint32_t kernel_info::explicit_size() const {
    uint32_t end = 0;
    for (const kernel_argument& argument : arguments) {
        if (!argument.is_hidden()) {
            end = std::max(end, argument.offset + argument.size);
        }
    }
    return end;
}

// AMDGPUUsage, compute_pgm_rsrc1: granules of 8 registers; compute_pgm_rsrc3 for gfx90a and
// gfx942: accum_offset counts groups of 4, minus one.
// rsrc1 counts in units of 8 (AMDGPUUsage, GRANULATED_WAVEFRONT_SGPR_COUNT).
uint32_t kernel_info::sgpr_count() const {
    return (bits(descriptor.rsrc1, 6, 4) / 2 + 1) * 16;
}

uint32_t kernel_info::vgpr_count() const {
    const uint32_t all = (bits(descriptor.rsrc1, 0, 6) + 1) * 8;
    return std::min(all, (bits(descriptor.rsrc3, 0, 6) + 1) * 4);
}

uint32_t kernel_info::agpr_count() const {
    return (bits(descriptor.rsrc1, 0, 6) + 1) * 8 - vgpr_count();
}

void read_metadata(std::string_view metadata, load_budget& budget,
                   const std::function<void(kernel_info kernel, const std::string& symbol)>& found,
                   printf_formats& formats) {
    const llvm::StringRef blob(metadata);
    llvm::msgpack::Reader check(blob);
    uint64_t objects = 0;
    if (!has_string_keys(check, objects)) {
        malformed("code object metadata: not a MessagePack map");
    }
    // A node of a document takes up to 168 bytes (an empty map in an array that grows); strings are
    // copied twice at most.
    constexpr uint64_t object_bytes = 192;
    budget.take(objects * object_bytes + 2 * metadata.size(), "code object metadata");
    llvm::msgpack::Document document;
    if (!document.readFromBlob(blob, false) || !document.getRoot().isMap()) {
        malformed("code object metadata: not a MessagePack map");
    }
    if (const auto* list = find(document.getRoot(), "amdhsa.printf")) {
        read_formats(*list, formats);
    }
    const auto* list = find(document.getRoot(), "amdhsa.kernels");
    if (list == nullptr) {
        return;
    }
    if (list->getKind() != llvm::msgpack::Type::Array) {
        malformed("code object metadata: amdhsa.kernels is no array");
    }
    llvm::msgpack::DocNode kernels = *list;
    for (llvm::msgpack::DocNode& node : kernels.getArray()) {
        if (!node.isMap()) {
            malformed("code object metadata: a kernel is no map");
        }
        kernel_info kernel = read_kernel(node);
        found(std::move(kernel), string_of(node, ".symbol"));
    }
}

}  // namespace emu
