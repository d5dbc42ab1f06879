# cmake -DOPUS_EMU=program -DDIRECTORY=directory of the library -DKERNELS=directory of the tests'
#   programs -DCLANG=compiler -DVERSION=of opus -P opus_emu.cmake
#
# How opus-emu takes its arguments apart, what it says and what the program gets.
cmake_minimum_required(VERSION 3.22)

unset(ENV{OPUS_EMU_ARCH})
unset(ENV{OPUS_EMU_CHECK})
unset(ENV{LD_LIBRARY_PATH})

# expect(STATUS n OUT text OUT_HAS regex... ERR regex... NOT_ERR regex INPUT file COMMAND
# arguments...): OUT is all of stdout, or OUT_HAS is in it.
function(expect)
  cmake_parse_arguments(arg "" "STATUS;OUT;NOT_ERR;INPUT" "OUT_HAS;ERR;COMMAND" ${ARGN})
  set(input)
  if(arg_INPUT)
    set(input INPUT_FILE ${arg_INPUT})
  endif()
  execute_process(COMMAND ${OPUS_EMU} ${arg_COMMAND} ${input}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(wrong)
  if(NOT status STREQUAL arg_STATUS)
    list(APPEND wrong "the status is not ${arg_STATUS}")
  endif()
  if(NOT arg_OUT_HAS AND NOT "${out}" STREQUAL "${arg_OUT}")
    list(APPEND wrong "stdout is not '${arg_OUT}'")
  endif()
  foreach(regex IN LISTS arg_OUT_HAS)
    if(NOT out MATCHES "${regex}")
      list(APPEND wrong "stdout has no '${regex}'")
    endif()
  endforeach()
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
    "off: memory_races" "OPUS_EMU_CHECK=all")
expect(STATUS 0 OUT "gfx942\n" COMMAND printenv OPUS_EMU_ARCH ERR "gfx942 on the CPU")
expect(STATUS 0 OUT "gfx942\n" COMMAND --arch=gfx942 printenv OPUS_EMU_ARCH)
expect(STATUS 0 OUT "--arch gfx950 --list -- -h x\n" COMMAND echo --arch gfx950 --list -- -h x
  ERR "gfx942 on the CPU")
expect(STATUS 0 OUT "-x -- y\n" COMMAND -- echo -x -- y)
expect(STATUS 0 OUT_HAS "^opus-emu ${VERSION}, LLVM [0-9]+[.][0-9.]+\n$" COMMAND --version)
expect(STATUS 0 OUT "x --version\n" COMMAND echo x --version)
expect(STATUS 7 OUT "" COMMAND sh -c "exit 7")

# What the environment has said before.
set(ENV{OPUS_EMU_ARCH} gfx950)
set(ENV{OPUS_EMU_CHECK} all)
set(ENV{LD_LIBRARY_PATH} /some/where)
expect(STATUS 0 OUT "gfx950\n${DIRECTORY}:/some/where\n" COMMAND printenv OPUS_EMU_ARCH LD_LIBRARY_PATH
  ERR "checks: [a-z_,]*,memory_races,[a-z_,]*; off: none")
expect(STATUS 0 OUT "gfx942\n" COMMAND --arch gfx942 printenv OPUS_EMU_ARCH)
set(ENV{OPUS_EMU_CHECK} wait)
expect(STATUS 70 OUT "" COMMAND echo no ERR "OPUS_EMU_CHECK=wait: no such check")
unset(ENV{OPUS_EMU_CHECK})
expect(STATUS 0 OUT "${DIRECTORY}\n" COMMAND env LD_LIBRARY_PATH= ${OPUS_EMU} printenv LD_LIBRARY_PATH)
set(ENV{OPUS_EMU_CPU} abacus)
expect(STATUS 70 OUT "" COMMAND echo no ERR "OPUS_EMU_CPU=abacus: the emulator was built for ")
unset(ENV{OPUS_EMU_CPU})
set(ENV{OPUS_EMU_ARCH} gfx1)
expect(STATUS 125 OUT "" COMMAND echo no ERR "OPUS_EMU_ARCH is gfx1")
unset(ENV{OPUS_EMU_ARCH})

# Nothing to run.
expect(STATUS 0 COMMAND --help ERR "^$"
  OUT_HAS "opus-emu .--arch gfx950. program .arguments" "--list .*--arch .*--lint .*--kernel .*--no-errata .*--json ")
expect(STATUS 127 OUT "" COMMAND no_such_program --help ERR "no_such_program: No such file")
expect(STATUS 126 OUT "" COMMAND ${CMAKE_CURRENT_LIST_FILE} ERR "opus_emu.cmake: Permission denied")
expect(STATUS 125 OUT "" COMMAND ERR "a program, --lint or --list is needed")
expect(STATUS 125 OUT "" COMMAND --arch gfx950 ERR "a program, --lint or --list is needed")
expect(STATUS 125 OUT "" COMMAND --list echo no ERR "a program, --lint or --list is needed")
expect(STATUS 125 OUT "" COMMAND --lisp echo no ERR "no option --lisp" NOT_ERR "on the CPU")
expect(STATUS 125 OUT "" COMMAND --arch gfx90a echo no ERR "gfx90a not in")

# --lint: a program, a fat binary of each kind, a code object, assembly.
foreach(file hip_program hip_program_compressed hip_program_new_driver hip_program.hipfb
    hip_program_compressed.hipfb hip_program_new_driver.hipfb)
  expect(STATUS 0 COMMAND --lint ${KERNELS}/${file} OUT_HAS "${file}: [1-9][0-9]* kernels.* 0 findings")
endforeach()
expect(STATUS 0 COMMAND --lint ${KERNELS}/hip_program_gfx942.co ${KERNELS}/hip_program_gfx950.co
  OUT_HAS "gfx942.co: .*gfx950.co: [1-9][0-9]* kernels")
expect(STATUS 1 COMMAND --lint ${KERNELS}/checks --kernel hazard<false> --arch gfx942
  OUT_HAS "hazard: v0: a vector instruction reads what a matrix instruction writes: 11 wait states are"
    "checks.hip:[0-9]+\n.*the first one:.*v_mfma_f32_32x32x8_f16.*\n  cure  .*s_nop 1.* 1 kernels.* 1 findings")
expect(STATUS 0 COMMAND --lint ${KERNELS}/checks --kernel hazard<true> OUT_HAS " 2 kernels.* 0 findings")
expect(STATUS 1 COMMAND --lint ${KERNELS}/checks --kernel hazard --json
  OUT_HAS "^.\n  {\n.*\"kernel\": \"void hazard<false>.*\"target\": \"gfx950\".*\"cure\": "
    "\"source\": \"[^\"]*checks.hip:[0-9]+\",\n *\"first\": {[^}]*\"source\": \"[^\"]*checks.hip:[0-9]+\"")
expect(STATUS 1 COMMAND --arch gfx950 --lint --json --kernel hazard ${KERNELS}/checks
  OUT_HAS "\"target\": \"gfx950\".*\"cure\": ")
expect(STATUS 0 OUT "--lint\n" COMMAND echo --lint ERR "gfx942 on the CPU")
expect(STATUS 125 OUT "" COMMAND --lint ERR "FILE is required")
expect(STATUS 2 OUT "" COMMAND --lint ${KERNELS}/checks --kernel nobody ERR "no kernel has nobody")
expect(STATUS 2 OUT "" COMMAND --lint no_such_file ERR "no_such_file: cannot be read")
expect(STATUS 2 OUT "" COMMAND --lint ${OPUS_EMU} ERR "no kernels")
expect(STATUS 2 OUT "" COMMAND --lint ${KERNELS}/hip_program_gfx942 --arch gfx950 ERR "no kernels for gfx950")
expect(STATUS 2 COMMAND --lint ${KERNELS}/hip_program no_such_file OUT_HAS "0 findings" ERR "cannot be read")
expect(STATUS 125 OUT "" COMMAND --json ERR "requires --lint")
# What clang writes, and half of it.
execute_process(COMMAND ${CLANG} -x hip --offload-arch=gfx950 --cuda-device-only -nogpuinc -nogpulib
    -D__HIPCC_RTC__ -O2 -g -std=c++17 -S ${CMAKE_CURRENT_LIST_DIR}/checks.hip
    -o ${KERNELS}/checks_gfx950.s COMMAND_ERROR_IS_FATAL ANY)
expect(STATUS 1 COMMAND --lint - --kernel hazard INPUT ${KERNELS}/checks_gfx950.s
  OUT_HAS "-: 2 kernels.* 1 findings")
expect(STATUS 1 COMMAND --lint ${KERNELS}/checks_gfx950.s --kernel hazard OUT_HAS "gfx950" NOT_ERR "warning")
file(READ ${KERNELS}/checks_gfx950.s assembly)
string(REGEX REPLACE "amdhsa-[a-z]*-gfx950\"" "amdhsa-unknown-gfx950\"" assembly "${assembly}")
string(APPEND assembly "\t.cfi_llvm_register_pair 16, 62, 32, 63, 32\n")
file(WRITE ${KERNELS}/checks_of_llvm_23.s "${assembly}")
expect(STATUS 1 COMMAND --lint ${KERNELS}/checks_of_llvm_23.s --kernel hazard OUT_HAS "gfx950")
expect(STATUS 2 OUT "" COMMAND --lint - --arch gfx942 INPUT ${KERNELS}/checks_gfx950.s
  ERR "no kernels for gfx942")
expect(STATUS 2 OUT "" COMMAND --lint - INPUT ${CMAKE_CURRENT_LIST_DIR}/checks.hip ERR "without .amdgcn_target")
expect(STATUS 2 OUT "" COMMAND --lint - --arch gfx942 INPUT ${CMAKE_CURRENT_LIST_DIR}/checks.hip
  ERR "assembling failed")
# Where an instruction is: the first one, one in front of it, and the path that leads there.
set(descriptor ".section .rodata\n.globl k.kd\nk.kd: .quad 0\n")
file(WRITE ${KERNELS}/undecodable.s ".globl k\nk: .long 0xffffffff\n${descriptor}")
expect(STATUS 1 COMMAND --lint ${KERNELS}/undecodable.s --arch gfx942
  OUT_HAS "check       decode\n.*kernel      k, gfx942\n  pc          .0x0 from its first instruction\n"
    "pc          [+]0x0 from")
file(WRITE ${KERNELS}/undecodable.s
  "before: .long 0xffffffff\n.globl k\nk: s_nop 0\ns_branch before\n${descriptor}")
expect(STATUS 1 COMMAND --lint ${KERNELS}/undecodable.s --arch gfx942
  OUT_HAS "pc          -0x4 from its first instruction\n")
expect(STATUS 1 COMMAND --lint ${KERNELS}/undecodable.s --arch gfx942 --json
  OUT_HAS "\"check\": \"decode\"" "\"offset\": \"-0x4\"" "\"instructions\": 3,")
# All that JSON says of a finding on a path, and of a branch that is not followed.
file(WRITE ${KERNELS}/path.s ".globl k\nk: s_load_dword s4, s[0:1], 0x0\ns_cbranch_scc1 there\n"
  "s_setpc_b64 s[2:3]\nthere: s_add_u32 s5, s4, s4\ns_endpgm\n${descriptor}")
set(n "\n *")
expect(STATUS 1 COMMAND --lint ${KERNELS}/path.s --arch gfx942 --json
  OUT_HAS "\"file\": \"[^\"]*/path.s\",${n}\"kernel\": \"k\",${n}\"symbol\": \"k\",${n}\"target\": "
    "\"not_followed\": .${n}\".0xc s_setpc_b64 s.2:3. .an indirect branch.\"${n}.,${n}\"findings\": "
    "\"check\": \"waits\",${n}\"message\": \"wait: s4 is read while .*\",${n}\"offset\": \".0x10\",${n}\"instr"
    "\"offset\": \".0x10\",${n}\"instruction\": \"s_add_u32 s5, s4, s4\",${n}\"source\": \"\",${n}\"first\": {"
    "\"first\": {${n}\"offset\": \".0x0\",${n}\"instruction\": \"s_load_dword s4, .*\",${n}\"source\": \"\"${n}}"
    "\"path\": .${n}{${n}\"offset\": \".0x8\",${n}\"instruction\": \"s_cbranch_scc1 1\",${n}\"source\": \"\""
    "\"source\": \"\",${n}\"taken\": true,${n}\"to\": \".0x10\"${n}}${n}.,${n}\"cure\": \"s_waitcnt lgkmcnt.0.")
# An erratum of gfx950, which is a finding unless it is not asked for.
file(WRITE ${KERNELS}/erratum.s
  ".globl k\nk: v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]\ns_endpgm\n${descriptor}")
expect(STATUS 1 COMMAND --lint ${KERNELS}/erratum.s --arch gfx950
  OUT_HAS "erratum: .*check       errata\n.*cure        .*-packed-fp32-ops\n.*1 findings")
expect(STATUS 1 COMMAND --lint ${KERNELS}/erratum.s --arch gfx950 --json
  OUT_HAS "\"check\": \"errata\"")
expect(STATUS 0 COMMAND --lint ${KERNELS}/erratum.s --arch gfx950 --no-errata OUT_HAS " 0 findings")
expect(STATUS 0 COMMAND --lint ${KERNELS}/erratum.s --arch gfx942 OUT_HAS " 0 findings")
expect(STATUS 125 OUT "" COMMAND --no-errata ERR "requires --lint")
