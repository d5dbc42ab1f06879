#!/bin/sh
# Looks for an AMD GPU that opus supports and for ROCm's runtime library.
# Both found: prints "<arch> <path of libamdhip64.so>" and returns 0.
# Otherwise: prints the reason on stderr and returns 1.
set -u

if ! [ -r /dev/kfd ] || ! [ -w /dev/kfd ]; then
    echo "no AMD GPU (/dev/kfd is missing or not accessible)" >&2
    exit 1
fi

# gfx_target_version of the kernel driver: major * 10000 + minor * 100 + stepping.
# A node hidden from this container cannot be read and does not count.
versions=$(cat /sys/class/kfd/kfd/topology/nodes/*/properties 2>/dev/null |
    sed -n 's/^gfx_target_version \([1-9][0-9]*\)$/\1/p')
arch=
for version in $versions; do
    case $version in
        90402) arch=gfx942 ;;
        90500) arch=gfx950 ;;
        *) continue ;;
    esac
    break
done
if [ -z "$arch" ]; then
    echo "no gfx942 or gfx950 among this machine's AMD GPUs" >&2
    exit 1
fi

for root in "${ROCM_PATH:-/opt/rocm}" /opt/rocm /opt/rocm-*; do
    for library in "$root/lib/libamdhip64.so" "$root/lib64/libamdhip64.so"; do
        if [ -e "$library" ]; then
            echo "$arch $library"
            exit 0
        fi
    done
done
echo "a $arch GPU, but no ROCm (libamdhip64.so under \$ROCM_PATH or /opt/rocm*)" >&2
exit 1
