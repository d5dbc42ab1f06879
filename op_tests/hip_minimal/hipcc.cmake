# Builds a program as on a ROCm machine, by hipcc with its own headers and runtime, and runs it on
# the emulator by LD_LIBRARY_PATH alone:
# cmake -DHIPCC= -DRUNTIME= -DSOURCE= [-DHOST=] -DARCH= -DINCLUDE= -DEMULATOR= -DPROGRAM= [-DEXPECTED=]
#     -P ...
# HOST is the library of the examples' host side; EXPECTED are lines of the output, in any order.
if(HOST)
    set(host -x none ${HOST})
endif()
execute_process(
    COMMAND ${HIPCC} -std=c++17 -O3 --offload-arch=${ARCH} -I${INCLUDE} -o ${PROGRAM} ${SOURCE} ${host}
    COMMAND_ERROR_IS_FATAL ANY
)
# Linked with the real one: the name of its version, and not a path of the emulator.
get_filename_component(runtime ${RUNTIME} REALPATH)
execute_process(COMMAND ldd ${PROGRAM} OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "libamdhip64[^ ]* => [^ \n]*" linked "${libraries}")
string(REGEX REPLACE ".* => " "" linked "${linked}")
get_filename_component(linked "${linked}" REALPATH)
if(NOT linked STREQUAL runtime)
    message(FATAL_ERROR "linked with '${linked}', not with ${runtime}:\n${libraries}")
endif()
execute_process(
    COMMAND
        ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${EMULATOR} OPUS_EMU_ARCH=${ARCH} ${PROGRAM}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors
    RESULT_VARIABLE status
)
message("${output}${errors}")
if(NOT status EQUAL 0 OR NOT output MATCHES "device: ${ARCH}, emulated" OR NOT output MATCHES "PASS")
    message(FATAL_ERROR "status ${status}, or no PASS on the emulated ${ARCH}")
endif()
foreach(line IN LISTS EXPECTED)
    string(FIND "\n${output}" "\n${line}\n" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "no line '${line}' in the output")
    endif()
endforeach()
if(errors MATCHES "version information")
    message(FATAL_ERROR "the loader misses symbol versions")
endif()
