# Every function that the runtime implements is named in a test: LIST is functions.txt, SOURCES the
# folder of the tests.
file(GLOB tests ${SOURCES}/test_runtime_*.cpp ${SOURCES}/test_hip_api.cpp ${SOURCES}/hip_program.hip)
set(text)
foreach(test IN LISTS tests)
  file(READ ${test} source)
  string(APPEND text "${source}")
endforeach()
file(STRINGS ${LIST} functions REGEX "^hip_[0-9.]+ [a-zA-Z_0-9]+$")
set(unnamed)
foreach(function IN LISTS functions)
  string(REGEX REPLACE "^[^ ]+ " "" name "${function}")
  # What clang's constructors call, and functions under their names in C++ as well.
  if(NOT name MATCHES "^(__hip.*|_Z.*)$" AND
     NOT text MATCHES "[^a-zA-Z_0-9]${name}[^a-zA-Z_0-9]")
    list(APPEND unnamed ${name})
  endif()
endforeach()
if(unnamed)
  message(FATAL_ERROR "no test of the runtime names ${unnamed}")
endif()
