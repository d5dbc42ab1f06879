# The ways to get opus into a project, each tried with a small program (main.cpp) that fails if it
# sees the wrong header.
#
#   install            needs no compiler at all and installs the header and the package, nothing else
#   find_package       finds the installed package, also after it was moved; refuses other versions
#   add_subdirectory   brings the target and none of the tests, and changes no setting
#   copied_header      opus.hpp alone, next to the program
#   components         what is not installed, and what does not exist, is refused with a reason
#   your_project       examples/your_project, from what this build installs; its tests pass
#   opus_emu           the same, linked with a stand-in for ROCm's libamdhip64.so.6, runs by opus-emu
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

if(CASE STREQUAL "install")
    install_to(${WORK}/prefix)
    file(GLOB_RECURSE installed RELATIVE ${WORK}/prefix ${WORK}/prefix/*)
    list(SORT installed)
    set(expected
        include/opus/hip_minimal.hpp
        include/opus/opus.hpp
        share/cmake/opus/opusConfig.cmake
        share/cmake/opus/opusConfigVersion.cmake
        share/cmake/opus/opusTargets.cmake
        share/cmake/opus/opus_add_hip_executable.cmake
    )
    if(NOT installed STREQUAL expected)
        message(FATAL_ERROR "installed: ${installed}\nexpected:  ${expected}")
    endif()
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
    build_your_project(-DOPUS_RUNTIME=${RUNTIME})
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
else()
    message(FATAL_ERROR "no case '${CASE}'")
endif()
