# Compiles a program with the real HIP headers that are found in HIP, and with RUN links it with the
# emulator and runs it (what uses the built-ins of HIP's headers cannot be linked without ROCm's
# device library):
# cmake -DCOMPILER= -DHIP= -DSOURCE= -DOPTIONS= -DINCLUDE= -DRUN= -DLIBRARY= [-DHOST=]
#     [-DDEVICE_LIBRARY=] [-DKIND=] -DPROGRAM= -P ...
#
# HOST is a library of the program's host side, compiled with hip_minimal.hpp. DEVICE_LIBRARY is the
# directory of ROCm's device library. With KIND it is printing.cmake that runs the program.
#
# HIP's headers are compiled by the clang that they come with; to another one they need two things:
# the wave size, which clang >= 22 no longer defines, and the path by which they include clang's
# wrappers of standard headers.
execute_process(
    COMMAND ${COMPILER} -print-resource-dir OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY
)
# A directory that the compiler searches anyway must stay in its place.
set(headers -isystem ${HIP})
if(HIP STREQUAL "/usr/include")
    set(headers)
endif()
set(library -nogpulib)
if(DEVICE_LIBRARY)
    # A library that is older than the targets has no constants for them; those of gfx940 are the same.
    set(links ${PROGRAM}_device_library)
    file(GLOB files ${DEVICE_LIBRARY}/*.bc)
    file(MAKE_DIRECTORY ${links})
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME)
        file(CREATE_LINK ${file} ${links}/${name} SYMBOLIC)
    endforeach()
    foreach(version 942 950)
        set(name oclc_isa_version_${version}.bc)
        if(NOT EXISTS ${DEVICE_LIBRARY}/${name})
            file(CREATE_LINK ${DEVICE_LIBRARY}/oclc_isa_version_940.bc ${links}/${name} SYMBOLIC)
        endif()
    endforeach()
    set(library --rocm-device-lib-path=${links} -mcode-object-version=5)
endif()
set(compile
    ${COMPILER} -x hip --offload-arch=gfx942 --offload-arch=gfx950 -nogpuinc ${library}
    -nohipwrapperinc -Wno-unused-command-line-argument -D__AMDGCN_WAVEFRONT_SIZE=64
    -D__HIP_PLATFORM_AMD__ -I${resources} ${headers} -I${INCLUDE} -std=c++17 -O1 ${OPTIONS}
)
set(host)
if(HOST)
    set(host -x none ${HOST})
endif()
function(compile)
    execute_process(COMMAND ${compile} ${ARGV} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "does not compile: ${SOURCE} ${OPTIONS}")
    endif()
endfunction()
if(NOT RUN)
    compile(--cuda-host-only -c -o ${PROGRAM}.o ${SOURCE})
    compile(--cuda-device-only --gpu-bundle-output -emit-llvm -c -o ${PROGRAM}.bc ${SOURCE})
    return()
endif()

get_filename_component(directory ${LIBRARY} DIRECTORY)
compile(-o ${PROGRAM} ${SOURCE} ${host} -L${directory} -lamdhip64 -Wl,-rpath,${directory})
if(KIND)
    set(REAL_HEADERS ON)
    foreach(ARCH gfx942 gfx950)
        include(${CMAKE_CURRENT_LIST_DIR}/printing.cmake)
    endforeach()
    return()
endif()
foreach(arch gfx942 gfx950)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env OPUS_EMU_ARCH=${arch} ${PROGRAM} RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "status ${status} on ${arch}: ${PROGRAM}")
    endif()
endforeach()
