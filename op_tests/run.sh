#!/usr/bin/env bash
# Builds everything and runs the tests:
#     ./op_tests/run.sh [--arch gfx942|gfx950] [--no-install] [ctest's options]
# or builds and runs one program, gpu_facts, which looks at a GPU's (or the emulator's) behaviour:
#     ./op_tests/run.sh gpu_facts [--arch gfx942|gfx950] [--no-install] [its options; try --help]
# --arch leaves out what is only for the other architecture; with --no-install what is missing is
# named and not installed. The status is ctest's or the program's, or 2 where nothing could be built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

opus_parse "$@"
if [ "${opus_arguments[0]:-}" = gpu_facts ]; then
    opus_setup
    opus_configure
    opus_build gpu_facts
    if [ "$opus_gpu" = none ]; then # nobody shall take the emulator's facts for those of a GPU
        opus_say "the emulator shows what is assumed:" \
            "$(sh "$opus_root/cmake/find_gpu.sh" 2>&1 >/dev/null || true)"
    fi
    worst=0
    for arch in "${opus_archs[@]}"; do # on a GPU, its own
        status=0
        OPUS_EMU_ARCH=$arch "$opus_build_dir/op_tests/gpu_facts/gpu_facts" \
            "${opus_arguments[@]:1}" || status=$?
        [ "$status" -le "$worst" ] || worst=$status
    done
    exit "$worst"
fi
case " ${opus_arguments[*]} " in
    *' --help '* | *' -h '*)
        printf 'usage: %s [--arch gfx942|gfx950] [--no-install] [options of ctest, for example -R NAME]\n' "$0"
        printf '       %s gpu_facts [--arch gfx942|gfx950] [--no-install] [--help]\n' "$0"
        exit 0
        ;;
esac
opus_setup rsvg-convert
opus_configure
opus_say "1 of 2: building"
opus_build

opus_say "2 of 2: running; $(ctest --test-dir "$opus_build_dir" -N | tail -n 1)"
jobs=$(getconf _NPROCESSORS_ONLN)
if [ "$opus_wants_emulator" = no ] && [ "$jobs" -gt 8 ]; then
    jobs=8 # each process has queues of the one GPU, which has a few for all
fi
options=(--output-on-failure --no-tests=error -j "$jobs")
if [ "$opus_wants_emulator" = no ]; then
    options+=(--timeout 600) # a kernel that hangs: CTest itself waits for 25 minutes
fi
case $opus_arch in
    gfx942) options+=(-LE '^gfx950$') ;;
    gfx950) options+=(-LE '^gfx942$') ;;
esac
ctest --test-dir "$opus_build_dir" "${options[@]}" "${opus_arguments[@]}"
