# Sourced by examples/run.sh, op_tests/run.sh and .ci/run, which set -euo pipefail: finds or
# installs what a build needs, configures one build tree and builds in it.
#
#   opus_parse "$@"             sets opus_arch ('' without --arch), opus_may_install (no after
#                               --no-install) and opus_arguments (the rest)
#   opus_setup [tool...]        sets opus_cxx, opus_llvm and, if asked for, opus_clang_format; the
#                               tools are clang-format, clang-tidy, valgrind, clang-19, sanitizers,
#                               python3 (with NumPy), pkg-config and rsvg-convert; host-only is for a
#                               program without GPU code
#   opus_configure [example]    sets opus_archs, the architectures to run for; for an example alone,
#                               the emulator of build/ serves another build tree, too
#   opus_build [target...]      builds these targets, or everything; prints nothing where nothing is
#                               to be built
#
# Environment: OPUS_BUILD_DIR (default: build/ in the source tree), OPUS_RUNTIME (auto, emulator or
# rocm), OPUS_CXX (a clang++ to use instead of the one that would be found),
# OPUS_WARNINGS_AS_ERRORS (ON in .ci/run; default OFF).
# Messages go to stderr; what cannot be set up or built ends the script with status 2.

opus_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
opus_min_clang=20          # the first one that knows gfx950
opus_clang_tools_version=22 # clang-format and clang-tidy say otherwise from version to version
opus_may_install=yes
opus_build_dir=${OPUS_BUILD_DIR:-$opus_root/build}
case $opus_build_dir in
    /*) ;;
    *) opus_build_dir=$PWD/$opus_build_dir ;;
esac

opus_say() {
    printf 'opus: %s\n' "$*" >&2
}

opus_fail() {
    opus_say "error: $*"
    exit 2
}

# == finding ======================================================================================

# Prints the LLVM installations to choose from, best first: ROCm's, then the distribution's from
# the newest down.
opus_llvm_roots() {
    local root version
    for root in "${ROCM_PATH:-/opt/rocm}" /opt/rocm /opt/rocm-*; do
        if [ -d "$root/llvm" ]; then
            printf '%s\n' "$root/llvm"
        fi
    done
    for version in $(printf '%s\n' /usr/lib/llvm-* | sed -n 's/.*-\([0-9]*\)$/\1/p' | sort -rn); do
        if [ "$version" -ge "$opus_min_clang" ]; then
            printf '%s\n' "/usr/lib/llvm-$version"
        fi
    done
}

# True if the clang++ $1 builds a HIP program for both architectures: it has the amdgcn target,
# lld, the offload bundler and a C++ standard library.
opus_compiler_works() {
    printf '#include <vector>\n__attribute__((device)) int variable;\n' |
        "$1" -x hip --offload-arch=gfx942 --offload-arch=gfx950 -nogpuinc -nogpulib -std=c++17 \
            -c -o /dev/null - >/dev/null 2>&1
}

# Sets opus_cxx; false if no compiler works.
opus_find_compiler() {
    local root
    opus_cxx=
    if [ -n "${OPUS_CXX:-}" ]; then
        opus_compiler_works "$OPUS_CXX" ||
            opus_fail "OPUS_CXX=$OPUS_CXX builds no HIP program for gfx942 and gfx950"
        opus_cxx=$(command -v "$OPUS_CXX")
        return
    fi
    for root in $(opus_llvm_roots); do
        if [ -x "$root/bin/clang++" ] && opus_compiler_works "$root/bin/clang++"; then
            opus_cxx=$root/bin/clang++
            return
        fi
    done
    return 1
}

# True if the compiler links a program with AddressSanitizer.
opus_sanitizers_work() {
    [ -n "$opus_cxx" ] && printf 'int main() {}\n' |
        "$opus_cxx" -fsanitize=address -x c++ -o /dev/null - >/dev/null 2>&1
}

# Prints the directory of the compiler's other programs.
opus_compiler_bin() {
    dirname "$(readlink -f "$opus_cxx")"
}

# Sets opus_llvm to the LLVM that the emulator decodes instructions with: the compiler's own where
# it has headers, else the newest; false if there is none.
opus_find_llvm() {
    local root
    opus_llvm=
    for root in ${opus_cxx:+"$(dirname "$(opus_compiler_bin)")"} $(opus_llvm_roots); do
        if [ -e "$root/include/llvm-c/Disassembler.h" ]; then
            opus_llvm=$root
            return
        fi
    done
    return 1
}

# True if a usual prefix has the file $1.
opus_has_file() {
    [ -e "/usr/$1" ] || [ -e "/usr/local/$1" ]
}

# True if the tool $1 was asked for.
opus_wants() {
    case " ${opus_tools[*]} " in
        *" $1 "*) return 0 ;;
        *) return 1 ;;
    esac
}

# Sets opus_missing to the packages to install; `-N` stands for the version of LLVM.
opus_find_all() {
    local tool package
    opus_missing=()
    opus_find_compiler || opus_missing+=(clang-N lld-N clang-tools-N)
    if [ "$opus_wants_emulator" = yes ]; then
        opus_find_llvm || opus_missing+=(llvm-N-dev)
        opus_has_file include/zstd.h || opus_missing+=(libzstd-dev)
        opus_has_file include/zlib.h || opus_missing+=(zlib1g-dev)
    fi
    for tool in clang-format clang-tidy; do
        if opus_wants $tool && ! command -v "$tool-$opus_clang_tools_version" >/dev/null; then
            opus_missing+=("$tool-$opus_clang_tools_version")
        fi
    done
    opus_clang_format=clang-format-$opus_clang_tools_version
    if opus_wants clang-19; then
        command -v clang++-19 >/dev/null || opus_missing+=(clang-19)
    fi
    # The runtimes of AddressSanitizer and libFuzzer.
    if opus_wants sanitizers && ! opus_sanitizers_work; then
        opus_missing+=(libclang-rt-N-dev)
    fi
    if opus_wants valgrind; then
        command -v valgrind >/dev/null || opus_missing+=(valgrind)
    fi
    if opus_wants rsvg-convert; then
        command -v rsvg-convert >/dev/null || opus_missing+=(librsvg2-bin)
        opus_has_file share/fonts/truetype/dejavu/DejaVuSans.ttf ||
            opus_missing+=(fonts-dejavu-core)
    fi
    if opus_wants python3; then
        command -v python3 >/dev/null || opus_missing+=(python3)
        python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null ||
            opus_missing+=(python3-numpy)
    fi
    if opus_wants pkg-config; then
        command -v pkg-config >/dev/null || opus_missing+=(pkg-config)
    fi
    command -v cmake >/dev/null || opus_missing+=(cmake)
    command -v ninja >/dev/null || opus_missing+=(ninja-build)
    if ! opus_wants host-only; then
        opus_has_file include/gtest/gtest.h || opus_missing+=(libgtest-dev)
        opus_has_file include/gmock/gmock.h || opus_missing+=(libgmock-dev)
    fi
    opus_has_file include/CLI/CLI.hpp || opus_missing+=(libcli11-dev)
}

# == installing ===================================================================================

# Prints the version to put for N in the packages "$@": the compiler's own where it came from the
# distribution, else the newest one of which apt has them all; false if there is none.
opus_llvm_version() {
    local version package complete
    if [ -n "$opus_cxx" ]; then
        version=$(opus_compiler_bin)
        version=${version#/usr/lib/llvm-}
        version=${version%/bin}
        if [ "$version" -ge "$opus_min_clang" ] 2>/dev/null; then
            printf '%s\n' "$version"
            return
        fi
    fi
    for version in $(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -rn); do
        complete=yes
        for package in "$@"; do
            apt-cache show "${package/-N/-$version}" >/dev/null 2>&1 || complete=no
        done
        if [ "$version" -ge "$opus_min_clang" ] && [ $complete = yes ]; then
            printf '%s\n' "$version"
            return
        fi
    done
    return 1
}

# Installs the packages "$@" with apt, unless --no-install was given.
opus_install() {
    local id='' package version='' packages=() as_root=()
    [ "$opus_may_install" = yes ] ||
        opus_fail "missing, and not installed because of --no-install: $*" \
            "(Debian's names; N >= $opus_min_clang)"
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && printf '%s' "$ID")
    fi
    case $id in
        debian | ubuntu) ;;
        *)
            opus_fail "missing on this system, which is neither Debian nor Ubuntu:" \
                "$* (Debian's names; N >= $opus_min_clang); install them and run this again"
            ;;
    esac
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            opus_fail "missing: $* (N >= $opus_min_clang); run this as root once, or install sudo"
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)

    opus_say "missing: $*; asking apt what it has (apt-get update)"
    "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update >&2 ||
        opus_fail "apt-get update failed"
    case "$*" in
        *-N*)
            version=$(opus_llvm_version "$@") ||
                opus_fail "apt does not offer $* with N >= $opus_min_clang; see https://apt.llvm.org"
            ;;
    esac
    for package in "$@"; do
        package=${package/-N/-$version}
        if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed
        then
            packages+=("$package")
        fi
    done
    if [ ${#packages[@]} -gt 0 ]; then
        opus_say "installing with apt-get: ${packages[*]} (and what they depend on)"
        "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
            "${packages[@]}" >&2 || opus_fail "apt-get install failed"
    fi
}

# == the steps ====================================================================================

opus_parse() {
    opus_arch=
    opus_arguments=()
    while [ $# -gt 0 ]; do
        case $1 in
            --arch)
                shift
                opus_arch=${1:-nothing}
                ;;
            --arch=*) opus_arch=${1#--arch=} ;;
            --no-install) opus_may_install=no ;;
            *) opus_arguments+=("$1") ;;
        esac
        [ $# = 0 ] || shift
    done
    case $opus_arch in
        '' | gfx942 | gfx950) ;;
        *) opus_fail "--arch is followed by $opus_arch; it takes gfx942 or gfx950" ;;
    esac
}

opus_setup() {
    local tool
    opus_tools=("$@")
    for tool in "$@"; do
        case $tool in
            clang-format | clang-tidy | valgrind | clang-19 | rsvg-convert | sanitizers | python3 | \
                pkg-config | host-only) ;;
            *) opus_fail "opus_setup knows no tool $tool" ;;
        esac
    done
    opus_wants_emulator=yes
    opus_gpu=$(sh "$opus_root/cmake/find_gpu.sh" 2>/dev/null) || opus_gpu=none
    case ${OPUS_RUNTIME:-auto} in
        auto) [ "$opus_gpu" = none ] || opus_wants_emulator=no ;;
        rocm) opus_wants_emulator=no ;;
        emulator) ;;
        *) opus_fail "OPUS_RUNTIME is '$OPUS_RUNTIME'; it may be auto, rocm or emulator" ;;
    esac
    if opus_wants host-only; then
        opus_wants_emulator=no
    fi

    opus_find_all
    if [ ${#opus_missing[@]} -gt 0 ]; then
        opus_install "${opus_missing[@]}"
        opus_find_all
        [ ${#opus_missing[@]} = 0 ] ||
            opus_fail "installed, but still not usable: ${opus_missing[*]}"
    fi
}

# Configures only when something changed since the last time; Ninja itself configures again after
# a change to a CMakeLists.txt.
opus_configure() {
    local default=$opus_root/build runtime=${OPUS_RUNTIME:-auto} stamp settings archs
    if opus_wants host-only; then # in a tree of its own, which lacks most of the targets
        opus_build_dir+=/host
        runtime=none
    fi
    stamp=$opus_build_dir/opus_configured
    local options=(
        -G Ninja
        -DCMAKE_BUILD_TYPE=Release
        "-DOPUS_RUNTIME=$runtime"
        "-DCMAKE_CXX_COMPILER=$opus_cxx"
        "-DOPUS_WARNINGS_AS_ERRORS=${OPUS_WARNINGS_AS_ERRORS:-OFF}"
    )
    if opus_wants host-only; then
        options+=(-DOPUS_BUILD_TESTS=OFF)
    elif [ "$opus_wants_emulator" = yes ]; then
        options+=("-DLLVM_DIR=$opus_llvm/lib/cmake/llvm")
    fi
    settings="$opus_root: ${options[*]}; GPU: $opus_gpu"
    if [ "${1:-}" = example ] && [ "$opus_build_dir" != "$default" ] &&
        [ "$opus_wants_emulator" = yes ] && [ "$(cat "$default/opus_configured" 2>/dev/null)" = "$settings" ]
    then
        (opus_build_dir=$default && opus_build opus_emulator)
        options+=(
            -DOPUS_BUILD_TESTS=OFF
            "-DOPUS_EMULATOR_LIBRARY=$default/op_tests/emulator/libamdhip64.so"
        )
        settings+="; the emulator of build/"
    fi
    if [ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "$settings" ]; then
        if [ -e "$stamp" ]; then # a cached result of another compiler would stay
            rm -rf "$opus_build_dir/CMakeCache.txt" "$opus_build_dir/CMakeFiles" "$stamp"
        fi
        cmake -S "$opus_root" -B "$opus_build_dir" "${options[@]}" >&2 ||
            opus_fail "CMake could not configure $opus_build_dir"
        printf '%s\n' "$settings" >"$stamp"
    fi
    archs=$(sed -n 's/^OPUS_GPU_ARCHS:STRING=//p' "$opus_build_dir/CMakeCache.txt")
    IFS=';' read -r -a opus_archs <<<"$archs"
    if [ -n "${opus_arch:-}" ]; then
        case " ${opus_archs[*]} " in
            *" $opus_arch "*) opus_archs=("$opus_arch") ;;
            *) opus_fail "--arch $opus_arch: this build is for ${opus_archs[*]}" ;;
        esac
    fi
}

# Without the lines that Ninja prints where nothing is to be done.
opus_build() {
    NINJA_STATUS=${NINJA_STATUS-'[%f of %t, %p, %e s] '} \
        cmake --build "$opus_build_dir" ${1:+--target "$@"} 2>&1 |
        sed -u -e '/^\[0 of [^]]*\] Re-checking globbed directories\.\.\.$/d' \
            -e '/^ninja: no work to do\.$/d' >&2 || opus_fail "the build failed"
}
