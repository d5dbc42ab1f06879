# Reads a document line by line, and not as a list of lines, in which ; [ and ] would have a meaning:
#     open_document()
#     while(NOT rest STREQUAL "")
#         next_line()
# The document is ${DOCUMENT}, the line's text `line` and its number `number`, from 1.
macro(open_document)
    file(READ ${DOCUMENT} rest)
    string(APPEND rest "\n")
    set(number 0)
endmacro()

macro(next_line)
    string(FIND "${rest}" "\n" length)
    string(SUBSTRING "${rest}" 0 ${length} line)
    math(EXPR length "${length} + 1")
    string(SUBSTRING "${rest}" ${length} -1 rest)
    math(EXPR number "${number} + 1")
endmacro()
