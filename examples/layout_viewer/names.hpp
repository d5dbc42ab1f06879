// SPDX-License-Identifier: MIT
//
// names.hpp: short names for the command lines of common layouts.
#pragma once

#include <string>
#include <vector>

namespace viewer {

struct named_view {
    std::string name;
    std::string description;
    std::string arguments;  // that it stands for
};

inline std::vector<named_view> named_views() {
    std::vector<named_view> views;
    const auto add = [&](const std::string& name, const std::string& description,
                         const std::string& arguments) {
        views.push_back({name, description, arguments});
    };

    add("tile_48x32", "48 x 32 elements, 64 threads load 8 of a row, 3 times",
        "--shape 3,16,4,8 --dims yp,py");

    for (const std::string shape : {"32x32x8", "16x16x16", "32x32x16", "16x16x32"}) {
        const bool gfx950 = shape == "32x32x16" || shape == "16x16x32";
        const std::string of = " of mfma_f32_" + shape + "_f16" + (gfx950 ? " (gfx950)" : "");
        std::string mma = "--mma f16," + shape;
        for (char& c : mma) {
            c = c == 'x' ? ',' : c;
        }
        const std::string name = "mfma_" + shape;
        add(name + "_a", "A[M, K]" + of, mma + " --operand a");
        add(name + "_b", "B, as rows of N and columns of K," + of, mma + " --operand b");
        add(name + "_c", "C[M, N]" + of, mma + " --operand c");
        add(name + "_c_swap_ab", "C[M, N]" + of + ", A and B swapped", mma + " --operand c --swap");
    }

    add("mfma_16x16x32_a_chained", "A[M, K] of mfma_f32_16x16x32_f16 in the order of chain_a",
        "--mma f16,16,16,32 --operand a --chained");

    // Where an element of A of an f8f6f4 instruction is depends on its size alone.
    for (const std::string shape : {"16x16x128", "32x32x64"}) {
        std::string mnk = "," + shape;
        for (char& c : mnk) {
            c = c == 'x' ? ',' : c;
        }
        for (const std::string type : {"fp8", "fp6", "fp4"}) {
            add("mfma_" + shape + "_" + type + "_a",
                "A[M, K] of mfma_f32_" + shape + "_" + type + "_" + type + " (gfx950)",
                "--mma " + type + mnk + " --operand a");
        }
        add("scale_" + shape, "the scales of A of mfma_scale_f32_" + shape + "_* (gfx950); B alike",
            "--mma fp8" + mnk + " --operand scale_a");
    }

    // The example of docs/matrix-cores.md: four waves, each with two instructions along M.
    const std::string tiled = "--mma f16,16,16,16 --expand 2,1,1 --tile 2,2,1";
    const std::string of = " of a tiled mma of 2 x 2 waves, f16";
    add("tiled_64x32x16_a", "A[M, K]" + of + "; the waves along N have the same",
        tiled + " --operand a");
    add("tiled_64x32x16_b",
        "B, as rows of N and columns of K," + of + "; the waves along M have the same",
        tiled + " --operand b");
    add("tiled_64x32x16_c", "C[M, N]" + of, tiled + " --operand c");
    add("tiled_64x32x16_c_swap_ab", "C[M, N]" + of + ", A and B swapped",
        tiled + " --operand c --swap");

    // A 32 x 64 tile in LDS, read by one wave, or written row by row: 8 lanes to a row.
    const std::string lds = "32 x 64 f16 in LDS, ";
    const auto add_lds = [&](const std::string& name, const std::string& description,
                             const std::string& arguments, const std::string& padded_pitch) {
        add(name, lds + description, arguments);
        add(name + "_padded", lds + description + ", rows padded",
            arguments + " --pitch " + padded_pitch);
    };
    add_lds("lds_read_b64", "read as A of mfma 32x32x8",
            "--mma f16,32,32,8 --expand 1,1,8 --operand a --lds read_b64", "68");
    add_lds("lds_read_b128", "read as A of mfma 32x32x16",
            "--mma f16,32,32,16 --expand 1,1,4 --operand a --lds read_b128", "72");
    add("lds_read_b128_swizzled", lds + "read as A of mfma 32x32x16, swizzled",
        "--mma f16,32,32,16 --expand 1,1,4 --operand a --lds read_b128 --swizzle 3,3,4");
    add_lds("lds_write_b128", "written 8 lanes to a row",
            "--shape 4,8,8,8 --dims yp,py --lds write_b128", "72");
    add("lds_read_b64_tr_b16", "32 rows of 16 f16 in LDS, read transposed as B of mfma 16x16x32",
        "--mma f16,16,16,32 --operand b --transposed --lds read_b64_tr_b16 --arch gfx950");
    return views;
}

}  // namespace viewer
