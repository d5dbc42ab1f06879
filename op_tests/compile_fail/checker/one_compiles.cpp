// The error of the first mistake is none of the second.
// == first
// expect: opus::checker: a message
static_assert(sizeof(int) == 5, "opus::checker: a message");

// == second
// expect: opus::checker: a message
static_assert(sizeof(int) == 4, "opus::checker: a message");
