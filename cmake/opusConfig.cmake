# find_package(opus CONFIG [COMPONENTS emulator]): the target opus::opus and the functions
# opus_add_hip_executable and opus_add_hip_library; where the emulator is installed, the targets
# opus::emulator, the library, and opus::emu, the program opus-emu.
set(opus_emulator_FOUND FALSE)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/opusEmulatorTargets.cmake)
    set(opus_emulator_FOUND TRUE)
endif()

foreach(component IN LISTS opus_FIND_COMPONENTS)
    if(NOT opus_FIND_REQUIRED_${component} OR opus_${component}_FOUND)
        continue()
    endif()
    set(opus_FOUND FALSE)
    if(component STREQUAL "emulator")
        string(CONCAT opus_NOT_FOUND_MESSAGE
            "opus: the component emulator is not installed in ${CMAKE_CURRENT_LIST_DIR}; install opus "
            "with -DOPUS_BUILD_EMULATOR=ON (needs clang and LLVM)"
        )
    else()
        set(opus_NOT_FOUND_MESSAGE
            "opus: there is no component '${component}'; the only one is emulator"
        )
    endif()
    return()
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/opusTargets.cmake)
if(opus_emulator_FOUND)
    include(${CMAKE_CURRENT_LIST_DIR}/opusEmulatorTargets.cmake)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/opus_add_hip_executable.cmake)
