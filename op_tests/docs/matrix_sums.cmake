# cmake -DCOMPILER=clang++ -DDOCUMENT=docs/matrix-cores.md -DINCLUDE=directory
#       -DLIBRARY=libamdhip64.so -DOUTPUT=directory -P matrix_sums.cmake
#
# Builds the document's program that has a main(), runs it for gfx942 and compares what it prints
# with the block of text behind it.
cmake_minimum_required(VERSION 3.22)

file(READ ${DOCUMENT} document)
string(FIND "${document}" "#include <cstdio>" from)
if(from EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT} has no '#include <cstdio>'")
endif()
string(SUBSTRING "${document}" ${from} -1 rest)
string(FIND "${rest}" "```" length)
string(SUBSTRING "${rest}" 0 ${length} source)
string(FIND "${rest}" "```text\n" from)
math(EXPR from "${from} + 8")
string(SUBSTRING "${rest}" ${from} -1 rest)
string(FIND "${rest}" "```" length)
string(SUBSTRING "${rest}" 0 ${length} expected)

file(WRITE ${OUTPUT}/sums.hip "${source}")
get_filename_component(directory ${LIBRARY} DIRECTORY)
execute_process(
    COMMAND
        ${COMPILER} -x hip --offload-arch=gfx942 -nogpuinc -nogpulib -std=c++17 -O3 -I ${INCLUDE}
        sums.hip -o sums -L${directory} -lamdhip64 -Wl,-rpath,${directory}
    WORKING_DIRECTORY ${OUTPUT}
    COMMAND_ERROR_IS_FATAL ANY
)
set(ENV{OPUS_EMU_ARCH} gfx942)
execute_process(
    COMMAND ${OUTPUT}/sums
    OUTPUT_VARIABLE printed
    COMMAND_ERROR_IS_FATAL ANY
)
if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "The program prints\n${printed}\nand not\n${expected}")
endif()
