// print and print_tile: whole tables, as they come out of the terminal.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "opus/opus_debug.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

// What `f` prints.
template <class F>
std::string printed(const F& f) {
    testing::internal::CaptureStdout();
    f();
    return testing::internal::GetCapturedStdout();
}
template <class Layout>
std::string table(const Layout& u) {
    return printed([&] { print(u); });
}

// == layouts ======================================================================================

TEST(print, rows_and_columns) {
    EXPECT_EQ(table(make_layout(2_I, 3_I)),
              "shape (2_I, 3_I), stride (3_I, 1_I): in each cell the offset\n"
              "\n"
              "  0 1 2\n"
              "0 0 1 2\n"
              "1 3 4 5\n");
}

TEST(print, one_dim) {
    EXPECT_EQ(table(make_layout(make_tuple(4_I), make_tuple(-3))),
              "shape (4_I), stride (-3): in each cell the offset\n"
              "\n"
              "  0  1  2  3\n"
              "  0 -3 -6 -9\n");
}

TEST(print, extents_at_run_time) {
    const int rows = 2;
    const long_index_t far = 1ll << 33;
    EXPECT_EQ(table(make_layout(make_tuple(rows, 2_I), make_tuple(far, 1_I))),
              "shape (2, 2_I), stride (8589934592, 1_I): in each cell the offset\n"
              "\n"
              "           0          1\n"
              "0          0          1\n"
              "1 8589934592 8589934593\n");
    EXPECT_EQ(table(make_layout(make_tuple(0, 4))),
              "shape (0, 4), stride (4, 1_I): in each cell the offset\n");
}

TEST(print, a_table_for_each_leading_index) {
    EXPECT_EQ(table(make_layout(2_I, 2_I, 11_I, 2_I)),
              "shape (2_I, 2_I, 11_I, 2_I), stride (44_I, 22_I, 2_I, 1_I): in each cell the "
              "offset\n"
              "\n"
              "        0  1\n"
              " 0,0,0  0  1\n"
              " 0,0,1  2  3\n"
              " 0,0,2  4  5\n"
              " 0,0,3  6  7\n"
              " 0,0,4  8  9\n"
              " 0,0,5 10 11\n"
              " 0,0,6 12 13\n"
              " 0,0,7 14 15\n"
              " 0,0,8 16 17\n"
              " 0,0,9 18 19\n"
              "0,0,10 20 21\n"
              "\n"
              "        0  1\n"
              " 0,1,0 22 23\n"
              " 0,1,1 24 25\n"
              " 0,1,2 26 27\n"
              " 0,1,3 28 29\n"
              " 0,1,4 30 31\n"
              " 0,1,5 32 33\n"
              " 0,1,6 34 35\n"
              " 0,1,7 36 37\n"
              " 0,1,8 38 39\n"
              " 0,1,9 40 41\n"
              "0,1,10 42 43\n"
              "\n"
              "        0  1\n"
              " 1,0,0 44 45\n"
              " 1,0,1 46 47\n"
              " 1,0,2 48 49\n"
              " 1,0,3 50 51\n"
              " 1,0,4 52 53\n"
              " 1,0,5 54 55\n"
              " 1,0,6 56 57\n"
              " 1,0,7 58 59\n"
              " 1,0,8 60 61\n"
              " 1,0,9 62 63\n"
              "1,0,10 64 65\n"
              "\n"
              "        0  1\n"
              " 1,1,0 66 67\n"
              " 1,1,1 68 69\n"
              " 1,1,2 70 71\n"
              " 1,1,3 72 73\n"
              " 1,1,4 74 75\n"
              " 1,1,5 76 77\n"
              " 1,1,6 78 79\n"
              " 1,1,7 80 81\n"
              " 1,1,8 82 83\n"
              " 1,1,9 84 85\n"
              "1,1,10 86 87\n");
}

TEST(print, lines_of_100_characters) {
    EXPECT_EQ(table(make_layout(make_tuple(1_I, 33_I), make_tuple(0_I, 2_I))),
              "shape (1_I, 33_I), stride (0_I, 2_I): in each cell the offset\n"
              "\n"
              "   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16"
              " 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32\n"
              "0  0  2  4  6  8 10 12 14 16 18 20 22 24 26 28 30 32"
              " 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64\n");
    EXPECT_EQ(table(make_layout(make_tuple(1_I, 34_I), make_tuple(0_I, 2_I))),
              "shape (1_I, 34_I), stride (0_I, 2_I): in each cell the offset\n"
              "\n"
              "   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16"
              " 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31\n"
              "0  0  2  4  6  8 10 12 14 16 18 20 22 24 26 28 30 32"
              " 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62\n"
              "\n"
              "  32 33\n"
              "0 64 66\n");
    EXPECT_EQ(table(make_layout(make_tuple(1_I, 11_I, 9_I), make_tuple(0_I, 0_I, 10000000000ll))),
              "shape (1_I, 11_I, 9_I), stride (0_I, 0_I, 10000000000): in each cell the offset\n"
              "\n"
              "               0           1           2           3"
              "           4           5           6           7\n"
              " 0,0           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,1           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,2           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,3           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,4           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,5           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,6           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,7           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,8           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              " 0,9           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              "0,10           0 10000000000 20000000000 30000000000"
              " 40000000000 50000000000 60000000000 70000000000\n"
              "\n"
              "               8\n"
              " 0,0 80000000000\n"
              " 0,1 80000000000\n"
              " 0,2 80000000000\n"
              " 0,3 80000000000\n"
              " 0,4 80000000000\n"
              " 0,5 80000000000\n"
              " 0,6 80000000000\n"
              " 0,7 80000000000\n"
              " 0,8 80000000000\n"
              " 0,9 80000000000\n"
              "0,10 80000000000\n");
}

TEST(print, moves_shifts_and_swizzles) {
    auto u = composition(swizzle<1, 0, 2>{}, make_layout(4_I, 4_I)) + 8_I;
    u += 20;
    EXPECT_EQ(table(u),
              "shape (4_I, 4_I), stride (4_I, 1_I): in each cell the offset\n"
              "\n"
              "   0  1  2  3\n"
              "0 29 28 31 30\n"
              "1 32 33 34 35\n"
              "2 37 36 39 38\n"
              "3 40 41 42 43\n");
}

TEST(print, accesses_of_a_thread) {
    const auto shape = make_tuple(4_I, 2_I, 8_I);
    const auto stride = make_tuple(100, 10_I, 1_I);
    EXPECT_EQ(table(make_layout(shape, stride, make_tuple(3, _, 5_I))),
              "shape (4_I, 2_I, 8_I), stride (100, 10_I, 1_I), coordinate (3, _, 5_I): in each "
              "cell the offset of an access\n"
              "\n"
              "   0   1\n"
              " 305 315\n");
    // In vectors.
    auto u = make_layout<4>(shape, stride, make_tuple(3, _, _));
    u += 2000;
    EXPECT_EQ(table(u + 4_I),
              "shape (4_I, 2_I, 8_I), stride (100, 10_I, 1_I), coordinate (3, _, _): in each cell "
              "the offset of an access of 4 elements\n"
              "\n"
              "    0    1    2    3\n"
              " 2304 2308 2314 2318\n");
    EXPECT_EQ(table(make_layout(make_tuple(4, 2), make_tuple(100, 10), make_tuple(_, _))),
              "shape (4, 2), stride (100, 10), coordinate (_, _): in each cell the offset of an "
              "access\n"
              "\n"
              "   0   1   2   3   4   5   6   7\n"
              "   0  10 100 110 200 210 300 310\n");
    EXPECT_EQ(table(make_layout(make_tuple(4_I), make_tuple(100), make_tuple(3))),
              "shape (4_I), stride (100), coordinate (3): in each cell the offset of an access\n"
              "\n"
              "   0\n"
              " 300\n");
}

// == tiles ========================================================================================

TEST(print_tile, holders_of_c) {
    const auto mma = make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 16_I, 4_I, mfma_adaptor_swap_ab{});
    EXPECT_EQ(printed([&] { print_tile(mma); }), R"(C, 16 x 16 (m x n): in each cell thread:item

      0    1    2    3    4    5    6    7    8    9   10   11   12   13   14   15
 0  0:0  0:1  0:2  0:3 16:0 16:1 16:2 16:3 32:0 32:1 32:2 32:3 48:0 48:1 48:2 48:3
 1  1:0  1:1  1:2  1:3 17:0 17:1 17:2 17:3 33:0 33:1 33:2 33:3 49:0 49:1 49:2 49:3
 2  2:0  2:1  2:2  2:3 18:0 18:1 18:2 18:3 34:0 34:1 34:2 34:3 50:0 50:1 50:2 50:3
 3  3:0  3:1  3:2  3:3 19:0 19:1 19:2 19:3 35:0 35:1 35:2 35:3 51:0 51:1 51:2 51:3
 4  4:0  4:1  4:2  4:3 20:0 20:1 20:2 20:3 36:0 36:1 36:2 36:3 52:0 52:1 52:2 52:3
 5  5:0  5:1  5:2  5:3 21:0 21:1 21:2 21:3 37:0 37:1 37:2 37:3 53:0 53:1 53:2 53:3
 6  6:0  6:1  6:2  6:3 22:0 22:1 22:2 22:3 38:0 38:1 38:2 38:3 54:0 54:1 54:2 54:3
 7  7:0  7:1  7:2  7:3 23:0 23:1 23:2 23:3 39:0 39:1 39:2 39:3 55:0 55:1 55:2 55:3
 8  8:0  8:1  8:2  8:3 24:0 24:1 24:2 24:3 40:0 40:1 40:2 40:3 56:0 56:1 56:2 56:3
 9  9:0  9:1  9:2  9:3 25:0 25:1 25:2 25:3 41:0 41:1 41:2 41:3 57:0 57:1 57:2 57:3
10 10:0 10:1 10:2 10:3 26:0 26:1 26:2 26:3 42:0 42:1 42:2 42:3 58:0 58:1 58:2 58:3
11 11:0 11:1 11:2 11:3 27:0 27:1 27:2 27:3 43:0 43:1 43:2 43:3 59:0 59:1 59:2 59:3
12 12:0 12:1 12:2 12:3 28:0 28:1 28:2 28:3 44:0 44:1 44:2 44:3 60:0 60:1 60:2 60:3
13 13:0 13:1 13:2 13:3 29:0 29:1 29:2 29:3 45:0 45:1 45:2 45:3 61:0 61:1 61:2 61:3
14 14:0 14:1 14:2 14:3 30:0 30:1 30:2 30:3 46:0 46:1 46:2 46:3 62:0 62:1 62:2 62:3
15 15:0 15:1 15:2 15:3 31:0 31:1 31:2 31:3 47:0 47:1 47:2 47:3 63:0 63:1 63:2 63:3
)");
}

TEST(print_tile, holders_of_blocks) {
    const auto mma = make_mfma<fp64_t, fp64_t, fp64_t>(4_I, 4_I, 4_I);
    EXPECT_EQ(printed([&] { print_tile(mma); }),
              R"(C, 4 blocks of 4 x 4 (m x n): in each cell thread:item

       0    1    2    3
0,0  0:0  1:0  2:0  3:0
0,1 16:0 17:0 18:0 19:0
0,2 32:0 33:0 34:0 35:0
0,3 48:0 49:0 50:0 51:0

       0    1    2    3
1,0  4:0  5:0  6:0  7:0
1,1 20:0 21:0 22:0 23:0
1,2 36:0 37:0 38:0 39:0
1,3 52:0 53:0 54:0 55:0

       0    1    2    3
2,0  8:0  9:0 10:0 11:0
2,1 24:0 25:0 26:0 27:0
2,2 40:0 41:0 42:0 43:0
2,3 56:0 57:0 58:0 59:0

       0    1    2    3
3,0 12:0 13:0 14:0 15:0
3,1 28:0 29:0 30:0 31:0
3,2 44:0 45:0 46:0 47:0
3,3 60:0 61:0 62:0 63:0
)");
}

// Waves along the third dimension have the same part: a table for each.
// wave = (m * TN + n) * TK + k
TEST(print_tile, holders_of_a_and_b_in_waves) {
    const auto a =
        make_tiled_mma<fp64_t, fp64_t, fp64_t>(seq<1, 1, 1>{}, seq<1, 2, 2>{}, seq<16, 16, 4>{});
    EXPECT_EQ(printed([&] { print_tile_a(a); }), R"(A, 16 x 8 (m x k): in each cell thread:item

Waves with n = 0:

       0     1     2     3     4     5     6     7
 0   0:0  16:0  32:0  48:0  64:0  80:0  96:0 112:0
 1   1:0  17:0  33:0  49:0  65:0  81:0  97:0 113:0
 2   2:0  18:0  34:0  50:0  66:0  82:0  98:0 114:0
 3   3:0  19:0  35:0  51:0  67:0  83:0  99:0 115:0
 4   4:0  20:0  36:0  52:0  68:0  84:0 100:0 116:0
 5   5:0  21:0  37:0  53:0  69:0  85:0 101:0 117:0
 6   6:0  22:0  38:0  54:0  70:0  86:0 102:0 118:0
 7   7:0  23:0  39:0  55:0  71:0  87:0 103:0 119:0
 8   8:0  24:0  40:0  56:0  72:0  88:0 104:0 120:0
 9   9:0  25:0  41:0  57:0  73:0  89:0 105:0 121:0
10  10:0  26:0  42:0  58:0  74:0  90:0 106:0 122:0
11  11:0  27:0  43:0  59:0  75:0  91:0 107:0 123:0
12  12:0  28:0  44:0  60:0  76:0  92:0 108:0 124:0
13  13:0  29:0  45:0  61:0  77:0  93:0 109:0 125:0
14  14:0  30:0  46:0  62:0  78:0  94:0 110:0 126:0
15  15:0  31:0  47:0  63:0  79:0  95:0 111:0 127:0

Waves with n = 1:

       0     1     2     3     4     5     6     7
 0 128:0 144:0 160:0 176:0 192:0 208:0 224:0 240:0
 1 129:0 145:0 161:0 177:0 193:0 209:0 225:0 241:0
 2 130:0 146:0 162:0 178:0 194:0 210:0 226:0 242:0
 3 131:0 147:0 163:0 179:0 195:0 211:0 227:0 243:0
 4 132:0 148:0 164:0 180:0 196:0 212:0 228:0 244:0
 5 133:0 149:0 165:0 181:0 197:0 213:0 229:0 245:0
 6 134:0 150:0 166:0 182:0 198:0 214:0 230:0 246:0
 7 135:0 151:0 167:0 183:0 199:0 215:0 231:0 247:0
 8 136:0 152:0 168:0 184:0 200:0 216:0 232:0 248:0
 9 137:0 153:0 169:0 185:0 201:0 217:0 233:0 249:0
10 138:0 154:0 170:0 186:0 202:0 218:0 234:0 250:0
11 139:0 155:0 171:0 187:0 203:0 219:0 235:0 251:0
12 140:0 156:0 172:0 188:0 204:0 220:0 236:0 252:0
13 141:0 157:0 173:0 189:0 205:0 221:0 237:0 253:0
14 142:0 158:0 174:0 190:0 206:0 222:0 238:0 254:0
15 143:0 159:0 175:0 191:0 207:0 223:0 239:0 255:0
)");
    const auto b =
        make_tiled_mma<fp64_t, fp64_t, fp64_t>(seq<1, 1, 2>{}, seq<2, 1, 1>{}, seq<16, 16, 4>{});
    EXPECT_EQ(printed([&] { print_tile_b(b); }), R"(B, 16 x 8 (n x k): in each cell thread:item

Waves with m = 0:

      0    1    2    3    4    5    6    7
 0  0:0 16:0 32:0 48:0  0:1 16:1 32:1 48:1
 1  1:0 17:0 33:0 49:0  1:1 17:1 33:1 49:1
 2  2:0 18:0 34:0 50:0  2:1 18:1 34:1 50:1
 3  3:0 19:0 35:0 51:0  3:1 19:1 35:1 51:1
 4  4:0 20:0 36:0 52:0  4:1 20:1 36:1 52:1
 5  5:0 21:0 37:0 53:0  5:1 21:1 37:1 53:1
 6  6:0 22:0 38:0 54:0  6:1 22:1 38:1 54:1
 7  7:0 23:0 39:0 55:0  7:1 23:1 39:1 55:1
 8  8:0 24:0 40:0 56:0  8:1 24:1 40:1 56:1
 9  9:0 25:0 41:0 57:0  9:1 25:1 41:1 57:1
10 10:0 26:0 42:0 58:0 10:1 26:1 42:1 58:1
11 11:0 27:0 43:0 59:0 11:1 27:1 43:1 59:1
12 12:0 28:0 44:0 60:0 12:1 28:1 44:1 60:1
13 13:0 29:0 45:0 61:0 13:1 29:1 45:1 61:1
14 14:0 30:0 46:0 62:0 14:1 30:1 46:1 62:1
15 15:0 31:0 47:0 63:0 15:1 31:1 47:1 63:1

Waves with m = 1:

       0     1     2     3     4     5     6     7
 0  64:0  80:0  96:0 112:0  64:1  80:1  96:1 112:1
 1  65:0  81:0  97:0 113:0  65:1  81:1  97:1 113:1
 2  66:0  82:0  98:0 114:0  66:1  82:1  98:1 114:1
 3  67:0  83:0  99:0 115:0  67:1  83:1  99:1 115:1
 4  68:0  84:0 100:0 116:0  68:1  84:1 100:1 116:1
 5  69:0  85:0 101:0 117:0  69:1  85:1 101:1 117:1
 6  70:0  86:0 102:0 118:0  70:1  86:1 102:1 118:1
 7  71:0  87:0 103:0 119:0  71:1  87:1 103:1 119:1
 8  72:0  88:0 104:0 120:0  72:1  88:1 104:1 120:1
 9  73:0  89:0 105:0 121:0  73:1  89:1 105:1 121:1
10  74:0  90:0 106:0 122:0  74:1  90:1 106:1 122:1
11  75:0  91:0 107:0 123:0  75:1  91:1 107:1 123:1
12  76:0  92:0 108:0 124:0  76:1  92:1 108:1 124:1
13  77:0  93:0 109:0 125:0  77:1  93:1 109:1 125:1
14  78:0  94:0 110:0 126:0  78:1  94:1 110:1 126:1
15  79:0  95:0 111:0 127:0  79:1  95:1 111:1 127:1
)");
}

// Tiles of threads, as a kernel stores them: item(thread, i) is item i of the thread's tile.
template <class Tile, class T, class Item>
std::vector<Tile> tiles_of(size_t threads, const Item& item) {
    std::vector<Tile> tiles(threads);
    constexpr size_t items = sizeof(Tile) / sizeof(T);
    for (size_t thread = 0; thread < threads; thread++) {
        T values[items];
        for (size_t i = 0; i < items; i++) {
            values[i] = static_cast<T>(item(static_cast<int>(thread), static_cast<int>(i)));
        }
        std::memcpy(&tiles[thread], values, sizeof(Tile));
    }
    return tiles;
}

// Two waves along k with 16 * m + n, and 1000 more in the second: lane l has row l / 16 * 4 + i of
// column l % 16.
TEST(print_tile, values_of_partial_sums) {
    const auto mma =
        make_tiled_mma<fp32_t, fp32_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 1, 2>{}, seq<16, 16, 4>{});
    const auto tiles = tiles_of<decltype(mma)::vtype_c, float>(128, [](int thread, int i) {
        return thread / 64 * 1000 + (thread % 64 / 16 * 4 + i) * 16 + thread % 16;
    });
    const std::string expected = R"(C, 16 x 16 (m x n): in each cell the value

Waves with k = 0:

     0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 0   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
 2  32  33  34  35  36  37  38  39  40  41  42  43  44  45  46  47
 3  48  49  50  51  52  53  54  55  56  57  58  59  60  61  62  63
 4  64  65  66  67  68  69  70  71  72  73  74  75  76  77  78  79
 5  80  81  82  83  84  85  86  87  88  89  90  91  92  93  94  95
 6  96  97  98  99 100 101 102 103 104 105 106 107 108 109 110 111
 7 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127
 8 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143
 9 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159
10 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175
11 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191
12 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207
13 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223
14 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239
15 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255

Waves with k = 1:

      0    1    2    3    4    5    6    7    8    9   10   11   12   13   14   15
 0 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015
 1 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031
 2 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047
 3 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063
 4 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079
 5 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095
 6 1096 1097 1098 1099 1100 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 1111
 7 1112 1113 1114 1115 1116 1117 1118 1119 1120 1121 1122 1123 1124 1125 1126 1127
 8 1128 1129 1130 1131 1132 1133 1134 1135 1136 1137 1138 1139 1140 1141 1142 1143
 9 1144 1145 1146 1147 1148 1149 1150 1151 1152 1153 1154 1155 1156 1157 1158 1159
10 1160 1161 1162 1163 1164 1165 1166 1167 1168 1169 1170 1171 1172 1173 1174 1175
11 1176 1177 1178 1179 1180 1181 1182 1183 1184 1185 1186 1187 1188 1189 1190 1191
12 1192 1193 1194 1195 1196 1197 1198 1199 1200 1201 1202 1203 1204 1205 1206 1207
13 1208 1209 1210 1211 1212 1213 1214 1215 1216 1217 1218 1219 1220 1221 1222 1223
14 1224 1225 1226 1227 1228 1229 1230 1231 1232 1233 1234 1235 1236 1237 1238 1239
15 1240 1241 1242 1243 1244 1245 1246 1247 1248 1249 1250 1251 1252 1253 1254 1255
)";
    EXPECT_EQ(printed([&] { print_tile(mma, tiles); }), expected);
    EXPECT_EQ(printed([&] { print_tile(mma, tiles.data()); }), expected);
}

// The first row of a table of one item for each lane of 16 columns.
template <class T>
std::string first_row(const std::vector<T>& values) {
    const auto mma = make_mfma<fp64_t, fp64_t, fp64_t>(4_I, 4_I, 4_I);
    std::vector<vector_t<T, 1>> tiles(64);
    for (size_t i = 0; i < values.size(); i++) {
        tiles[i] = vector_t<T, 1>{values[i]};
    }
    const std::string text = printed([&] { print_tile(mma, tiles); });
    const size_t begin = text.find("\n0,0") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
}
TEST(print_tile, digits) {
    EXPECT_EQ(first_row<double>({0.1, -0.0, 1e-300, 123456789.0}),
              "0,0         0.1          -0      1e-300 1.23457e+08");
    EXPECT_EQ(first_row<float>({0.1f, __builtin_inff(), -__builtin_inff(), -1.5f}),
              "0,0  0.1  inf -inf -1.5");
    EXPECT_EQ(first_row<int>({-2147483647 - 1, 2147483647, 0, 1234567}),
              "0,0 -2147483648  2147483647           0     1234567");
    EXPECT_EQ(first_row<i8_t>({-128, 127, 0, 1}), "0,0 -128  127    0    1");
}

// Floats as T. Those of bf16 by their bits: for arithmetic with it, clang calls what not every
// libgcc has.
template <class T, class V>
auto converted(const V& x) {
    if constexpr (is_same_v<T, bf16_t>) {
        const auto halves = __builtin_bit_cast(vector_t<u16_t, 2 * size<V>()>, x);
        vector_t<u16_t, size<V>()> upper;
        for (int i = 0; i < size<V>(); i++) {
            upper[i] = halves[2 * i + 1];
        }
        return __builtin_bit_cast(vector_t<bf16_t, size<V>()>, upper);
    } else {
        return cast<T>(x);
    }
}
// Every type of operand prints what floats of the same values do, and an array of vectors what the
// vector does.
template <class T, index_t K>
void expect_as_floats() {
    const auto mma = make_mfma<T, T, fp32_t>(16_I, 16_I, number<K>{});
    constexpr index_t items = decltype(mma)::elem_a;
    using floats = vector_t<fp32_t, items>;
    const auto tiles = tiles_of<floats, float>(64, [](int thread, int i) {
        const float values[] = {0, 0.5f, 1, -1.5f, 2, -3, 4, -6};  // of fp4
        return values[(thread / 8 + thread + i) % 8];
    });
    const std::string a = printed([&] { print_tile_a(mma, tiles); });
    EXPECT_NE(a.find("-1.5"), std::string::npos);
    EXPECT_EQ(a.find("A, 16 x " + std::to_string(K) + " (m x k): in each cell the value\n"), 0u);

    std::vector<decltype(converted<T>(floats{}))> narrow;
    std::vector<array<vector_t<fp32_t, items / 2>, 2>> halves;
    for (const floats& tile : tiles) {
        narrow.push_back(converted<T>(tile));
        halves.push_back(__builtin_bit_cast(array<vector_t<fp32_t, items / 2>, 2>, tile));
    }
    EXPECT_EQ(printed([&] { print_tile_a(mma, narrow); }), a);
    EXPECT_EQ(printed([&] { print_tile_a(mma, halves); }), a);
}
TEST(print_tile, values_of_every_type) {
    expect_as_floats<fp16_t, 16>();
    expect_as_floats<bf16_t, 16>();
    expect_as_floats<fp8_t, 32>();
    expect_as_floats<bf8_t, 32>();
    expect_as_floats<fp6_t, 128>();
    expect_as_floats<bf6_t, 128>();
    expect_as_floats<fp4_t, 128>();
}

}  // namespace
