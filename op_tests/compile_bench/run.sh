#!/usr/bin/env bash
# What the header costs the compiler:
#   ./op_tests/compile_bench/run.sh [--sections | [--precompiled] file.hip...]
#
# Counts the instructions that clang executes for a file's gfx942 half at -O3 -std=c++17, without
# the HIP wrapper headers. Instructions and not seconds: the same compiler and files give the same
# number each time. A file in this directory is a row; a kernel_x.hip of ../codegen
# is two, written with opus and with the compiler's builtins alone.
#
#   total        instructions of the compiler proper (clang -cc1, not the driver), in millions
#   above empty  total without what an empty file costs
#   front end    of that, up to LLVM IR before any pass over it; the rest is optimiser and backend
#   functions    in that IR
#
# With --sections: the header alone, section by section, without <type_traits>. Each row is what the
# header up to the end of that section costs above the header up to its beginning.
#
# With --precompiled: the total of each file (of a kernel_x.hip as written with opus), the same with
# the headers precompiled, and what precompiling them costs once.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/setup.sh"

mode=rows
case ${1:-} in
    --sections | --precompiled)
        mode=${1#--}
        shift
        ;;
esac
files=()
for file in "$@"; do
    files+=("$(realpath --relative-to="$opus_root" "$file")")
done
opus_setup valgrind
valgrind=$(command -v valgrind)
# Paths are part of what is compiled: relative ones keep the count apart from the place of the tree.
cd "$opus_root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sets cc1 to the command that the driver would run for the file $1 with the options "$@".
find_cc1() {
    local line
    line=$("$opus_cxx" -x hip --offload-arch=gfx942 --cuda-device-only -nogpuinc -nogpulib \
        -std=c++17 -O3 -Iinclude -Iexamples -S -o /dev/null -### "$@" 2>&1 | grep -- '^ ".*"-cc1"')
    eval "cc1=($line)" # the driver quotes for the shell
}

# Prints how many instructions the command "$@" executes.
count() {
    # The environment lies on the stack of the program and moves what it addresses.
    if ! env -i "$valgrind" --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        "$@" >"$work/log" 2>&1
    then
        cat "$work/log" >&2
        opus_fail "the compiler failed under valgrind"
    fi
    sed -n 's/.*I *refs: *//p' "$work/log" | tr -d ,
}

# Prints millions with two digits.
millions() {
    local sign=
    [ "$1" -ge 0 ] || sign=-
    printf '%s%d.%02d' "$sign" $((${1#-} / 1000000)) $((${1#-} / 10000 % 100))
}

# row NAME FILE [OPTION...]
row() {
    local total front functions
    find_cc1 "${@:2}"
    total=$(count "${cc1[@]}")
    front=$(count "${cc1[@]}" -emit-llvm-only -disable-llvm-passes)
    functions=$("${cc1[@]}" -emit-llvm -disable-llvm-passes -o - | grep -c '^define' || true)
    if [ -z "${empty_total:-}" ]; then
        empty_total=$total
        empty_front=$front
    fi
    printf '%-32s %10s %12s %10s %10d\n' "$1" "$(millions "$total")" \
        "$(millions $((total - empty_total)))" "$(millions $((front - empty_front)))" "$functions"
}

# rows FILE
rows() {
    local name
    name=$(basename "$1" .hip)
    case $name in
        kernel_*)
            row "$name, opus" "$1" -DRAW=0
            row "$name, builtins" "$1" -DRAW=1
            ;;
        *) row "$name" "$1" ;;
    esac
}

# sections: a row for each banner of the header.
sections() {
    local header=include/opus/opus.hpp begin=1 end name before=0 total lines
    local -a at
    mapfile -t at < <(grep -n '^// == ' "$header" | cut -d : -f 1)
    at+=("$(grep -n '^}  // namespace opus' "$header" | tail -n 1 | cut -d : -f 1)")
    printf '%-32s %10s %12s\n' section lines 'front end'
    find_cc1 op_tests/compile_bench/empty.hip
    before=$(count "${cc1[@]}" -fsyntax-only)
    for ((n = 0; n + 1 < ${#at[@]}; n++)); do
        begin=${at[n]}
        end=$((at[n + 1] - 1))
        name=$(sed -n "${begin}s|^// == \(.*[^ =]\) =*\$|\1|p" "$header")
        {
            printf '#define OPUS_FREESTANDING 1\n'
            head -n "$end" "$header"
            # What is open there: the namespace, the pragmas and the file's own conditions.
            printf '}\n#pragma clang diagnostic pop\n#pragma clang attribute pop\n#endif\n#endif\n'
        } >"$work/part.hip"
        find_cc1 "$work/part.hip"
        total=$(count "${cc1[@]}" -fsyntax-only)
        printf '%-32s %10d %12s\n' "$name" $((end - begin + 1)) "$(millions $((total - before)))"
        before=$total
    done
}

# precompiled FILE
precompiled() {
    local file=$1 options=() total once with
    [[ $(basename "$file") != kernel_* ]] || options=(-DRAW=0)
    find_cc1 "$file" "${options[@]}"
    total=$(count "${cc1[@]}")
    # Files of an option that differs do not fit.
    rm -rf "$work/headers" && mkdir "$work/headers"
    printf '#include "opus/hip_minimal.hpp"\n#include "opus/opus.hpp"\n' >"$work/headers.hip"
    find_cc1 "$work/headers.hip" "${options[@]}"
    once=$(count "${cc1[@]}" -emit-pch -o "$work/headers/gfx942.pch")
    find_cc1 "$file" "${options[@]}" -include-pch "$work/headers"
    with=$(count "${cc1[@]}")
    printf '%-32s %10s %12s %10s %10s\n' "$(basename "$file" .hip)" "$(millions "$total")" \
        "$(millions "$with")" "$(millions $((total - with)))" "$(millions "$once")"
}

if [ $mode = sections ]; then
    sections
    exit
fi
if [ ${#files[@]} = 0 ]; then
    files=(op_tests/compile_bench/*.hip op_tests/codegen/kernel_*.hip)
fi
printf 'Instructions in millions, %s\n' "$("$opus_cxx" --version | head -n 1)"
if [ $mode = precompiled ]; then
    printf '%-32s %10s %12s %10s %10s\n' file total precompiled saved once
    for file in "${files[@]}"; do
        precompiled "$file"
    done
    exit
fi
printf '%-32s %10s %12s %10s %10s\n' file total 'above empty' 'front end' functions
row empty op_tests/compile_bench/empty.hip
for file in "${files[@]}"; do
    [ "$(basename "$file")" = empty.hip ] || rows "$file"
done
