# cmake -DOPUS_EMU=program -DDIRECTORY=directory of the library -P opus_emu.cmake
#
# How opus-emu takes its arguments apart, what it says and what the program gets.
cmake_minimum_required(VERSION 3.22)

unset(ENV{OPUS_EMU_ARCH})
unset(ENV{OPUS_EMU_CHECK})
unset(ENV{LD_LIBRARY_PATH})

# expect(STATUS n OUT text ERR regex... NOT_ERR regex COMMAND arguments...): OUT is all of stdout.
function(expect)
  cmake_parse_arguments(arg "" "STATUS;OUT;NOT_ERR" "ERR;COMMAND" ${ARGN})
  execute_process(COMMAND ${OPUS_EMU} ${arg_COMMAND}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(wrong)
  if(NOT status STREQUAL arg_STATUS)
    list(APPEND wrong "the status is not ${arg_STATUS}")
  endif()
  if(NOT "${out}" STREQUAL "${arg_OUT}")
    list(APPEND wrong "stdout is not '${arg_OUT}'")
  endif()
  foreach(regex IN LISTS arg_ERR)
    if(NOT err MATCHES "${regex}")
      list(APPEND wrong "stderr has no '${regex}'")
    endif()
  endforeach()
  if(arg_NOT_ERR AND err MATCHES "${arg_NOT_ERR}")
    list(APPEND wrong "stderr has '${arg_NOT_ERR}'")
  endif()
  if(wrong)
    message(SEND_ERROR " opus-emu ${arg_COMMAND}: ${wrong}\n status: ${status}\n${out}${err}")
  endif()
endfunction()

# What it says, what it sets, and whose options are whose.
expect(STATUS 0 OUT "gfx950\n${DIRECTORY}\n" COMMAND --arch gfx950 printenv OPUS_EMU_ARCH LD_LIBRARY_PATH
  ERR "gfx950 on the CPU" "${DIRECTORY}/libamdhip64.so" "checks: hazards,barriers,waits"
    "off: uninitialized_registers,lanes,memory_races,lds_alignment" "OPUS_EMU_CHECK=all")
expect(STATUS 0 OUT "gfx942\n" COMMAND printenv OPUS_EMU_ARCH ERR "gfx942 on the CPU")
expect(STATUS 0 OUT "gfx942\n" COMMAND --arch=gfx942 printenv OPUS_EMU_ARCH)
expect(STATUS 0 OUT "--arch gfx950 --list -- -h x\n" COMMAND echo --arch gfx950 --list -- -h x
  ERR "gfx942 on the CPU")
expect(STATUS 0 OUT "-x -- y\n" COMMAND -- echo -x -- y)
expect(STATUS 7 OUT "" COMMAND sh -c "exit 7")

# What the environment has said before.
set(ENV{OPUS_EMU_ARCH} gfx950)
set(ENV{OPUS_EMU_CHECK} all)
set(ENV{LD_LIBRARY_PATH} /some/where)
expect(STATUS 0 OUT "gfx950\n${DIRECTORY}:/some/where\n" COMMAND printenv OPUS_EMU_ARCH LD_LIBRARY_PATH
  ERR "checks: [a-z_,]*,uninitialized_registers,[a-z_,]*; off: none")
expect(STATUS 0 OUT "gfx942\n" COMMAND --arch gfx942 printenv OPUS_EMU_ARCH)
set(ENV{OPUS_EMU_CHECK} wait)
expect(STATUS 70 OUT "" COMMAND echo no ERR "OPUS_EMU_CHECK=wait: no such check")
unset(ENV{OPUS_EMU_CHECK})
set(ENV{OPUS_EMU_ARCH} gfx1)
expect(STATUS 125 OUT "" COMMAND echo no ERR "OPUS_EMU_ARCH is gfx1")
unset(ENV{OPUS_EMU_ARCH})

# Nothing to run.
expect(STATUS 127 OUT "" COMMAND no_such_program --help ERR "no_such_program: No such file")
expect(STATUS 126 OUT "" COMMAND ${CMAKE_CURRENT_LIST_FILE} ERR "opus_emu.cmake: Permission denied")
expect(STATUS 125 OUT "" COMMAND ERR "a program or --list is needed")
expect(STATUS 125 OUT "" COMMAND --arch gfx950 ERR "a program or --list is needed")
expect(STATUS 125 OUT "" COMMAND --list echo no ERR "a program or --list is needed")
expect(STATUS 125 OUT "" COMMAND --lisp echo no ERR "no option --lisp" NOT_ERR "on the CPU")
expect(STATUS 125 OUT "" COMMAND --arch gfx90a echo no ERR "gfx90a not in")
