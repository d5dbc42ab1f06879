# What README.md, docs/building.md and examples/README.md say about building, done with the commands
# and files that stand there.
#
#   own_kernel       the program of "Your own kernel", by its commands, beside the sources
#   three_lines      the lines of "In your project", built without a build type, as Debug and
#                    with the commands that stand there; two files, both with bf16 on the host
#   libraries        opus_add_hip_library: SHARED by dlopen, STATIC in a program; -O for kernels
#   precompile       PRECOMPILE: the same results; what changes is compiled again; a macro that a file
#                    defines is refused
#   by_hand          the header precompiled by the shell lines of docs/building.md
#   pkg_config       the same program by the options of pkg-config, in a directory with blanks
#   python           examples/your_python, by its commands, and with hipRTC
#   examples_readme  of the command of examples/README.md without ROCm clang takes every option
cmake_minimum_required(VERSION 3.22)

set(here ${CMAKE_CURRENT_LIST_DIR})
list(JOIN WARNINGS " " warnings)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/bin)
# The documents call the compiler by the name that it has on Debian 12.
file(CREATE_LINK ${COMPILER} ${WORK}/bin/clang++-22 SYMBOLIC)
set(ENV{PATH} ${WORK}/bin:$ENV{PATH})
set(ENV{HOME} ${WORK})
set(ENV{ROCM_PATH} ${WORK}/no_rocm)
unset(ENV{CMAKE_CXX_COMPILER_LAUNCHER})

# CMake breaks the lines of a message, except those that begin with a blank.
macro(fail)
    string(CONCAT text ${ARGV})
    message(FATAL_ERROR " ${text}")
endmacro()

# Runs a command in ${WORK}; sets `output` to what it prints, on both streams.
macro(run)
    execute_process(
        COMMAND ${ARGV}
        WORKING_DIRECTORY ${WORK}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if(NOT status EQUAL 0)
        fail("status ${status}: ${ARGV}\n${output}")
    endif()
endmacro()

# Whether it does not say what it must say, or says what it must not.
macro(expect output regex)
    if(NOT "${output}" MATCHES "${regex}")
        fail("'${regex}' is expected:\n${output}")
    endif()
endmacro()
macro(expect_silence output)
    if("${output}" MATCHES "warning: |error: ")
        fail("a warning:\n${output}")
    endif()
endmacro()

# Writes the first block of code of `language` below the heading of the document to a file, the
# blocks before it that begin the same way being left out.
function(write_block document heading language beginning file)
    file(READ ${SOURCE}/${document} text)
    string(FIND "${text}" "\n## ${heading}\n" from)
    if(from EQUAL -1)
        fail("${document} has no heading '${heading}'")
    endif()
    string(SUBSTRING "${text}" ${from} -1 text)
    string(FIND "${text}" "\n```${language}\n${beginning}" from)
    if(from EQUAL -1)
        fail("${document}, ${heading}: no ${language} begins with '${beginning}'")
    endif()
    string(LENGTH "\n```${language}\n" skipped)
    math(EXPR from "${from} + ${skipped}")
    string(SUBSTRING "${text}" ${from} -1 text)
    string(FIND "${text}" "\n```" to)
    string(SUBSTRING "${text}" 0 ${to} text)
    file(WRITE ${WORK}/${file} "${text}\n")
endfunction()

function(install_opus)
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/opus)
endfunction()

# Configures and builds ${WORK}/project in ${WORK}/build; what CMake says first is in `configured`.
macro(build_project)
    run(
        ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/project -B ${WORK}/build
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/opus
        -DCMAKE_CXX_FLAGS=${warnings} -DOPUS_RUNTIME=${RUNTIME} ${ARGN}
    )
    set(configured "${output}")
    run(${CMAKE_COMMAND} --build ${WORK}/build)
endmacro()

# ${WORK}/build, which is configured, does not build, and says why.
function(expect_no_build regex)
    execute_process(
        COMMAND ${CMAKE_COMMAND} --build ${WORK}/build
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if(status EQUAL 0)
        fail("it builds, without '${regex}'")
    endif()
    expect("${output}" "${regex}")
endfunction()

# Runs ${WORK}/program, on the emulator for each target; it must print what matches the regex.
function(run_program program regex)
    foreach(arch gfx942 gfx950)
        run(${CMAKE_COMMAND} -E env OPUS_EMU_ARCH=${arch} ${WORK}/${program})
        expect("${output}" "${regex}")
        if(RUNTIME STREQUAL "rocm")
            break()
        endif()
    endforeach()
endfunction()

if(CASE STREQUAL "own_kernel")
    file(CREATE_LINK ${SOURCE}/include ${WORK}/include SYMBOLIC)
    file(CREATE_LINK ${BUILD} ${WORK}/build SYMBOLIC)
    write_block(README.md "Your own kernel" cpp "#include" twice.hip)
    write_block(README.md "Your own kernel" sh "clang" commands)
    run(sh -e commands)
    expect_silence("${output}")
    expect("${output}" "\n2 4 6 8 10 12\n.*\n2 4 6 8 10 12\n")
    # Without -O3.
    file(READ ${WORK}/commands commands)
    string(REPLACE " -O3 " " " commands "${commands}")
    file(WRITE ${WORK}/commands "${commands}")
    run(sh -e commands)
    string(REGEX MATCHALL "warning: opus: kernels without optimisation" found "${output}")
    list(LENGTH found found)
    if(NOT found EQUAL 2)
        fail("one warning for each target is expected:\n${output}")
    endif()
elseif(CASE STREQUAL "pkg_config")
    set(ENV{HOME} "${WORK}/a directory with blanks")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix $ENV{HOME}/opus)
    write_block(README.md "Your own kernel" cpp "#include" twice.hip)
    write_block(docs/building.md "Without CMake" sh "export PKG_CONFIG_PATH" commands)
    run(sh -e commands)
    expect_silence("${output}")
    expect("${output}" "^2 4 6 8 10 12\n$")
elseif(CASE STREQUAL "python")
    file(CREATE_LINK ${SOURCE}/include ${WORK}/include SYMBOLIC)
    file(CREATE_LINK ${SOURCE}/examples ${WORK}/examples SYMBOLIC)
    set(ENV{PATH} ${BUILD}/op_tests/emulator:$ENV{PATH})
    file(CREATE_LINK ${PYTHON} ${WORK}/bin/python3 SYMBOLIC)
    write_block(docs/building.md "Code objects, for Python and the module functions" sh "clang" commands)
    run(sh -e commands)
    expect_silence("${output}")
    set(line "C.96, 64. = A.96, 40. . B.64, 40..T, largest difference ")
    expect("${output}" "${line}.*${line}")
    foreach(arch gfx942 gfx950)
        run(opus-emu --arch ${arch} python3 ${here}/your_python.py gemm.co)
    endforeach()
    # The same compiled when it runs, from what is installed.
    install_opus()
    set(ENV{PYTHONDONTWRITEBYTECODE} 1)
    write_block(docs/emulator-runtime.md "hipRTC" sh "cd examples" commands)
    run(sh -e commands)
    expect("${output}" "${line}")
elseif(CASE STREQUAL "three_lines")
    install_opus()
    file(COPY ${here}/three_lines/ DESTINATION ${WORK}/project)
    write_block(README.md "In your project" cmake "find_package" project/lines.cmake)
    file(READ ${WORK}/project/lines.cmake lines)
    file(WRITE ${WORK}/project/CMakeLists.txt
        "cmake_minimum_required(VERSION 3.22)\nproject(yours LANGUAGES CXX)\n${lines}"
    )
    write_block(README.md "In your project" sh "cmake -G Ninja -B build -DCMAKE_BUILD_TYPE" project/commands)
    foreach(build_type "" Debug)
        file(REMOVE_RECURSE ${WORK}/build)
        build_project(-DCMAKE_BUILD_TYPE=${build_type})
        expect_silence("${output}")
        run_program(build/program "8 of 8 are right")
    endforeach()
    # As it stands there.
    run(${CMAKE_COMMAND} -E env OPUS_RUNTIME=${RUNTIME} sh -e -c "cd project && . ./commands")
    expect_silence("${output}")
    run_program(project/build/program "8 of 8 are right")
    # What it says of kernels at -O0, which run if they are small.
    file(REMOVE_RECURSE ${WORK}/build)
    file(APPEND ${WORK}/project/CMakeLists.txt [[
opus_add_hip_executable(slow kernels.hip main.cpp DEVICE_OPTIONS -DSLOW -O0)
opus_add_hip_executable(slow_by_option kernels.hip main.cpp)
target_compile_options(
    slow_by_option PRIVATE "SHELL:-Xarch_device -O0" -Wno-unused-command-line-argument
)
]])
    build_project()
    foreach(program slow slow_by_option)
        expect("${configured}" "the kernels of ${program} are compiled with -O0")
    endforeach()
    if(configured MATCHES "kernels of program ")
        fail("a warning of a program without -O0:\n${configured}")
    endif()
    run_program(build/slow "8 of 8 are right")
    run_program(build/slow_by_option "8 of 8 are right")
elseif(CASE STREQUAL "libraries")
    install_opus()
    file(COPY ${here}/libraries/ DESTINATION ${WORK}/project)
    foreach(options "" "-DPRECOMPILE=PRECOMPILE")
        file(REMOVE_RECURSE ${WORK}/build)
        build_project(${options})
        expect_silence("${output}")
        run_program(build/with_static "12 and 21 from the library")
        run_program(build/with_shared "12 and 21 from the library")
        run_program(build/with_dlopen "12 and 21 from the library")
    endforeach()
    # That was the library's own code object.
    file(REMOVE ${WORK}/build/libkernels_shared.so)
    execute_process(
        COMMAND ${WORK}/build/with_dlopen RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
    )
    if(status EQUAL 0)
        fail("with_dlopen works without libkernels_shared.so")
    endif()
    foreach(arguments "executable(bad SHARED" "executable(bad STATIC" "library(bad SHARED STATIC")
        execute_process(
            COMMAND
                ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/refused -G ${GENERATOR}
                -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/opus
                "-DREFUSED=opus_add_hip_${arguments} kernels.hip)"
            RESULT_VARIABLE status
            OUTPUT_QUIET
            ERROR_VARIABLE output
        )
        if(status EQUAL 0)
            fail("${arguments} was accepted")
        endif()
        expect("${output}" "is for a library, which is either SHARED")
    endforeach()
elseif(CASE STREQUAL "precompile")
    # Without -Werror, which would refuse a macro that is defined again by itself.
    set(warnings -Wall)
    install_opus()
    file(COPY ${here}/three_lines/ DESTINATION ${WORK}/project)
    file(WRITE ${WORK}/project/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.22)
project(yours LANGUAGES CXX)
find_package(opus CONFIG REQUIRED)
opus_add_hip_executable(program kernels.hip main.cpp ${PRECOMPILE})
opus_add_hip_executable(second kernels.hip main.cpp ${PRECOMPILE} DEFINITIONS OPUS_DEBUG=1)
]])
    build_project(-DPRECOMPILE=)
    file(GLOB found ${WORK}/build/opus_precompiled/*/*.pch)
    if(found)
        fail("precompiled, but not asked to: ${found}")
    endif()
    run_program(build/program "8 of 8 are right")
    build_project(-DPRECOMPILE=PRECOMPILE)
    expect_silence("${output}")
    run_program(build/program "8 of 8 are right")
    run_program(build/second "8 of 8 are right")
    # Two sets of options, each for two targets and the host.
    file(GLOB found ${WORK}/build/opus_precompiled/*/*.pch)
    list(LENGTH found count)
    if(NOT count EQUAL 6)
        fail("${count} precompiled headers instead of 6: ${found}")
    endif()
    # Nothing to do, and again after the header was changed.
    run(${CMAKE_COMMAND} --build ${WORK}/build --verbose)
    if(output MATCHES "kernels.hip")
        fail("compiled again without a change:\n${output}")
    endif()
    file(APPEND ${WORK}/opus/include/opus/opus.hpp "\n#error changed\n")
    expect_no_build("error: changed.*the headers of opus do not compile with the options of")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/opus)
    build_project(-DPRECOMPILE=PRECOMPILE)
    # A macro for the header in a file, which comes too late.
    file(READ ${WORK}/project/kernels.hip text)
    file(WRITE ${WORK}/project/kernels.hip "#define OPUS_TILE_CONTAINER 1\n${text}")
    build_project(-DPRECOMPILE=)
    execute_process(
        COMMAND
            ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/build -DPRECOMPILE=PRECOMPILE
        OUTPUT_QUIET
    )
    expect_no_build(
        "kernels.hip defines OPUS_TILE_CONTAINER after the precompiled headers were read"
    )
    # Options of the file alone are a set of their own.
    file(WRITE ${WORK}/project/kernels.hip "${text}")
    file(APPEND ${WORK}/project/CMakeLists.txt
        "set_source_files_properties(kernels.hip PROPERTIES COMPILE_DEFINITIONS OPUS_TILE_CONTAINER=1)\n"
    )
    build_project(-DPRECOMPILE=PRECOMPILE)
    run_program(build/program "8 of 8 are right")
elseif(CASE STREQUAL "by_hand")
    install_opus()
    write_block(README.md "Your own kernel" cpp "#include" twice.hip)
    write_block(docs/building.md "The header once for all files" sh "options=" commands)
    run(sh -e commands)
    expect_silence("${output}")
    file(GLOB found RELATIVE ${WORK}/headers ${WORK}/headers/*)
    if(NOT found MATCHES "^[0-9]+.pch;[0-9]+.pch;[0-9]+.pch$")
        fail("three files are expected: ${found}")
    endif()
    file(GLOB library ${WORK}/opus/lib*/libamdhip64.so ${WORK}/opus/lib/*/libamdhip64.so)
    get_filename_component(library ${library} DIRECTORY)
    run(${COMPILER} twice.o -L${library} -lamdhip64 -Wl,-rpath,${library} -o twice)
    run_program(twice "2 4 6 8 10 12")
    # By opus-precompiled, as a Makefile has it.
    write_block(docs/building.md "The header once for all files" text "CXX = " makefile)
    file(READ ${WORK}/makefile text)
    string(REGEX REPLACE "^CXX = (.*)\n$" "\\1" text "${text}")
    string(REPLACE "$(HOME)" "$HOME" text "${text}")
    file(WRITE ${WORK}/by_make "${text} -x hip --offload-arch=gfx942 --offload-arch=gfx950 \
        -nogpuinc -nogpulib -std=c++17 -O3 -I$HOME/opus/include -c twice.hip -o by_make.o\n"
    )
    run(sh -e by_make)
    file(GLOB found ${WORK}/build/headers/*/*.pch)
    list(LENGTH found count)
    if(NOT count EQUAL 3)
        fail("${count} precompiled headers instead of 3: ${found}")
    endif()
    run(${COMPILER} by_make.o -L${library} -lamdhip64 -Wl,-rpath,${library} -o by_make_program)
    run_program(by_make_program "2 4 6 8 10 12")
    # That it was taken: another option does not fit.
    file(READ ${WORK}/commands text)
    string(REGEX REPLACE "\n(clang[^\n]*-include-pch)" "\noptions=\"$options -DOTHER\"\n\\1" text "${text}")
    file(WRITE ${WORK}/commands "${text}")
    execute_process(
        COMMAND sh -e commands
        WORKING_DIRECTORY ${WORK}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if(status EQUAL 0)
        fail("another option fits")
    endif()
    expect("${output}" "no suitable precompiled header file")
elseif(CASE STREQUAL "examples_readme")
    file(CREATE_LINK ${SOURCE}/include ${WORK}/include SYMBOLIC)
    file(CREATE_LINK ${SOURCE}/examples ${WORK}/examples SYMBOLIC)
    file(CREATE_LINK ${BUILD} ${WORK}/build SYMBOLIC)
    file(READ ${SOURCE}/examples/README.md text)
    string(REGEX MATCH "\n(clang[^`]*-o attention)\n" found "${text}")
    if(NOT found)
        fail("examples/README.md has no command")
    endif()
    # What the driver would run: compiling takes minutes.
    file(WRITE ${WORK}/commands "${CMAKE_MATCH_1} -\\#\\#\\#\n")
    run(sh -e commands)
    expect_silence("${output}")
    expect("${output}" "\"-cc1\".*-lamdhip64")
else()
    fail("no case '${CASE}'")
endif()
