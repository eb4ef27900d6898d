// The vector code of long legs, compiled once an instruction set with FDTD_ISA naming it, beside kernels_isa.cpp: what takes
// long to compile is compiled side by side. Everything but the entry functions is local.
#include "engine/cpu/isa/passes.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

static_assert(shortest_passes <= longest_whole + 1);  // longer legs have nothing else

template <class T, int M = shortest_passes>
Leap<T> passes(int legs) {
  if (legs == M) return leap_in_passes<T, M>;
  if constexpr (M < most_legs) {
    return passes<T, M + 1>(legs);
  } else {
    return nullptr;
  }
}

}  // namespace

namespace FDTD_ISA {
Leap<float> passes_f32(int legs) { return passes<float>(legs); }
Leap<double> passes_f64(int legs) { return passes<double>(legs); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
