# cmake -DVIEWER=program -DARGUMENTS=list -DPICTURE=file.svg [-DEXPECTED=file.svg] -P picture.cmake
#
# Draws a picture; if EXPECTED is given, the two files must be equal.
execute_process(
    COMMAND ${VIEWER} ${ARGUMENTS} --svg ${PICTURE}
    RESULT_VARIABLE status
    OUTPUT_QUIET
)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${VIEWER} ${ARGUMENTS}: status ${status}")
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
