// Each has the error that the other one expects.
template <class T>
void one() {
    static_assert(sizeof(T) == 0, "opus::checker: one");
}
template <class T>
void two() {
    static_assert(sizeof(T) == 0, "opus::checker: two");
}

// == first
// expect: opus::checker: one
void f() {
    one<int>();
}

// == second
// expect: opus::checker: one
void g() {
    two<int>();
}
