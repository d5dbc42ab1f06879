# cmake -DPROGRAM=checks -DFILE=profile.json -P profile_json.cmake
#
# Runs the kernel `uninitialized` of checks.hip twice with OPUS_EMU_PROFILE=json and looks at the two
# lines that are in the file then: 128 work-items load a dword each, store it to LDS, pass a
# barrier, read another one from LDS and store it.
cmake_minimum_required(VERSION 3.22)

file(REMOVE ${FILE})
set(ENV{OPUS_EMU_PROFILE} json)
set(ENV{OPUS_EMU_PROFILE_FILE} ${FILE})
foreach(run 1 2)
    execute_process(
        COMMAND ${PROGRAM} uninitialized repaired
        RESULT_VARIABLE status
        ERROR_VARIABLE messages
        OUTPUT_QUIET
    )
    if(NOT status EQUAL 0 OR NOT messages STREQUAL "")
        message(FATAL_ERROR "status ${status}: ${messages}")
    endif()
endforeach()

function(expect line value)
    string(JSON found GET "${line}" ${ARGN}) # an error if the line is no JSON or has no such member
    if(NOT found MATCHES "^(${value})$")
        message(SEND_ERROR "${ARGN}: ${found}, expected ${value}")
    endif()
endfunction()

# Line by line and not as a list, in which [ and ] would have a meaning.
file(READ ${FILE} rest)
set(lines 0)
while(NOT rest STREQUAL "")
    string(FIND "${rest}" "\n" length)
    string(SUBSTRING "${rest}" 0 ${length} line)
    math(EXPR length "${length} + 1")
    string(SUBSTRING "${rest}" ${length} -1 rest)
    math(EXPR lines "${lines} + 1")
    expect("${line}" "void uninitialized<true>.int., int const.." kernel)
    expect("${line}" "_Z13uninitialized.*" symbol)
    expect("${line}" "$ENV{OPUS_EMU_ARCH}" arch)
    expect("${line}" 1 groups 0)
    expect("${line}" 128 threads 0)
    expect("${line}" 4 counted instructions global)
    expect("${line}" 512 counted global_bytes read)
    expect("${line}" 512 counted global_bytes written)
    expect("${line}" 8 counted global_lines)
    expect("${line}" 512 counted lds_bytes read)
    expect("${line}" 512 counted lds_bytes written)
    expect("${line}" 0 counted scratch_bytes read)
    expect("${line}" 0 modelled mfma clocks)
    expect("${line}" OFF modelled lds_conflicts complete) # CMake's false
    expect("${line}" 0 modelled lds_conflicts by_mnemonic ds_read_b32 clocks)
    expect("${line}" 512 modelled occupancy lds_bytes)
    expect("${line}" 2 modelled hottest 9 executed)
    expect("${line}" ".*checks.hip:[0-9]+.*" modelled hottest 0 source)
    expect("${line}" ".*checks.hip:[0-9]+.*" modelled lines 0 source)
    # The lines of the source have all instructions among them.
    set(executed 0)
    set(clocks 0)
    string(JSON last LENGTH "${line}" modelled lines)
    math(EXPR last "${last} - 1")
    foreach(n RANGE ${last})
        foreach(figure executed clocks)
            string(JSON found GET "${line}" modelled lines ${n} ${figure})
            math(EXPR ${figure} "${${figure}} + ${found}")
        endforeach()
    endforeach()
    expect("${line}" ${executed} counted instructions total)
    expect("${line}" ${clocks} modelled mfma all_clocks)
endwhile()
if(NOT lines EQUAL 2)
    message(SEND_ERROR "${lines} lines of JSON, expected 2")
endif()
