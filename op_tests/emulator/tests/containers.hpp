// The files that code objects come in, made by hand.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using bytes_t = std::vector<std::byte>;

inline bytes_t to_bytes(std::string_view text) {
    const auto* p = reinterpret_cast<const std::byte*>(text.data());
    return {p, p + text.size()};
}

template <class T>
void append(bytes_t& to, T value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), p, p + sizeof value);
}

inline void append(bytes_t& to, const bytes_t& from) {
    to.insert(to.end(), from.begin(), from.end());
}

inline std::string triple(const std::string& target_id) {
    return "hipv4-amdgcn-amd-amdhsa--" + target_id;
}

// {id, image} each
inline bytes_t make_bundle(const std::vector<std::pair<std::string, bytes_t>>& entries) {
    uint64_t at = 32;
    for (const auto& [id, image] : entries) {
        at += 24 + id.size();
    }
    bytes_t bundle = to_bytes("__CLANG_OFFLOAD_BUNDLE__");
    append<uint64_t>(bundle, entries.size());
    for (const auto& [id, image] : entries) {
        append<uint64_t>(bundle, at);
        append<uint64_t>(bundle, image.size());
        append<uint64_t>(bundle, id.size());
        append(bundle, to_bytes(id));
        at += image.size();
    }
    for (const auto& [id, image] : entries) {
        append(bundle, image);
    }
    return bundle;
}

inline bytes_t compress(const bytes_t& bundle, int version) {
    bytes_t data(ZSTD_compressBound(bundle.size()));
    data.resize(ZSTD_compress(data.data(), data.size(), bundle.data(), bundle.size(), 3));
    bytes_t file = to_bytes("CCOB");
    append<uint16_t>(file, static_cast<uint16_t>(version));
    append<uint16_t>(file, 1);
    if (version == 2) {
        append<uint32_t>(file, static_cast<uint32_t>(24 + data.size()));
        append<uint32_t>(file, static_cast<uint32_t>(bundle.size()));
    } else {
        append<uint64_t>(file, 32 + data.size());
        append<uint64_t>(file, bundle.size());
    }
    append<uint64_t>(file, 0);  // hash, not checked by anyone
    append(file, data);
    return file;
}

// An offload binary for one architecture, as llvm/Object/OffloadBinary.h lays it out: 32 bytes of
// header, 40 of entry, the offsets of two keys and values, the strings, the image.
inline bytes_t make_offload_binary(const std::string& arch, const bytes_t& image) {
    const std::string strings = std::string("triple\0amdgcn-amd-amdhsa\0arch\0", 30) + arch + '\0';
    constexpr uint64_t entry_at = 32;
    constexpr uint64_t pairs_at = entry_at + 40;
    constexpr uint64_t strings_at = pairs_at + 32;
    const uint64_t image_at = (strings_at + strings.size() + 7) / 8 * 8;
    const uint64_t size = (image_at + image.size() + 7) / 8 * 8;
    bytes_t file = to_bytes("\x10\xff\x10\xad");
    append<uint32_t>(file, 1);
    append<uint64_t>(file, size);
    append<uint64_t>(file, entry_at);
    append<uint64_t>(file, 40);
    append<uint16_t>(file, 1);  // an object
    append<uint16_t>(file, 4);  // of HIP
    append<uint32_t>(file, 0);
    append<uint64_t>(file, pairs_at);
    append<uint64_t>(file, 2);
    append<uint64_t>(file, image_at);
    append<uint64_t>(file, image.size());
    for (const uint64_t at : {0u, 7u, 25u, 30u}) {
        append<uint64_t>(file, strings_at + at);
    }
    append(file, to_bytes(strings));
    file.resize(image_at);
    append(file, image);
    file.resize(size);
    return file;
}
