# HIP programs without CMake's HIP language and without ROCm's headers: plain clang compiles a .hip
# file for the host and for the GPU. Part of the installed package.
#
#   opus_add_hip_executable(name source... [ARCHS gfx942 gfx950] [RUNTIME auto|rocm|emulator]
#                           [LIBRARIES ...] [DEFINITIONS ...])
#
# A source that ends in .hip is HIP, any other one is what it is without this. What else the program
# needs is said as for every target (target_link_libraries, target_compile_options, ...).
#
# ARCHS     what the kernels are compiled for; default: OPUS_GPU_ARCHS, else gfx942 and gfx950
# RUNTIME   what the program is linked with; default: OPUS_RUNTIME, else auto
#             rocm      ROCm's libamdhip64.so below $ROCM_PATH or /opt/rocm*, or the file
#                       OPUS_ROCM_LIBRARY
#             emulator  opus::emulator, which runs the kernels on the CPU
#             auto      ROCm's if it is found, else the emulator
# The function sets the property OPUS_RUNTIME of the target to rocm or emulator. SOURCES may stand
# before the sources.
include_guard()

define_property(
    TARGET PROPERTY OPUS_RUNTIME
    BRIEF_DOCS "What runs the kernels of a HIP program: rocm or emulator"
    FULL_DOCS "Set by opus_add_hip_executable"
)

# No HIP headers and no device library: opus/hip_minimal.hpp stands in for the first. Where clang
# finds an installed HIP it also puts its wrappers of standard headers in front, which rely on the
# keywords of HIP's headers; where it finds none it calls the option against that unused.
set_property(
    GLOBAL PROPERTY OPUS_HIP_OPTIONS
    -xhip -nogpuinc -nogpulib -nohipwrapperinc -Wno-unused-command-line-argument
)

# Sets OPUS_ROCM_LIBRARY.
macro(opus_find_rocm)
    if(NOT OPUS_ROCM_LIBRARY)
        file(GLOB opus_rocm_roots /opt/rocm /opt/rocm-*)
        find_library(
            OPUS_ROCM_LIBRARY amdhip64
            PATHS $ENV{ROCM_PATH} ${opus_rocm_roots}
            PATH_SUFFIXES lib lib64
            NO_DEFAULT_PATH
            DOC "ROCm's libamdhip64.so"
        )
    endif()
endmacro()

function(opus_add_hip_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "RUNTIME" "ARCHS;SOURCES;LIBRARIES;DEFINITIONS")
    # CMake breaks the lines of a message, except those that begin with a blank.
    set(error " opus_add_hip_executable(${name}): ")
    set(sources ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
    if(NOT sources)
        message(FATAL_ERROR "${error}" "no sources are given")
    endif()
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
        message(FATAL_ERROR
            "${error}"
            "needs clang 19 or newer, 20 for gfx950 (ROCm's, or clang++-N), not "
            "'${CMAKE_CXX_COMPILER}'; -DCMAKE_CXX_COMPILER names it"
        )
    endif()

    set(archs ${arg_ARCHS})
    if(NOT archs)
        set(archs ${OPUS_GPU_ARCHS})
    endif()
    if(NOT archs)
        set(archs gfx942 gfx950)
    endif()
    if("gfx950" IN_LIST archs AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 20)
        message(FATAL_ERROR
            "${error}"
            "gfx950 needs clang 20 or newer, and this is ${CMAKE_CXX_COMPILER_VERSION}; "
            "ARCHS gfx942 leaves it out"
        )
    endif()

    set(runtime auto)
    if(arg_RUNTIME)
        set(runtime ${arg_RUNTIME})
    elseif(OPUS_RUNTIME)
        set(runtime ${OPUS_RUNTIME})
    endif()
    if(NOT runtime MATCHES "^(auto|rocm|emulator)$")
        message(FATAL_ERROR "${error}" "the runtime is '${runtime}'; it may be auto, rocm or emulator")
    endif()
    if(NOT runtime STREQUAL "emulator")
        opus_find_rocm()
    endif()
    if(runtime STREQUAL "auto" AND OPUS_ROCM_LIBRARY)
        set(runtime rocm)
    elseif(runtime STREQUAL "auto" AND TARGET opus::emulator)
        set(runtime emulator)
    elseif(runtime STREQUAL "auto")
        message(FATAL_ERROR
            "${error}"
            "nothing to run kernels with: no ROCm (libamdhip64.so below $ROCM_PATH or /opt/rocm*) "
            "and no emulator, which opus installs with -DOPUS_BUILD_EMULATOR=ON"
        )
    elseif(runtime STREQUAL "rocm" AND NOT OPUS_ROCM_LIBRARY)
        message(FATAL_ERROR
            "${error}"
            "no ROCm: there is no libamdhip64.so below $ROCM_PATH or /opt/rocm*; "
            "-DOPUS_ROCM_LIBRARY names it"
        )
    elseif(runtime STREQUAL "emulator" AND NOT TARGET opus::emulator)
        message(FATAL_ERROR
            "${error}"
            "no emulator: there is no target opus::emulator; opus installs it with "
            "-DOPUS_BUILD_EMULATOR=ON, and find_package(opus CONFIG COMPONENTS emulator) asks for it"
        )
    endif()

    add_executable(${name} ${sources})
    get_property(hip_options GLOBAL PROPERTY OPUS_HIP_OPTIONS)
    list(TRANSFORM archs PREPEND --offload-arch=)
    set_target_properties(
        ${name} PROPERTIES
        OPUS_RUNTIME ${runtime}
        OPUS_HIP_OPTIONS "${hip_options};${archs}"
    )
    set(hip_sources ${sources})
    list(FILTER hip_sources INCLUDE REGEX "\\.hip$")
    # Through the target, because other targets may compile the same file for other architectures.
    set_source_files_properties(
        ${hip_sources} PROPERTIES
        LANGUAGE CXX
        COMPILE_OPTIONS "$<TARGET_PROPERTY:OPUS_HIP_OPTIONS>"
    )
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    target_link_libraries(${name} PRIVATE opus::opus ${arg_LIBRARIES})
    if(runtime STREQUAL "rocm")
        target_link_libraries(${name} PRIVATE ${OPUS_ROCM_LIBRARY})
    else()
        target_link_libraries(${name} PRIVATE opus::emulator)
    endif()
endfunction()
