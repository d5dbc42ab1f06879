# cmake -DCOMPILER=clang++ -DINCLUDE=directory -DTARGETS=gfx942,gfx950 -DOUTPUT=directory
#       -P precompile_headers.cmake
#
# Precompiles the headers for the tests that compile hundreds of small files: code that must not
# compile and the blocks of the documents. Makes in OUTPUT, for each of TARGETS, for the host pass of
# HIP (hip_host) and for plain C++ (host):
#   opus_<target>.pch   #include "opus/opus.hpp"
#   both_<target>.pch   #include "opus/hip_minimal.hpp" in front of it
# and, as HIP at -O3, O3_gfx942.pch, ..., O3_host.pch of all headers.
# A test passes `-Xclang -include-pch -Xclang <file>` where its source begins with these lines. clang
# refuses a file that is older than one of its headers.
cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE ${OUTPUT})
file(WRITE ${OUTPUT}/opus.hpp "#include \"opus/opus.hpp\"\n")
file(WRITE ${OUTPUT}/both.hpp "#include \"opus/hip_minimal.hpp\"\n#include \"opus/opus.hpp\"\n")
file(
    WRITE ${OUTPUT}/all.hpp
    "#include \"opus/hip_minimal.hpp\"\n#include \"opus/opus_plus.hpp\"\n#include \"opus/opus_debug.hpp\"\n"
)

function(precompile headers name)
    execute_process(
        COMMAND
            ${COMPILER} -std=c++17 ${ARGN} -I${INCLUDE} -w -fsyntax-only
            -Xclang -emit-pch -Xclang -o -Xclang ${OUTPUT}/${name}.pch ${OUTPUT}/${headers}.hpp
        RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR " ${headers}.hpp does not compile for ${name}.pch")
    endif()
endfunction()

set(hip -x hip -nogpuinc -nogpulib)
set(options_hip_host ${hip} --offload-arch=gfx942 --cuda-host-only)
string(REPLACE "," ";" targets "${TARGETS}")
foreach(target IN LISTS targets)
    set(options_${target} ${hip} --offload-arch=${target} --cuda-device-only)
endforeach()
foreach(headers opus both)
    precompile(${headers} ${headers}_host -x c++)
    foreach(target hip_host ${targets})
        precompile(${headers} ${headers}_${target} ${options_${target}})
    endforeach()
endforeach()
precompile(all O3_host ${options_hip_host} -O3)
foreach(target IN LISTS targets)
    precompile(all O3_${target} ${options_${target}} -O3)
endforeach()
