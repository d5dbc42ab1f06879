// Which variable a byte of LDS belongs to.
//
// Compilers leave no address of a __shared__ variable: clang's DWARF has its name and its type
// without a location, and there is no symbol. But LLVM lays the variables of a kernel out by a rule,
// and the kernel's descriptor has their sum. So the variables are those that the debug information
// may mean of which the layout takes just as many bytes. Where more than one choice of variables
// does, a byte has a name only if all of them say the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace emu {

struct workgroup;

// "LDS byte 252 (lds[63])"; without a name "LDS byte 252 of 1024".
std::string name_of_lds_byte(const workgroup& group, uint64_t byte);

// Of an address outside: ", right behind a (float[64]), as a[64]"; empty if there is no name.
std::string name_beyond_lds(const workgroup& group, int64_t byte);

// "a[3]" for the byte, empty if there is no name. Of several bytes one after the other it is faster.
class lds_names {
public:
    explicit lds_names(const workgroup& group);
    ~lds_names();
    lds_names(const lds_names&) = delete;
    lds_names& operator=(const lds_names&) = delete;

    std::string at(uint64_t byte) const;
    std::string beyond(int64_t byte) const;

private:
    struct contents;
    std::unique_ptr<contents> contents_;
};

namespace impl {

// A variable as the layout sees it.
struct lds_variable {
    std::string symbol;  // which decides where two are alike
    uint64_t size = 0;
    uint64_t alignment = 1;          // of its place
    uint64_t natural_alignment = 1;  // of its type
    size_t index = 0;                // of the caller
};

struct placed_variable {
    size_t index;
    uint64_t offset;
};

// All choices of variables whose layout takes `bytes` bytes; none if one of them is not certain or if
// there are too many to look through.
std::vector<std::vector<placed_variable>> lds_layouts(std::vector<lds_variable> variables,
                                                      uint64_t bytes);

}  // namespace impl

}  // namespace emu
