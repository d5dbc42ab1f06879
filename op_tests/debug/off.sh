#!/bin/sh
# off.sh DIRECTORY HEADER COMPILER OPTION...: what is compiled with OPUS_DEBUG off is, byte for byte,
# what a header without it gives; with 1 it is something else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/opus"
cd "$1"
header=$2
shift 2
headers=$(dirname "$header")
cp "$headers/hip_minimal.hpp" "$headers/opus_debug.hpp" opus/
for form in undefined zero one without; do
    case $form in
        without)
            LC_ALL=C awk -v least=14 -f "$here/without_debug.awk" "$header" >opus/opus.hpp
            LC_ALL=C awk -v least=5 -f "$here/without_debug.awk" "$headers/opus_plus.hpp" \
                >opus/opus_plus.hpp
            rm opus/opus_debug.hpp
            ;;
        *) cp "$header" "$headers/opus_plus.hpp" opus/ ;;
    esac
    case $form in
        zero) define=-DOPUS_DEBUG=0 ;;
        one) define=-DOPUS_DEBUG=1 ;;
        *) define=-UOPUS_DEBUG ;;
    esac
    # -cuid: else a number of the options is in the code object.
    "$@" -w -I. --cuda-device-only --no-gpu-bundle-output -cuid=opus $define -o $form.o
done
cmp undefined.o zero.o
cmp undefined.o without.o
! cmp -s undefined.o one.o
