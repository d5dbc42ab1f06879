#!/usr/bin/env bash
# Where the time of ./op_tests/run.sh goes: builds everything from nothing in build/times, runs the
# tests, and prints the seconds of CPU, which other work on the machine disturbs less than wall.
#     ./op_tests/where_time_goes.sh [ctest's options]
#     ./op_tests/where_time_goes.sh --table [FILE]     the table of an earlier run
# FILE is build/times/command_times: a line for each command, with the seconds of CPU as user and as
# system, those of wall, what it does (compile, link, command, test) and for what.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

opus_build_dir=${OPUS_BUILD_DIR:-$opus_root/build/times}
times=$opus_build_dir/command_times

table() {
    awk -v root="$opus_root/" '
        function take(sums, counts, name) { sums[name] += cpu; counts[name]++ }
        function list(title, sums, counts, most,    name, order) {
            printf "\n%s\n   CPU s    %%  commands\n", title
            order = "sort -k1,1nr | head -n " most
            for (name in sums)
                printf "%8.1f %4.1f %6d  %s\n", sums[name], 100 * sums[name] / total, counts[name], \
                    name | order
            close(order)
        }
        {
            cpu = $1 + $2
            total += cpu
            wall += $3
            kind = $4
            name = $5
            sub(root, "", name)
            take(of_kind, kinds, kind)
            if (kind == "test") {
                group = name
                sub("/.*", "", group)
                if (name !~ "/") sub(/[_.].*/, "", group)
                take(of_group, groups, group)
                take(of_test, tests, name)
            } else {
                target = name
                sub(":.*", "", target)
                folder = name
                if (kind == "compile") {
                    sub("^[^:]*:", "", folder)
                    take(of_source, sources, folder)
                }
                take(of_target, targets, target)
            }
        }
        END {
            printf "%.1f minutes of CPU, %d commands\n", total / 60, NR
            list("By kind", of_kind, kinds, 9)
            list("Building, the 40 targets that take most", of_target, targets, 40)
            list("Tests, by the first part of the name", of_group, groups, 30)
            list("Tests, the 40 that take most", of_test, tests, 40)
        }' "$1"
}

if [ "${1:-}" = --table ]; then
    table "${2:-$times}"
    exit
fi
opus_parse "$@"
opus_setup rsvg-convert
rm -rf "$opus_build_dir"
opus_configure
cmake "-DCMAKE_PROJECT_INCLUDE=$opus_root/cmake/timed.cmake" "$opus_build_dir" >&2
opus_build
find "$opus_build_dir" -name CTestTestfile.cmake -exec sed -i -E \
    "s|^add_test\((\[=*\[)?([^] ]+)(\]=*\])? |&\"$opus_root/cmake/timed.sh\" \"$times\" \"test:\2\" |" {} +
status=0
ctest --test-dir "$opus_build_dir" --output-on-failure --no-tests=error \
    -j "$(getconf _NPROCESSORS_ONLN)" "${opus_arguments[@]}" >&2 || status=$?
table "$times"
exit $status
