# HIP programs and libraries without CMake's HIP language and without ROCm's headers: plain clang
# compiles a .hip file for the host and for the GPU. Part of the installed package.
#
#   opus_add_hip_executable(name source... [ARCHS gfx942 gfx950] [RUNTIME auto|rocm|emulator]
#                           [PRECOMPILE] [LIBRARIES ...] [DEFINITIONS ...] [DEVICE_OPTIONS ...])
#   opus_add_hip_library(name [SHARED|STATIC] source... [the same])
#
# A source that ends in .hip is HIP, any other one is what it is without this. What else the target
# needs is said as for every target (target_link_libraries, target_compile_options, ...). A library
# is linked as any other; without SHARED and STATIC, BUILD_SHARED_LIBS decides.
#
# ARCHS       what the kernels are compiled for; default: OPUS_GPU_ARCHS, else gfx942 and gfx950
# RUNTIME     what the target is linked with; default: OPUS_RUNTIME, else auto
#               rocm      ROCm's libamdhip64.so below $ROCM_PATH or /opt/rocm*, or the file
#                         OPUS_ROCM_LIBRARY
#               emulator  opus::emulator, which runs the kernels on the CPU
#               auto      ROCm's if it is found, else the emulator
# PRECOMPILE  reads opus/hip_minimal.hpp and opus/opus.hpp once for all .hip files with the same
#             options, by the program opus-precompiled. Macros for the header are DEFINITIONS then:
#             one that a file defines itself is an error. Needs Ninja or Makefiles.
# DEVICE_OPTIONS  options of the compiler for kernels alone. They are compiled with -O3 unless there is
#             an -O, whatever the build type says, which is for the host
# The functions set the property OPUS_RUNTIME of the target to rocm or emulator. SOURCES may stand
# before the sources.
include_guard()

define_property(
    TARGET PROPERTY OPUS_RUNTIME
    BRIEF_DOCS "What runs the kernels of a HIP target: rocm or emulator"
    FULL_DOCS "Set by opus_add_hip_executable and opus_add_hip_library"
)

# No HIP headers and no device library: opus/hip_minimal.hpp stands in for the first. Where clang
# finds an installed HIP it also puts its wrappers of standard headers in front, which rely on the
# keywords of HIP's headers; where it finds none it calls the option against that unused. The warning is
# of offsets of 64 bits, which gmem and smem take as of 32.
set_property(
    GLOBAL PROPERTY OPUS_HIP_OPTIONS
    -xhip -nogpuinc -nogpulib -nohipwrapperinc -Wno-unused-command-line-argument
    -Wshorten-64-to-32
)
set(OPUS_PRECOMPILED ${CMAKE_CURRENT_LIST_DIR}/opus-precompiled CACHE INTERNAL "")

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

# Called when the directory of the target is complete, and with it the target's options. Kernels are
# compiled with -O3, unless they have an -O: what a source has comes last on the command line.
function(opus_hip_device_level name)
    get_target_property(options ${name} COMPILE_OPTIONS)
    get_target_property(hip_options ${name} OPUS_HIP_OPTIONS)
    set(options "${CMAKE_CXX_FLAGS};${options};${hip_options}")
    if(options MATCHES "-Xarch_device[ ;]-O0")
        message(WARNING
            " opus: the kernels of ${name} are compiled with -O0: they are very slow, and their stack "
            "frames can be beyond the compiler's limit of 131056 bytes; -O1 is enough to debug"
        )
    elseif(NOT options MATCHES "-Xarch_device[ ;]-O")
        set_property(TARGET ${name} APPEND PROPERTY OPUS_HIP_OPTIONS -Xarch_device -O3)
    endif()
endfunction()

# opus_hip_target(kind name ...): kind is executable or library.
function(opus_hip_target kind name)
    cmake_parse_arguments(
        PARSE_ARGV 2 arg "SHARED;STATIC;PRECOMPILE" "RUNTIME"
        "ARCHS;SOURCES;LIBRARIES;DEFINITIONS;DEVICE_OPTIONS"
    )
    # CMake breaks the lines of a message, except those that begin with a blank.
    set(error " opus_add_hip_${kind}(${name}): ")
    set(sources ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
    if(NOT sources)
        message(FATAL_ERROR "${error}" "no sources are given")
    endif()
    if(arg_SHARED AND (arg_STATIC OR kind STREQUAL "executable"))
        message(FATAL_ERROR "${error}" "SHARED is for a library, which is either SHARED or STATIC")
    elseif(arg_STATIC AND kind STREQUAL "executable")
        message(FATAL_ERROR "${error}" "STATIC is for a library, which is either SHARED or STATIC")
    endif()
    if(arg_PRECOMPILE AND NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
        message(FATAL_ERROR "${error}" "PRECOMPILE needs Ninja or Makefiles, not ${CMAKE_GENERATOR}")
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

    if(kind STREQUAL "executable")
        add_executable(${name} ${sources})
        set(visibility PRIVATE)
    else()
        set(type)
        if(arg_SHARED)
            set(type SHARED)
        elseif(arg_STATIC)
            set(type STATIC)
        endif()
        add_library(${name} ${type} ${sources})
        set(visibility PUBLIC)
    endif()
    get_property(hip_options GLOBAL PROPERTY OPUS_HIP_OPTIONS)
    list(TRANSFORM archs PREPEND --offload-arch=)
    set(device_options ${arg_DEVICE_OPTIONS})
    list(TRANSFORM device_options PREPEND "-Xarch_device;")
    set_target_properties(
        ${name} PROPERTIES
        OPUS_RUNTIME ${runtime}
        OPUS_HIP_OPTIONS "${hip_options};${archs};${device_options}"
    )
    cmake_language(EVAL CODE "cmake_language(DEFER CALL opus_hip_device_level [[${name}]])")
    set(hip_sources ${sources})
    list(FILTER hip_sources INCLUDE REGEX "\\.hip$")
    # Through the target, because other targets may compile the same file for other architectures.
    set_source_files_properties(
        ${hip_sources} PROPERTIES
        LANGUAGE CXX
        COMPILE_OPTIONS "$<TARGET_PROPERTY:OPUS_HIP_OPTIONS>"
    )
    if(arg_PRECOMPILE)
        set(precompiled
            ${OPUS_PRECOMPILED} ${CMAKE_BINARY_DIR}/opus_precompiled ${CMAKE_CXX_COMPILER_LAUNCHER}
        )
        set_target_properties(
            ${name} PROPERTIES
            CXX_COMPILER_LAUNCHER "${precompiled}"
        )
    endif()
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    target_link_libraries(${name} ${visibility} opus::opus PRIVATE ${arg_LIBRARIES})
    if(runtime STREQUAL "rocm")
        target_link_libraries(${name} ${visibility} ${OPUS_ROCM_LIBRARY})
    else()
        target_link_libraries(${name} ${visibility} opus::emulator)
    endif()
endfunction()

function(opus_add_hip_executable name)
    opus_hip_target(executable ${name} ${ARGN})
endfunction()

function(opus_add_hip_library name)
    opus_hip_target(library ${name} ${ARGN})
endfunction()
