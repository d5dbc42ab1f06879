# What runs the kernels of the tests and examples, and how these are built.
#
#   opus_add_hip_executable, of opus_add_hip_executable.cmake, for OPUS_GPU_ARCHS and OPUS_RUNTIME
#   opus_add_host_executable(name SOURCES ... [LIBRARIES ...] [DEFINITIONS ...])
#   opus_add_device_test(name SOURCES ... [LIBRARIES ...] [DEFINITIONS ...] [NOT_PRECOMPILED])
#   opus_add_host_test(name SOURCES ... [LIBRARIES ...] [DEFINITIONS ...] [NOT_PRECOMPILED])
#   opus_add_isa(name SOURCE file.hip ARCH gfx942 [DEFINITIONS ...] [OPTIONS ...])
#   opus_add_precompiled_headers()
#   opus_add_compile_fail_test(name SOURCE file)
#
# A .hip file is HIP, any other one plain C++17. A change to an included header rebuilds both,
# except to one that only the device pass includes (clang records what the host pass reads).

get_filename_component(opus_source_dir ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(OPUS_RUNTIME auto CACHE STRING "What runs the kernels: auto, rocm, emulator or none")
set_property(CACHE OPUS_RUNTIME PROPERTY STRINGS auto rocm emulator none)

# == compiler =====================================================================================
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
    message(FATAL_ERROR
        "opus: the tests and examples need clang 19 or newer, 20 for gfx950 (ROCm's, or clang++-N), "
        "not ${CMAKE_CXX_COMPILER}. op_tests/run.sh finds or installs it; -DCMAKE_CXX_COMPILER names "
        "it; the library alone needs none: -DOPUS_BUILD_TESTS=OFF -DOPUS_BUILD_EXAMPLES=OFF."
    )
endif()

include(${CMAKE_CURRENT_LIST_DIR}/opus_warnings.cmake)
get_property(opus_hip_options GLOBAL PROPERTY OPUS_HIP_OPTIONS)

# == runtime ======================================================================================
# Sets OPUS_RUNTIME_USED, and OPUS_GPU_ARCHS unless it is set. Other than for a program that is built
# here for other machines, auto is rocm only where there is a GPU. With none there are only the
# programs that run on the host alone.
if(NOT OPUS_RUNTIME MATCHES "^(auto|rocm|emulator|none)$")
    message(
        FATAL_ERROR "opus: OPUS_RUNTIME is '${OPUS_RUNTIME}'; it may be auto, rocm, emulator, none"
    )
endif()
if(OPUS_RUNTIME STREQUAL "none" AND OPUS_BUILD_TESTS)
    message(FATAL_ERROR "opus: the tests run kernels: OPUS_RUNTIME none needs OPUS_BUILD_TESTS=OFF")
endif()
set(opus_runtime_reason "as asked for")
set(opus_default_archs gfx942 gfx950)
set(OPUS_RUNTIME_USED emulator)
if(OPUS_RUNTIME STREQUAL "none")
    set(OPUS_RUNTIME_USED none)
elseif(NOT OPUS_RUNTIME STREQUAL "emulator")
    execute_process(
        COMMAND sh ${opus_source_dir}/cmake/find_gpu.sh
        RESULT_VARIABLE opus_gpu_status
        OUTPUT_VARIABLE opus_gpu
        ERROR_VARIABLE opus_gpu_reason
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_STRIP_TRAILING_WHITESPACE
    )
    if(opus_gpu_status EQUAL 0 AND opus_gpu MATCHES "^([^ ]+) (.+)$")
        set(OPUS_RUNTIME_USED rocm)
        set(opus_default_archs ${CMAKE_MATCH_1})
        set(OPUS_ROCM_LIBRARY ${CMAKE_MATCH_2})
        set(opus_runtime_reason "${CMAKE_MATCH_1}, ${OPUS_ROCM_LIBRARY}")
    elseif(OPUS_RUNTIME STREQUAL "rocm")
        message(FATAL_ERROR "opus: OPUS_RUNTIME is rocm, but there is ${opus_gpu_reason}")
    else()
        set(opus_runtime_reason "${opus_gpu_reason}")
    endif()
endif()
set(OPUS_GPU_ARCHS "${opus_default_archs}" CACHE STRING "Architectures to compile kernels for")

set(OPUS_RUNTIME ${OPUS_RUNTIME_USED})  # for opus_add_hip_executable; auto stays in the cache
if(OPUS_RUNTIME_USED STREQUAL "none")
    message(STATUS "opus: without a runtime there are only programs for the host")
else()
    message(STATUS "opus: kernels run on: ${OPUS_RUNTIME_USED} (${opus_runtime_reason})")
    message(STATUS "opus: kernels are compiled for: ${OPUS_GPU_ARCHS}")
endif()

# == programs =====================================================================================
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

macro(opus_common_settings name definitions)
    target_compile_definitions(${name} PRIVATE ${definitions})
    target_link_libraries(${name} PRIVATE opus::opus)
endmacro()

function(opus_add_host_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS")
    add_executable(${name} ${arg_SOURCES})
    opus_common_settings(${name} "${arg_DEFINITIONS}")
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
endfunction()

# == precompiled headers ==========================================================================
# Of headers that take longer to read than opus, and which a .hip file reads three times. Clang takes from
# a directory the file that fits the options, so that what has other ones or definitions goes without.
# None has anything of opus, which a source may define macros for. A source that relies on headers that
# it does not include is found where this is OFF.
option(OPUS_TEST_PRECOMPILED "Read GoogleTest and what all examples include precompiled" ON)
set(opus_precompiles OFF)
if(
    OPUS_BUILD_TESTS AND OPUS_TEST_PRECOMPILED AND CMAKE_GENERATOR STREQUAL "Ninja"
    AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_FLAGS
)
    set(opus_precompiles ON)
endif()

# opus_precompile(files directory header name option...): directory/precompiled/name.pch, which is
# appended to the list `files`.
function(opus_precompile files directory header name)
    file(MAKE_DIRECTORY ${directory}/precompiled)
    set(file ${directory}/precompiled/${name}.pch)
    add_custom_command(
        OUTPUT ${file}
        COMMAND
            ${CMAKE_CXX_COMPILER} ${ARGN} -fsyntax-only -Xclang -emit-pch
            -Xclang -fpch-instantiate-templates
            -Xclang -o -Xclang ${file} -Xclang -dependency-file -Xclang ${directory}/${name}.d
            -Xclang -MT -Xclang ${file} -Xclang -sys-header-deps ${header}
        DEPFILE ${directory}/${name}.d
        COMMENT "Precompiling ${header}, ${name}"
        VERBATIM
    )
    set(${files} ${${files}} ${file} PARENT_SCOPE)
endfunction()

# The options for a library's header, as a list.
function(opus_options_to_precompile options library)
    separate_arguments(list UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
    set(before_COMPILE_DEFINITIONS -D)
    set(before_INCLUDE_DIRECTORIES -isystem)
    foreach(kind COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
        get_target_property(of_kind ${library} INTERFACE_${kind})
        list(REMOVE_ITEM of_kind of_kind-NOTFOUND ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
        list(TRANSFORM of_kind PREPEND "${before_${kind}}")
        list(APPEND list ${of_kind})
    endforeach()
    set(${options} ${list} PARENT_SCOPE)
endfunction()

# == GoogleTest ===================================================================================
# opus_gtest stands for GTest::gtest_main, and for its header precompiled. There is one for each kind of
# source; NOT_PRECOMPILED of the functions below is for other options.
add_library(opus_gtest INTERFACE)
if(opus_precompiles)
    set(opus_gtest_directory ${PROJECT_BINARY_DIR}/gtest)
    set(opus_gtest_header ${opus_gtest_directory}/gtest.hpp)
    file(CONFIGURE OUTPUT ${opus_gtest_header} CONTENT "#include <gtest/gtest.h>\n")
    opus_options_to_precompile(opus_gtest_options GTest::gtest)
    set(opus_gtest_files)
    function(opus_precompile_gtest name)
        opus_precompile(
            opus_gtest_files ${opus_gtest_directory} ${opus_gtest_header} ${name}
            ${opus_gtest_options} ${ARGN}
        )
        set(opus_gtest_files ${opus_gtest_files} PARENT_SCOPE)
    endfunction()
    set(plain -x c++ -std=c++17)
    set(hip ${opus_hip_options} -std=c++17)
    opus_precompile_gtest(host ${plain})
    opus_precompile_gtest(host_O0 ${plain} -O0)
    opus_precompile_gtest(hip_host ${hip} --offload-arch=gfx942 --cuda-host-only)
    opus_precompile_gtest(hip_host_O0 ${hip} --offload-arch=gfx942 --cuda-host-only -O0)
    foreach(arch IN LISTS OPUS_GPU_ARCHS)
        opus_precompile_gtest(hip_${arch} ${hip} --offload-arch=${arch} --cuda-device-only)
    endforeach()
    add_custom_target(opus_gtest_precompiled DEPENDS ${opus_gtest_files})
    target_compile_options(
        opus_gtest
        INTERFACE "SHELL:-Xclang -include-pch -Xclang ${opus_gtest_directory}/precompiled"
    )
    add_dependencies(opus_gtest opus_gtest_precompiled)
endif()
target_link_libraries(opus_gtest INTERFACE GTest::gtest_main)

# == tests ========================================================================================
# DEFINITIONS of a test stand in its sources, not in its options, which would be others than those of
# the precompiled header: for each source a file that defines them and includes it. (With
# NOT_PRECOMPILED they are options.)
function(opus_define_in_sources sources name)
    set(text)
    foreach(definition IN LISTS ARGN)
        string(FIND "${definition}" "=" at)
        if(at LESS 0)
            string(APPEND text "#define ${definition} 1\n")
        else()
            string(SUBSTRING "${definition}" 0 ${at} macro)
            math(EXPR at "${at} + 1")
            string(SUBSTRING "${definition}" ${at} -1 value)
            string(APPEND text "#define ${macro} ${value}\n")
        endif()
    endforeach()
    set(files)
    foreach(source IN LISTS ${sources})
        get_filename_component(path ${source} ABSOLUTE)
        get_filename_component(file ${source} NAME)
        set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${file})
        file(GENERATE OUTPUT ${file} CONTENT "${text}#include \"${path}\"\n")
        list(APPEND files ${file})
    endforeach()
    set(${sources} ${files} PARENT_SCOPE)
endfunction()

# On the emulator once for each architecture, as name/gfx942 and name/gfx950; on a GPU once, as
# name. Labelled with the architecture.
function(opus_add_device_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_PRECOMPILED" "" "SOURCES;LIBRARIES;DEFINITIONS")
    set(gtest opus_gtest)
    if(arg_NOT_PRECOMPILED)
        set(gtest GTest::gtest_main)
    elseif(arg_DEFINITIONS)
        opus_define_in_sources(arg_SOURCES ${name} ${arg_DEFINITIONS})
        set(arg_DEFINITIONS)
    endif()
    opus_add_hip_executable(
        ${name}
        SOURCES ${arg_SOURCES}
        LIBRARIES ${gtest} ${arg_LIBRARIES}
        DEFINITIONS ${arg_DEFINITIONS}
    )
    if(OPUS_RUNTIME_USED STREQUAL "rocm")
        add_test(NAME ${name} COMMAND ${name})
        return()
    endif()
    foreach(arch IN LISTS OPUS_GPU_ARCHS)
        add_test(NAME ${name}/${arch} COMMAND ${name})
        set_tests_properties(
            ${name}/${arch} PROPERTIES ENVIRONMENT OPUS_EMU_ARCH=${arch} LABELS ${arch}
        )
    endforeach()
endfunction()

function(opus_add_host_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_PRECOMPILED" "" "SOURCES;LIBRARIES;DEFINITIONS")
    set(gtest opus_gtest)
    if(arg_NOT_PRECOMPILED)
        set(gtest GTest::gtest_main)
    elseif(arg_DEFINITIONS)
        opus_define_in_sources(arg_SOURCES ${name} ${arg_DEFINITIONS})
        set(arg_DEFINITIONS)
    endif()
    opus_add_host_executable(
        ${name}
        SOURCES ${arg_SOURCES}
        LIBRARIES ${gtest} ${arg_LIBRARIES}
        DEFINITIONS ${arg_DEFINITIONS}
    )
    add_test(NAME ${name} COMMAND ${name})
endfunction()

# Compiles the device half of a file to name.s in the build directory. The target `name` is part of
# the default build and of the directory's property opus_isa, a list.
# (-MD has no effect on a compilation for the device only, therefore -dependency-file.)
# A loop whose count is known when it runs stays one loop with one round's instructions, whatever a
# compiler thinks of unrolling it: clang 23 does that by two.
function(opus_add_isa name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;ARCH;COMPILER" "DEFINITIONS;OPTIONS")
    if(NOT arg_COMPILER)
        set(arg_COMPILER ${CMAKE_CXX_COMPILER})
    endif()
    set(isa ${CMAKE_CURRENT_BINARY_DIR}/${name}.s)
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    list(TRANSFORM arg_DEFINITIONS PREPEND -D)
    add_custom_command(
        OUTPUT ${isa}
        COMMAND
            ${arg_COMPILER} ${opus_hip_options} --offload-arch=${arg_ARCH} --cuda-device-only
            -std=c++17 -O3 -mllvm -unroll-runtime=0 ${opus_warnings}
            -I${opus_source_dir}/include ${arg_DEFINITIONS} ${arg_OPTIONS}
            -Xclang -dependency-file -Xclang ${isa}.d -Xclang -MT -Xclang ${isa} -S -o ${isa} ${source}
        DEPENDS ${source}
        DEPFILE ${isa}.d
        COMMENT "Compiling ${name}.s"
        VERBATIM
    )
    add_custom_target(${name} ALL DEPENDS ${isa})
    set_property(DIRECTORY APPEND PROPERTY opus_isa ${name})
endfunction()

# What the compiler can compile for, as scripts take it.
set(opus_device_targets gfx942,gfx950)
if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 20)
    set(opus_device_targets gfx942)
endif()

# The fixture `headers`: the headers precompiled, for tests that compile many small files.
function(opus_add_precompiled_headers)
    add_test(
        NAME headers
        COMMAND
            ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DINCLUDE=${opus_source_dir}/include
            -DTARGETS=${opus_device_targets} -DOUTPUT=${PROJECT_BINARY_DIR}/headers
            -P ${opus_source_dir}/cmake/precompile_headers.cmake
    )
    set_tests_properties(headers PROPERTIES FIXTURES_SETUP headers)
endfunction()

# A file of what must not compile. Comments say what the compiler has to report, and for which target
# it is compiled; see expect_compile_errors.sh.
function(opus_add_compile_fail_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    string(MAKE_C_IDENTIFIER ${name} work)
    add_test(
        NAME ${name}
        COMMAND
            ${opus_source_dir}/cmake/expect_compile_errors.sh ${CMAKE_CXX_COMPILER} ${source}
            ${opus_source_dir}/include ${opus_device_targets} ${PROJECT_BINARY_DIR}/headers
            ${CMAKE_CURRENT_BINARY_DIR}/${work}
    )
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED headers)
endfunction()
