// The vector code of long legs in f32, compiled once for each instruction set with FDTD_ISA naming it. Everything but
// the entry function is local.
#include "engine/vector/isa/leggy_two_pass_table.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu::FDTD_ISA {
TwoPassFunctions<float> two_pass_f32(int legs) { return two_pass<float>(legs); }
}  // namespace fdtd::cpu::FDTD_ISA
