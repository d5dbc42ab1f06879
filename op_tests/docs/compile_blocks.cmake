# cmake -DCOMPILER=clang++ -DDOCUMENT=file.md -DINCLUDE=directory -DHEADERS=directory
#       -DOUTPUT=directory -P compile_blocks.cmake
#
# Compiles every ```cpp block of a document for gfx942, for gfx950 and for the host, as HIP, with
# -Wall -Wextra -Wconversion as errors. The rule:
#   - A block with an #include is a file, and is compiled as it stands.
#   - A block with a __global__ function is a file behind the includes and `using namespace opus;`.
#   - Any other block is a part of a kernel's body. It becomes a __global__ function of its own, in
#     a file of its own that includes all headers of include/opus, behind
#         using namespace opus;
#         using opus::operator""_I;
#     It may assume the parameters `const float* p, int n, int lane` and nothing else, above all not
#     the blocks before it. Variables and types that it does not use are no error.
#     HEADERS has these precompiled (precompile_headers.cmake).
#   - Code that shall not compile, or not for both architectures, is no ```cpp block (but ```text).
# The device passes go down to assembly: some errors, such as a missing target feature, are reported
# only by code generation.
#
# So that no block is missed, a code block of whatever language must begin with ``` and the language
# at the start of a line, and end with a line ```. A block that fails is reported for the first
# target that it fails on, and the next one is compiled all the same. The blocks stay in OUTPUT, to
# run a compiler on them by hand.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/document_lines.cmake)

set(languages cpp text sh cmake)

set(includes [=[
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"
#include "opus/opus_debug.hpp"
]=])
set(wrapper_begin [=[
__global__ void fragment([[maybe_unused]] const float* p, [[maybe_unused]] int n,
                         [[maybe_unused]] int lane) {
    using namespace opus;
    using opus::operator""_I;
]=])
set(wrapper_end "}\n")
set(wrapper_warnings -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-local-typedef)

set(hip_options -std=c++17 -x hip -nogpuinc -nogpulib -O3 -Wall -Wextra -Wconversion -Werror)
set(gfx942 --offload-arch=gfx942 --cuda-device-only)
set(gfx950 --offload-arch=gfx950 --cuda-device-only)
set(host --offload-arch=gfx942 --cuda-host-only)

# Counts what is wrong. (CMake breaks the lines of a message, except those that begin with a blank.)
macro(fail where what)
    message(" ${DOCUMENT}:${where}: error: ${what}")
    math(EXPR failures "${failures} + 1")
endmacro()

# `block` holds the block's text and `block_line` the number of its first line, which the compiler's
# messages then count from.
function(compile_block)
    set(line_directive "#line ${block_line} \"${DOCUMENT}\"\n")
    if("\n${block}" MATCHES "\n[ \t]*#[ \t]*include")
        set(text "${line_directive}${block}")
        set(options ${hip_options})
        set(headers "")
    else()
        if(block MATCHES "__global__")
            set(text "${includes}using namespace opus;\n${line_directive}${block}")
            set(options ${hip_options})
        else()
            set(text "${includes}${wrapper_begin}${line_directive}${block}${wrapper_end}")
            set(options ${hip_options} ${wrapper_warnings})
        endif()
        set(headers -Xclang -include-pch -Xclang ${HEADERS}/O3_)
    endif()
    set(file ${OUTPUT}/line_${block_line})
    file(WRITE ${file}.hip "${text}")
    foreach(target gfx942 gfx950 host)
        set(precompiled ${headers})
        if(precompiled)
            string(APPEND precompiled ${target}.pch)
        endif()
        execute_process(
            COMMAND
                ${COMPILER} ${options} ${${target}} ${precompiled} -I${INCLUDE}
                -S -o ${file}.${target}.s ${file}.hip
            RESULT_VARIABLE status
            ERROR_VARIABLE messages
        )
        if(NOT status EQUAL 0)
            fail(${block_line} "the block that begins here does not compile for ${target}:")
            message("${messages}")
            break()
        endif()
    endforeach()
    set(failures ${failures} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${OUTPUT})
open_document()
set(failures 0)
set(blocks 0)
set(language "") # of the block that the line is in
while(NOT rest STREQUAL "")
    next_line()

    if(language STREQUAL "")
        if(line MATCHES "^```([a-z]+)$" AND CMAKE_MATCH_1 IN_LIST languages)
            set(language ${CMAKE_MATCH_1})
            set(block "")
            math(EXPR block_line "${number} + 1")
        elseif(line MATCHES "^[ \t>*+-]*(```|~~~)")
            list(JOIN languages " " names)
            fail(${number} "a code block begins with ``` and one of: ${names}")
        endif()
    elseif(line STREQUAL "```")
        if(language STREQUAL "cpp")
            math(EXPR blocks "${blocks} + 1")
            compile_block()
        endif()
        set(language "")
    elseif(line MATCHES "^[ \t]*```")
        fail(${number} "the block of line ${block_line} ends with a line that is ``` alone")
        set(language "")
    else()
        string(APPEND block "${line}\n")
    endif()
endwhile()
if(NOT language STREQUAL "")
    fail(${block_line} "the block that begins here has no end")
endif()

message("${DOCUMENT}: ${blocks} C++ blocks, ${failures} errors")
if(failures GREATER 0)
    message(FATAL_ERROR " ${DOCUMENT} shows code that does not compile.")
endif()
