#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;

TEST(dpp, names_are_the_controls_of_the_isa) {
    EXPECT_EQ((dpp::quad_perm<0, 1, 2, 3>), 0xe4);
    EXPECT_EQ((dpp::quad_perm<3, 0, 0, 0>), 0x03);
    EXPECT_EQ(dpp::row_shl<1>, 0x101);
    EXPECT_EQ(dpp::row_shr<15>, 0x11f);
    EXPECT_EQ(dpp::row_ror<8>, 0x128);
    EXPECT_EQ(dpp::wave_shl, 0x130);
    EXPECT_EQ(dpp::wave_rol, 0x134);
    EXPECT_EQ(dpp::wave_shr, 0x138);
    EXPECT_EQ(dpp::wave_ror, 0x13c);
    EXPECT_EQ(dpp::row_mirror, 0x140);
    EXPECT_EQ(dpp::row_half_mirror, 0x141);
    EXPECT_EQ(dpp::row_bcast15, 0x142);
    EXPECT_EQ(dpp::row_bcast31, 0x143);
    EXPECT_EQ(dpp::row_newbcast<0>, 0x150);
    EXPECT_EQ(dpp::row_newbcast<15>, 0x15f);
}

}  // namespace
