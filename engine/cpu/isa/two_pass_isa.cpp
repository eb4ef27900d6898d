// The vector code of long legs, compiled once an instruction set with FDTD_ISA naming it, beside kernels_isa.cpp: what takes
// long to compile is compiled side by side. Everything but the entry functions is local.
#include "engine/cpu/isa/leggy_two_pass.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

template <class T, int M = shortest_passes>
LongLegs<T> long_legs(int legs) {
  if (legs == M) {
    // Where registers are few, what is asked for costs too little to have the code twice.
    if constexpr (broadcasts_in_operands && M > longest_whole)
      return {leap_in_passes<T, M, true>, leap_in_passes<T, M, false>, apply_in_passes<T, M>};
    return {leap_in_passes<T, M, true>, nullptr, apply_in_passes<T, M>};
  }
  if constexpr (M < most_legs) {
    return long_legs<T, M + 1>(legs);
  } else {
    return {};
  }
}

}  // namespace

namespace FDTD_ISA {
LongLegs<float> long_legs_f32(int legs) { return long_legs<float>(legs); }
LongLegs<double> long_legs_f64(int legs) { return long_legs<double>(legs); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
