"""hipRTC from Python, with ctypes: makes a code object of a source in HIP."""

import ctypes

hiprtc = ctypes.CDLL("libhiprtc.so")
hiprtc.hiprtcGetErrorString.restype = ctypes.c_char_p


def compile_source(source, name, options):
    """Returns the code object for the device; an error becomes an exception with clang's log."""
    program = ctypes.c_void_p()
    size = ctypes.c_size_t()

    def call(function, *arguments):
        error = getattr(hiprtc, function)(*arguments)
        if error != 0:
            text = hiprtc.hiprtcGetErrorString(error).decode()
            raise RuntimeError(f"{function}: {text}\n{log() if program else ''}")

    def log():
        hiprtc.hiprtcGetProgramLogSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        hiprtc.hiprtcGetProgramLog(program, text)
        return text.value.decode()

    call("hiprtcCreateProgram", ctypes.byref(program), source, name.encode(), 0, None, None)
    try:
        texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        call("hiprtcCompileProgram", program, len(options), texts)
        call("hiprtcGetCodeSize", program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        call("hiprtcGetCode", program, code)
        return code.raw
    finally:
        hiprtc.hiprtcDestroyProgram(ctypes.byref(program))
