// expect: opus::checker: a message
#warning "error: opus::checker: a message"
int variable = 0;
