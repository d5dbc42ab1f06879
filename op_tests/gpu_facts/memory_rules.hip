// Where memory instructions go and what happens at a border: buffers, LDS, LDS-DMA, transposed
// reads. Everything that a buffer could reach by another rule than the assumed one is in one
// allocation, so that a rule that is wrong reads a wrong value and faults nowhere; what can fault
// comes last.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "ops.hpp"

namespace gpu_facts {

namespace {

using examples::check;
using examples::device_buffer;

using u32 = std::uint32_t;
using u64 = std::uint64_t;
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

// == device =======================================================================================

constexpr u32 untouched = 0xdeadbeef;

// A lane's registers: index and offset, or one of them.
struct buffer_arguments {
    const u32x2* places;
    u32* data;  // 4 dwords a lane, loaded or stored
    u32x4 resource;
    u32 soffset;
};

// In the text %0 is the data, %1 both registers, %2 the offset, %3 the index, %4 the resource, %5
// soffset.
#define BUFFER(name, V, text, is_store)                                                   \
    __global__ void name([[maybe_unused]] buffer_arguments a) {                           \
        ON_BOTH(                                                                          \
            const u32 lane = threadIdx.x; const u32x2 place = a.places[lane]; union {     \
                u32 words[4];                                                             \
                V value;                                                                  \
            } data = {{untouched, untouched, untouched, untouched}};                      \
            if (is_store) {                                                               \
                for (u32 n = 0; n < 4; ++n) {                                             \
                    data.words[n] = a.data[lane * 4 + n];                                 \
                }                                                                         \
            } asm volatile(text "\n s_waitcnt vmcnt(0)" : "+&v"(data.value) : "v"(place), \
                           "v"(place.y), "v"(place.x), "s"(a.resource),                   \
                           "s"(a.soffset) : "memory");                                    \
            if (!is_store) {                                                              \
                for (u32 n = 0; n < 4; ++n) {                                             \
                    a.data[lane * 4 + n] = data.words[n];                                 \
                }                                                                         \
            })                                                                            \
    }
#define LOAD(name, V, text) BUFFER(name, V, "buffer_load_" text, false)
#define STORE(name, V, text) BUFFER(name, V, "buffer_store_" text, true)
LOAD(load_1, u32, "dword %0, %2, %4, %5 offen")
LOAD(load_2, u32x2, "dwordx2 %0, %2, %4, %5 offen")
LOAD(load_3, u32x3, "dwordx3 %0, %2, %4, %5 offen")
LOAD(load_4, u32x4, "dwordx4 %0, %2, %4, %5 offen")
LOAD(load_byte, u32, "ubyte %0, %2, %4, %5 offen")
LOAD(load_short, u32, "ushort %0, %2, %4, %5 offen")
LOAD(load_imm, u32, "dword %0, %2, %4, %5 offen offset:64")
LOAD(load_off, u32, "dword %0, off, %4, %5 offset:64")
LOAD(load_index, u32, "dword %0, %3, %4, %5 idxen")
LOAD(load_index_4, u32x4, "dwordx4 %0, %3, %4, %5 idxen")
LOAD(load_both, u32, "dword %0, %1, %4, %5 idxen offen")
STORE(store_1, u32, "dword %0, %2, %4, %5 offen")
STORE(store_2, u32x2, "dwordx2 %0, %2, %4, %5 offen")
STORE(store_3, u32x3, "dwordx3 %0, %2, %4, %5 offen")
STORE(store_4, u32x4, "dwordx4 %0, %2, %4, %5 offen")
STORE(store_byte, u32, "byte %0, %2, %4, %5 offen")
STORE(store_short, u32, "short %0, %2, %4, %5 offen")
STORE(store_imm, u32, "dword %0, %2, %4, %5 offen offset:64")
STORE(store_index, u32, "dword %0, %3, %4, %5 idxen")
STORE(store_both, u32, "dword %0, %1, %4, %5 idxen offen")

// Four dwords through the scalar cache.
__global__ void load_scalar([[maybe_unused]] u32x4 resource, [[maybe_unused]] u32 offset,
                            [[maybe_unused]] u32* to) {
    ON_BOTH(u32x4 r; asm volatile("s_buffer_load_dwordx4 %0, %1, %2\n s_waitcnt lgkmcnt(0)" : "=&s"(
                                      r) : "s"(resource),
                                  "s"(offset) : "memory");
            for (u32 n = 0; n < 4; ++n) { to[n] = r[n]; })
}

// Four floats by a wide store, which the next vector instruction overwrites behind `wait`.
#define OVERWRITTEN(name, wait)                                                                  \
    __global__ void name([[maybe_unused]] u32x4 resource, [[maybe_unused]] u32 soffset) {        \
        ON_BOTH(                                                                                 \
            asm volatile("v_mov_b32 v20, 1.0\n v_mov_b32 v21, 2.0\n v_mov_b32 v22, 1.0\n"        \
                         "v_mov_b32 v23, 2.0\n s_nop 7\n"                                        \
                         "buffer_store_dwordx4 v[20:23], %0, %1, %2 offen\n" wait                \
                         "v_pk_mul_f32 v[20:21], v[20:21], v[22:23]\n s_waitcnt vmcnt(0)" ::"v"( \
                             threadIdx.x * 16),                                                  \
                         "s"(resource), "s"(soffset) : "memory", "v20", "v21", "v22", "v23");)   \
    }
OVERWRITTEN(overwritten_at_once, "")
OVERWRITTEN(overwritten_after_1, "s_nop 0\n")

// LDS of a group, filled from `lds`, changed by the text, and copied back. %0 is a result of four
// dwords, %1 the lane's address in LDS, %2 its data, %3 a scalar, %4 the resource, %5 a global
// address, %6 the first dword of the data.
constexpr u32 lds_dwords = 2048;
struct lds_arguments {
    const u32* addresses;
    const u32* values;
    u32* lds;
    u32* results;
    u32 scalar;
    u32x4 resource;
    const u32* memory;
};
#define LDS(name, where, V, text)                                                               \
    __global__ void name([[maybe_unused]] lds_arguments a) {                                    \
        where(                                                                                  \
            __shared__ u32 lds[lds_dwords]; const u32 lane = threadIdx.x;                       \
            for (u32 n = lane; n < lds_dwords; n += 64) { lds[n] = a.lds[n]; } __syncthreads(); \
            const u32 base = static_cast<u32>(                                                  \
                reinterpret_cast<u64>((__attribute__((address_space(3))) u32*)(lds)));          \
            union {                                                                             \
                u32 words[4];                                                                   \
                V value;                                                                        \
            } r = {{untouched, untouched, untouched, untouched}};                               \
            const u32x2 value = {a.values[2 * lane], a.values[2 * lane + 1]};                   \
            asm volatile(text "\n s_waitcnt vmcnt(0) lgkmcnt(0)" : "+&v"(r.value) : "v"(        \
                             base + a.addresses[lane]),                                         \
                         "v"(value), "s"(base + a.scalar), "s"(a.resource),                     \
                         "v"(a.memory + a.addresses[lane] / 4), "v"(value.x) : "memory");       \
            __syncthreads(); for (u32 n = 0; n < 4; ++n) {                                      \
                a.results[lane * 4 + n] = r.words[n];                                           \
            } for (u32 n = lane; n < lds_dwords; n += 64) { a.lds[n] = lds[n]; })               \
    }
LDS(ds_read, ON_BOTH, u32, "ds_read_b32 %0, %1")
LDS(ds_read_2, ON_BOTH, u32x2, "ds_read_b64 %0, %1")
LDS(ds_read_4, ON_BOTH, u32x4, "ds_read_b128 %0, %1")
LDS(ds_read2, ON_BOTH, u32x2, "ds_read2_b32 %0, %1 offset0:1 offset1:3")
LDS(ds_read2st64, ON_BOTH, u32x2, "ds_read2st64_b32 %0, %1 offset0:1 offset1:3")
LDS(ds_read_m0, ON_BOTH, u32, "s_mov_b32 m0, 0\n s_nop 0\n ds_read_b32 %0, %1")
LDS(ds_write, ON_BOTH, u32, "ds_write_b32 %1, %6")
LDS(ds_write_2, ON_BOTH, u32, "ds_write_b64 %1, %2")
LDS(ds_bpermute, ON_BOTH, u32, "ds_bpermute_b32 %0, %1, %1")
LDS(ds_permute, ON_BOTH, u32, "ds_permute_b32 %0, %1, %1")
LDS(dma, ON_BOTH, u32, "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_dword %1, %4, 0 offen lds")
LDS(dma_imm, ON_BOTH, u32,
    "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_dword %1, %4, 0 offen offset:256 lds")
LDS(dma_byte, ON_BOTH, u32, "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_ubyte %1, %4, 0 offen lds")
LDS(dma_short, ON_BOTH, u32, "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_ushort %1, %4, 0 offen lds")
LDS(dma_some_lanes, ON_BOTH, u32,
    "s_mov_b32 m0, %3\n s_mov_b64 exec, 0x0f0f\n buffer_load_dword %1, %4, 0 offen lds\n"
    "s_mov_b64 exec, -1")
LDS(dma_global, ON_BOTH, u32, "s_mov_b32 m0, %3\n s_nop 0\n global_load_lds_dword %5, off")
LDS(dma_3, ON_GFX950, u32, "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_dwordx3 %1, %4, 0 offen lds")
LDS(dma_4, ON_GFX950, u32, "s_mov_b32 m0, %3\n s_nop 0\n buffer_load_dwordx4 %1, %4, 0 offen lds")
LDS(read_tr_b16, ON_GFX950, u32x2, "ds_read_b64_tr_b16 %0, %1")
LDS(read_tr_b8, ON_GFX950, u32x2, "ds_read_b64_tr_b8 %0, %1")
LDS(read_tr_b4, ON_GFX950, u32x2, "ds_read_b64_tr_b4 %0, %1")
LDS(read_tr_b6, ON_GFX950, u32x3, "ds_read_b96_tr_b6 %0, %1")

// == buffers ======================================================================================

constexpr u32 memory_bytes = 256u << 10;
constexpr u32 large_memory_bytes = 2u << 20;  // for a stride of 18 bits
constexpr u32 base_byte = 64u << 10;          // where buffers begin in it

u32 pattern(u64 dword) {
    return static_cast<u32>(dword * 2654435761u + 0x01234567) | 0x80000000;
}

std::vector<u32> fresh_memory(u32 bytes = memory_bytes) {
    std::vector<u32> words(bytes / 4);
    for (std::size_t n = 0; n < words.size(); ++n) {
        words[n] = pattern(n);
    }
    return words;
}

enum class range { bytes, records, none };

// A buffer instruction by all lanes, and what is assumed of it.
struct access {
    const char* name;
    void (*kernel)(buffer_arguments);
    int bytes;  // of a lane
    bool is_store;
    u32 stride;
    u32 records;
    range checked;
    std::function<u32(u32)> index;   // of a lane
    std::function<u32(u32)> offset;  // of a lane
    u32 imm;
    u32 soffset;
    const char* assumed;
    const char* source;
    u32 word_1 = 0;  // more bits of the resource
    u32 word_3 = 0;
    bool has_index = false;
};

constexpr u32 swizzle_enable = 1u << 31;  // word 1
constexpr u32 cache_swizzle = 1u << 30;
constexpr u32 add_tid = 1u << 23;  // word 3
constexpr u32 index_stride_of(u32 code) {
    return code << 21;
}

// Bytes from the buffer's base, soffset included (ISA guide, 9.1.5).
u64 place_of(const access& a, u32 lane) {
    const bool adds = (a.word_3 & add_tid) != 0;
    const u64 stride = a.stride | (adds ? (a.word_3 >> 15 & 0xf) << 14 : 0);
    const u64 record = (a.has_index ? u64{a.index(lane)} : 0) + (adds ? lane : 0);
    const u64 offset = static_cast<u32>(a.offset(lane) + a.imm);
    if ((a.word_1 & swizzle_enable) == 0 || !(a.has_index || adds)) {
        return record * stride + offset + a.soffset;
    }
    const u64 together = u64{8} << (a.word_3 >> 21 & 3);
    return (record / together * stride + offset / 4 * 4) * together + record % together * 4 +
           offset % 4 + a.soffset;
}

bool is_in_range(const access& a, u32 lane, u64 byte, u64 bytes) {
    return a.checked == range::none ||
           (a.checked == range::records ? a.index(lane) < a.records : byte + bytes <= a.records);
}

void launch_buffer(const access& a, u32* memory, device_buffer<u32>& data) {
    const u64 base = reinterpret_cast<u64>(memory) + base_byte;
    const u32x4 resource = {static_cast<u32>(base),
                            static_cast<u32>(base >> 32) | (a.stride & 0x3fff) << 16 | a.word_1,
                            a.records, 0x00020000 | a.word_3};
    // With add_tid the data format is a part of the stride.
    const u32x4 adjusted = {resource.x, resource.y, resource.z,
                            (a.word_3 & add_tid) != 0 ? a.word_3 : resource.w};
    std::vector<u32x2> places;
    for (u32 lane = 0; lane < 64; ++lane) {
        places.push_back(u32x2{a.index(lane), a.offset(lane)});
    }
    const device_buffer<u32x2> in(places);
    a.kernel<<<1, 64>>>({in.data(), data.data(), adjusted, a.soffset});
    check(hipGetLastError(), a.name);
    check(hipDeviceSynchronize(), a.name);
}

finding look_at(const access& a) {
    const bool is_large = (a.word_3 >> 15 & 0xf) != 0;
    std::vector<u32> memory = fresh_memory(is_large ? large_memory_bytes : memory_bytes);
    const device_buffer<u32> on_device(memory);
    std::vector<u32> values(64 * 4);
    for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] = 0x11000000 + static_cast<u32>(n) * 0x010203;
    }
    device_buffer<u32> data(values);
    launch_buffer(a, on_device.data(), data);
    const std::vector<u32> results = data.to_host();
    const auto bytes_at = [&](u64 byte) {
        return reinterpret_cast<unsigned char*>(memory.data()) + base_byte + byte;
    };
    finding found;
    found.said = verdict::same;
    u32 inside = 0;
    u32 outside = 0;
    for (u32 lane = 0; lane < 64; ++lane) {
        const u64 first = place_of(a, lane);
        const int unit = a.bytes < 4 ? a.bytes : 4;
        for (int d = 0; d * unit < a.bytes; ++d) {
            const u64 byte = first + static_cast<u64>(d * unit);
            const bool is_inside = is_in_range(a, lane, byte, static_cast<u64>(unit));
            ++(is_inside ? inside : outside);
            const std::size_t at = lane * 4 + static_cast<u32>(d);
            if (a.is_store) {
                if (is_inside) {
                    std::memcpy(bytes_at(byte), &values[at], static_cast<std::size_t>(unit));
                }
                continue;
            }
            u32 wanted = 0;
            if (is_inside) {
                std::memcpy(&wanted, bytes_at(byte), static_cast<std::size_t>(unit));
            }
            if (results[at] != wanted && found.said == verdict::same) {
                found.said = verdict::different;
                found.seen = format("0x%08x, not 0x%08x, in lane %u, dword %d", results[at], wanted,
                                    lane, d);
            }
        }
    }
    if (a.is_store) {
        const std::vector<u32> after = on_device.to_host();
        for (std::size_t n = 0; n < after.size(); ++n) {
            if (after[n] != memory[n]) {
                found.said = verdict::different;
                found.seen = format("0x%08x, not 0x%08x, at byte %lld", after[n], memory[n],
                                    4 * static_cast<long long>(n) - base_byte);
                break;
            }
        }
    }
    if (found.said == verdict::same) {
        found.seen = format("it, %u parts inside, %u outside", inside, outside);
    }
    return found;
}

// Offsets of all lanes around byte `middle`, `step` bytes apart.
std::function<u32(u32)> around(u32 middle, u32 step) {
    return [=](u32 lane) { return middle + lane * step - 32 * step; };
}
std::function<u32(u32)> all(u32 value) {
    return [=](u32) { return value; };
}
std::function<u32(u32)> times(u32 step, u32 first = 0) {
    return [=](u32 lane) { return first + lane * step; };
}
// No two lanes alike, in no order.
u32 mixed(u32 lane) {
    return (lane * 37 + 11) % 64;
}

constexpr const char* guide = "ISA guide, 9.1.5";
constexpr const char* guide_range = "ISA guide, 9.1.5.1";
constexpr const char* measured = "measured on gfx950, against the guide";
constexpr const char* thread = "rocm-systems 10928, of gfx950";

std::vector<access> accesses() {
    const char* const by_dword = "each dword is in range by itself; 0 outside";
    const char* const dropped = "each dword is in range by itself; dropped outside";
    const range bytes = range::bytes;
    std::vector<access> rows = {
        {"buffer_load_dword at the end", load_1, 4, false, 0, 1024, bytes, all(0), around(1024, 4),
         0, 0, by_dword, guide_range},
        {"buffer_load_dwordx2 at the end", load_2, 8, false, 0, 1024, bytes, all(0),
         around(1024, 4), 0, 0, by_dword, guide_range},
        {"buffer_load_dwordx3 at the end", load_3, 12, false, 0, 1024, bytes, all(0),
         around(1024, 4), 0, 0, by_dword, guide_range},
        {"buffer_load_dwordx4 at the end", load_4, 16, false, 0, 1024, bytes, all(0),
         around(1024, 4), 0, 0, by_dword, guide_range},
        {"buffer_load_ubyte at the end", load_byte, 1, false, 0, 1023, bytes, all(0),
         around(1023, 1), 0, 0, "0 from num_records on", guide_range},
        {"buffer_load_ushort at the end", load_short, 2, false, 0, 1023, bytes, all(0),
         around(1022, 2), 0, 0, "0 if a byte is outside", guide_range},
        {"num_records that is no multiple of 4", load_1, 4, false, 0, 1022, bytes, all(0),
         around(1024, 4), 0, 0, "0 if a byte of the dword is outside", guide_range},
        {"num_records 0", load_1, 4, false, 0, 0, bytes, all(0), times(4), 0, 0, "0", guide_range},
        {"num_records 2^32 - 1", load_1, 4, false, 0, 0xffffffff, bytes, all(0), times(1000), 0, 0,
         "everything is inside", guide_range},
        {"soffset in the range check of a load", load_1, 4, false, 0, 1024, bytes, all(0),
         around(512, 4), 0, 512, "soffset counts", measured},
        {"soffset in the range check of a dwordx4", load_4, 16, false, 0, 1024, bytes, all(0),
         around(512, 16), 0, 512, "soffset counts", measured},
        {"imm in the range check", load_imm, 4, false, 0, 1024, bytes, all(0), around(960, 4), 64,
         0, "imm counts", guide_range},
        {"voffset + imm beyond 2^32", load_imm, 4, false, 0, 1024, bytes, all(0),
         times(4, 0xffffffe0), 64, 0, "wraps at 32 bits", "LLVM's AMDGPUUsage, raw buffers"},
        {"no offset but imm", load_off, 4, false, 0, 1024, bytes, all(0), all(0), 64, 16,
         "imm + soffset", guide},
        {"cache swizzle", load_1, 4, false, 64, 1024, bytes, all(0), around(1024, 4), 0, 0,
         "changes no result", guide, cache_swizzle},
        {"a stride without an index", load_1, 4, false, 64, 1024, bytes, all(0), around(1024, 4), 0,
         0, "bytes count, the stride does not", guide_range},
        {"an index and a stride", load_index, 4, false, 48, 40, range::records, mixed, all(0), 0, 0,
         "index * stride; index < num_records", guide_range, 0, 0, true},
        {"an index and a stride, 4 dwords", load_index_4, 16, false, 12, 40, range::records, mixed,
         all(0), 0, 0, "a record's end is no border", guide_range, 0, 0, true},
        {"an index and an offset beyond the stride", load_both, 4, false, 48, 40, range::records,
         mixed, times(8), 0, 0, "index < num_records, whatever the offset", guide_range, 0, 0,
         true},
        {"an index and soffset", load_both, 4, false, 48, 40, range::records, mixed, times(4), 0,
         4096, "soffset does not count", guide_range, 0, 0, true},
        {"an index and a stride of 0", load_both, 4, false, 0, 160, bytes, mixed, times(4), 0, 0,
         "as without an index", thread, 0, 0, true},
        {"a swizzle by offset alone", load_1, 4, false, 64, 1024, bytes, all(0), around(1024, 4), 0,
         0, "linear", "a GEMM that is verified on an MI355X", swizzle_enable},
        {"add_tid", load_1, 4, false, 48, 64, range::none, all(0), all(16), 0, 0,
         "lane * stride + offset, always inside", guide_range, 0, add_tid},
        {"add_tid and imm", load_imm, 4, false, 48, 64, range::none, all(0), all(16), 64, 0,
         "lane * stride + offset, always inside", guide_range, 0, add_tid},
        {"add_tid and a stride of 18 bits", load_1, 4, false, 12, 64, range::none, all(0), all(0),
         0, 0, "data format 1 is 2^14 of the stride", "ISA guide, table 45", 0, add_tid | 1u << 15},
        {"add_tid and an index", load_index, 4, false, 48, 4, range::none, mixed, all(0), 0, 0,
         "(index + lane) * stride, always inside", thread, 0, add_tid, true},
        {"add_tid and a swizzle", load_1, 4, false, 64, 64, range::none, all(0), all(20), 0, 0,
         "(lane / I * stride + offset) * I + lane % I * 4", "ISA guide, 9.1.5.2", swizzle_enable,
         add_tid | index_stride_of(3)},
        {"buffer_store_dword at the end", store_1, 4, true, 0, 1024, bytes, all(0), around(1024, 4),
         0, 0, dropped, guide_range},
        {"buffer_store_dwordx2 at the end", store_2, 8, true, 0, 1028, bytes, all(0),
         around(1024, 8), 0, 0, dropped, guide_range},
        {"buffer_store_dwordx3 at the end", store_3, 12, true, 0, 1028, bytes, all(0),
         around(1020, 12), 0, 0, dropped, guide_range},
        {"buffer_store_dwordx4 at the end", store_4, 16, true, 0, 1036, bytes, all(0),
         around(1024, 16), 0, 0, dropped, guide_range},
        {"buffer_store_byte at the end", store_byte, 1, true, 0, 1023, bytes, all(0),
         around(1023, 1), 0, 0, "dropped from num_records on", guide_range},
        {"buffer_store_short at the end", store_short, 2, true, 0, 1023, bytes, all(0),
         around(1022, 2), 0, 0, "dropped if a byte is outside", guide_range},
        {"soffset in the range check of a store", store_1, 4, true, 0, 1024, bytes, all(0),
         around(512, 4), 0, 512, "soffset counts", measured},
        {"soffset in the range check of a wide store", store_4, 16, true, 0, 1036, bytes, all(0),
         around(512, 16), 0, 512, "soffset counts, dword by dword", measured},
        {"a store at voffset + imm beyond 2^32", store_imm, 4, true, 0, 1024, bytes, all(0),
         times(4, 0xffffffe0), 64, 0, "wraps at 32 bits", "LLVM's AMDGPUUsage, raw buffers"},
        {"a store by an index", store_index, 4, true, 48, 40, range::records, mixed, all(0), 0, 0,
         "index * stride; index < num_records", guide_range, 0, 0, true},
        {"a store by an index beyond the stride", store_both, 4, true, 512, 40, range::records,
         mixed, times(4), 0, 0, "index < num_records, whatever the offset", guide_range, 0, 0,
         true},
        {"a store with add_tid", store_1, 4, true, 48, 64, range::none, all(0), all(16), 0, 0,
         "lane * stride + offset, always inside", guide_range, 0, add_tid},
    };
    static const char* const swizzles[] = {"a swizzle of 8 records", "a swizzle of 16 records",
                                           "a swizzle of 32 records", "a swizzle of 64 records"};
    for (u32 code = 0; code < 4; ++code) {
        rows.push_back({swizzles[code], load_both, 4, false, 64, 50, range::records, mixed,
                        [](u32 lane) { return lane % 16 * 4; }, 0, 0,
                        "(index / I * stride + offset) * I + index % I * 4", "ISA guide, 9.1.5.2",
                        swizzle_enable, index_stride_of(code), true});
    }
    return rows;
}

// What could fault where the assumption is wrong.
std::vector<access> risky_accesses() {
    return {
        {"voffset from 2^31 on", load_1, 4, false, 0, 1024, range::bytes, all(0),
         times(4, 0x7fffffe0), 0, 0, "unsigned: outside", guide_range},
        {"voffset + soffset beyond 2^32", load_1, 4, false, 0, 1024, range::bytes, all(0),
         times(4, 0xffffff00), 0, 0x140, "does not wrap: outside", measured},
    };
}

// == others ======================================================================================

void scalar_loads(report& to) {
    struct row {
        const char* name;
        u32 stride;
        u32 records;
        u32 offset;
        int inside;  // dwords
        u32 first;   // byte of the first
        const char* assumed;
        const char* source;
    };
    for (const row& r : {
             row{"s_buffer_load_dwordx4 at the end", 0, 1024, 1016, 2, 1016,
                 "each dword is in range by itself; 0 outside", "ISA guide, 8.2.1"},
             row{"s_buffer_load_dwordx4 with a stride", 16, 64, 1016, 2, 1016,
                 "num_records counts records of the stride", "ISA guide, 8.2.1"},
             row{"s_buffer_load_dwordx4 at an unaligned offset", 0, 1024, 510, 4, 508,
                 "the two low bits are dropped", "ISA guide, 8.2.1"},
         }) {
        to.measure(r.name, r.assumed, r.source, [&] {
            const device_buffer<u32> memory(fresh_memory());
            device_buffer<u32> out(4);
            out.fill_bytes(0x5a);
            const u64 base = reinterpret_cast<u64>(memory.data());
            load_scalar<<<1, 1>>>(
                {static_cast<u32>(base), static_cast<u32>(base >> 32) | r.stride << 16, r.records,
                 0x00020000},
                r.offset, out.data());
            check(hipGetLastError(), r.name);
            const std::vector<u32> got = out.to_host();
            finding found;
            found.said = verdict::same;
            found.seen = "it";
            for (int d = 0; d < 4; ++d) {
                const u32 wanted = d < r.inside ? pattern(r.first / 4 + static_cast<u32>(d)) : 0;
                if (got[static_cast<std::size_t>(d)] != wanted) {
                    found.said = verdict::different;
                    found.seen = format("dword %d is 0x%08x, not 0x%08x", d,
                                        got[static_cast<std::size_t>(d)], wanted);
                    break;
                }
            }
            return found;
        });
    }
}

// How many of 64 lanes' stores have which of the two values in their second dword.
std::string second_dwords(void (*kernel)(u32x4, u32)) {
    const device_buffer<u32> memory(std::vector<u32>(64 * 4));
    const u64 base = reinterpret_cast<u64>(memory.data());
    kernel<<<1, 64>>>({static_cast<u32>(base), static_cast<u32>(base >> 32), 1024, 0x00020000}, 0);
    check(hipGetLastError(), "a wide store");
    const std::vector<u32> got = memory.to_host();
    int before = 0;
    int after = 0;
    for (std::size_t lane = 0; lane < 64; ++lane) {
        before += got[lane * 4 + 1] == 0x40000000 ? 1 : 0;
        after += got[lane * 4 + 1] == 0x40800000 ? 1 : 0;
    }
    return before == 64 ? "what the register held"
           : after == 64
               ? "what the next instruction writes"
               : format("what the register held in %d of 64 lanes, the next in %d", before, after);
}

void wide_stores(const device& on, report& to) {
    to.compare("a wide store with an SGPR offset, 1 state before its data is overwritten",
               "what the register held", "LLVM 197267",
               [] { return second_dwords(overwritten_after_1); });
    const bool is_known = on.arch == "gfx950";
    const char* const next = "what the next instruction writes";
    to.measure("a wide store with an SGPR offset, its data overwritten at once",
               is_known ? next : "nothing",
               is_known ? "LLVM 197267, of an MI350X" : "LLVM wants a state; nobody published more",
               [&] {
                   finding found;
                   found.seen = second_dwords(overwritten_at_once);
                   found.said = !is_known || on.emulated ? verdict::cannot
                                : found.seen == next     ? verdict::same
                                                         : verdict::different;
                   if (on.emulated) {
                       found.seen += " (the emulator reports it instead)";
                   }
                   return found;
               });
}

// -- LDS ------------------------------------------------------------------------------------------

struct lds_state {
    std::vector<u32> lds;
    std::vector<u32> results;  // 4 dwords a lane

    u32 dword(u32 byte) const {
        u32 value;
        std::memcpy(&value, reinterpret_cast<const unsigned char*>(lds.data()) + byte, 4);
        return value;
    }
};

lds_state initial_lds() {
    lds_state s;
    for (u32 n = 0; n < lds_dwords; ++n) {
        s.lds.push_back(pattern(n + 1000000));
    }
    s.results.assign(64 * 4, untouched);
    return s;
}

u32 value_of_lane(u32 lane, u32 n) {
    return 0x22000000 + lane * 0x10001 + n;
}

// `records` bytes of memory are in the buffer of LDS-DMA.
lds_state run_lds(void (*kernel)(lds_arguments), const std::function<u32(u32)>& address,
                  u32 scalar = 0, u32 records = memory_bytes, lds_state s = initial_lds()) {
    const device_buffer<u32> memory(fresh_memory());
    std::vector<u32> addresses;
    std::vector<u32> values;
    for (u32 lane = 0; lane < 64; ++lane) {
        addresses.push_back(address(lane));
        values.push_back(value_of_lane(lane, 0));
        values.push_back(value_of_lane(lane, 1));
    }
    const device_buffer<u32> da(addresses);
    const device_buffer<u32> dv(values);
    const device_buffer<u32> lds(s.lds);
    const device_buffer<u32> results(s.results);
    const u64 base = reinterpret_cast<u64>(memory.data());
    kernel<<<1, 64>>>(
        {da.data(), dv.data(), lds.data(), results.data(), scalar,
         u32x4{static_cast<u32>(base), static_cast<u32>(base >> 32), records, 0x00020000},
         memory.data()});
    check(hipGetLastError(), "a kernel with LDS");
    check(hipDeviceSynchronize(), "a kernel with LDS");
    return {lds.to_host(), results.to_host()};
}

finding same_lds(const lds_state& got, const lds_state& wanted) {
    finding found;
    found.said = verdict::same;
    found.seen = "it in all lanes";
    for (u32 n = 0; n < got.results.size(); ++n) {
        if (got.results[n] != wanted.results[n]) {
            found.said = verdict::different;
            found.seen = format("0x%08x, not 0x%08x, in lane %u, dword %u", got.results[n],
                                wanted.results[n], n / 4, n % 4);
            return found;
        }
    }
    for (u32 n = 0; n < got.lds.size(); ++n) {
        if (got.lds[n] != wanted.lds[n]) {
            found.said = verdict::different;
            found.seen =
                format("0x%08x, not 0x%08x, at byte %u of LDS", got.lds[n], wanted.lds[n], 4 * n);
            return found;
        }
    }
    return found;
}

// A fact of LDS: what it is to hold and to return is made of the initial state.
struct lds_row {
    const char* name;
    void (*kernel)(lds_arguments);
    std::function<u32(u32)> address;
    std::function<void(lds_state&)> expected;
    const char* assumed;
    const char* source;
    u32 scalar = 0;
    u32 records = memory_bytes;
};

void look(report& to, const std::vector<lds_row>& rows) {
    for (const lds_row& r : rows) {
        to.measure(r.name, r.assumed, r.source, [&] {
            lds_state wanted = initial_lds();
            r.expected(wanted);
            return same_lds(run_lds(r.kernel, r.address, r.scalar, r.records), wanted);
        });
    }
}

// dword d of each lane's result is `byte`(lane, d) of LDS.
std::function<void(lds_state&)> reads(u32 dwords, const std::function<u32(u32, u32)>& byte) {
    return [=](lds_state& s) {
        for (u32 lane = 0; lane < 64; ++lane) {
            for (u32 d = 0; d < dwords; ++d) {
                s.results[lane * 4 + d] = s.dword(byte(lane, d));
            }
        }
    };
}

void of_lds(report& to) {
    const auto every_other = [](u32 lane) { return mixed(lane) * 8; };
    look(to, {{"ds_read_b32 with M0 0", ds_read_m0, every_other,
               reads(1, [=](u32 lane, u32) { return every_other(lane); }), "M0 is no limit",
               "LLVM's AMDGPUUsage: gfx9 and later"},
              {"ds_read_b32 at an unaligned address", ds_read, times(5, 1),
               reads(1, [](u32 lane, u32) { return lane * 5 + 1; }), "goes where it points",
               "LLVM's AMDGPUUsage: unaligned-access-mode"},
              {"ds_read_b64 at a multiple of 4", ds_read_2, times(12, 4),
               reads(2, [](u32 lane, u32 d) { return lane * 12 + 4 + 4 * d; }),
               "goes where it points", "LLVM's AMDGPUUsage: unaligned-access-mode"},
              {"ds_read_b128 at a multiple of 4", ds_read_4, times(20, 4),
               reads(4, [](u32 lane, u32 d) { return lane * 20 + 4 + 4 * d; }),
               "goes where it points", "LLVM's AMDGPUUsage: unaligned-access-mode"},
              {"ds_read2_b32", ds_read2, every_other,
               reads(2, [=](u32 lane, u32 d) { return every_other(lane) + 4 + 8 * d; }),
               "offsets are dwords", "ISA guide, 12: DS_READ2_B32"},
              {"ds_read2st64_b32", ds_read2st64, every_other,
               reads(2, [=](u32 lane, u32 d) { return every_other(lane) + 256 + 512 * d; }),
               "offsets are 64 dwords", "ISA guide, 12: DS_READ2ST64_B32"}});
    // The address is also the data.
    look(to, {{"ds_bpermute_b32", ds_bpermute, times(12, 0),
               [](lds_state& s) {
                   for (u32 lane = 0; lane < 64; ++lane) {
                       s.results[lane * 4] = lane * 12 / 4 % 64 * 12;
                   }
               },
               "the lane's number is address / 4 modulo 64", "ISA guide, 12: DS_BPERMUTE_B32"},
              {"ds_permute_b32", ds_permute, times(12, 0),
               [](lds_state& s) {
                   for (u32 lane = 0; lane < 64; ++lane) {
                       s.results[lane * 12 / 4 % 64 * 4] = lane * 12;
                   }
               },
               "the lane's number is address / 4 modulo 64", "ISA guide, 12: DS_PERMUTE_B32"}});
}

// Beyond the LDS of all groups of a compute unit: nothing can be there.
void beyond_lds(const device& on, report& to) {
    const auto beyond = [](u32 lane) { return (1u << 20) + lane * 8; };
    const auto zeros = [](u32 dwords) {
        return [=](lds_state& s) {
            for (u32 lane = 0; lane < 64; ++lane) {
                for (u32 d = 0; d < dwords; ++d) {
                    s.results[lane * 4 + d] = 0;
                }
            }
        };
    };
    const std::vector<lds_row> rows = {
        {"ds_read_b32 beyond LDS", ds_read, beyond, zeros(1), "0", "ISA guide, 3.6.1"},
        {"ds_read_b64 beyond LDS", ds_read_2, beyond, zeros(2), "0", "ISA guide, 3.6.1"},
        {"ds_write_b32 beyond LDS", ds_write, beyond, [](lds_state&) {}, "dropped",
         "ISA guide, 3.6.1"},
        {"ds_write_b64 beyond LDS", ds_write_2, beyond, [](lds_state&) {}, "dropped",
         "ISA guide, 3.6.1"},
    };
    if (!on.emulated) {
        look(to, rows);
        return;
    }
    for (const lds_row& r : rows) {
        to.measure(r.name, r.assumed, r.source, [] {
            finding found;
            found.seen = "nothing: the emulator ends a kernel there";
            return found;
        });
    }
}

// LDS-DMA: `bytes` of each lane go to byte lds(lane); nothing goes where `on` is false.
std::function<void(lds_state&)> loads_to_lds(u32 bytes, const std::function<u32(u32)>& memory,
                                             const std::function<u32(u32)>& lds,
                                             const std::function<bool(u32)>& on,
                                             u32 records = memory_bytes) {
    return [=](lds_state& s) {
        const std::vector<u32> words = fresh_memory();
        for (u32 lane = 0; lane < 64; ++lane) {
            for (u32 d = 0; on(lane) && d * 4 < bytes; ++d) {
                const u32 part = bytes < 4 ? bytes : 4;
                const u32 byte = memory(lane) + 4 * d;
                u32 value = 0;
                if (byte + part <= records) {
                    std::memcpy(&value, reinterpret_cast<const unsigned char*>(words.data()) + byte,
                                part);
                }
                s.lds[(lds(lane) + 4 * d) / 4] = value;
            }
        }
    };
}

void of_lds_dma(const device& on, report& to) {
    const auto memory = [](u32 lane) { return mixed(lane) * 16; };
    const auto yes = [](u32) { return true; };
    const char* const dma_guide = "ISA guide, 9.1.9";
    look(to,
         {{"LDS-DMA of a dword", dma, memory, loads_to_lds(4, memory, times(4, 512), yes),
           "to M0 + 4 * lane, whatever the lane's address", dma_guide, 512},
          {"LDS-DMA with imm", dma_imm, memory,
           loads_to_lds(
               4, [=](u32 lane) { return memory(lane) + 256; }, times(4, 768), yes),
           "imm moves both ends", dma_guide, 512},
          {"LDS-DMA of a byte", dma_byte, times(3), loads_to_lds(1, times(3), times(4, 512), yes),
           "extended to a dword", dma_guide, 512},
          {"LDS-DMA of 2 bytes", dma_short, times(6), loads_to_lds(2, times(6), times(4, 512), yes),
           "extended to a dword", dma_guide, 512},
          {"LDS-DMA with lanes off", dma_some_lanes, memory,
           loads_to_lds(4, memory, times(4, 512),
                        [](u32 lane) { return (0x0f0f >> lane & 1) != 0 && lane < 16; }),
           "they leave gaps", dma_guide, 512},
          {"LDS-DMA beyond the end", dma, memory, loads_to_lds(4, memory, times(4, 512), yes, 500),
           "zeros are written", "measured on gfx950", 512, 500},
          {"global_load_lds_dword", dma_global, memory, loads_to_lds(4, memory, times(4, 512), yes),
           "to M0 + 4 * lane", dma_guide, 512}});
    if (on.arch != "gfx950") {
        return;
    }
    look(to, {{"LDS-DMA of 3 dwords", dma_3, memory, loads_to_lds(12, memory, times(16, 512), yes),
               "to M0 + 16 * lane, the fourth dword is left", dma_guide, 512},
              {"LDS-DMA of 4 dwords", dma_4, memory, loads_to_lds(16, memory, times(16, 512), yes),
               "to M0 + 16 * lane", dma_guide, 512},
              {"LDS-DMA of 4 dwords beyond the end", dma_4, memory,
               loads_to_lds(16, memory, times(16, 512), yes, 504), "zeros, dword by dword",
               "measured on gfx950; by dword: an assumption", 512, 504}});
}

// Transposed reads of E elements: element n of lane l is element r % E of the row that lane B + r /
// E + (16 / E) * n points to, where B = l / 16 * 16 and r = l % 16. (Of 4 and 6 bits E is 16.)
std::function<void(lds_state&)> transposed(u32 bits, u32 elements,
                                           const std::function<u32(u32)>& address) {
    return [=](lds_state& s) {
        const auto bit_at = [&](u32 bit) { return s.lds[bit / 32] >> (bit % 32) & 1; };
        std::vector<u32> results(s.results.size());
        for (u32 lane = 0; lane < 64; ++lane) {
            const u32 first = lane / 16 * 16;
            const u32 r = lane % 16;
            for (u32 n = 0; n < elements; ++n) {
                const u32 source = first + r / elements + 16 / elements * n;
                for (u32 bit = 0; bit < bits; ++bit) {
                    const u32 value = bit_at(address(source) * 8 + r % elements * bits + bit);
                    const u32 to = n * bits + bit;
                    results[lane * 4 + to / 32] |= value << (to % 32);
                }
            }
            for (u32 d = bits * elements / 32; d < 4; ++d) {
                results[lane * 4 + d] = untouched;
            }
        }
        s.results = results;
    };
}

void of_transposed_reads(report& to) {
    const auto rows_8 = [](u32 lane) { return mixed(lane) * 24; };
    const auto rows_12 = [](u32 lane) { return mixed(lane) * 32; };
    const char* const rule = "lane l gets column l % 16 of 16 lanes' rows";
    look(to, {{"ds_read_b64_tr_b16", read_tr_b16, rows_8, transposed(16, 4, rows_8), rule,
               "measured on gfx950"},
              {"ds_read_b64_tr_b8", read_tr_b8, rows_8, transposed(8, 8, rows_8), rule,
               "two public sources, no measurement"},
              {"ds_read_b64_tr_b4", read_tr_b4, rows_8, transposed(4, 16, rows_8), rule,
               "two public sources, no measurement"},
              {"ds_read_b96_tr_b6", read_tr_b6, rows_12, transposed(6, 16, rows_12), rule,
               "an assumption, as of b4"}});
}

void look(report& to, const std::vector<access>& rows) {
    for (const access& a : rows) {
        to.measure(a.name, a.assumed, a.source, [&] { return look_at(a); });
    }
}

}  // namespace

void memory_rules(const device& on, report& to) {
    look(to, accesses());
    scalar_loads(to);
    wide_stores(on, to);
    of_lds(to);
    of_lds_dma(on, to);
    if (on.arch == "gfx950") {
        of_transposed_reads(to);
    }
    beyond_lds(on, to);
    look(to, risky_accesses());
}

}  // namespace gpu_facts
