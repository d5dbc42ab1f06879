# awk -v least=NUMBER: a header as it would be without OPUS_DEBUG: the blocks of #if OPUS_DEBUG (what
# is in their #else stays), and OPUS_IF_DEBUG(...), OPUS_HERE and OPUS_AT with what they add. It is an
# error if there are fewer than NUMBER of the first two.
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
/^#define OPUS_(HERE|AT|IF_DEBUG)([( ]|$)/ { next }
{ text = text $0 "\n" }
END {
    gsub(/ OPUS_HERE/, "", text)
    while (match(text, / OPUS_AT[^A-Z]/)) {  # not OPUS_ATOMIC
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + length(" OPUS_AT"))
    }
    while ((start = index(text, "OPUS_IF_DEBUG(")) > 0) {
        open = 0
        for (end = start + length("OPUS_IF_DEBUG"); ; end++) {
            c = substr(text, end, 1)
            open += (c == "(") - (c == ")")
            if (open == 0)
                break
        }
        text = substr(text, 1, start - 1) substr(text, end + 1)
        removed++
    }
    printf "%s", text
    if (removed < least || text ~ /OPUS_IF_DEBUG|debug_failed/) {
        print "without_debug.awk: the header has another form" > "/dev/stderr"
        exit 1
    }
}
