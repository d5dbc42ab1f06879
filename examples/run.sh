#!/usr/bin/env bash
# Builds and runs one example:
#     ./examples/run.sh NAME [--arch gfx942|gfx950] [--no-install] [its own options]
# On the emulator it runs for one architecture after the other unless --arch names one. An example
# without GPU code (a .cpp file) runs once, and --arch is one of its own options. With --no-install
# what is missing is named and not installed. The status is the worst one of the example, or 2 where
# nothing could be run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

name=${1:-}
source=
for suffix in hip cpp; do
    if [ -n "$name" ] && [ -e "$opus_root/examples/$name.$suffix" ]; then
        source=$opus_root/examples/$name.$suffix
    fi
done
if [ -z "$source" ]; then
    {
        [ -z "$name" ] || printf 'there is no example %s\n' "$name"
        printf 'usage: %s NAME [--arch gfx942|gfx950] [--no-install] [options of the example; try --help]\n' "$0"
        printf 'examples:\n'
        for file in "$opus_root"/examples/*.hip "$opus_root"/examples/*.cpp; do
            file=${file##*/}
            printf '    %s\n' "${file%.*}"
        done
    } >&2
    exit 2
fi
shift
opus_parse "$@"

case $source in
    *.hip) opus_setup ;;
    *) opus_setup host-only ;;
esac
opus_configure example
# README.md and docs/timeline.md go on with the tools of the emulator.
tools=()
if [ "$opus_wants_emulator" = yes ] && [ "$opus_build_dir" = "$opus_root/build" ]; then
    tools=(opus-emu timeline_svg)
fi
opus_build "$name" "${tools[@]}"

if [ "${source##*.}" = cpp ]; then
    status=0
    "$opus_build_dir/examples/$name" ${opus_arch:+--arch "$opus_arch"} "${opus_arguments[@]}" ||
        status=$?
    exit "$status"
fi

worst=0
for arch in "${opus_archs[@]}"; do
    status=0
    OPUS_EMU_ARCH=$arch "$opus_build_dir/examples/$name" "${opus_arguments[@]}" || status=$?
    if [ "$status" -gt "$worst" ]; then
        worst=$status
    fi
    # What does not run says so once: --help, and options that are refused.
    case "$status ${opus_arguments[*]}" in
        2\ * | *' --help'* | *' -h'*) break ;;
    esac
done
exit "$worst"
