# cmake -DTABLE=program -DDOCUMENT=file.md [-DCHECK=ON] -P mfma_table.cmake
#
# Puts what the program prints between the two marks of the document; with CHECK, it must be there.
set(begin "<!-- The target docs_mfma_table writes this table. -->\n\n")
set(end "\n<!-- End of the table. -->\n")

execute_process(COMMAND ${TABLE} RESULT_VARIABLE status OUTPUT_VARIABLE table)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TABLE}: status ${status}")
endif()
file(READ ${DOCUMENT} text)
# (CMake breaks the lines of a message, except those that begin with a blank.)
string(FIND "${text}" "${begin}" first)
string(FIND "${text}" "${end}" last)
if(first EQUAL -1 OR last LESS first)
    message(FATAL_ERROR " ${DOCUMENT}: the marks of the table are not there, in this order")
endif()
string(LENGTH "${begin}" length)
math(EXPR first "${first} + ${length}")
string(SUBSTRING "${text}" 0 ${first} before)
string(SUBSTRING "${text}" ${last} -1 after)
set(wanted "${before}${table}${after}")
if(NOT CHECK)
    file(WRITE ${DOCUMENT} "${wanted}")
elseif(NOT wanted STREQUAL text)
    message(
        FATAL_ERROR
        " ${DOCUMENT}: the table is not that of the header; look at what ${TABLE} prints, and if "
        "that is right, build the target docs_mfma_table"
    )
endif()
