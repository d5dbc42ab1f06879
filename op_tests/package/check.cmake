# The ways to get opus into a project, each tried with a small program (main.cpp) that fails if it
# sees the wrong header.
#
#   install            needs no compiler at all and installs the header and the package, nothing else
#   find_package       finds the installed package, also after it was moved; refuses other versions
#   add_subdirectory   brings the target and none of the tests, and changes no setting
#   copied_header      opus.hpp alone, next to the program
#   components         what is not installed, and what does not exist, is refused with a reason
#   your_project       examples/your_project, from what this build installs; its tests pass
#   emulator           the emulator as users build and install it: it is opened late, by a program in C
#                      that has no static thread-local storage left; at each level of x86-64 that it is
#                      compiled for it runs that kernel and programs of the emulator's tests, and it
#                      says which levels it cannot run; no code needs a higher level than its own
#   emulator_python    what that has installed, opened late by Python
#   opus_emu           the same as your_project, linked with a stand-in for ROCm's libamdhip64.so.6, runs by opus-emu
cmake_minimum_required(VERSION 3.22)

set(here ${CMAKE_CURRENT_LIST_DIR})
list(JOIN WARNINGS " " warnings) # what the programs are compiled with
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
    execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "status ${status}: ${command}")
    endif()
endfunction()

# With a compiler that cannot compile: any use of one would fail.
function(install_to prefix)
    run(
        ${CMAKE_COMMAND} -E env CC=false CXX=false
        ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/library
        -DOPUS_BUILD_TESTS=OFF -DOPUS_BUILD_EXAMPLES=OFF
    )
    run(${CMAKE_COMMAND} --build ${WORK}/library)
    run(${CMAKE_COMMAND} --install ${WORK}/library --prefix ${prefix})
endfunction()

function(build_and_run consumer)
    run(
        ${CMAKE_COMMAND} -G ${GENERATOR} -S ${here}/${consumer} -B ${WORK}/consumer
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${warnings} ${ARGN}
    )
    run(${CMAKE_COMMAND} --build ${WORK}/consumer)
    run(${WORK}/consumer/consumer)
endfunction()

# Configures the project in components/, which must fail and say why.
function(expect_refused message)
    file(REMOVE_RECURSE ${WORK}/refused)
    execute_process(
        COMMAND
            ${CMAKE_COMMAND} -E env ROCM_PATH=${WORK}/no_rocm
            ${CMAKE_COMMAND} -G ${GENERATOR} -S ${here}/components -B ${WORK}/refused
            -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix ${ARGN}
        RESULT_VARIABLE status
        OUTPUT_QUIET
        ERROR_VARIABLE errors
    )
    # The message in one line, as CMake has broken it.
    string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
    if(status EQUAL 0 OR NOT errors MATCHES "${message}")
        message(SEND_ERROR " ${ARGN}: status ${status}, '${message}' is expected: ${errors}")
    endif()
endfunction()

# Builds examples/your_project with what this build installs.
function(build_your_project)
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
    file(COPY ${SOURCE}/examples/your_project DESTINATION ${WORK})
    run(
        ${CMAKE_COMMAND} -E env ROCM_PATH=${WORK}/rocm
        ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/your_project -B ${WORK}/build
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
        -DCMAKE_CXX_FLAGS=${warnings} -DCMAKE_BUILD_TYPE=Release ${ARGN}
    )
    run(${CMAKE_COMMAND} --build ${WORK}/build)
endfunction()

# The emulator that `emulator` has installed into this directory.
function(find_installed_emulator directory)
    file(GLOB libraries ${directory}/prefix/lib*/opus-emulator/libamdhip64.so.7)
    if(NOT libraries)
        message(FATAL_ERROR "no emulator is installed in ${directory}/prefix")
    endif()
    foreach(name libamdhip64.so libamdhip64.so.6 libhiprtc.so libhiprtc.so.6 libhiprtc.so.7)
        file(GLOB files ${directory}/prefix/lib*/opus-emulator/${name})
        if(NOT files)
            message(FATAL_ERROR "${name} is not installed in ${directory}/prefix")
        endif()
    endforeach()
    set(library ${libraries} PARENT_SCOPE)
    file(GLOB others ${directory}/static_tls_*.so)
    set(late_arguments ${libraries} ${directory}/kernel.co ${others} PARENT_SCOPE)
endfunction()

# Runs a command with the installed emulator, for each level; `expected` is what it prints, with
# @LEVEL@ for the level. Where this CPU lacks a level the emulator has to say so.
function(run_at_each_level expected)
    get_filename_component(directory ${library} DIRECTORY)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    string(APPEND flags " ")
    foreach(needed "x86-64-v2 sse4_2" "x86-64-v3 avx2" "x86-64-v4 avx512vl")
        string(REPLACE " " ";" needed ${needed})
        list(POP_FRONT needed LEVEL)
        set(expected_status 0)
        string(CONFIGURE "${expected}" message @ONLY)
        if(NOT flags MATCHES " ${needed} ")
            set(expected_status 70)
            set(message "OPUS_EMU_CPU=${LEVEL}: this CPU has no ")
        endif()
        execute_process(
            COMMAND
                ${CMAKE_COMMAND} -E env OPUS_EMU_CPU=${LEVEL} LD_LIBRARY_PATH=${directory} ${ARGN}
            WORKING_DIRECTORY ${WORK}
            RESULT_VARIABLE status
            OUTPUT_VARIABLE output
            ERROR_VARIABLE output
        )
        if(NOT status EQUAL expected_status OR NOT output MATCHES "${message}")
            list(GET ARGN 0 program)
            message(SEND_ERROR "${program}, ${LEVEL}: status ${status}, ${output}")
        endif()
    endforeach()
endfunction()

if(CASE STREQUAL "install")
    install_to(${WORK}/prefix)
    file(GLOB_RECURSE installed RELATIVE ${WORK}/prefix ${WORK}/prefix/*)
    list(SORT installed)
    set(expected
        include/opus/dtypes.hpp
        include/opus/hip_minimal.hpp
        include/opus/opus.hpp
        include/opus/opus_debug.hpp
        include/opus/opus_plus.hpp
        share/cmake/opus/opus-precompiled
        share/cmake/opus/opusConfig.cmake
        share/cmake/opus/opusConfigVersion.cmake
        share/cmake/opus/opusTargets.cmake
        share/cmake/opus/opus_add_hip_executable.cmake
        share/doc/opus/LICENSE
        share/opus/common/compare.hpp
        share/opus/common/device.hpp
        share/opus/common/device_fp8.hpp
        share/opus/common/host.hpp
        share/opus/common/npy.hpp
        share/opus/common/options.hpp
        share/opus/common/output_file.hpp
        share/opus/common/timing.hpp
        share/opus/common/values.hpp
        share/pkgconfig/opus.pc
    )
    if(NOT installed STREQUAL expected)
        message(FATAL_ERROR "installed: ${installed}\nexpected:  ${expected}")
    endif()
    # For .hip files, and not in host.hpp.
    file(WRITE ${WORK}/fp8.hip
        "#include \"common/device_fp8.hpp\"\nauto codes() { return examples::device_fp8().encode<opus::fp8_t>({1}); }\n")
    run(
        ${COMPILER} -x hip -std=c++17 ${WARNINGS} --offload-arch=gfx942 --cuda-host-only
        -fsyntax-only -nogpuinc -nogpulib -nohipwrapperinc -Wno-unused-command-line-argument
        -Iprefix/include -Iprefix/share/opus fp8.hip
    )
elseif(CASE STREQUAL "find_package")
    install_to(${WORK}/first)
    file(RENAME ${WORK}/first ${WORK}/prefix)
    build_and_run(find_package -DOPUS_PREFIX=${WORK}/prefix -DEXPECTED_VERSION=${VERSION})
elseif(CASE STREQUAL "add_subdirectory")
    build_and_run(add_subdirectory -DOPUS_SOURCE=${SOURCE} -DEXPECTED_VERSION=${VERSION})
elseif(CASE STREQUAL "copied_header")
    file(COPY ${here}/main.cpp DESTINATION ${WORK})
    file(COPY ${SOURCE}/include/opus/opus.hpp DESTINATION ${WORK}/opus)
    run(
        ${COMPILER} -std=c++17 ${WARNINGS} -I. -DEXPECTED_VERSION="${VERSION}"
        -o consumer main.cpp
    )
    run(${WORK}/consumer)
    # Its debug mode needs the file beside it, and says so.
    execute_process(
        COMMAND ${COMPILER} -std=c++17 -I. -DOPUS_DEBUG=1 -fsyntax-only main.cpp
        WORKING_DIRECTORY ${WORK}
        RESULT_VARIABLE status
        ERROR_VARIABLE error
    )
    if(status EQUAL 0 OR NOT error MATCHES "OPUS_DEBUG needs opus_debug.hpp beside opus.hpp")
        message(FATAL_ERROR "without opus_debug.hpp (${status}): ${error}")
    endif()
    file(COPY ${SOURCE}/include/opus/opus_debug.hpp DESTINATION ${WORK}/opus)
    run(
        ${COMPILER} -std=c++17 ${WARNINGS} -I. -DEXPECTED_VERSION="${VERSION}" -DOPUS_DEBUG=1
        -o consumer main.cpp
    )
    run(${WORK}/consumer)
elseif(CASE STREQUAL "components")
    install_to(${WORK}/prefix)
    expect_refused("component emulator is not installed in .*OPUS_BUILD_EMULATOR=ON"
        "-DCOMPONENTS=COMPONENTS emulator")
    expect_refused("there is no component 'emulater'" "-DCOMPONENTS=COMPONENTS emulater")
    # From here on opus is found.
    set(found "-DCOMPONENTS=OPTIONAL_COMPONENTS emulator emulater")
    expect_refused("emulator: FALSE" "${found}")
    expect_refused("no sources are given" "${found}" "-DARGUMENTS=ARCHS gfx942")
    expect_refused("the runtime is 'cuda'; it may be" "${found}" "-DARGUMENTS=a.hip RUNTIME cuda")
    expect_refused("no emulator: .*OPUS_BUILD_EMULATOR=ON"
        "${found}" "-DARGUMENTS=a.hip RUNTIME emulator")
    expect_refused("the runtime is 'gpu'; it may be" "${found}" -DARGUMENTS=a.hip -DOPUS_RUNTIME=gpu)
    file(GLOB rocm /opt/rocm*/lib*/libamdhip64.so)
    if(NOT rocm)
        expect_refused("nothing to run kernels with: .*OPUS_BUILD_EMULATOR=ON"
            "${found}" -DARGUMENTS=a.hip)
        expect_refused("no ROCm: there is no libamdhip64.so"
            "${found}" "-DARGUMENTS=a.hip RUNTIME rocm")
    endif()
elseif(CASE STREQUAL "your_project")
    set(rocm)
    if(RUNTIME STREQUAL "rocm")  # wherever it was found
        set(rocm -DOPUS_ROCM_LIBRARY=${ROCM})
    endif()
    build_your_project(-DOPUS_RUNTIME=${RUNTIME} ${rocm})
    execute_process(
        COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error
        WORKING_DIRECTORY ${WORK}/build
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
    )
    set(expected "Test #1: saxpy ")
    if(RUNTIME STREQUAL "emulator")
        set(expected "saxpy/gfx942 .*Passed.*saxpy/gfx950 .*Passed")
    endif()
    if(NOT status EQUAL 0 OR NOT output MATCHES "${expected}")
        message(FATAL_ERROR "status ${status}: ${output}")
    endif()
elseif(CASE STREQUAL "emulator")
    run(
        ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build
        -DOPUS_BUILD_TESTS=OFF -DOPUS_BUILD_EXAMPLES=OFF -DOPUS_BUILD_EMULATOR=ON
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
        -DLLVM_DIR=${LLVM}
    )
    run(${CMAKE_COMMAND} --build ${WORK}/build)
    run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
    run(${COMPILER} -x c -O1 -fPIC -shared ${here}/emulator/static_tls.c -o static_tls_0.so)
    foreach(n RANGE 1 59)
        file(COPY_FILE ${WORK}/static_tls_0.so ${WORK}/static_tls_${n}.so)
    endforeach()
    run(${COMPILER} -x c -O1 ${WARNINGS} ${here}/emulator/late.c -o late -ldl)
    run(
        ${COMPILER} -x hip --cuda-device-only --offload-arch=gfx942 --no-gpu-bundle-output
        -nogpuinc -nogpulib -O2 ${here}/emulator/kernel.hip -o kernel.co
    )
    find_installed_emulator(${WORK})
    run(${WORK}/late ${late_arguments})
    foreach(file ${library} ${WORK}/prefix/bin/opus-emu)
        execute_process(
            COMMAND ${OBJDUMP} -d --no-show-raw-insn ${file}
            COMMAND awk -f ${here}/emulator/levels.awk
            RESULTS_VARIABLE status
            OUTPUT_VARIABLE output
        )
        if(NOT status STREQUAL "0;0")
            string(SUBSTRING "${output}" 0 2000 output)
            message(SEND_ERROR "${OBJDUMP} ${file}: ${status}: ${output}")
        endif()
    endforeach()
    run_at_each_level("@LEVEL@\n" ${WORK}/late ${late_arguments})
    set(tests ${BUILD}/op_tests/emulator/tests)
    run_at_each_level("emulated: 0 failures" ${tests}/hip_program ${tests})
    run_at_each_level("" ${tests}/division)
    run_at_each_level("" ${tests}/division_that_flushes)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env OPUS_EMU_CPU=x86-64-v9 ${WORK}/late ${late_arguments}
        RESULT_VARIABLE status
        ERROR_VARIABLE errors
    )
    if(NOT status EQUAL 70 OR NOT errors MATCHES
            "OPUS_EMU_CPU=x86-64-v9: the emulator was built for x86-64-v2, x86-64-v3, x86-64-v4")
        message(SEND_ERROR "an unknown level: status ${status}, ${errors}")
    endif()
elseif(CASE STREQUAL "emulator_python")
    if(NOT PYTHON)
        message(STATUS "SKIPPED: no python3 was found")
        return()
    endif()
    find_installed_emulator(${WORK}/../emulator)
    run(${PYTHON} ${here}/emulator/late.py ${late_arguments})
elseif(CASE STREQUAL "opus_emu")
    file(MAKE_DIRECTORY ${WORK}/rocm/lib)
    run(
        ${COMPILER} -x c ${here}/stand_in.c -shared -fPIC -Wl,-soname,libamdhip64.so.6
        -o ${WORK}/rocm/lib/libamdhip64.so.6
    )
    file(CREATE_LINK libamdhip64.so.6 ${WORK}/rocm/lib/libamdhip64.so SYMBOLIC)
    # ROCm is taken because it is there, although the emulator is, too.
    build_your_project()
    execute_process(COMMAND ${WORK}/build/test_saxpy RESULT_VARIABLE status OUTPUT_VARIABLE output)
    if(NOT status EQUAL 1 OR NOT output MATCHES "hipMalloc.*stand-in")
        message(FATAL_ERROR "without opus-emu: status ${status}, ${output}")
    endif()
    foreach(arch gfx942 gfx950)
        execute_process(
            COMMAND ${WORK}/prefix/bin/opus-emu --arch ${arch} build/test_saxpy
            WORKING_DIRECTORY ${WORK}
            RESULT_VARIABLE status
            OUTPUT_VARIABLE output
            ERROR_VARIABLE errors
        )
        if(NOT status EQUAL 0 OR NOT output MATCHES "elements are right"
                OR NOT errors MATCHES "${arch} on the CPU .${WORK}/prefix/")
            message(FATAL_ERROR "opus-emu: status ${status}, ${output}${errors}")
        endif()
    endforeach()
    execute_process(
        COMMAND ${WORK}/prefix/bin/layout_viewer tile_48x32
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
    )
    if(NOT status EQUAL 0 OR NOT output MATCHES "48 x 32 elements")
        message(FATAL_ERROR "layout_viewer: status ${status}, ${output}")
    endif()
else()
    message(FATAL_ERROR "no case '${CASE}'")
endif()
