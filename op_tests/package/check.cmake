# The ways to get opus into a project, each tried with a small program (main.cpp) that fails if it
# sees the wrong header.
#
#   install            needs no compiler at all and installs the header and the package, nothing else
#   find_package       finds the installed package, also after it was moved; refuses other versions
#   add_subdirectory   brings the target and none of the tests
#   copied_header      opus.hpp alone, next to the program
cmake_minimum_required(VERSION 3.22)

set(here ${CMAKE_CURRENT_LIST_DIR})
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
        -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN}
    )
    run(${CMAKE_COMMAND} --build ${WORK}/consumer)
    run(${WORK}/consumer/consumer)
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
        ${COMPILER} -std=c++17 -Wall -Wextra -Wconversion -Werror -I. -DEXPECTED_VERSION="${VERSION}"
        -o consumer main.cpp
    )
    run(${WORK}/consumer)
else()
    message(FATAL_ERROR "no case '${CASE}'")
endif()
