# cmake -DPROGRAM=checks -DEND=return|exit -P report_mode.cmake
#
# OPUS_EMU_CHECK_MODE=report: the program runs to its end and prints what it does, one report for each
# instruction, the counts at the end and status 70. A program without a mistake ends as ever.
cmake_minimum_required(VERSION 3.22)

function(run name how status_wanted)
  execute_process(COMMAND ${PROGRAM} ${name} ${how}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status STREQUAL status_wanted)
    message(SEND_ERROR "${name} ${how}: status ${status}, wanted ${status_wanted}\n${out}${err}")
  endif()
  if(NOT out STREQUAL "${name}: finished\n")
    message(SEND_ERROR "${name} ${how}: printed '${out}'\n${err}")
  endif()
  set(err "${err}" PARENT_SCOPE)
endfunction()

if(END STREQUAL "exit")
  set(how exit)
endif()
# Each of 128 lanes reads what the other wave writes, or what is there before.
run(barrier "${how}" 70)
if(NOT err MATCHES "race: lane 0.*check       races.*opus emulator: [0-9]+ reports at [0-9]+ instr.*  races .*checks.hip:")
  message(SEND_ERROR "no report or no counts:\n${err}")
endif()
string(REGEX MATCHALL "opus emulator: race" reports "${err}")
string(REGEX MATCHALL "  races  " places "${err}")
list(LENGTH reports reports)
list(LENGTH places places)
if(NOT reports EQUAL places)
  message(SEND_ERROR "${reports} reports at ${places} instructions:\n${err}")
endif()
run(bounds "${how}" 70)
run(uninitialized "${how}" 70)
run(barrier repaired 0)
if(NOT err STREQUAL "")
  message(SEND_ERROR "the repaired kernel has a report:\n${err}")
endif()
