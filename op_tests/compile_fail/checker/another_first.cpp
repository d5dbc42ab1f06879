// expect: opus::checker: a message
int variable = undeclared;
static_assert(false, "opus::checker: a message");
