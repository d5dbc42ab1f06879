// opus-emu: what the emulator can execute.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "code_object.hpp"
#include "decode.hpp"

int main(int argc, char** argv) {
    CLI::App app("Facts about the opus emulator (libamdhip64.so on the CPU)", "opus-emu");
    bool list = false;
    std::string arch = "gfx942";
    app.add_flag("--list", list, "print the mnemonics that are implemented, one per line")
        ->required();
    app.add_option("--arch", arch, "gfx942 or gfx950")
        ->check(CLI::IsMember({"gfx942", "gfx950"}))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const auto target = arch == "gfx942" ? emu::gfx_target::gfx942 : emu::gfx_target::gfx950;
    for (const std::string& mnemonic : emu::implemented_mnemonics(target)) {
        std::puts(mnemonic.c_str());
    }
}
