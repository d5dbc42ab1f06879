# Given as CMAKE_PROJECT_INCLUDE by op_tests/where_time_goes.sh: each command of the build runs through
# timed.sh, which appends what it took to command_times.
set(timed "${CMAKE_CURRENT_LIST_DIR}/timed.sh ${CMAKE_BINARY_DIR}/command_times")
set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "${timed} compile:<TARGET_NAME>:<SOURCE>")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${timed} link:<TARGET_NAME>")
set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "${timed} command:<OUTPUT>")
