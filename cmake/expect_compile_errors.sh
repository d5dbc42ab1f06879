#!/usr/bin/env bash
# expect_compile_errors.sh COMPILER SOURCE INCLUDE TARGETS HEADERS WORK
#
# Compiles a file of mistakes, each of which must not compile. A line
#   // == <name>
# begins a mistake, which ends where the next one begins; what is in front of the first one belongs to
# all. A file without such lines is one mistake. Lines of a mistake say what is expected:
#   // expect: <regex>                  each must match a line in which the compiler reports an error
#                                       (extended, as awk has them); at least one
#   // target: host | gfx942 | gfx...   default: of a .cpp file host, which is plain C++17 (a .hip file
#                                       goes through the host pass of HIP); of a .hip file each of
#                                       TARGETS, which are separated by commas
#   // compiler's: <why>                the first error is not a sentence of this library
#   // lines: <number> <why>            that many lines instead of those below
# Fails if a mistake compiles, whatever is printed, and if the error is another one. What a user sees
# has to be short and to begin with our sentence: it fails as well if the first error is none of the
# expected ones or does not name its entity of this library, and if the compiler prints more than 25
# lines for each expectation.
#
# The mistakes for a target are compiled together: an error belongs to the mistake whose lines it
# names. Where one is not as expected that way (a template is instantiated once, for the first that
# asks for it), it is compiled alone, and that counts.
#
# HEADERS has what precompile_headers.cmake makes. With it the messages are the same, and they take a
# fifth of the time. A file that defines macros, or is for another target, is compiled without. Files
# go into the directory WORK.
set -euo pipefail
compiler=$1 source=$2 include=$3 targets=$4 headers=$5 work=$6
mkdir -p "$work"

# Prints the mistakes, or with `output`, what the compiler says, which are not as expected, and why.
# Needs name, only (a mistake that is compiled alone) and target.
read -r -d '' awk_program <<'AWK' || true
function begin(line, called) {
    ++count
    first_line[count] = line
    mistake[count] = called
    of[count] = ""
}
FNR == NR { # the source
    if ($0 ~ /^\/\/ == /) {
        if (count == 1 && mistake[1] == "") # in front of the first one
            count = 0
        begin(FNR, substr($0, 7))
    } else if (FNR == 1)
        begin(1, "")
    if ($0 ~ /^\/\/ expect: /)
        expected[count, ++expectations[count]] = substr($0, 12)
    else if ($0 ~ /^\/\/ target: /)
        of[count] = $3
    else if ($0 ~ /^\/\/ lines: /)
        most[count] = $3 + 0
    else if ($0 ~ /^\/\/ compiler's: /)
        foreign[count] = 1
    next
}
{ text[++lines] = $0 }
# The mistake of a line of the source.
function mistake_of(line,    m) {
    for (m = count; m > 1 && first_line[m] > line; --m);
    return m
}
# Ends a part of the output that is one error: it goes to the mistakes that it names.
function end_part(from, to,    i, rest, place, line, owner) {
    owner = 0
    for (i = from; i <= to; ++i) {
        if (text[i] ~ /^In file included from /)
            continue
        rest = text[i]
        while (!only && (place = index(rest, name ":")) != 0) {
            rest = substr(rest, place + length(name) + 1)
            line = rest + 0
            if (line >= first_line[1]) { # not in front of all
                if (owner && owner != mistake_of(line))
                    mixed = 1
                owner = mistake_of(line)
            }
        }
    }
    if (only)
        owner = only
    # The next one within the same instantiation, whose origin is not said again.
    if (!owner)
        owner = last_owner
    if (!owner)
        mixed = 1
    last_owner = owner
    for (i = from; i <= to; ++i) {
        ++size[owner]
        if (text[i] ~ /error: /)
            errors[owner, ++error_count[owner]] = text[i]
    }
}
function judge(m,    e, i, found, first_is_expected, limit) {
    if (!error_count[m])
        return "compiles for " target ", but must not."
    for (e = 1; e <= expectations[m]; ++e) {
        found = 0
        for (i = 1; i <= error_count[m]; ++i)
            if (errors[m, i] ~ expected[m, e]) {
                found = 1
                if (i == 1)
                    first_is_expected = 1
            }
        if (!found)
            return "does not compile for " target ", but for another reason than: " expected[m, e]
    }
    for (i = 1; i <= error_count[m]; ++i)
        if (name ~ /1[0-9]_[^\/]*$/ && errors[m, i] ~ /incomplete type/)
            return "has a follow-up error for " target ": " errors[m, i]
    if (!expectations[m])
        return "has no line '// expect: <regex>'"
    if (!first_is_expected)
        return "the first error for " target " is none of the expected ones."
    # Of an assertion that may stand behind what it requires, of an #error in quotes.
    if (!foreign[m] && errors[m, 1] !~ /(error: "?|': |failed: |unavailable: )opus(:|::)/)
        return "the first error for " target " is not a sentence of opus."
    limit = m in most ? most[m] : 25 * expectations[m]
    if (size[m] > limit)
        return size[m] " lines of errors for " target "; " limit " are enough."
    return ""
}
END {
    if (plan) {
        for (m = 1; m <= count; ++m)
            print m, first_line[m], (m < count ? first_line[m + 1] - 1 : FNR), (of[m] ? of[m] : "-"), mistake[m]
        exit
    }
    # A part begins with the line of an error, or with the lines before it that say where it is.
    from = 0
    seen = 0
    for (i = 1; i <= lines; ++i) {
        is_error = text[i] ~ /error: /
        is_place = text[i] ~ /^In file included from /
        if (is_place && !from)
            from = i
        else if (is_place && seen || is_error && seen) {
            end_part(from, i - 1)
            from = i
            seen = 0
        } else if (!from)
            from = i
        if (is_error)
            seen = 1
    }
    if (from && seen)
        end_part(from, text[lines] ~ /^[0-9]+ errors? generated/ ? lines - 1 : lines)
    for (m = 1; m <= count; ++m) {
        if (only && m != only || (" " chosen " ") !~ " " m " ")
            continue
        why = judge(m)
        if (mixed && !only)
            why = "mixed"
        if (why != "")
            print m, (mistake[m] ? ", " mistake[m] : "") ": " why
    }
}
AWK

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}
default_targets=host
[[ $source != *.hip ]] || default_targets=${targets//,/ }
mapfile -t plan < <(awk -v plan=1 "$awk_program" "$source")

# compile TARGET MISTAKE...: into $work/output.
compile() {
    local target=$1 options file=$source pch='' kind='' n first last of name
    shift
    local hip=(-x hip -nogpuinc -nogpulib)
    case $target in
        gfx*) options=("${hip[@]}" "--offload-arch=$target" --cuda-device-only) kind=$target ;;
        host)
            if [[ $source == *.hip ]]; then
                options=("${hip[@]}" --offload-arch=gfx942 --cuda-host-only) kind=hip_host
            else
                options=(-x c++) kind=host
            fi
            ;;
        *) fail "$source: the target is '$target'; it may be host or a gfx name" ;;
    esac
    if [ -n "$headers" ] && ! grep -q '#define' "$source"; then
        pch=$headers/opus
        ! grep -q '#include "opus/hip_minimal.hpp"' "$source" || pch=$headers/both
        # Not for targets that the tests have no other use of.
        if [ -e "${pch}_$kind.pch" ]; then
            options+=(-Xclang -include-pch -Xclang "${pch}_$kind.pch")
        fi
    fi
    if [ $# != ${#plan[@]} ]; then # without the others, in the same lines
        file=$work/part.${source##*.}
        local ranges=' '
        for n in "${plan[@]}"; do
            read -r n first last of name <<<"$n"
            [[ " $* " == *" $n "* ]] || ranges+="$first-$last "
        done
        awk -v ranges="$ranges" -v name="$source" '
            BEGIN {
                printf "#line 1 \"%s\"\n", name
                count = split(ranges, range, " ")
                for (r = 1; r <= count; ++r) {
                    split(range[r], ends, "-")
                    for (i = ends[1] + 0; i <= ends[2] + 0; ++i)
                        left_out[i] = 1
                }
            }
            { print (NR in left_out) ? "" : $0 }' "$source" >"$file"
    fi
    if "$compiler" -std=c++17 "${options[@]}" "-I$include" -fsyntax-only -w \
        -fdiagnostics-color=never -ferror-limit=0 "$file" >"$work/said" 2>&1
    then
        : >"$work/said"
    fi
    # The source of precompiled headers is one step more on the way to opus.hpp.
    grep -v "^In file included from $headers/[a-z]*\.hpp:[12]:\$" "$work/said" >"$work/output" || true
}

# judge TARGET ONLY MISTAKE...: prints those that are not as expected.
judge() {
    local target=$1 only=$2
    shift 2
    awk -v "name=$source" -v "target=$target" -v "only=$only" -v "chosen=$*" "$awk_program" \
        "$source" "$work/output"
}

declare -A of_target
order=()
for row in "${plan[@]}"; do
    read -r n first last of name <<<"$row"
    [ "$of" != - ] || of=$default_targets
    for target in $of; do
        [ -n "${of_target[$target]:-}" ] || order+=("$target")
        of_target[$target]+="$n "
    done
done
status=0
for target in "${order[@]}"; do
    read -r -a chosen <<<"${of_target[$target]}"
    only=
    [ ${#plan[@]} != 1 ] || only=1
    compile "$target" "${chosen[@]}"
    mapfile -t wrong < <(judge "$target" "$only" "${chosen[@]}")
    for row in "${wrong[@]}"; do
        n=${row%% *}
        if [ -z "$only" ]; then
            compile "$target" "$n"
            row=$(judge "$target" "$n" "$n")
            [ -n "$row" ] || continue
        fi
        printf 'the compiler says:\n' >&2
        cat "$work/output" >&2
        printf '%s%s\n' "$source" "${row#* }" >&2
        status=1
    done
done
exit $status
