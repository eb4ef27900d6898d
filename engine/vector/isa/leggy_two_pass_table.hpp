// The choice of vector code for long legs by their number. Only two_pass_f32_isa.cpp and two_pass_f64_isa.cpp include
// it: they take long to compile and compile in parallel.
#pragma once

#include "engine/vector/isa/leggy_two_pass.hpp"

namespace fdtd::cpu {
namespace {

template <class T, int M = min_two_pass_legs>
TwoPassFunctions<T> two_pass(int legs) {
  if (legs == M) {
    // With few registers the difference in prefetching gains too little to compile both.
    if constexpr (broadcasts_in_operands && M > max_whole_row_legs)
      return {leap_two_pass<T, M, true>, leap_two_pass<T, M, false>, apply_two_pass<T, M>};
    return {leap_two_pass<T, M, true>, nullptr, apply_two_pass<T, M>};
  }
  if constexpr (M < max_legs) {
    return two_pass<T, M + 1>(legs);
  } else {
    return {};
  }
}

}  // namespace

}  // namespace fdtd::cpu
