# cmake -DDOCUMENT=reference.md -DHEADER=opus.hpp [-DLINKS=reference.md] -P sections.cmake
#
# The reference has a heading "## 9. layout" for each banner "// == 9. layout ===" of the header, in
# the same order, and in its list of sections an entry for each heading. (What comes behind them in
# the reference is not the header's.) With LINKS a document has a link to each section of that page.
cmake_minimum_required(VERSION 3.22)

set(title "([0-9.]+ [^=]*[^= ])")
file(STRINGS ${HEADER} banners REGEX "^// == ${title} =+$")
list(TRANSFORM banners REPLACE "^// == ${title} =+$" "\\1")
file(STRINGS ${DOCUMENT} headings REGEX "^## [0-9]")
list(TRANSFORM headings REPLACE "^## " "")

list(LENGTH banners count)
if(count EQUAL 0)
    message(FATAL_ERROR " ${HEADER} has no banners.")
endif()
if(NOT DEFINED LINKS)
    list(SUBLIST headings 0 ${count} of_header)
endif()
if(NOT DEFINED LINKS AND NOT of_header STREQUAL banners)
    list(JOIN banners ", " banners)
    list(JOIN of_header ", " of_header)
    message(FATAL_ERROR " ${DOCUMENT} has the sections ${of_header}; ${HEADER} has ${banners}.")
endif()

# "9.1 issue space" -> [9.1 issue space](#91-issue-space), "9. layout" -> [9 layout](#9-layout)
file(READ ${DOCUMENT} text)
foreach(heading IN LISTS banners)
    string(REGEX REPLACE "^([0-9]+)[.] " "\\1 " name "${heading}")
    string(REPLACE "." "" anchor "${name}")
    string(REPLACE " " "-" anchor "${anchor}")
    string(FIND "${text}" "[${name}](${LINKS}#${anchor})" at)
    if(at EQUAL -1)
        message(FATAL_ERROR " ${DOCUMENT}: [${name}](${LINKS}#${anchor}) is not there.")
    endif()
endforeach()
message(STATUS "${count} sections")
