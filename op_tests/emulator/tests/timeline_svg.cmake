# cmake -DPROGRAM=checks -DTIMELINE_SVG=timeline_svg -DFILE=prefix of files -P timeline_svg.cmake
#
# Draws the timeline of the kernel `uninitialized` of checks.hip, which loads, stores to LDS, waits
# at a barrier and stores; and what timeline_svg says to arguments that mean nothing.
cmake_minimum_required(VERSION 3.22)

set(ENV{OPUS_EMU_TIMELINE} ${FILE}.json)
file(REMOVE ${FILE}.json ${FILE}.svg)
execute_process(COMMAND ${PROGRAM} uninitialized repaired
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM}: status ${status}: ${messages}")
endif()

# expect(STATUS n TEXT regex... COMMAND arguments...): TEXT is in what it prints.
function(expect)
    cmake_parse_arguments(arg "" "STATUS" "TEXT;COMMAND" ${ARGN})
    execute_process(COMMAND ${TIMELINE_SVG} ${arg_COMMAND}
        RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE errors)
    string(APPEND text "${errors}")
    if(NOT status STREQUAL arg_STATUS)
        message(SEND_ERROR "timeline_svg ${arg_COMMAND}: status ${status}, not ${arg_STATUS}: ${text}")
    endif()
    foreach(regex IN LISTS arg_TEXT)
        if(NOT text MATCHES "${regex}")
            message(SEND_ERROR "timeline_svg ${arg_COMMAND}: no '${regex}' in: ${text}")
        endif()
    endforeach()
endfunction()

# What stands on the standard input is drawn as the same from a file.
execute_process(COMMAND ${TIMELINE_SVG} ${FILE}.json OUTPUT_VARIABLE from_file)
execute_process(COMMAND ${TIMELINE_SVG} - INPUT_FILE ${FILE}.json OUTPUT_VARIABLE from_input)
if(NOT from_input STREQUAL from_file)
    message(SEND_ERROR "timeline_svg -: ${from_input}")
endif()
foreach(arguments ${FILE}.json "${FILE}.json;--compare;${FILE}.json")
    execute_process(COMMAND ${TIMELINE_SVG} ${arguments} RESULT_VARIABLE status OUTPUT_FILE /dev/full
        ERROR_VARIABLE errors)
    if(NOT status EQUAL 1 OR NOT errors STREQUAL "timeline_svg: cannot write to the standard output\n")
        message(SEND_ERROR "timeline_svg ${arguments} > /dev/full: status ${status}: ${errors}")
    endif()
endforeach()

set(picture "^<svg xmlns" ">SIMD 0<" ">group 0 wave 0<" ">SIMD 1<" ">group 0 wave 1<" ">LDS busy<"
    ">vector memory [0-9.]+ %<" ">vmcnt [0-9.]+ %<" ">VALU " "</svg>\n$")
expect(STATUS 0 COMMAND ${FILE}.json TEXT ${picture} "uninitialized.* on gfx942<")
expect(STATUS 0 COMMAND ${FILE}.json -o ${FILE}.svg --title "the title" --from 100 --to 1000 --width 500
    TEXT "^$")
file(READ ${FILE}.svg text)
foreach(regex "^<svg xmlns" "width=\"500\"" ">the title<" "Clocks 100 to 1,000 of")
    if(NOT text MATCHES "${regex}")
        message(SEND_ERROR "${FILE}.svg has no '${regex}'")
    endif()
endforeach()
expect(STATUS 0 COMMAND ${FILE}.json --compare ${FILE}.json
    TEXT "^first: .*second: .*faster, in the model: not known: they take as long")
expect(STATUS 1 COMMAND ${FILE}.json --compare ${FILE}.no TEXT ".no: cannot read this file")
expect(STATUS 1 COMMAND ${FILE}.json --to 2000000000 TEXT "the trace ends at clock")
expect(STATUS 1 COMMAND ${FILE}.no TEXT "timeline_svg: .*.no: cannot read this file")
expect(STATUS 1 COMMAND ${FILE}.svg TEXT "timeline_svg: .*.svg: no JSON")
expect(STATUS 1 COMMAND ${FILE}.json --from 2000000000 TEXT "nothing to draw: from 2000000000")
foreach(file /nowhere/p.svg /dev/full)
    expect(STATUS 1 COMMAND ${FILE}.json -o ${file} TEXT "${file}: cannot write there")
endforeach()
expect(STATUS 106 COMMAND TEXT "trace is required")
expect(STATUS 104 COMMAND ${FILE}.json --waves few TEXT "--waves")
