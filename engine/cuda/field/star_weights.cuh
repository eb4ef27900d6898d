// A leggy stencil's weights as a kernel parameter: constant indices are operands of the instructions. For .cu files
// alone.
#pragma once

#include <type_traits>

#include "stencils/weights.hpp"

namespace fdtd::cuda {

template <class T, int M>
struct StarCoefficients {
  T centre;
  T x[M], y[M], z[M];
};

template <class T, int M>
StarCoefficients<T, M> star_coefficients(const StarWeights& star) {
  StarCoefficients<T, M> out{};
  out.centre = static_cast<T>(star.centre);
  for (int m = 0; m < M; ++m) {
    const auto at = static_cast<std::size_t>(m);
    out.x[m] = static_cast<T>(star.weight[0][at]);
    out.y[m] = static_cast<T>(star.weight[1][at]);
    out.z[m] = static_cast<T>(star.weight[2][at]);
  }
  return out;
}

// Calls function(std::integral_constant<int, radius>{}); 1 <= radius <= max_legs.
template <int R = 1, class Function>
auto with_radius(int radius, const Function& function) {
  if constexpr (R < max_legs) {
    return radius == R ? function(std::integral_constant<int, R>{}) : with_radius<R + 1>(radius, function);
  } else {
    return function(std::integral_constant<int, R>{});
  }
}

}  // namespace fdtd::cuda
