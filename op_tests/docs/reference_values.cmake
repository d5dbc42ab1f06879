# cmake -DCOMPILER=clang++ -DDOCUMENT=reference.md -DINCLUDE=directory -DOUTPUT=directory
#       -P reference_values.cmake
#
# Compiles the values that a document states, in the host pass and for gfx942 and gfx950:
#   - A code span `expression -> value`, outside of code blocks, is a static_assert. The value may be
#     an expression as well; a number, seq or tuple is compared with its type. Behind it,
#     " on gfx942" and " on gfx950" name the only pass that it is for.
#   - A row of the table of formats, `type` or `type`, OCP or FNUZ | exponent, mantissa bits, bias |
#     largest | smallest normal, denormal | codes that are no numbers, is six of them and one for
#     each code.
# A span with -> that is no such pair, or none at all, is an error.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/document_lines.cmake)

set(begin [=[
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

namespace reference {

template <class A, class B>
constexpr bool equal(const A& a, const B& b);
template <class A, class B, index_t... Is>
constexpr bool each_equal(const A& a, const B& b, seq<Is...>) {
    return (equal(opus::get<Is>(a), opus::get<Is>(b)) && ...);
}
template <class A, class B>
constexpr bool equal(const A& a, const B& b) {
    if constexpr (is_constant_v<B> || is_seq_v<B>) {
        return is_same_v<A, B>;
    } else if constexpr (is_tuple_v<B> || is_array_v<B> || is_vector_v<B>) {
        if constexpr (size<A>() == size<B>()) {
            return each_equal(a, b, make_index_seq<size<B>()>{});
        } else {
            return false;
        }
    } else {
        return !is_constant_v<A> && a == b;
    }
}
// For the format with the name F (a type as T, or a tag) of codes of type T.
template <class T, class F>
constexpr float decoded(unsigned code) {
    if constexpr (is_same_v<T, F>) {
        return cast<fp32_t>(array<T, 1>{T{static_cast<u8_t>(code)}})[0];
    } else {
        return cast<fp32_t>(static_cast<T>(static_cast<u8_t>(code)), F{});
    }
}
constexpr bool is_nan(float x) {
    return x != x;
}

}  // namespace reference

]=])

set(failures 0)
set(values 0)
set(text_any "")
set(text_gfx942 "")
set(text_gfx950 "")

macro(fail what)
    message(" ${DOCUMENT}:${number}: error: ${what}")
    math(EXPR failures "${failures} + 1")
endmacro()
macro(state pass condition)
    string(APPEND text_${pass} "#line ${number} \"${DOCUMENT}\"\nstatic_assert(${condition});\n")
    math(EXPR values "${values} + 1")
endmacro()

# 2^-6 as a floating-point number, 1/8 as a quotient.
function(number_of text result)
    string(STRIP "${text}" text)
    if(text MATCHES "^2\\^(-?[0-9]+)$")
        set(text "0x1p${CMAKE_MATCH_1}f")
    elseif(text MATCHES "^([0-9]+)/([0-9]+)$")
        set(text "${CMAKE_MATCH_1}.0f / ${CMAKE_MATCH_2}")
    elseif(NOT text MATCHES "^[0-9]+(\\.[0-9]+)?$")
        message(FATAL_ERROR " ${DOCUMENT}: '${text}' is no number")
    endif()
    set(${result} "(${text})" PARENT_SCOPE)
endfunction()

open_document()
set(formats 0)
set(in_code FALSE)
while(NOT rest STREQUAL "")
    next_line()
    if(line MATCHES "^```")
        if(in_code)
            set(in_code FALSE)
        else()
            set(in_code TRUE)
        endif()
    endif()
    if(in_code)
        continue()
    endif()

    if(line MATCHES "^\\| `([fb][pf][468])_t`(, OCP|, FNUZ)? \\| ([0-9]+), ([0-9]+), ([0-9]+) \\| ([^|]*) \\| ([^|]*), ([^|]*) \\|([^|]*)\\|$")
        set(type ${CMAKE_MATCH_1}_t)
        set(format ${type})
        string(TOLOWER "${CMAKE_MATCH_2}" variant)
        string(REPLACE ", " "" variant "${variant}")
        if(variant)
            set(format ${CMAKE_MATCH_1}_${variant})
        endif()
        set(exponent_bits ${CMAKE_MATCH_3})
        set(mantissa_bits ${CMAKE_MATCH_4})
        set(bias ${CMAKE_MATCH_5})
        set(largest "${CMAKE_MATCH_6}")
        set(normal "${CMAKE_MATCH_7}")
        set(denormal "${CMAKE_MATCH_8}")
        set(no_numbers "${CMAKE_MATCH_9}")
        number_of("${largest}" largest)
        number_of("${normal}" normal)
        number_of("${denormal}" denormal)
        math(EXPR formats "${formats} + 1")
        state(any "finfo<${format}>::max == ${largest}")
        state(any "finfo<${format}>::tiny == ${normal}")
        state(any "reference::decoded<${type}, ${format}>(1) == ${denormal}")
        state(any "finfo<${format}>::bits == 1 + ${exponent_bits} + ${mantissa_bits}")
        state(any "finfo<${format}>::eps * (1 << ${mantissa_bits}) == 1")
        # 1 has the exponent field that the bias is.
        state(any "reference::decoded<${type}, ${format}>(${bias} << ${mantissa_bits}) == 1")
        string(REGEX MATCHALL "0x[0-9a-f]+" codes "${no_numbers}")
        foreach(code IN LISTS codes)
            if(no_numbers MATCHES "infinity")
                state(any "reference::decoded<${type}, ${format}>(${code}) == __builtin_inff()")
                state(any "reference::is_nan(reference::decoded<${type}, ${format}>(${code} + 1))")
            else()
                state(any "reference::is_nan(reference::decoded<${type}, ${format}>(${code}))")
            endif()
        endforeach()
    endif()

    # The spans of the line: what is between backquotes, one after the other.
    string(REPLACE "\\|" "|" spans "${line}")
    while(spans MATCHES "^[^`]*`([^`]*)`")
        set(span "${CMAKE_MATCH_1}")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(SUBSTRING "${spans}" ${length} -1 spans)
        if(span MATCHES "->")
            set(pass any)
            if(spans MATCHES "^ on (gfx942|gfx950)")
                set(pass ${CMAKE_MATCH_1})
            endif()
            if(span MATCHES "^(.*[^ ]) -> ([^ ].*)$")
                state(${pass} "reference::equal((${CMAKE_MATCH_1}), (${CMAKE_MATCH_2}))")
            else()
                fail("'${span}' is no `expression -> value`")
            endif()
        endif()
    endwhile()
endwhile()

# The device passes begin with what holds everywhere, the host pass has that alone.
set(hip_options -std=c++17 -x hip -nogpuinc -nogpulib -Wall -Wextra -Werror)
foreach(target host gfx942 gfx950)
    set(text "${begin}${text_any}")
    if(target STREQUAL "host")
        set(options --offload-arch=gfx942 --cuda-host-only)
    else()
        set(options --offload-arch=${target} --cuda-device-only)
        string(APPEND text "${text_${target}}")
    endif()
    file(WRITE ${OUTPUT}/values_${target}.hip "${text}")
    execute_process(
        COMMAND
            ${COMPILER} ${hip_options} ${options} -I${INCLUDE} -fsyntax-only
            ${OUTPUT}/values_${target}.hip
        RESULT_VARIABLE status
        ERROR_VARIABLE messages
    )
    if(NOT status EQUAL 0)
        message("${messages}")
        math(EXPR failures "${failures} + 1")
    endif()
endforeach()

message("${DOCUMENT}: ${values} values, ${formats} formats, ${failures} errors")
if(values EQUAL 0)
    message(FATAL_ERROR " ${DOCUMENT} states no value.")
elseif(failures GREATER 0)
    message(FATAL_ERROR " ${DOCUMENT} states what is not so.")
endif()
