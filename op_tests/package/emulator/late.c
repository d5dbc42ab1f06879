/* late LIBRARY CODE_OBJECT STATIC_TLS...: opens the emulator after the other libraries, as a plugin
   would, and runs a kernel. Prints what the kernels are executed for: "x86-64-v3". */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { groups = 4, threads = 256, count = groups * threads, host_to_device = 1, device_to_host = 2 };

static void fail(const char* what) {
    fprintf(stderr, "late: %s\n", what);
    exit(1);
}

static void* find(void* library, const char* name) {
    void* function = dlsym(library, name);
    if (function == NULL) {
        fail(name);
    }
    return function;
}

static void require(int error, const char* what) {
    if (error != 0) {
        fail(what);
    }
}

static char* read_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fail(path);
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char* bytes = malloc((size_t)size);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        fail(path);
    }
    fclose(file);
    return bytes;
}

/* Until the loader has no room for more. */
static void fill_static_tls(char** libraries, int number) {
    int opened = 0;
    int refused = 0;
    for (int n = 0; n < number; ++n) {
        if (dlopen(libraries[n], RTLD_NOW) != NULL) {
            ++opened;
        } else if (strstr(dlerror(), "static TLS") != NULL) {
            ++refused;
        }
    }
    fprintf(stderr, "late: %d libraries opened, %d refused\n", opened, refused);
    if (opened < 5 || refused == 0 || opened + refused != number) {
        fail("static thread-local storage is not used up, so nothing is tested");
    }
}

int main(int argc, char** argv) {
    if (argc < 4) {
        fail("three arguments at least");
    }
    fill_static_tls(argv + 3, argc - 3);
    void* hip = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (hip == NULL) {
        fail(dlerror());
    }
    int (*allocate)(void**, size_t) = find(hip, "hipMalloc");
    int (*release)(void*) = find(hip, "hipFree");
    int (*copy)(void*, const void*, size_t, int) = find(hip, "hipMemcpy");
    int (*load)(void**, const void*) = find(hip, "hipModuleLoadData");
    int (*unload)(void*) = find(hip, "hipModuleUnload");
    int (*get_function)(void**, void*, const char*) = find(hip, "hipModuleGetFunction");
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**) = find(hip, "hipModuleLaunchKernel");
    const char* (*cpu)(void) = find(hip, "opus_emulator_cpu");

    static int in[count];
    static int out[count];
    for (int n = 0; n < count; ++n) {
        in[n] = 1000 - 7 * n;
    }
    void* device_in = NULL;
    void* device_out = NULL;
    require(allocate(&device_in, sizeof in), "hipMalloc");
    require(allocate(&device_out, sizeof out), "hipMalloc");
    require(copy(device_in, in, sizeof in, host_to_device), "hipMemcpy");
    char* code = read_file(argv[2]);
    void* module = NULL;
    void* kernel = NULL;
    require(load(&module, code), "hipModuleLoadData");
    require(get_function(&kernel, module, "_Z6triplePiPKi"), "hipModuleGetFunction");
    void* arguments[] = {&device_out, &device_in};
    require(launch(kernel, groups, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL),
            "hipModuleLaunchKernel");
    require(copy(out, device_out, sizeof out, device_to_host), "hipMemcpy");
    for (int n = 0; n < count; ++n) {
        if (out[n] != 3 * in[n] + n) {
            fprintf(stderr, "late: element %d is %d, not %d\n", n, out[n], 3 * in[n] + n);
            return 1;
        }
    }
    puts(cpu());
    require(unload(module), "hipModuleUnload");
    require(release(device_in), "hipFree");
    require(release(device_out), "hipFree");
    require(dlclose(hip), "dlclose");
    free(code);
    return 0;
}
