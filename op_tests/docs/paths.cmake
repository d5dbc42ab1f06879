# cmake -DDOCUMENT=file.md -DROOT=directory -P paths.cmake
#
# What a document names is there: the targets of its links to files, seen from the document, and
# every path in backquotes that begins with a directory of the source tree, seen from ROOT. A path
# with <, * or ... is a pattern and is not looked for. No line of opus's headers is named by its number,
# which the next change would make wrong.
cmake_minimum_required(VERSION 3.22)

set(directories "include|op_tests|examples|docs|cmake|\\.ci|\\.github")

get_filename_component(here ${DOCUMENT} DIRECTORY)
file(READ ${DOCUMENT} text)
# [ and ] have a meaning in CMake's lists.
string(REPLACE "](" "\n(" text "${text}")
string(REGEX REPLACE "[][;]" " " text "${text}")
set(failures 0)
set(paths 0)

macro(check path file)
    math(EXPR paths "${paths} + 1")
    if(NOT EXISTS "${file}")
        message(" ${DOCUMENT}: error: there is no ${path}")
        math(EXPR failures "${failures} + 1")
    endif()
endmacro()

string(REGEX MATCHALL "\n\\([^() \n]+\\)" links "${text}")
foreach(link IN LISTS links)
    string(REGEX REPLACE "^\n\\(([^#)]*).*" "\\1" path "${link}")
    if(path MATCHES "[./]" AND NOT path MATCHES "^[a-z]+:") # else code, as in f[i](x)
        check("${path}" "${here}/${path}")
    endif()
endforeach()
string(REGEX MATCHALL "`(${directories})/[^` \n]*`" names "${text}")
foreach(name IN LISTS names)
    string(REPLACE "`" "" path "${name}")
    if(NOT path MATCHES "[<*]|\\.\\.\\.")
        check("${path}" "${ROOT}/${path}")
    endif()
endforeach()

string(REGEX MATCHALL "(opus[a-z_]*|hip_minimal)\\.hpp:[0-9]+" lines "${text}")
foreach(line IN LISTS lines)
    message(" ${DOCUMENT}: error: ${line} moves with each change")
    math(EXPR failures "${failures} + 1")
endforeach()

message("${DOCUMENT}: ${paths} paths, ${failures} errors")
if(failures GREATER 0)
    message(FATAL_ERROR " ${DOCUMENT} names what is not there.")
endif()
