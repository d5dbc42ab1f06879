#error "opus::checker: a message"
