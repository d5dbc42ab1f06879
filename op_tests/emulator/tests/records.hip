// Buffers of records by resources that are made by hand: with a stride, an index or the lane, and
// swizzled. Every form gives the bits of the kernel that uses pointers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

struct record {
    float x, a, b, y;  // y = a x + b, y x - b
};

constexpr uint32_t records = 1000;
constexpr uint32_t threads = 1024;  // some have no record

using words_t = uint32_t __attribute__((ext_vector_type(4)));
using floats_t = float __attribute__((ext_vector_type(4)));
using place_t = uint32_t __attribute__((ext_vector_type(2)));

// A resource (ISA guide 9.1.8).
struct resource {
    uint32_t word[4];
};

__device__ words_t words_of(const resource& r) {
    return words_t{r.word[0], r.word[1], r.word[2], r.word[3]};
}

__device__ uint32_t thread() {
    return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}

__device__ float result_of(float x, float a, float b) {
    const float y = __builtin_fmaf(a, x, b);
    return __builtin_fmaf(y, x, -b);
}

__global__ void by_pointer(record* r) {
    const uint32_t n = thread();
    if (n < records) {
        r[n].y = result_of(r[n].x, r[n].a, r[n].b);
    }
}

template <int Offset>
__device__ float load(words_t r, uint32_t index) {
    float value;
    asm volatile("buffer_load_dword %0, %1, %2, 0 idxen offset:%3\n\ts_waitcnt vmcnt(0)"
                 : "=v"(value)
                 : "v"(index), "s"(r), "n"(Offset)
                 : "memory");
    return value;
}

// The range check of the index takes the place of the comparison; the store has the offset in a
// register.
__global__ void by_index(resource of) {
    const uint32_t n = thread();
    const words_t r = words_of(of);
    const float y = result_of(load<0>(r, n), load<4>(r, n), load<8>(r, n));
    const place_t place = {n, 12};
    asm volatile("buffer_store_dword %0, %1, %2, 0 idxen offen" ::"v"(y), "v"(place), "s"(r)
                 : "memory");
}

// Whole records of a linear buffer.
__global__ void by_index_wide(resource of) {
    const uint32_t n = thread();
    const words_t r = words_of(of);
    floats_t v;
    asm volatile("buffer_load_dwordx4 %0, %1, %2, 0 idxen\n\ts_waitcnt vmcnt(0)"
                 : "=v"(v)
                 : "v"(n), "s"(r)
                 : "memory");
    v[3] = result_of(v[0], v[1], v[2]);
    asm volatile("buffer_store_dwordx4 %0, %1, %2, 0 idxen" ::"v"(v), "v"(n), "s"(r) : "memory");
}

// The lane is the index; soffset is the group's first record. Nothing is range-checked.
__global__ void by_lane(resource of, uint32_t group_bytes) {
    const words_t r = words_of(of);
    const uint32_t first = __builtin_amdgcn_workgroup_id_x() * group_bytes;
    if (thread() < records) {
        float x, a, b;
        asm volatile(
            "buffer_load_dword %0, off, %3, %4\n\tbuffer_load_dword %1, off, %3, %4 offset:4\n\t"
            "buffer_load_dword %2, off, %3, %4 offset:8\n\ts_waitcnt vmcnt(0)"
            : "=&v"(x), "=&v"(a), "=&v"(b)
            : "s"(r), "s"(first)
            : "memory");
        const float y = result_of(x, a, b);
        asm volatile("buffer_store_dword %0, off, %1, %2 offset:12" ::"v"(y), "s"(r), "s"(first)
                     : "memory");
    }
}

// A stride without an index, as GEMMs set one: bytes count. clang's own instructions.
__global__ void by_offset(record* base) {
    const auto r = __builtin_amdgcn_make_buffer_rsrc(
        base, sizeof(record), static_cast<int>(records * sizeof(record)), 0x00020000);
    const int n = static_cast<int>(thread() * sizeof(record));
    const auto field = [&](int offset) {
        return __builtin_bit_cast(float, __builtin_amdgcn_raw_buffer_load_b32(r, n + offset, 0, 0));
    };
    const float y = result_of(field(0), field(4), field(8));
    __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(uint32_t, y), r, n + 12, 0, 0);
}

// Byte of a record's field in a swizzled buffer (ISA guide 9.1.5.2).
size_t swizzled(size_t index, size_t offset, size_t index_stride) {
    return (index / index_stride * sizeof(record) + offset) * index_stride +
           index % index_stride * 4;
}

int main() {
    std::vector<record> in(threads);
    for (uint32_t n = 0; n < threads; ++n) {
        const float x = static_cast<float>(n) * 0.37f - 100.0f;
        in[n] = {x, 1.0f / (x + 0.123f), x * x * 0.01f, -1.0f};
    }
    constexpr size_t bytes = sizeof(record) * threads;
    record* memory = nullptr;
    if (hipMalloc(reinterpret_cast<void**>(&memory), bytes) != 0) {
        return 2;
    }
    std::vector<record> expected(threads);
    int wrong = 0;
    const auto run = [&](const char* name, size_t index_stride, auto&& launch) {
        std::vector<record> image(threads);
        const auto at = [&](size_t n, size_t offset) {
            return reinterpret_cast<char*>(image.data()) +
                   (index_stride == 0 ? sizeof(record) * n + offset
                                      : swizzled(n, offset, index_stride));
        };
        for (size_t n = 0; n < threads; ++n) {
            for (size_t offset = 0; offset < sizeof(record); offset += 4) {
                std::memcpy(at(n, offset), reinterpret_cast<const char*>(&in[n]) + offset, 4);
            }
        }
        if (hipMemcpy(memory, image.data(), bytes, 1) != 0) {
            return 1;
        }
        launch();
        if (hipMemcpy(image.data(), memory, bytes, 2) != 0) {
            return 1;
        }
        std::vector<record> out(threads);
        for (size_t n = 0; n < threads; ++n) {
            for (size_t offset = 0; offset < sizeof(record); offset += 4) {
                std::memcpy(reinterpret_cast<char*>(&out[n]) + offset, at(n, offset), 4);
            }
        }
        if (expected[0].x == 0) {
            expected = out;
        }
        int different = 0;
        for (size_t n = 0; n < threads; ++n) {
            different += std::memcmp(&out[n], &expected[n], sizeof(record)) != 0;
        }
        std::printf("%s, index stride %zu: %d of %u records differ\n", name, index_stride,
                    different, threads);
        return different;
    };
    const auto resource_of = [&](uint32_t word_1, uint32_t word_3) {
        const uint64_t base = reinterpret_cast<uintptr_t>(memory);
        constexpr uint32_t stride = sizeof(record) << 16;
        return resource{{static_cast<uint32_t>(base),
                         static_cast<uint32_t>(base >> 32) | stride | word_1, records, word_3}};
    };
    constexpr uint32_t format = 0x00020000;
    constexpr uint32_t add_tid = 1u << 23;
    constexpr uint32_t swizzle = 1u << 31;
    const dim3 groups(threads / 64);
    constexpr uint32_t group_bytes = 64 * sizeof(record);
    wrong += run("pointers", 0, [&] { by_pointer<<<groups, 64>>>(memory); });
    for (uint32_t n = 0; n < records; ++n) {
        wrong += expected[n].y == -1.0f;
    }
    wrong += run("by offset", 0, [&] { by_offset<<<groups, 64>>>(memory); });
    wrong += run("by index", 0, [&] { by_index<<<groups, 64>>>(resource_of(0, format)); });
    wrong +=
        run("by index, wide", 0, [&] { by_index_wide<<<groups, 64>>>(resource_of(0, format)); });
    wrong +=
        run("by lane", 0, [&] { by_lane<<<groups, 64>>>(resource_of(0, add_tid), group_bytes); });
    for (uint32_t code = 0; code < 4; ++code) {
        const size_t index_stride = size_t{8} << code;
        wrong += run("by index", index_stride,
                     [&] { by_index<<<groups, 64>>>(resource_of(swizzle, format | code << 21)); });
        wrong += run("by lane", index_stride, [&] {
            by_lane<<<groups, 64>>>(resource_of(swizzle, add_tid | code << 21), group_bytes);
        });
    }
    return wrong == 0 ? 0 : 1;
}
