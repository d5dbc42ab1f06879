#!/usr/bin/env bash
# Builds and runs one example: ./examples/run.sh NAME [--arch gfx942|gfx950] [its own options]
# On the emulator it runs for one architecture after the other unless --arch names one. The status
# is the worst one of the example, or 2 where nothing could be run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

name=${1:-}
if [ -z "$name" ] || [ ! -e "$opus_root/examples/$name.hip" ]; then
    {
        [ -z "$name" ] || printf 'there is no example %s\n' "$name"
        printf 'usage: %s NAME [--arch gfx942|gfx950] [options of the example; try --help]\n' "$0"
        printf 'examples:\n'
        for file in "$opus_root"/examples/*.hip; do
            printf '    %s\n' "$(basename "$file" .hip)"
        done
    } >&2
    exit 2
fi
shift
opus_parse "$@"

opus_setup
opus_configure
opus_build "$name"

worst=0
for arch in "${opus_archs[@]}"; do
    status=0
    OPUS_EMU_ARCH=$arch "$opus_build_dir/examples/$name" "${opus_arguments[@]}" || status=$?
    if [ "$status" -gt "$worst" ]; then
        worst=$status
    fi
done
exit "$worst"
