// The compiler reports the error of one<int> once, for the first mistake.
template <class T>
void one() {
    static_assert(sizeof(T) == 0, "opus::checker: one");
}

// == first
// expect: opus::checker: one
void f() {
    one<int>();
}

// == second
// expect: opus::checker: one
void g() {
    one<int>();
}
