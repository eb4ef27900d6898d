// The choice of vector code for long legs by their number. Included by two_pass_f32_isa.cpp and two_pass_f64_isa.cpp alone: what
// takes long to compile is compiled side by side.
#pragma once

#include "engine/cpu/isa/leggy_two_pass.hpp"

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

}  // namespace fdtd::cpu
