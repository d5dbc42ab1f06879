# cmake -DCOMPILER=clang++ -DSOURCE=file -DINCLUDE=directory -P expect_warnings.cmake
#
# Compiles a HIP file for gfx942 and for the host, as C++17 and C++20. It must compile, and with
# -Wall -Wextra -Wshorten-64-to-32 each line that ends in a comment
#   // warns: <regex>
# must be named by one warning, whose text matches, or by the first note of a warning in a header; no
# other line by any.
cmake_minimum_required(VERSION 3.22)

# CMake breaks the lines of a message, except those that begin with a blank.
macro(fail)
    string(CONCAT text ${ARGV})
    message(FATAL_ERROR " ${text}")
endmacro()

# file(STRINGS) would take lines with a [ and no ] together.
file(READ ${SOURCE} rest)
string(REGEX REPLACE "[][;]" "." rest "${rest}")
string(REPLACE "\n" ";" lines "${rest}")
set(number 0)
set(warned "")
foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "// warns: (.+)$")
        list(APPEND warned ${number})
        set(expected_${number} "${CMAKE_MATCH_1}")
    endif()
endforeach()
if(NOT warned)
    fail("${SOURCE} has no line that ends in '// warns: <regex>'")
endif()

foreach(standard 17 20)
    foreach(pass --cuda-device-only --cuda-host-only)
        execute_process(
            COMMAND ${COMPILER} -std=c++${standard} -x hip -nogpuinc -nogpulib
                    --offload-arch=gfx942 ${pass} -I${INCLUDE} -O1 -fsyntax-only -Wall -Wextra
                    -Wshorten-64-to-32 -fno-caret-diagnostics -fdiagnostics-color=never ${SOURCE}
            RESULT_VARIABLE status
            OUTPUT_VARIABLE output
            ERROR_VARIABLE output
        )
        if(NOT status EQUAL 0)
            fail("${SOURCE} does not compile, C++${standard}, ${pass}:\n${output}")
        endif()
        string(REGEX REPLACE "[][;]" "." output "${output}")
        string(REPLACE "\n" ";" messages "${output}")
        set(missing ${warned})
        set(in_header "")
        foreach(message IN LISTS messages)
            string(FIND "${message}" "${SOURCE}:" in_source)
            if(in_header AND in_source EQUAL 0 AND message MATCHES "note: in instantiation")
                string(REGEX REPLACE "note: .*" "warning: ${in_header}" message "${message}")
            elseif(NOT message MATCHES "warning: ")
                continue()
            elseif(in_header)
                fail("C++${standard}, ${pass}: in no line of the source: ${in_header}")
            endif()
            string(REGEX MATCH "^(.*):([0-9]+):[0-9]+: warning: (.*)$" found "${message}")
            set(number "${CMAKE_MATCH_2}")
            set(text "${CMAKE_MATCH_3}")
            set(in_header "")
            if(NOT CMAKE_MATCH_1 STREQUAL SOURCE)
                set(in_header "${text}")
                continue()
            endif()
            list(FIND missing "${number}" place)
            if(place EQUAL -1)
                fail("C++${standard}, ${pass}: not expected, or not again: ${message}")
            elseif(NOT text MATCHES "${expected_${number}}")
                fail("C++${standard}, ${pass}: line ${number} should match "
                     "'${expected_${number}}': ${message}")
            endif()
            list(REMOVE_AT missing ${place})
        endforeach()
        if(in_header)
            fail("C++${standard}, ${pass}: in no line of the source: ${in_header}")
        endif()
        if(missing)
            string(JOIN ", " missing ${missing})
            fail("C++${standard}, ${pass}: no warning in lines ${missing} of ${SOURCE}:\n${output}")
        endif()
    endforeach()
endforeach()
