// SPDX-License-Identifier: MIT
//
// host.hpp: the host's part of a HIP program, for the examples and for your own tests (the target
// opus::example_host of the installed package; your_project uses it). It needs the C++ library and
// hip_minimal.hpp, nothing else:
//
//   allocation  device.hpp   device_buffer<T>: memory that frees itself, filled from a vector and
//                            read into one; check(call): an error becomes an exception; the name
//                            of the device, its compute units, and whether it is emulated
//   timing      timing.hpp   time_launches(): the time of a launch, 0 on the emulator; the share of
//                            the device's peak as text
//   compare     compare.hpp  comparison: the largest difference, also in units of the tolerance
//   options     options.hpp  parse_integer(), parse_number(), parse_name(): values of options; a
//                            wrong one is refused with a message of one line
//   npy         npy.hpp      read(), write(): NumPy's files, complete or not at all
//
// device_fp8.hpp, for .hip files, is installed beside it: fp8 codes in the format of the device.
//
//   const examples::device_buffer<float> x(std::vector<float>(n, 1));
//   examples::device_buffer<float> y(n);
//   y.fill_bytes(0xff);  // NaN: shows an element that no lane writes
//   const double ms = examples::time_launches(iters, "my_kernel", [&] {
//       my_kernel<<<groups, threads>>>(x.data(), y.data(), n);
//   });
//   const std::vector<float> result = y.to_host();
//
// The examples use two more headers, which need CLI11: program.hpp is the whole program around a
// kernel, with options, inputs, a comparison and a report; gemm_host.hpp is the same for a GEMM.
#pragma once

#include "compare.hpp"
#include "device.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "timing.hpp"
