# cmake -DPICTURE=file.svg [-DVIEWER=program "-DARGUMENTS=its arguments"] [-DEXPECTED=file.svg]
#     [-DOUTPUT=prefix] -P picture.cmake
#
# With VIEWER it draws the picture; with EXPECTED the two files must be equal; with OUTPUT nothing
# of it may be outside its canvas.
if(VIEWER)
    separate_arguments(ARGUMENTS UNIX_COMMAND "${ARGUMENTS}")
    execute_process(
        COMMAND ${VIEWER} ${ARGUMENTS} --svg ${PICTURE}
        RESULT_VARIABLE status
        OUTPUT_QUIET
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${VIEWER} ${ARGUMENTS}: status ${status}")
    endif()
endif()
if(EXPECTED)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E compare_files ${PICTURE} ${EXPECTED}
        RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        message(
            FATAL_ERROR
            "${EXPECTED} is not what layout_viewer draws; look at ${PICTURE}, and if that is right, "
            "build the target docs_pictures"
        )
    endif()
endif()
if(NOT OUTPUT)
    return()
endif()

# Neither with the fonts that it asks for nor with a wide one may anything be outside the canvas or on
# its edge. The picture is drawn on a larger canvas, below a box that covers its own except for the
# edge. What that gives must be equal to the box on an empty picture.
find_program(rsvg_convert rsvg-convert)
if(NOT rsvg_convert)
    message("SKIPPED: there is no rsvg-convert (Debian and Ubuntu: librsvg2-bin)")
    return()
endif()

# On a line of its own, which the text of a FATAL_ERROR would not be.
function(fail text)
    message("${PICTURE} ${text}")
    message(FATAL_ERROR "the picture is not as it must be")
endfunction()

file(READ ${PICTURE} picture)
set(number "([0-9]+)")
set(head "<svg xmlns=\"[^\"]*\" width=\"${number}\" height=\"${number}\" viewBox=\"0 0 ${number} ${number}\"")
if(NOT picture MATCHES "^${head}")
    fail("does not begin with <svg, its name space, size and viewBox")
endif()
set(width ${CMAKE_MATCH_1})
set(height ${CMAKE_MATCH_2})
if(NOT width EQUAL CMAKE_MATCH_3 OR NOT height EQUAL CMAKE_MATCH_4)
    fail("has a size that is not that of its viewBox")
endif()
if(NOT picture MATCHES " font-family=\"[^\"]*\"")
    fail("names no font-family")
endif()

set(margin 400)
math(EXPR all_width "${width} + 2 * ${margin}")
math(EXPR all_height "${height} + 2 * ${margin}")
string(
    CONCAT larger
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"${all_width}\" height=\"${all_height}\" "
    "viewBox=\"-${margin} -${margin} ${all_width} ${all_height}\""
)
set(edge 4)
math(EXPR box_width "${width} - 2 * ${edge}")
math(EXPR box_height "${height} - 2 * ${edge}")
string(
    CONCAT box
    "<rect x=\"${edge}\" y=\"${edge}\" width=\"${box_width}\" height=\"${box_height}\" "
    "fill=\"#000000\"/>\n</svg>\n"
)
set(empty "<rect width=\"${width}\" height=\"${height}\" fill=\"#ffffff\"/>")

function(draw svg file)
    file(WRITE ${OUTPUT}_${file}.svg "${svg}")
    execute_process(
        COMMAND ${rsvg_convert} -o ${OUTPUT}_${file}.png ${OUTPUT}_${file}.svg
        RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        fail("cannot be drawn by rsvg-convert as ${OUTPUT}_${file}.svg: ${status}")
    endif()
endfunction()

draw("${larger}>${empty}${box}" box)
string(REGEX REPLACE "^${head}" "${larger}" on_larger "${picture}")
string(REGEX REPLACE "</svg>[ \n]*$" "${box}" on_larger "${on_larger}")
foreach(font own wide)
    if(font STREQUAL "wide")
        string(
            REGEX REPLACE " font-family=\"[^\"]*\"" " font-family=\"DejaVu Sans, Verdana\""
            on_larger "${on_larger}"
        )
    endif()
    draw("${on_larger}" ${font})
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E compare_files ${OUTPUT}_${font}.png ${OUTPUT}_box.png
        RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        fail("has something outside the canvas or on its edge with its ${font} font; see ${OUTPUT}_${font}.png")
    endif()
endforeach()
