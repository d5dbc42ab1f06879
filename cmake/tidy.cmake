# The target `tidy`: clang-tidy over emulator and examples, and over the header through them, with the
# checks of .clang-tidy, all of them errors. Of a .hip file it reads the host pass, which has both
# halves of the header and the kernels' code. Nothing has to be built for it: precompiled headers are
# read as they are.
find_program(OPUS_CLANG_TIDY clang-tidy-22)
find_program(OPUS_RUN_CLANG_TIDY NAMES run-clang-tidy-22 run-clang-tidy-22.py)
if(NOT OPUS_CLANG_TIDY OR NOT OPUS_RUN_CLANG_TIDY)
    add_custom_target(
        tidy
        COMMAND ${CMAKE_COMMAND} -E echo "opus: clang-tidy-22 and run-clang-tidy-22 were not found"
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM
    )
    return()
endif()

# Without layout_viewer, which takes as long as all other examples.
string(REGEX REPLACE "([][+.*()^$?{}|\\])" "\\\\\\1" opus_root_regex ${PROJECT_SOURCE_DIR})
set(opus_tidy_directory ${PROJECT_BINARY_DIR}/tidy)
file(MAKE_DIRECTORY ${opus_tidy_directory})
add_custom_target(
    tidy
    COMMAND
        sh -c "sed 's/-Xclang -include-pch -Xclang [^ ]*//g' \"$1\" >\"$2\"" sh
        ${PROJECT_BINARY_DIR}/compile_commands.json ${opus_tidy_directory}/compile_commands.json
    COMMAND
        ${OPUS_RUN_CLANG_TIDY} -quiet -clang-tidy-binary ${OPUS_CLANG_TIDY} -p ${opus_tidy_directory}
        -config-file ${PROJECT_SOURCE_DIR}/.clang-tidy
        -extra-arg=--cuda-host-only -extra-arg=-Wno-unused-command-line-argument
        ^${opus_root_regex}/examples/[^/]*[.]hip$
        ^${opus_root_regex}/op_tests/docs/mfma_table[.]cpp$
        ^${opus_root_regex}/op_tests/emulator/src/
        ^${opus_root_regex}/op_tests/emulator/hiprtc/
        ^${opus_root_regex}/op_tests/emulator/timeline_svg/
    COMMENT "clang-tidy"
    USES_TERMINAL
    VERBATIM
)
