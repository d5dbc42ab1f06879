# cmake -DLINES=n -DHEADERS=a.hpp,b.hpp -P weight.cmake
#
# The headers have at most that many lines together: who adds something replaces something, or puts
# it beside the core.
cmake_minimum_required(VERSION 3.22)

string(REPLACE "," ";" headers "${HEADERS}")
set(lines 0)
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX REPLACE "[^\n]+" "" newlines "${text}")
    string(LENGTH "${newlines}" count)
    math(EXPR lines "${lines} + ${count}")
endforeach()
if(lines EQUAL 0 OR lines GREATER LINES)
    message(FATAL_ERROR " ${HEADERS}: ${lines} lines, more than ${LINES}.")
endif()
message(STATUS "${lines} lines of ${LINES}")
