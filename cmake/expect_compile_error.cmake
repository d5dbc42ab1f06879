# cmake -DCOMPILER=clang++ -DSOURCE=file -DINCLUDE=directory -P expect_compile_error.cmake
#
# Compiles a file that must not compile. Lines of the file say what is expected:
#   // expect: <regex>                  each must match a line in which the compiler reports an
#                                       error; at least one
#   // target: host | gfx942 | gfx...    default: host; there a .cpp file is plain C++17, and a .hip
#                                       file goes through the host pass of HIP
# Fails if the file compiles, whatever it prints, and if the error is another one.
cmake_minimum_required(VERSION 3.22)

# CMake breaks the lines of a message, except those that begin with a blank.
macro(fail text)
    message(FATAL_ERROR " ${text}")
endmacro()

# Moves the first line of the variable `text`, which ends in a newline, to the variable `line`. A
# loop over lines instead of a list, in which ; [ and ] would have a meaning.
macro(take_line text line)
    string(FIND "${${text}}" "\n" length)
    string(SUBSTRING "${${text}}" 0 ${length} ${line})
    math(EXPR length "${length} + 1")
    string(SUBSTRING "${${text}}" ${length} -1 ${text})
endmacro()

file(READ ${SOURCE} source_text)
set(target host)
if(source_text MATCHES "// target: ([a-z0-9]+)")
    set(target ${CMAKE_MATCH_1})
endif()

set(hip -x hip -nogpuinc -nogpulib)
if(target MATCHES "^gfx[0-9a-f]+$")
    set(options ${hip} --offload-arch=${target} --cuda-device-only)
elseif(NOT target STREQUAL "host")
    fail("${SOURCE}: the target is '${target}'; it may be host or a gfx name")
elseif(SOURCE MATCHES "\\.hip$")
    set(options ${hip} --offload-arch=gfx942 --cuda-host-only)
else()
    set(options -x c++)
endif()

execute_process(
    COMMAND ${COMPILER} -std=c++17 ${options} -I${INCLUDE} -fsyntax-only -w
            -fno-caret-diagnostics -fdiagnostics-color=never -ferror-limit=0 ${SOURCE}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
)
if(status EQUAL 0)
    fail("${SOURCE} compiles for ${target}, but must not.")
endif()

set(expectations 0)
string(APPEND source_text "\n")
while(NOT source_text STREQUAL "")
    take_line(source_text source_line)
    if(NOT source_line MATCHES "^// expect: (.+)$")
        continue()
    endif()
    set(expected "${CMAKE_MATCH_1}")
    math(EXPR expectations "${expectations} + 1")
    set(found NO)
    set(rest "${output}\n")
    while(NOT rest STREQUAL "")
        take_line(rest line)
        if(line MATCHES "error: " AND line MATCHES "${expected}")
            set(found YES)
        endif()
    endwhile()
    if(NOT found)
        message("expected: ${expected}\nthe compiler says:\n${output}")
        fail("${SOURCE} does not compile for ${target}, but for another reason.")
    endif()
endwhile()
if(expectations EQUAL 0)
    fail("${SOURCE} has no line '// expect: <regex>'")
endif()
