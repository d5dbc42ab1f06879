# Sets opus_warnings, the compiler's options for whatever is compiled here: C++, HIP and emulator.
# Who builds opus never fails on a warning; .ci/run asks for all of them, as errors.
option(OPUS_WARNINGS_AS_ERRORS "Compile with more warnings, and with warnings as errors" OFF)

set(opus_warnings -Wall -Wextra)
if(OPUS_WARNINGS_AS_ERRORS)
    list(APPEND opus_warnings -Wconversion -Wshadow -Werror)
endif()
