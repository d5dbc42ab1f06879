#include <gtest/gtest.h>

#include "opus/hip_minimal.hpp"
#define OPUS_ENABLE_RUNTIME_QUERY 1
#include "opus/opus.hpp"

// A runtime for the queries: two devices, of which one is current. Each attribute is 1000 times the
// device's number plus the attribute.
static int current_device = 0;
extern "C" {
hipError_t hipGetDevice(int* device) {
    *device = current_device;
    return current_device < 0 ? hipErrorNoDevice : hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
    *value = 1000 * device + static_cast<int>(attribute);
    return device > 1 ? hipErrorInvalidDevice : hipSuccess;
}
}

namespace {

using namespace opus;

TEST(queries, ask_about_the_current_device) {
    for (const int device : {0, 1}) {
        current_device = device;
        EXPECT_EQ(query_warp_size(), 1000 * device + hipDeviceAttributeWarpSize);
        EXPECT_EQ(query_smem_size(), 1000 * device + hipDeviceAttributeMaxSharedMemoryPerBlock);
        EXPECT_EQ(query_num_cu(), 1000 * device + hipDeviceAttributeMultiprocessorCount);
    }
}

TEST(queries, throw_what_failed) {
    struct {
        int device;
        hipError_t status;
        const char* call;
    } const failures[] = {{-1, hipErrorNoDevice, "hipGetDevice"},
                          {2, hipErrorInvalidDevice, "hipDeviceGetAttribute"}};
    for (const auto& failure : failures) {
        current_device = failure.device;
        try {
            query_num_cu();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const runtime_query_error& error) {
            EXPECT_EQ(error.status, failure.status);
            EXPECT_STREQ(error.call, failure.call);
        }
    }
}

static_assert(get_warp_size() == 64);
static_assert(get_smem_size() == 65536);

}  // namespace
