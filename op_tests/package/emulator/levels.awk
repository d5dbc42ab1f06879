# Of `objdump -d --no-show-raw-insn`: instructions that a CPU of the function's level may not have. A
# function is of the level that its name has, else of x86-64-v2. (LLVM, where it is linked
# statically, chooses by itself. tzcnt is bsf where it does not exist, which compilers rely on.)
/^[0-9a-f]+ <.*>:$/ {
    name = $2
    level = name ~ /x86_64_v4/ ? 4 : name ~ /x86_64_v3/ ? 3 : 2
    if (name ~ /llvm|LLVM/) level = 4
    next
}
$1 ~ /^[0-9a-f]+:$/ {
    needed = 2
    if ($2 ~ /^v/) needed = 3
    if ($2 ~ /^(andn|bextr|bls[ir]|blsmsk|bzhi|lzcnt|movbe|mulx|pdep|pext|rorx|s[ah]rx|shlx)[wlq]?$/) needed = 3
    if ($0 ~ /%zmm|%[xy]mm(1[6-9]|2[0-9]|3[01])|%k[0-7]/) needed = 4
    ++seen[level, needed]
    if (needed > level) {
        print "level " needed " is needed in " name ": " $0
        bad = 1
    }
}
END {
    for (level = 2; level <= 4; ++level) {
        if (!seen[level, level]) {
            print "no instruction that only level " level " has"
            bad = 1
        }
    }
    exit bad
}
