# cmake -DCOMPILER=clang++ -DINCLUDE=directory -DTARGET=gfx942 -DOUTPUT=directory
#       -P c_macros.cmake
#
# The headers of include/opus use no name that a header of C or POSIX defines as a macro:
# they compile behind all of these headers, and they compile where each of the macros is text that is
# no C++. What <assert.h> and <type_traits> define, they may use: they include these two.
cmake_minimum_required(VERSION 3.22)

# C23 7.1.2, POSIX.1-2024 chapter 14, and those in which glibc keeps macros that once were there. Not
# iso646.h: its macros are operators of C++.
string(CONCAT headers
    "aio arpa/inet assert complex cpio ctype devctl dirent dlfcn endian errno fcntl fenv float fmtmsg "
    "fnmatch ftw glob grp iconv inttypes langinfo libgen libintl limits locale math monetary "
    "mqueue ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search "
    "semaphore setjmp signal spawn stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint "
    "stdio stdlib stdnoreturn string strings stropts sys/ipc sys/mman sys/msg sys/param sys/resource "
    "sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/sysmacros sys/time sys/times "
    "sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios tgmath threads time trace uchar "
    "ulimit unistd utime utmpx wchar wctype wordexp"
)
separate_arguments(headers)
set(all "")
set(compiled "") # <stdatomic.h> and <threads.h> are no C++17, <stdnoreturn.h> breaks C++'s own
foreach(header IN LISTS headers)
    set(line "#if __has_include(<${header}.h>)\n#include <${header}.h>\n#endif\n")
    string(APPEND all "${line}")
    if(NOT header MATCHES "^(stdatomic|threads|stdnoreturn)$")
        string(APPEND compiled "${line}")
    endif()
endforeach()
file(WRITE ${OUTPUT}/all.h "${all}")
file(WRITE ${OUTPUT}/own.h "#include <assert.h>\n#ifdef __cplusplus\n#include <type_traits>\n#endif\n")

# Sets `macros` to the lines "#define ..." of a file, with no ; in them.
function(list_macros file language standard)
    execute_process(
        COMMAND ${COMPILER} -x ${language} -std=${standard} -D_GNU_SOURCE -w -dM -E ${file}
        OUTPUT_VARIABLE macros
        COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX REPLACE "[][;]" "." macros "${macros}")
    string(REPLACE "\n" ";" macros "${macros}")
    list(FILTER macros INCLUDE REGEX "^#define ")
    set(macros "${macros}" PARENT_SCOPE)
endfunction()

set(kept alignas alignof bool false inline static_assert thread_local true) # C++'s keywords
list(APPEND kept __STDC_VERSION__) # the compiler's in C; glibc's <assert.h> asks for it in C++, too
list_macros(${OUTPUT}/own.h c++ gnu++17)
foreach(macro IN LISTS macros)
    string(REGEX MATCH "^#define ([A-Za-z_0-9]+)" name "${macro}")
    list(APPEND kept ${CMAKE_MATCH_1})
endforeach()
list(REMOVE_ITEM kept linux unix) # the compiler's own, as GNU
set(text "")
set(count 0)
foreach(language c++ c)
    set(standard_c++ gnu++17)
    set(standard_c gnu17)
    list_macros(${OUTPUT}/all.h ${language} ${standard_${language}})
    foreach(macro IN LISTS macros)
        string(REGEX MATCH "^#define ([A-Za-z_0-9]+)(\\(?)" name "${macro}")
        set(name ${CMAKE_MATCH_1})
        # C++ has functions where C has macros with parameters (<tgmath.h>).
        if(name IN_LIST kept OR (CMAKE_MATCH_2 AND language STREQUAL "c"))
            continue()
        endif()
        if(CMAKE_MATCH_2)
            string(APPEND text "#undef ${name}\n#define ${name}(...) @\n")
        else()
            string(APPEND text "#undef ${name}\n#define ${name} @\n")
        endif()
        list(APPEND kept ${name})
        math(EXPR count "${count} + 1")
    endforeach()
endforeach()
foreach(name I EOF _Complex_I complex major minor linux unix stdout)
    if(NOT text MATCHES "#define ${name}[ (]")
        message(FATAL_ERROR " ${name} is not among the ${count} macros")
    endif()
endforeach()
message("${count} macros")

string(CONCAT use
    "#include \"opus/hip_minimal.hpp\"\n#include \"opus/opus_plus.hpp\"\n"
    "#include \"opus/opus_debug.hpp\"\n"
    "namespace user {\nOPUS_USING_COMMON_TYPES_ALL\n"
    "static_assert(opus::get<1>(opus::make_tuple(1, 3_I)) == 3);\n}\n"
)
file(WRITE ${OUTPUT}/behind_headers.hip "${compiled}${use}")
file(WRITE ${OUTPUT}/behind_macros.hip "#include \"own.h\"\n${text}${use}")
foreach(compilation "headers host" "headers device" "macros host" "macros device")
    separate_arguments(compilation)
    list(GET compilation 0 behind)
    list(GET compilation 1 pass)
    execute_process(
        COMMAND
            ${COMPILER} -x hip -nogpuinc -nogpulib --offload-arch=${TARGET} --cuda-${pass}-only
            -std=gnu++17 -fsyntax-only -w -I${INCLUDE} ${OUTPUT}/behind_${behind}.hip
        RESULT_VARIABLE status
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR " does not compile behind the ${behind}, ${pass} pass")
    endif()
endforeach()
