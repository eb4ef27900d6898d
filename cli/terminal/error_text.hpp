// An error as the program prints it.
#pragma once

#include <string>

#include "base/error.hpp"

namespace fdtd::cli {

// "fdtd: what\n", and "  hint: what to do\n" where there is a hint. Shortened; nothing in it that a terminal obeys.
std::string error_text(const Error& error);

}  // namespace fdtd::cli
