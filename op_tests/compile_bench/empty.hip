// Nothing: what the compiler itself costs.
