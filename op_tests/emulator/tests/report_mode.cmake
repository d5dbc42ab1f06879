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
# counted(NAME CHECK COUNTS...): so many reports at each of the places, printed once for each of them.
function(counted name check)
  run(${name} "${how}" 70)
  set(total 0)
  set(rows "")
  foreach(count IN LISTS ARGN)
    math(EXPR total "${total} + ${count}")
    string(APPEND rows "  ${check} +${count}  [^\n]*checks.hip:[0-9]+\n")
  endforeach()
  list(LENGTH ARGN places)
  if(NOT err MATCHES
      "\nopus emulator: ${total} reports at ${places} instructions [^\n]*\n${rows}$")
    message(SEND_ERROR "${name}: not ${total} reports at ${places} instructions at the end:\n${err}")
  endif()
  string(REGEX MATCHALL "  check       ${check}\n" reports "${err}")
  list(LENGTH reports reports)
  if(NOT reports EQUAL places)
    message(SEND_ERROR "${name}: ${reports} reports are printed for ${places} instructions:\n${err}")
  endif()
endfunction()
# Two waves read from the other one and write over what it reads, four lanes store behind the end, and
# one reads what nobody wrote.
counted(barrier races 64 64)
counted(bounds bounds 4)
counted(uninitialized uninitialized_lds 1)
run(barrier repaired 0)
if(NOT err STREQUAL "")
  message(SEND_ERROR "the repaired kernel has a report:\n${err}")
endif()
