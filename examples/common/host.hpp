// SPDX-License-Identifier: MIT
//
// host.hpp: the host's part of a HIP program, for the examples and for your own tests (the target
// opus::example_host of the installed package; your_project uses it). It takes the C++ library and
// hip_minimal.hpp, nothing else:
//
//   allocation  device.hpp   device_buffer<T>: memory that frees itself, filled from a vector and
//                            read into one; check(call): an error becomes an exception; the name
//                            of the device, its compute units, and whether it is emulated
//   timing      timing.hpp   time_launches(): time of a launch, 0 on the emulator; the share of the
//                            device's peak as text
//   compare     compare.hpp  comparison: the largest difference, and the worst of a tolerance
//   options     options.hpp  parse_integer(), parse_number(), parse_name(): values of options, refused
//                            in one line
//   npy         npy.hpp      read(), write(): NumPy's files, completely or not at all
//
//   const examples::device_buffer<float> x(std::vector<float>(n, 1));
//   examples::device_buffer<float> y(n);
//   y.fill_bytes(0xff);  // NaN: an element that no lane writes is seen
//   const double ms = examples::time_launches(iters, "my_kernel", [&] {
//       my_kernel<<<groups, threads>>>(x.data(), y.data(), n);
//   });
//   const std::vector<float> result = y.to_host();
//
// What the examples have beside it: program.hpp is the whole program around a kernel, with options,
// inputs, a comparison and a report, and gemm_host.hpp that of a GEMM. They need CLI11.
#pragma once

#include "compare.hpp"
#include "device.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "timing.hpp"
