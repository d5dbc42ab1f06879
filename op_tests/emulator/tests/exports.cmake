# Compares what the emulator exports, names and symbol versions, with the list that it is made of,
# and the list with the real library where there is one:
#   cmake -DNM= -DLIBRARY= -DLIST= [-DREAL=] -P exports.cmake
cmake_minimum_required(VERSION 3.22)

# "version name" of each symbol that the library defines.
function(exported library result)
  execute_process(COMMAND ${NM} -D --defined-only ${library}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[TW] [A-Za-z0-9_]+@@?[A-Za-z0-9_.]+" symbols "${text}")
  list(TRANSFORM symbols REPLACE "^. ([A-Za-z0-9_]+)@@?(.*)$" "\\2 \\1")
  set(${result} ${symbols} PARENT_SCOPE)
endfunction()

function(must_be_empty what)
  if(ARGN)
    list(LENGTH ARGN count)
    list(JOIN ARGN "\n  " text)
    message(SEND_ERROR "${what}: ${count}\n  ${text}")
  endif()
endfunction()

file(STRINGS ${LIST} listed REGEX "^[^#]")
list(TRANSFORM listed REPLACE " (unsupported|refused)$" "")
list(LENGTH listed count)
message(STATUS "${count} names in the list")
exported(${LIBRARY} ours)
list(FILTER ours EXCLUDE REGEX "^opus_emulator ")
# 525 of ROCm 7.2 and 18 of hiprtc, which libamdhip64 had until HIP 6.
if(NOT count EQUAL 543)
  message(SEND_ERROR "the list has ${count} names; the real library has 543")
endif()
set(missing ${listed})
list(REMOVE_ITEM missing ${ours})
must_be_empty("in the list and not exported" ${missing})
set(more ${ours})
list(REMOVE_ITEM more ${listed})
must_be_empty("exported and not in the list" ${more})

if(NOT REAL)
  return()
endif()
exported(${REAL} real)
list(LENGTH real count)
message(STATUS "${count} names in ${REAL}")
# What the real library exports is in the list, but for what is newer. Of the same release it has all of
# the list but hiprtc.
set(newer ${real})
list(FILTER newer INCLUDE REGEX "^hip_(7\\.([3-9]|[1-9][0-9])|[89]\\.|[1-9][0-9])")
list(REMOVE_ITEM real ${newer})
set(missing ${real})
list(REMOVE_ITEM missing ${listed})
must_be_empty("exported by the real library and not in the list" ${missing})
set(same_release ${real})
list(FILTER same_release INCLUDE REGEX "^hip_7\\.2 ")
if(same_release AND NOT newer)
  list(FILTER listed EXCLUDE REGEX " hiprtc")
  list(REMOVE_ITEM listed ${real})
  must_be_empty("in the list and not exported by the real library" ${listed})
endif()
