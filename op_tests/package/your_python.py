"""What examples/your_python/gemm.py takes as arguments, and what it refuses before the launch:
your_python.py gemm.co, with examples/ in the working directory."""

import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, "examples/your_python")
import gemm

with open(sys.argv[1], "rb") as file:
    kernel = gemm.Kernel(file.read(), "gemm")
assert kernel.sizes == [8, 8, 8, 4, 4], kernel.sizes

ones = [gemm.DeviceArray(np.ones((32, 8), np.float16)) for _ in range(2)]


def product(*numbers):
    result = gemm.DeviceArray(np.zeros((32, 32), np.float32))
    kernel.launch((1, 1, 1), (64, 1, 1), *ones, result, *numbers)
    gemm.call("hipDeviceSynchronize")
    return result.numpy()


for number in int, np.int32, np.uint32, np.float32:
    n, k = (np.array(x, np.int32).view(number)[()] if number is np.float32 else number(x) for x in (32, 8))
    assert (product(n, k) == 8).all(), number

for numbers, error, text in (
    ((32,), TypeError, "gemm takes 5 arguments, not 4"),
    ((32, 8, 1), TypeError, "gemm takes 5 arguments, not 6"),
    ((32, np.int64(8)), TypeError, "argument 5 of gemm has 4 bytes, not 8"),
    ((np.float16(1), 8), TypeError, "argument 4 of gemm has 4 bytes, not 2"),
    ((32, 1 << 31), OverflowError, "int too big to convert"),
    ((32, "8"), KeyError, "str"),
):
    try:
        product(*numbers)
    except error as raised:
        assert text in str(raised), raised
    else:
        raise AssertionError(f"{numbers} were taken")
