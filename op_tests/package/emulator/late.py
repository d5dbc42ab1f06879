# late.py LIBRARY CODE_OBJECT STATIC_TLS...: as late.c does.
import ctypes
import sys

library, code_object, *others = sys.argv[1:]

opened = 0
refused = 0
for other in others:
    try:
        ctypes.CDLL(other)
        opened += 1
    except OSError as error:
        assert "static TLS" in str(error), error
        refused += 1
print(f"{opened} libraries opened, {refused} refused", file=sys.stderr)
assert opened >= 5 and refused > 0, "static thread-local storage is not used up"

hip = ctypes.CDLL(library)


def call(name, *arguments):
    error = getattr(hip, name)(*arguments)
    assert error == 0, f"{name}: {error}"


groups, threads = 4, 256
count = groups * threads
array = ctypes.c_int * count
host_in = array(*(1000 - 7 * n for n in range(count)))
host_out = array()
size = ctypes.c_size_t(ctypes.sizeof(array))
device_in = ctypes.c_void_p()
device_out = ctypes.c_void_p()
call("hipMalloc", ctypes.byref(device_in), size)
call("hipMalloc", ctypes.byref(device_out), size)
call("hipMemcpy", device_in, host_in, size, 1)
with open(code_object, "rb") as file:
    code = file.read()
module = ctypes.c_void_p()
kernel = ctypes.c_void_p()
call("hipModuleLoadData", ctypes.byref(module), code)
call("hipModuleGetFunction", ctypes.byref(kernel), module, b"_Z6triplePiPKi")
pointers = (ctypes.c_void_p * 2)(
    ctypes.addressof(device_out), ctypes.addressof(device_in)
)
call("hipModuleLaunchKernel", kernel, groups, 1, 1, threads, 1, 1, 0, None, pointers, None)
call("hipMemcpy", host_out, device_out, size, 2)
for n in range(count):
    assert host_out[n] == 3 * host_in[n] + n, f"element {n} is {host_out[n]}"
call("hipModuleUnload", module)
call("hipFree", device_in)
call("hipFree", device_out)
hip.opus_emulator_cpu.restype = ctypes.c_char_p
print(hip.opus_emulator_cpu().decode())
