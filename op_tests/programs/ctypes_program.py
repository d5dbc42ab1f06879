# The emulator in a Python process, which opens it late, as extensions and test drivers do:
#     python3 ctypes_program.py libamdhip64.so FILE     (a code object with _Z5countv and `counter`)
import ctypes
import sys

hip = ctypes.CDLL(sys.argv[1])
hip.hipGetErrorString.restype = ctypes.c_char_p


def check(error, what):
    if error != 0:
        sys.exit(f"{what}: {hip.hipGetErrorString(error).decode()}")


count = 1000
numbers = (ctypes.c_uint32 * count)(*range(count))
size = ctypes.c_size_t(ctypes.sizeof(numbers))
pointer = ctypes.c_void_p()
check(hip.hipMalloc(ctypes.byref(pointer), size), "hipMalloc")
back = (ctypes.c_uint32 * count)()
check(hip.hipMemcpy(back, pointer, size, 2), "hipMemcpy")
if bytes(back) != b"\xff" * size.value:
    sys.exit("fresh memory is not all ones")
check(hip.hipMemcpy(pointer, numbers, size, 1), "hipMemcpy")
check(hip.hipMemcpy(back, pointer, size, 2), "hipMemcpy")
if list(back) != list(range(count)):
    sys.exit("the copy came back wrong")
check(hip.hipFree(pointer), "hipFree")

# `count` adds one to `counter`, which begins with 40, for each of its threads.
module = ctypes.c_void_p()
check(hip.hipModuleLoad(ctypes.byref(module), sys.argv[2].encode()), "hipModuleLoad")
function = ctypes.c_void_p()
check(hip.hipModuleGetFunction(ctypes.byref(function), module, b"_Z5countv"), "hipModuleGetFunction")
check(
    hip.hipModuleLaunchKernel(function, 3, 1, 1, 50, 1, 1, 0, None, None, None),
    "hipModuleLaunchKernel",
)
check(hip.hipDeviceSynchronize(), "hipDeviceSynchronize")
counter = ctypes.c_void_p()
check(
    hip.hipModuleGetGlobal(ctypes.byref(counter), ctypes.byref(size), module, b"counter"),
    "hipModuleGetGlobal",
)
value = ctypes.c_int()
check(hip.hipMemcpy(ctypes.byref(value), counter, size, 2), "hipMemcpy")
if value.value != 40 + 3 * 50:
    sys.exit(f"the kernel counted to {value.value}")
check(hip.hipModuleUnload(module), "hipModuleUnload")
print("PASS")
