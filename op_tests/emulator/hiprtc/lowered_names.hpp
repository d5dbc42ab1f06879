// Name expressions: C++ for a kernel or a variable of the device, for which the program asks under
// what name the code object has it.
#pragma once

#include <map>
#include <span>
#include <string>

namespace emu {

// What stands behind the source: for each expression a variable that holds its address, by which
// templates are instantiated, too.
std::string table_of_names(std::span<const std::string> expressions);

// The names of what these variables point at; without those that are not found.
std::map<std::string, std::string> lowered_names(const std::string& code_object,
                                                 std::span<const std::string> expressions);

}  // namespace emu
