# Sets opus_warnings, the options of the compiler for whatever is compiled here: C++, HIP and emulator;
# and the linker.
# Who builds opus never fails on a warning; .ci/run asks for all of them, as errors.
option(OPUS_WARNINGS_AS_ERRORS "Compile with more warnings, and with warnings as errors" OFF)

set(opus_warnings -Wall -Wextra -Wshorten-64-to-32)
if(OPUS_WARNINGS_AS_ERRORS)
    list(APPEND opus_warnings -Wconversion -Wshadow -Werror)
endif()

# The linker of LLVM, which kernels need anyway, takes a fifth of the time that GNU's takes.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld OPUS_HAS_LLD)
if(OPUS_HAS_LLD AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
    add_link_options(-fuse-ld=lld)
endif()
