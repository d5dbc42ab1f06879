// Where a buffer instruction accesses memory, and whether it may (ISA guide 9.1.5). How sure each rule
// is says op_tests/emulator/README.md, "Buffers".
#pragma once

#include <cstdint>

#include "machine/target.hpp"

namespace emu {

enum class buffer_range : uint8_t {
    bytes,    // up to num_records, each dword by itself
    records,  // of an index below num_records, whatever the offset
    none,
};

struct buffer_rule {
    // Bytes of a record that lie together in a swizzled buffer. The guide's const_element_size is in
    // no field of the resource; LLVM's AMDGPUUsage has dwords for all of gfx9.
    static constexpr uint32_t element = 4;

    uint64_t base;
    uint64_t records;
    uint32_t stride;
    uint32_t index_stride;
    bool swizzles;
    bool adds_thread;
    bool has_index;
    buffer_range range;

    constexpr buffer_rule(const buffer_resource& r, bool idxen)
        : base(r.base),
          records(r.records),
          stride(r.stride | (r.adds_thread ? r.data_format << 14 : 0)),
          index_stride(r.index_stride),
          // By a byte offset alone the place is linear: a GEMM that runs on an MI355X needs that.
          swizzles(r.swizzles && (idxen || r.adds_thread)),
          adds_thread(r.adds_thread),
          has_index(idxen),
          range(adds_thread              ? buffer_range::none
                : idxen && r.stride != 0 ? buffer_range::records
                                         : buffer_range::bytes) {}

    // The offset is the place.
    constexpr bool is_linear() const { return !swizzles && !adds_thread && !has_index; }

    // Bytes from base + soffset to what the lane accesses. `index` is that of vaddr.
    constexpr uint64_t place(uint32_t index, uint32_t offset, uint32_t lane) const {
        const uint64_t record = uint64_t{index} + (adds_thread ? lane : 0);
        if (!swizzles) {
            return record * stride + offset;
        }
        const uint64_t row = record / index_stride * stride + offset / element * element;
        return row * index_stride + record % index_stride * element + offset % element;
    }

    // `byte` counts from the base, soffset included.
    constexpr bool holds(uint32_t index, uint64_t byte, uint32_t bytes) const {
        return range == buffer_range::none ||
               (range == buffer_range::records ? index < records : byte + bytes <= records);
    }

    // What of the resource has no documented meaning; nullptr if all has one.
    constexpr const char* open_question() const {
        if (!swizzles) {
            return nullptr;
        }
        if (range == buffer_range::bytes) {
            return "a swizzled buffer with idxen, without add_tid_enable and a stride has no range "
                   "check in the ISA guide (9.1.5.1)";
        }
        return stride % element == 0 ? nullptr
                                     : "the stride of a swizzled buffer must be a multiple of its "
                                       "elements of 4 bytes (ISA guide 9.1.5.2)";
    }

    // Whether the access lies in one element of a swizzled buffer.
    constexpr bool fits_element(uint32_t offset, uint32_t bytes) const {
        return offset % element + bytes <= element;
    }
};

}  // namespace emu
