"""A kernel from Python, with ctypes and NumPy: copy this directory.

    clang++-22 -std=c++17 -O3 --offload-arch=gfx942 --cuda-device-only -nogpuinc -nogpulib \
        -I<opus>/include gemm.hip -o gemm.co
    opus-emu --arch gfx942 python3 gemm.py gemm.co

or, compiled when it runs, by hipRTC:

    opus-emu --arch gfx942 python3 gemm.py gemm.hip -I<opus>/include

On a GPU: python3 gemm.py gemm.co, with /opt/rocm/lib in LD_LIBRARY_PATH.
"""

import ctypes
import io
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


def unpack(stream):
    """One value of the kind of MessagePack that code objects have."""

    def number(size):
        return int.from_bytes(stream.read(size), "big")

    first = number(1)
    sized = {
        0xD9: ("text", 1), 0xDA: ("text", 2), 0xDB: ("text", 4),
        0xDC: ("list", 2), 0xDD: ("list", 4), 0xDE: ("map", 2), 0xDF: ("map", 4),
    }
    if first < 0x80:
        return first
    if first < 0xC0:
        kind, bits = ("map", 4) if first < 0x90 else ("list", 4) if first < 0xA0 else ("text", 5)
        count = first & ((1 << bits) - 1)
    elif first in sized:
        kind, size = sized[first]
        count = number(size)
    elif first in (0xC2, 0xC3):
        return first == 0xC3
    elif 0xCC <= first <= 0xCF:
        return number(1 << (first - 0xCC))
    else:
        raise ValueError(f"metadata of a kind that this file does not read: {first:#x}")
    if kind == "text":
        return stream.read(count).decode()
    if kind == "list":
        return [unpack(stream) for _ in range(count)]
    return {unpack(stream): unpack(stream) for _ in range(count)}


def parameters(code, name):
    """The sizes of the kernel's parameters in bytes, from the code object's metadata."""
    stream = io.BytesIO(code)
    stream.seek(code.index(b"AMDGPU\0\0") + 8)
    for kernel in unpack(stream)["amdhsa.kernels"]:
        if kernel[".name"] == name:
            arguments = kernel.get(".args", [])
            return [a[".size"] for a in arguments if not a[".value_kind"].startswith("hidden_")]
    raise KeyError(name)


class Kernel:
    """A kernel of a code object, an uncompressed one of clang for one target."""

    def __init__(self, code, name):
        self.name, self.sizes = name, parameters(code, name)
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        call("hipModuleLoadData", ctypes.byref(self.module), code)
        call("hipModuleGetFunction", ctypes.byref(self.function), self.module, name.encode())

    def launch(self, grid, block, *arguments, lds_bytes=0, stream=None):
        """Arguments are of type DeviceArray (a pointer), int (32 bits), float (32 bits), or
        NumPy's integers and floating-point numbers, which have their own size."""
        if len(arguments) != len(self.sizes):
            raise TypeError(f"{self.name} takes {len(self.sizes)} arguments, not {len(arguments)}")
        kinds = {
            DeviceArray: lambda array: np.uint64(array.pointer.value),
            int: lambda n: np.frombuffer(n.to_bytes(4, "little", signed=True), np.int32)[0],
            float: np.float32,
        }
        values = []
        for number, (argument, size) in enumerate(zip(arguments, self.sizes), 1):
            if not isinstance(argument, (np.integer, np.floating)):
                argument = kinds[type(argument)](argument)
            value = np.asarray(argument)
            if value.nbytes != size:
                raise TypeError(
                    f"argument {number} of {self.name} has {size} bytes, not {value.nbytes}"
                )
            values.append(value)
        addresses = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        call(
            "hipModuleLaunchKernel", self.function, *grid, *block, lds_bytes, stream, addresses, None
        )


def main():
    with open(sys.argv[1], "rb") as file:
        code = file.read()
    if sys.argv[1].endswith(".hip"):
        import rtc

        code = rtc.compile_source(code, sys.argv[1], sys.argv[2:])
    gemm = Kernel(code, "gemm")

    m, n, k = 96, 64, 40
    random = np.random.default_rng(1)
    a = random.uniform(-1, 1, (m, k)).astype(np.float16)
    b = random.uniform(-1, 1, (n, k)).astype(np.float16)
    d_a, d_b = DeviceArray(a), DeviceArray(b)
    d_c = DeviceArray(np.full((m, n), np.nan, np.float32))
    gemm.launch((n // 32, m // 32, 1), (64, 1, 1), d_a, d_b, d_c, n, np.int32(k))
    call("hipDeviceSynchronize")

    difference = np.abs(d_c.numpy() - a.astype(np.float32) @ b.astype(np.float32).T).max()
    print(f"C[{m}, {n}] = A[{m}, {k}] * B[{n}, {k}]^T, largest difference {difference:.1e}")
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
