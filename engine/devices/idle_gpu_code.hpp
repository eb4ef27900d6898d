// GPU code that is there and computes nothing, which a run on the CPU states.
#pragma once

#include <string>

namespace fdtd {

// Why the program's GPU code, or a library of it that is named or lies beside the program, finds no GPU to use: it is
// refused, there is no driver, or no GPU that can be used. Empty where it finds one, and where there is no GPU code.
std::string why_gpu_code_is_idle();

}  // namespace fdtd
