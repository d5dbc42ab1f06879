# Sets opus_version to the header's, as 0.2.0.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/opus/opus.hpp opus_version_lines
     REGEX "^#define OPUS_VERSION_[A-Z]+ [0-9]+$")
set(opus_version)
foreach(part MAJOR MINOR PATCH)
    if(NOT "${opus_version_lines}" MATCHES "OPUS_VERSION_${part} ([0-9]+)")
        message(FATAL_ERROR "opus: include/opus/opus.hpp defines no OPUS_VERSION_${part}")
    endif()
    list(APPEND opus_version ${CMAKE_MATCH_1})
endforeach()
list(JOIN opus_version . opus_version)
