# cmake -DCOMPILER=clang++ -DDOCUMENT=api.md -DINCLUDE=directory -DOUTPUT=directory -P names.cmake
#
# A page lists every public name of the headers, and no other. The names of the page are the code
# spans in the first column of the table below "## Names". The names of the header are,
# in the host pass,
#   - what clang lists as declared in the namespaces opus, opus::sched and opus::dpp, if a
#     using-declaration finds it there (names of template parameters are not found),
#   - the macros OPUS_... and REGISTER_DTYPE that are defined behind the include, without those for
#     the header's own use.
# One vector and one matrix instruction stand for the others (the table of docs/matrix-cores.md has
# a test of its own).
cmake_minimum_required(VERSION 3.22)

set(internal_macros
    OPUS_ADAPTOR_LAYOUT_API_OPERAND OPUS_HAS_CVT_FP8
    OPUS_HAS_CVT_SCALE OPUS_ON OPUS_DEBUG_PRINTF_USED
    OPUS_MEM_ARGUMENT OPUS_MEM_CALL OPUS_OPUS_DEBUG_HPP OPUS_OPUS_HPP OPUS_OPUS_PLUS_HPP
)
set(families "^([a-z]+[0-9]+x[0-9]+_t|mfma_(scale_)?[fi][0-9]+_.*)$")
set(of_families fp16x4_t mfma_f32_32x32x8_f16)

file(MAKE_DIRECTORY ${OUTPUT})
file(WRITE ${OUTPUT}/header.hip "#include \"opus/hip_minimal.hpp\"\n#include \"opus/opus_plus.hpp\"\n#include \"opus/opus_debug.hpp\"\n")
set(command
    ${COMPILER} -x hip -std=c++17 -nogpuinc -nogpulib --cuda-host-only --offload-arch=gfx950
    -DOPUS_ENABLE_RUNTIME_QUERY=1 -DOPUS_DEBUG=1 -I${INCLUDE}
)
function(run result)
    execute_process(
        COMMAND ${command} ${ARGN}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE error
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR " ${command} ${ARGN}\n${output}${error}")
    endif()
    set(${result} "${output}" PARENT_SCOPE)
endfunction()

# Those of the names that are declared in opus, by the errors of a using-declaration for each.
function(keep_declared result)
    set(text "#include \"opus/hip_minimal.hpp\"\n#include \"opus/opus_plus.hpp\"\n#include \"opus/opus_debug.hpp\"\n")
    set(counter 0)
    foreach(name IN LISTS ARGN)
        string(APPEND text "namespace user_${counter} { using opus::${name}; }\n")
        math(EXPR counter "${counter} + 1")
    endforeach()
    file(WRITE ${OUTPUT}/using.hip "${text}")
    execute_process(
        COMMAND ${command} -fsyntax-only -ferror-limit=0 ${OUTPUT}/using.hip
        OUTPUT_QUIET
        ERROR_VARIABLE errors
    )
    string(REGEX MATCHALL "using\\.hip:[0-9]+:[0-9]+: error:" lines "${errors}")
    set(absent "")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "using\\.hip:([0-9]+):.*" "\\1" line "${line}")
        math(EXPR index "${line} - 4")
        list(GET ARGN ${index} name)
        list(APPEND absent ${name})
    endforeach()
    set(declared ${ARGN})
    list(REMOVE_ITEM declared ${absent})
    set(${result} "${declared}" PARENT_SCOPE)
endfunction()

run(declarations -fsyntax-only -Xclang -ast-list ${OUTPUT}/header.hip)
string(REPLACE "\n" "\n\n" declarations "\n${declarations}") # a match takes both ends of a line
string(REGEX MATCHALL "\nopus::((sched|dpp)::)?[a-zA-Z_0-9]+\n" names "${declarations}")
list(TRANSFORM names REPLACE "\nopus::(.*)\n" "\\1")
list(REMOVE_DUPLICATES names)
list(FILTER names EXCLUDE REGEX "${families}")
keep_declared(of_header ${names})

run(macros -dM -E ${OUTPUT}/header.hip)
string(REGEX MATCHALL "#define (OPUS_[A-Za-z_0-9]+|REGISTER_DTYPE)" macros "${macros}")
list(TRANSFORM macros REPLACE "#define " "")
list(FILTER macros EXCLUDE REGEX "^OPUS_HIP_")
list(REMOVE_ITEM macros ${internal_macros})
list(APPEND of_header ${macros} ${of_families})
list(LENGTH of_header count)
if(count LESS 300)
    message(FATAL_ERROR " ${count} names in ${INCLUDE}: they were not found.")
endif()

file(STRINGS ${DOCUMENT} lines REGEX "^(## |[|] *`)")
set(is_inside FALSE)
set(of_page "")
foreach(line IN LISTS lines)
    if(line MATCHES "^## ")
        string(REGEX MATCH "^## Names" is_inside "${line}")
    elseif(is_inside)
        string(REGEX REPLACE "^[|]([^|]*)[|].*" "\\1" cell "${line}")
        string(REGEX MATCHALL "`[^`]+`" spans "${cell}")
        string(REPLACE "`" "" spans "${spans}")
        list(APPEND of_page ${spans})
    endif()
endforeach()
set(macros_of_page ${of_page})
list(FILTER macros_of_page INCLUDE REGEX "^(OPUS_.*|REGISTER_DTYPE)$")
set(names_of_page ${of_page})
list(REMOVE_ITEM names_of_page ${macros_of_page})
keep_declared(there ${names_of_page})
list(REMOVE_ITEM names_of_page ${there})
list(REMOVE_ITEM macros_of_page ${macros})
set(missing ${of_header})
list(REMOVE_ITEM missing ${of_page})
list(JOIN missing " " missing)
string(JOIN " " unknown ${names_of_page} ${macros_of_page})
if(NOT missing STREQUAL "" OR NOT unknown STREQUAL "")
    message(FATAL_ERROR " ${DOCUMENT}\n lacks: ${missing}\n has, but not the header: ${unknown}")
endif()
message(STATUS "${count} names")
