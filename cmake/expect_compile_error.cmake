# cmake -DCOMPILER=clang++ -DSOURCE=file -DINCLUDE=directory [-DTARGETS=gfx942,gfx950]
#       [-DHEADERS=directory] -P expect_compile_error.cmake
#
# Compiles a file that must not compile. Lines of the file say what is expected:
#   // expect: <regex>                  each must match a line in which the compiler reports an
#                                       error; at least one
#   // target: host | gfx942 | gfx...    default: of a .cpp file host, which is plain C++17 (a .hip
#                                       file goes through the host pass of HIP); of a .hip file each
#                                       of TARGETS, by default both
#   // compiler's: <why>                the first error is not a sentence of this library
#   // lines: <number> <why>            that many lines instead of those below
# Fails if the file compiles, whatever it prints, and if the error is another one. What a user sees
# has to be short and to begin with our sentence: it fails as well if the first error is none of the
# expected ones or does not name its entity of this library, and if the compiler prints more than 25
# lines for each expectation.
#
# HEADERS has what precompile_headers.cmake makes. With it the messages are the same, and they take a
# fifth of the time. A file that defines macros, or is for another target, is compiled without.
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
if(source_text MATCHES "// target: ([a-z0-9]+)")
    set(targets ${CMAKE_MATCH_1})
elseif(SOURCE MATCHES "\\.hip$")
    if(NOT TARGETS)
        set(TARGETS gfx942,gfx950)
    endif()
    string(REPLACE "," ";" targets "${TARGETS}")
else()
    set(targets host)
endif()
set(lines_wanted "")
if(source_text MATCHES "// lines: ([0-9]+) ")
    set(lines_wanted ${CMAKE_MATCH_1})
endif()
string(FIND "${source_text}" "// compiler's: " compilers)
set(headers "")
if(HEADERS AND NOT source_text MATCHES "#define")
    set(headers ${HEADERS}/opus)
    if(source_text MATCHES "#include \"opus/hip_minimal.hpp\"")
        set(headers ${HEADERS}/both)
    endif()
endif()

# Compiles for `target` and compares.
function(check_errors target)
    set(hip -x hip -nogpuinc -nogpulib)
    set(headers_target ${target})
    if(target MATCHES "^gfx[0-9a-f]+$")
        set(options ${hip} --offload-arch=${target} --cuda-device-only)
    elseif(NOT target STREQUAL "host")
        fail("${SOURCE}: the target is '${target}'; it may be host or a gfx name")
    elseif(SOURCE MATCHES "\\.hip$")
        set(options ${hip} --offload-arch=gfx942 --cuda-host-only)
        set(headers_target hip_host)
    else()
        set(options -x c++)
    endif()
    set(precompiled ${headers}_${headers_target}.pch)
    if(EXISTS "${precompiled}") # not for targets that the tests have no other use of
        list(APPEND options -Xclang -include-pch -Xclang ${precompiled})
    endif()
    execute_process(
        COMMAND ${COMPILER} -std=c++17 ${options} -I${INCLUDE} -fsyntax-only -w
                -fdiagnostics-color=never -ferror-limit=0 ${SOURCE}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if(status EQUAL 0)
        fail("${SOURCE} compiles for ${target}, but must not.")
    endif()
    if(EXISTS "${precompiled}") # whose source is one step more on the way to opus.hpp
        foreach(line 1 2)
            string(REPLACE "In file included from ${headers}.hpp:${line}:\n" "" output "${output}")
        endforeach()
    endif()

    set(expectations 0)
    set(first_is_expected NO)
    set(first "")
    set(source_rest "${source_text}\n")
    while(NOT source_rest STREQUAL "")
        take_line(source_rest source_line)
        if(NOT source_line MATCHES "^// expect: (.+)$")
            continue()
        endif()
        set(expected "${CMAKE_MATCH_1}")
        math(EXPR expectations "${expectations} + 1")
        set(found NO)
        set(rest "${output}\n")
        set(lines -1)
        set(first "")
        while(NOT rest STREQUAL "")
            take_line(rest line)
            math(EXPR lines "${lines} + 1")
            if(NOT line MATCHES "error: ")
                continue()
            endif()
            if(line MATCHES "${expected}")
                set(found YES)
                if(first STREQUAL "")
                    set(first_is_expected YES)
                endif()
            endif()
            if(first STREQUAL "")
                set(first "${line}")
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
    if(NOT first_is_expected)
        message("the compiler says:\n${output}")
        fail("${SOURCE}: the first error for ${target} is none of the expected ones.")
    endif()
    # Of an assertion that may stand behind what it requires, of an #error in quotes.
    if(compilers EQUAL -1 AND NOT first MATCHES "(error: \"?|': |failed: |unavailable: )opus(:|::)")
        message("the compiler says:\n${output}")
        fail("${SOURCE}: the first error for ${target} is not a sentence of opus.")
    endif()
    math(EXPR most "25 * ${expectations}")
    if(lines_wanted)
        set(most ${lines_wanted})
    endif()
    if(lines GREATER most)
        message("the compiler says:\n${output}")
        fail("${SOURCE}: ${lines} lines of errors for ${target}; ${most} are enough.")
    endif()
endfunction()

foreach(target IN LISTS targets)
    check_errors(${target})
endforeach()
