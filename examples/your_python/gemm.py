"""A kernel from Python, with ctypes and NumPy: copy this directory.

    clang++-22 -std=c++17 -O3 --offload-arch=gfx942 --cuda-device-only -nogpuinc -nogpulib \
        -I<opus>/include gemm.hip -o gemm.co
    opus-emu --arch gfx942 python3 gemm.py gemm.co

or, compiled when it runs, by hipRTC:

    opus-emu --arch gfx942 python3 gemm.py gemm.hip -I<opus>/include

On a GPU: python3 gemm.py gemm.co, with /opt/rocm/lib in LD_LIBRARY_PATH.
"""

import ctypes
import sys
import weakref

import numpy as np

hip = ctypes.CDLL("libamdhip64.so")
hip.hipGetErrorString.restype = ctypes.c_char_p
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def call(name, *arguments):
    """Calls a function of HIP; an error becomes an exception with its name and text."""
    error = getattr(hip, name)(*arguments)
    if error != 0:
        raise RuntimeError(f"{name}: {hip.hipGetErrorString(error).decode()}")


class DeviceArray:
    """A copy of a NumPy array in the memory of the device, which is freed with the object."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.pointer = ctypes.c_void_p()
        size = ctypes.c_size_t(self.array.nbytes)
        call("hipMalloc", ctypes.byref(self.pointer), size)
        weakref.finalize(self, hip.hipFree, self.pointer)
        call("hipMemcpy", self.pointer, self.array.ctypes, size, HOST_TO_DEVICE)

    def numpy(self):
        back = np.empty_like(self.array)
        size = ctypes.c_size_t(back.nbytes)
        call("hipMemcpy", back.ctypes, self.pointer, size, DEVICE_TO_HOST)
        return back


def launch(function, grid, block, *arguments, lds_bytes=0, stream=None):
    """Launches with arguments of type DeviceArray (a pointer), int (32 bits) and float."""
    kinds = {DeviceArray: lambda array: array.pointer, int: ctypes.c_int, float: ctypes.c_float}
    values = [kinds[type(argument)](argument) for argument in arguments]
    addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    call("hipModuleLaunchKernel", function, *grid, *block, lds_bytes, stream, addresses, None)


with open(sys.argv[1], "rb") as file:
    code = file.read()
if sys.argv[1].endswith(".hip"):
    import rtc

    code = rtc.compile_source(code, sys.argv[1], sys.argv[2:])
module, gemm = ctypes.c_void_p(), ctypes.c_void_p()
call("hipModuleLoadData", ctypes.byref(module), code)
call("hipModuleGetFunction", ctypes.byref(gemm), module, b"gemm")

m, n, k = 96, 64, 40
random = np.random.default_rng(1)
a = random.uniform(-1, 1, (m, k)).astype(np.float16)
b = random.uniform(-1, 1, (n, k)).astype(np.float16)
d_a, d_b = DeviceArray(a), DeviceArray(b)
d_c = DeviceArray(np.full((m, n), np.nan, np.float32))
launch(gemm, (n // 32, m // 32, 1), (64, 1, 1), d_a, d_b, d_c, n, k)
call("hipDeviceSynchronize")

difference = np.abs(d_c.numpy() - a.astype(np.float32) @ b.astype(np.float32).T).max()
print(f"C[{m}, {n}] = A[{m}, {k}] * B[{n}, {k}]^T, largest difference {difference:.1e}")
sys.exit(0 if difference < 1e-4 else 1)
