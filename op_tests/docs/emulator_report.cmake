# cmake -DCOMPILER=clang++ -DDOCUMENTS=docs/a.md,docs/b.md -DINCLUDE=directory -DLIBRARY=libamdhip64.so
#       -DARCHS=list -DOUTPUT=directory -P emulator_report.cmake
#
# Builds the wrong program that the first document shows, runs it and compares the report on stderr
# with the one that the document shows, but for what depends on compiler and directories. Then the same
# with the wait that is missing, which must end well. And the program that prints and fails an
# assertion, in both of clang's ways. For each architecture of the list.
cmake_minimum_required(VERSION 3.22)

# The text between two marks, without them.
function(text_between begin end variable)
    string(FIND "${document}" "${begin}" from)
    if(from EQUAL -1)
        message(FATAL_ERROR "${DOCUMENTS} has no '${begin}'")
    endif()
    string(SUBSTRING "${document}" ${from} -1 rest)
    string(FIND "${rest}" "${end}" length)
    string(SUBSTRING "${rest}" 0 ${length} text)
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The program in a variable.
function(build name source_variable)
    file(WRITE ${OUTPUT}/${name}.hip "${${source_variable}}")
    execute_process(
        COMMAND
            ${COMPILER} -x hip --offload-arch=gfx942,gfx950 -nogpuinc -nogpulib -std=c++17 -O3 -g
            -I ${INCLUDE} ${name}.hip -o ${name} -L${directory} -lamdhip64
            -Wl,-rpath,${directory} ${ARGN}
        WORKING_DIRECTORY ${OUTPUT}
        RESULT_VARIABLE status
        ERROR_VARIABLE messages
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "The program does not compile: ${messages}")
    endif()
endfunction()

# Sets status, output and messages.
macro(run name arch)
    set(ENV{OPUS_EMU_ARCH} ${arch})
    execute_process(
        COMMAND ${OUTPUT}/${name}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE messages
    )
endmacro()

get_filename_component(directory ${LIBRARY} DIRECTORY)
string(REPLACE "," ";" DOCUMENTS "${DOCUMENTS}")
string(REPLACE "," ";" ARCHS "${ARCHS}")
set(document "")
foreach(page IN LISTS DOCUMENTS)
    file(READ ${page} text)
    string(APPEND document "${text}")
endforeach()
text_between("#include <cstdio>" "```" source)
text_between("opus emulator: lane 0" "```" report)

build(reverse source)
foreach(arch IN LISTS ARCHS)
    run(reverse ${arch})
    if(NOT status EQUAL 70)
        message(SEND_ERROR "${arch}: status ${status}, expected 70")
    endif()
    foreach(part "^[^\n]*\n" "\n  kernel [^\n]*\n" "\n  instruction ds_read_b32 "
            "reverse.hip:[0-9]+\n" "\n  group [^\n]*\npending:\n" "\n  instruction buffer_load_dword ")
        if(NOT report MATCHES "${part}")
            message(FATAL_ERROR "${DOCUMENTS}: the report has no '${part}'")
        endif()
        set(expected "${CMAKE_MATCH_0}")
        string(FIND "${messages}" "${expected}" found)
        if(found EQUAL -1)
            message(SEND_ERROR "${arch}: the report has no '${expected}':\n${messages}")
        endif()
    endforeach()
endforeach()

set(missing "// s_waitcnt_vmcnt(0_I) is missing here.")
string(REPLACE "${missing}" "s_waitcnt_vmcnt(0_I);" repaired "${source}")
if(repaired STREQUAL source)
    message(FATAL_ERROR "${DOCUMENTS}: the program has no '${missing}'")
endif()
build(reverse repaired)
foreach(arch IN LISTS ARCHS)
    run(reverse ${arch})
    if(NOT status EQUAL 0 OR NOT output STREQUAL "no error\n" OR NOT messages STREQUAL "")
        message(SEND_ERROR "repaired, ${arch}: status ${status}, ${output}${messages}")
    endif()
endforeach()

text_between("#include <cassert>" "```" source)
text_between("lane 15:" "sums.hip:" expected_output)
text_between("sums.hip:17:" "unspecified" expected_messages)
text_between("unspecified" "```" expected_error)
string(APPEND expected_output "${expected_error}")
foreach(kind hostcall buffered)
    build(sums source -mprintf-kind=${kind})
    foreach(arch IN LISTS ARCHS)
        run(sums ${arch})
        if(NOT status EQUAL 1 OR NOT output STREQUAL expected_output
           OR NOT messages STREQUAL expected_messages)
            message(SEND_ERROR "sums, ${kind}, ${arch}: status ${status}\n${output}${messages}\n"
                "and not\n${expected_output}${expected_messages}")
        endif()
    endforeach()
endforeach()
