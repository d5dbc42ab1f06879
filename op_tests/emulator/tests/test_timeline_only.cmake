# OPUS_EMU_TIMELINE_ONLY leaves out the products of the groups that are not modelled: the report is
# the same, to the clock, as of a run that executes and multiplies everything, and D is not. So it is
# for many groups on each compute unit, and where all groups run at the same time.
# PROGRAM is gemm_block; FILE: what is written begins with it. Memory has to be at the same addresses
# both times, which SETARCH sees to.
execute_process(COMMAND ${SETARCH} -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
if(NOT refused EQUAL 0)
  message("skipped: addresses are random here")
  return()
endif()

file(WRITE ${FILE}.parameters "overlap_rounds = 0\n")
function(run size only report)
  set(file ${FILE}${only})
  set(variables OPUS_EMU_TIMELINE=${FILE}.json OPUS_EMU_TIMELINE_KERNEL=gemm_block
    OPUS_EMU_TIMELINE_PARAMETERS=${FILE}.parameters)
  if(only)
    list(APPEND variables OPUS_EMU_TIMELINE_ONLY=1)
  endif()
  execute_process(
    COMMAND ${SETARCH} -R ${CMAKE_COMMAND} -E env ${variables}
      ${PROGRAM} -m ${size} -n ${size} -k 128 --verify 0 --out ${FILE}.npy
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "status ${status}: ${text}")
  endif()
  set(${report} "${text}" PARENT_SCOPE)
endfunction()

# Elements D[0, 0], of a group that is modelled, and D[0, size / 2], of one that is not, in
# hexadecimal.
function(read_results size first other)
  file(READ ${FILE}.npy header LIMIT 4 OFFSET 8 HEX)
  string(REGEX REPLACE "^(..)(..).*" "\\2\\1" length "${header}")
  math(EXPR begin "0x${length} + 10")
  math(EXPR later "${begin} + 4 * ${size} / 2")
  file(READ ${FILE}.npy one OFFSET ${begin} LIMIT 4 HEX)
  file(READ ${FILE}.npy two OFFSET ${later} LIMIT 4 HEX)
  set(${first} ${one} PARENT_SCOPE)
  set(${other} ${two} PARENT_SCOPE)
endfunction()

foreach(size 4096 1024)
  run(${size} "" whole)
  read_results(${size} whole_first whole_other)
  run(${size} 1 only)
  read_results(${size} only_first only_other)

  string(REGEX REPLACE "  executed [^\n]*\n" "" same "${only}")
  if(same STREQUAL only)
    message(FATAL_ERROR "all groups were executed: ${only}")
  endif()
  if(NOT same STREQUAL whole OR NOT whole MATCHES "clocks  ")
    message(FATAL_ERROR "not the same report:\n${whole}\n${only}")
  endif()
  if(NOT only_first STREQUAL whole_first OR NOT only_other STREQUAL 00000000
     OR whole_other STREQUAL only_other)
    message(FATAL_ERROR
      "D[0, 0] ${whole_first}, ${only_first}; D[0, ${size} / 2] ${whole_other}, ${only_other}")
  endif()
endforeach()
