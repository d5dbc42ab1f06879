# cmake -DDOCUMENT=file.md -DOUTPUT=file.hpp -P cpp_blocks.cmake
#
# Writes the ```cpp blocks of a document, in their order, as one file whose lines are the document's
# for the compiler's messages.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/document_lines.cmake)

open_document()
set(text "")
set(inside OFF)
while(NOT rest STREQUAL "")
    next_line()
    if(line STREQUAL "```cpp")
        set(inside ON)
        math(EXPR first "${number} + 1")
        string(APPEND text "#line ${first} \"${DOCUMENT}\"\n")
    elseif(line STREQUAL "```")
        set(inside OFF)
    elseif(inside)
        string(APPEND text "${line}\n")
    endif()
endwhile()
file(WRITE ${OUTPUT} "${text}")
