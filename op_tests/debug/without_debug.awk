# awk -v least=NUMBER: a header without what OPUS_DEBUG is for: the blocks of #if OPUS_DEBUG (what is in
# their #else stays) and the calls of checks. It is an error if there are fewer than NUMBER of them.
/^#if/ { depth++ }
/^#if OPUS_DEBUG/ { block[depth] = 1; hidden++; next }
/^#else/ && block[depth] { if (block[depth] == 1) { block[depth] = 2; hidden-- }; next }
/^#endif/ {
    depth--
    if (block[depth + 1]) {
        hidden -= block[depth + 1] == 1
        block[depth + 1] = 0
        removed++
        next
    }
}
hidden { next }
/^ +(impl::)?check(_(coord|end|is_lds|lds_alignment|shuffle|size|thread|width))?(<[^;]*>)?\(/ {
    in_call = 1
    removed++
}
in_call {
    in_call = $0 !~ /; *\\?$/
    print $0 ~ /\\$/ ? "\\" : ""
    next
}
{ print }
END {
    if (removed < least) {
        print "without_debug.awk: the header has another form" > "/dev/stderr"
        exit 1
    }
}
