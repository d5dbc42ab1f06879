# cmake -DPROGRAM=printing -DKIND=hostcall|buffered -DARCH=gfx942 -P printing.cmake
#
# What kernels print has to be what the host prints for the same formats and values.
cmake_minimum_required(VERSION 3.22)

set(ENV{OPUS_EMU_ARCH} ${ARCH})
function(run what status_wanted)
    execute_process(
        COMMAND ${PROGRAM} ${what}
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err
    )
    if(NOT status MATCHES "^(${status_wanted})$")
        message(SEND_ERROR "${what}: status ${status}, wanted ${status_wanted}\n${out}${err}")
    endif()
    set(out "${out}" PARENT_SCOPE)
    set(err "${err}" PARENT_SCOPE)
endfunction()
function(expect_count what text pattern wanted)
    string(REGEX MATCHALL "${pattern}" found "${text}")
    list(LENGTH found count)
    if(NOT count EQUAL wanted)
        message(SEND_ERROR "${what}: ${count} times '${pattern}', wanted ${wanted}\n${text}")
    endif()
endfunction()
function(expect what text pattern)
    if(NOT text MATCHES "${pattern}")
        message(SEND_ERROR "${what}: no '${pattern}' in\n${text}")
    endif()
endfunction()

run(host 0)
set(wanted "${out}")
expect(host "${wanted}" "no argument\n-42 -42 4294967295 .*no newline\n$")
run(device 0)
if(NOT out STREQUAL wanted OR NOT err STREQUAL "")
    message(SEND_ERROR "printed\n${out}${err}\nand not\n${wanted}")
endif()

# Lanes that are off print nothing; each of the others prints one whole line.
run(lanes 0)
expect_count(lanes "${out}" "lane [0-9]+ of 100: (odd|on the device %d %.2f\n)\n" 200)
expect_count(lanes "${out}" "lane 297 of 100: odd\n" 0)
expect_count(lanes "${out}" "lane 298 of 100: on the device %d %.2f\n" 1)

run(format 0)
if(NOT out STREQUAL "on the device 5 0.12\non the device 5 0.12\n")
    message(SEND_ERROR "a format that is no constant: '${out}' ${err}")
endif()

# A failed assertion: a line for each lane, what the emulator adds, and abort().
run(assert "Subprocess aborted|SIGABRT|134|Aborted")
expect(assert "${err}" "printing.hip:[0-9]+: .*assert_below.*: Device-side assertion `static_cast<int>\\(threadIdx.x\\) < limit' failed")
expect(assert "${err}" "opus emulator: an assertion failed\n  kernel      .*assert_below.*\n  group       \\([01], 0, 0\\), wave 1, lanes 62-63\n")
if(NOT REAL_HEADERS)
    expect(assert "${err}" "failed: group \\([01], 0, 0\\), thread \\(127, 0, 0\\), lane 63\n")
endif()
foreach(what assert_nothing ndebug)
    run(${what} 0)
    expect_count(${what} "${out}${err}" "." 0)
endforeach()

# What was printed before a report comes before it, and a trap is no assertion.
run(report 70)
if(NOT out STREQUAL "before the store\n")
    message(SEND_ERROR "report: '${out}'")
endif()
expect(report "${err}" "store of 4 bytes")
run(trap 70)
expect_count(trap "${out}" "before the trap\n" 64)
expect(trap "${err}" "s_trap 2")

if(KIND STREQUAL "buffered")
    set(ENV{OPUS_EMU_THREADS} 1)
    # Frames of 36 bytes where the text is "odd", else of 52: lanes 1, 2, 4, 5 take 176 bytes.
    set(ENV{OPUS_EMU_PRINTF_BUFFER} 200)
    run(lanes 0)
    expect_count(lanes "${out}" "lane [0-9]+ of 100: " 4)
    expect(lanes "${err}" "printf in .*print_lanes.*: 196 of 200 calls did not fit into the buffer of 200 bytes \\(OPUS_EMU_PRINTF_BUFFER\\) and are lost, [0-9]+ bytes\n")
    set(ENV{OPUS_EMU_PRINTF_BUFFER} 20k)
    run(lanes 70)
    expect(lanes "${err}" "OPUS_EMU_PRINTF_BUFFER=20k is no number")
    unset(ENV{OPUS_EMU_PRINTF_BUFFER})
    unset(ENV{OPUS_EMU_THREADS})
endif()
