# libhiprtc.so: compiles kernels when the program runs, with clang as a child process. It stands
# beside libamdhip64.so, which has the same names and forwards them (opus_hiprtc_forward).
set(hiprtc_directory ${CMAKE_CURRENT_BINARY_DIR}/hiprtc)
set(hip_minimal ${CMAKE_CURRENT_SOURCE_DIR}/../../include/opus/hip_minimal.hpp)
# As a list of bytes, of which the library has a copy.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hip_minimal})
file(READ ${hip_minimal} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(CONFIGURE OUTPUT ${hiprtc_directory}/hip_minimal.inc CONTENT "${bytes}" @ONLY)

opus_emulator_objects(opus_hiprtc_objects
  hiprtc/compile.cpp
  hiprtc/hiprtc.cpp
  hiprtc/lowered_names.cpp
  hiprtc/process.cpp
  hiprtc/result_name.cpp)
opus_emulator_objects(opus_hiprtc_forward
  hiprtc/forward.cpp
  hiprtc/result_name.cpp)
foreach(objects opus_hiprtc_objects opus_hiprtc_forward)
  target_include_directories(${objects} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${hiprtc_directory})
  target_compile_definitions(${objects} PRIVATE
    OPUS_EMU_LIBRARY="$<TARGET_SONAME_FILE_NAME:opus_emulator>"
    OPUS_EMU_HIPRTC_LIBRARY="$<TARGET_SONAME_FILE_NAME:opus_hiprtc>")
endforeach()
add_library(opus_hiprtc SHARED $<TARGET_OBJECTS:opus_hiprtc_objects>)
add_library(opus::hiprtc ALIAS opus_hiprtc)
set_target_properties(opus_hiprtc PROPERTIES
  OUTPUT_NAME hiprtc
  EXPORT_NAME hiprtc
  SOVERSION 7
  LINKER_LANGUAGE CXX
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/hiprtc/exports.map)
target_link_libraries(opus_hiprtc PRIVATE opus_emulator_flags ${CMAKE_DL_LIBS})
target_link_options(opus_hiprtc
  PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/hiprtc/exports.map
  INTERFACE ${sanitizers})
add_custom_command(TARGET opus_hiprtc POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_SONAME_FILE_NAME:opus_hiprtc> libhiprtc.so.6
  WORKING_DIRECTORY $<TARGET_FILE_DIR:opus_hiprtc>
  COMMENT "libhiprtc.so.6")
