# cmake -DCOMPILER=program -DSTANDARD=c++17 -DINCLUDE=directory -DMESSAGE=regex -DWORK=directory
#       -P wrong_compiler.cmake
#
# A compiler that cannot compile opus.hpp must say so in one error, and nothing else.
cmake_minimum_required(VERSION 3.22)

file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/include.cpp "#include \"opus/opus.hpp\"\n")
execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
            ${COMPILER} -std=${STANDARD} -I${INCLUDE} -fsyntax-only include.cpp
    WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors
)
set(output "${output}${errors}")
string(REGEX MATCHALL "[^\n]+: (fatal )?error: " errors "${output}")
list(LENGTH errors count)
string(REGEX MATCHALL "\n" lines "${output}")
list(LENGTH lines lines)
# The error, where it was included, the line of the source, and how many errors there are.
if(status EQUAL 0 OR NOT count EQUAL 1 OR lines GREATER 5 OR NOT output MATCHES "error: [^\n]*${MESSAGE}")
    message(FATAL_ERROR
        " status ${status}, ${count} errors in ${lines} lines, one error is expected: ${MESSAGE}\n"
        " ${output}"
    )
endif()
