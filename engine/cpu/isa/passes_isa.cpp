// The vector code of long legs, compiled once an instruction set with FDTD_ISA naming it, beside kernels_isa.cpp: what takes
// long to compile is compiled side by side. Everything but the entry functions is local.
#include "engine/cpu/isa/passes.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

template <class T, int M = shortest_passes>
PassLeaps<T> passes(int legs) {
  if (legs == M) {
    // Where registers are few, what is asked for costs too little to have the code twice.
    if constexpr (broadcasts_in_operands && M > longest_whole)
      return {leap_in_passes<T, M, true>, leap_in_passes<T, M, false>};
    return {leap_in_passes<T, M, true>, nullptr};
  }
  if constexpr (M < most_legs) {
    return passes<T, M + 1>(legs);
  } else {
    return {};
  }
}

}  // namespace

namespace FDTD_ISA {
PassLeaps<float> passes_f32(int legs) { return passes<float>(legs); }
PassLeaps<double> passes_f64(int legs) { return passes<double>(legs); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
