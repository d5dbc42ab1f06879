# cmake -DHEADER=opus.hpp -P kernel_names.cmake
#
# Every function that the header has for kernels alone must be one that it names in plain C++
# (OPUS_KERNEL_FUNCTION), where the error about it says what is missing.
cmake_minimum_required(VERSION 3.22)

file(READ ${HEADER} header)
# Without `namespace impl`, whose functions nobody calls.
set(end "}  // namespace impl")
string(LENGTH "${end}" end_length)
while(TRUE)
    string(FIND "${header}" "\nnamespace impl {" from)
    if(from EQUAL -1)
        break()
    endif()
    string(SUBSTRING "${header}" 0 ${from} before)
    string(SUBSTRING "${header}" ${from} -1 rest)
    string(FIND "${rest}" "${end}" length)
    math(EXPR length "${length} + ${end_length}")
    string(SUBSTRING "${rest}" ${length} -1 rest)
    set(header "${before}${rest}")
endwhile()

string(REGEX MATCHALL "\nOPUS_D [^\n(]+\\(" functions "${header}")
# Those that a row makes for x, y and z.
string(REGEX MATCHALL "\nOPUS_IDS\\([a-z_]+" rows "${header}")
foreach(row IN LISTS rows)
    string(REGEX REPLACE ".*\\(" "" name "${row}")
    list(APPEND functions "${name}_x(" "${name}_y(" "${name}_z(")
endforeach()
list(LENGTH functions count)
if(count LESS 30)
    message(FATAL_ERROR " ${HEADER}: only ${count} functions for kernels are found")
endif()
foreach(function IN LISTS functions)
    string(REGEX MATCH "([a-z0-9_]+)\\($" name "${function}")
    set(name ${CMAKE_MATCH_1})
    string(FIND "${header}" "\nOPUS_KERNEL_FUNCTION(${name})\n" found)
    if(found EQUAL -1)
        message(SEND_ERROR " opus::${name} is for kernels, but no OPUS_KERNEL_FUNCTION")
    endif()
endforeach()
