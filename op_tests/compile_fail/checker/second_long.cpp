// The first one has few lines, the second many.
// == first
// expect: opus::checker: a message
static_assert(sizeof(int) == 5, "opus::checker: a message");

// == second
// expect: opus::checker: a message
static_assert(false, "opus::checker: a message");
int variable_0 = undeclared;
int variable_1 = undeclared;
int variable_2 = undeclared;
int variable_3 = undeclared;
int variable_4 = undeclared;
int variable_5 = undeclared;
int variable_6 = undeclared;
int variable_7 = undeclared;
