// The two libraries stand in one directory and find each other there.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace emu {

// The library of this name beside the one that has the code at `here`; nullptr, after a message, if
// there is none. It is opened where the program itself has opened it, too.
inline void* open_beside(const void* here, const char* name) {
    Dl_info self{};
    ::dladdr(here, &self);
    const std::string path = self.dli_fname == nullptr ? "" : self.dli_fname;
    const std::string directory = path.substr(0, path.rfind('/') + 1);
    void* library = ::dlopen((directory + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "opus emulator: %s\n", ::dlerror());
    }
    return library;
}

}  // namespace emu
