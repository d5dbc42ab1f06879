// What DWARF says about a loaded code object beyond its lines: functions, variables and types. Read
// by LLVM, when a report or a dump asks for it.
#pragma once

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace emu {

class program;

class debug_info {
public:
    explicit debug_info(const program& code);

    explicit operator bool() const { return dwarf_ != nullptr; }
    llvm::DWARFContext& dwarf() const { return *dwarf_; }
    const llvm::object::ObjectFile& object() const { return *object_; }

    // The address in DWARF of the code at `pc`, and its function; an invalid one if there is none.
    uint64_t address_of(uint64_t pc) const { return pc - base_; }
    llvm::DWARFDie function_at(uint64_t pc) const;

private:
    std::unique_ptr<llvm::object::ObjectFile> object_;
    std::unique_ptr<llvm::DWARFContext> dwarf_;
    uint64_t base_ = 0;
};

// ---- types ----

// Without typedef, const and the like.
llvm::DWARFDie plain_type(llvm::DWARFDie type);

bool is_const(const llvm::DWARFDie& type);

std::optional<uint64_t> size_of(llvm::DWARFDie type);

// That its scalars and vectors ask for.
uint64_t alignment_of(const llvm::DWARFDie& type);

// "float[4][16]", "const pair*".
std::string type_name(const llvm::DWARFDie& type);

// What the byte at `offset` of an object of this type is: "[3][5]", ".second[1]", behind which
// "+2" stands for the third byte of a scalar. One beyond an array's end gets the index that it would
// have.
std::string path_in(const llvm::DWARFDie& type, int64_t offset);

// The value of a scalar of this type, in hexadecimal where nothing better is known.
std::string text_of_value(const llvm::DWARFDie& type, const std::vector<std::byte>& bytes);

}  // namespace emu
