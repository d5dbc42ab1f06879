// Calls of the host by device code: printf as clang lowers it by default, and the assert of HIP's
// headers, whose functions in ROCm's device library (__ockl_printf_begin...) make such calls.
//
// A wave takes a packet from the free stack, fills in what each of its lanes wants, pushes the packet
// on the ready stack and looks at the packet's control word until the host has cleared bit 0. Here no
// thread waits for packets: serve() is called after a wave's turn.
#pragma once

#include <cstdint>
#include <memory>

#include "machine/wave.hpp"

namespace emu {

class hostcall_service final : public host_service {
public:
    // The process has one, made when it is first asked for.
    static hostcall_service& instance();
    ~hostcall_service() = delete;  // programs launch kernels from static destructors

    uint64_t buffer_address() const;

    // Does what the packets on the ready stack ask for.
    void serve() override;
    bool assertion_failed() const override;

private:
    hostcall_service();

    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace emu
