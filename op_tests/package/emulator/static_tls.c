/* A library with 64 bytes of static thread-local storage, of which the loader has little for what is
   opened late. */
__attribute__((tls_model("initial-exec"))) static __thread char bytes[64];

int touch(void) {
    return ++bytes[0];
}
