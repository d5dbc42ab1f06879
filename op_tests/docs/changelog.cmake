# cmake -DDOCUMENT=changelog.md -DHEADER=opus.hpp -P changelog.cmake
#
# The first version of the changelog, "## 1.2.3" and whatever follows on that line, is the header's.
cmake_minimum_required(VERSION 3.22)

file(READ ${HEADER} header)
set(version "")
foreach(part MAJOR MINOR PATCH)
    if(NOT header MATCHES "#define OPUS_VERSION_${part} ([0-9]+)\n")
        message(FATAL_ERROR " ${HEADER} defines no OPUS_VERSION_${part}.")
    endif()
    list(APPEND version ${CMAKE_MATCH_1})
endforeach()
list(JOIN version . version)

file(STRINGS ${DOCUMENT} headings REGEX "^## ")
list(GET headings 0 newest)
if(NOT newest MATCHES "^## ([0-9]+\\.[0-9]+\\.[0-9]+)(,.*)?$")
    message(FATAL_ERROR " ${DOCUMENT}: '${newest}' begins with no version.")
endif()
if(NOT CMAKE_MATCH_1 STREQUAL version)
    message(FATAL_ERROR " ${DOCUMENT}: the newest version is ${CMAKE_MATCH_1}, the header's ${version}.")
endif()
