// expect: use of undeclared identifier
int variable = undeclared;
